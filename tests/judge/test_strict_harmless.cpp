// SPDX-License-Identifier: Apache-2.0
// Changes that say nothing else about the run raise no error: how a pickle is laid out, the order of keys, keys that
// nobody knows, how lines are coloured and ended, what else stands in the log or lies in the folders.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>

#include "judge/strict_support.h"

namespace rlverify::judge::test {
namespace {

using Json = nlohmann::ordered_json;
using rlverify::test::dump_path;
using rlverify::test::dump_payload;
using rlverify::test::PtStyle;
using rlverify::test::sidecar_path;
using rlverify::test::sidecar_payload;
using rlverify::test::write_pt;

class Sampler {
 public:
  explicit Sampler(unsigned seed) : random_(seed) {}
  std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }
  bool coin() { return below(2) == 1; }
  std::mt19937& random() { return random_; }

 private:
  std::mt19937 random_;
};

/// The same value with every object's keys in another order.
Json shuffled(const Json& value, Sampler& sampler) {
  if (value.is_array()) {
    Json out = Json::array();
    for (const Json& item : value) {
      out.push_back(shuffled(item, sampler));
    }
    return out;
  }
  if (!value.is_object()) {
    return value;
  }
  std::vector<std::string> keys;
  for (const auto& [key, inner] : value.items()) {
    keys.push_back(key);
  }
  std::shuffle(keys.begin(), keys.end(), sampler.random());
  Json out = Json::object();
  for (const std::string& key : keys) {
    out[key] = shuffled(value[key], sampler);
  }
  return out;
}

Json unknown_value(Sampler& sampler) {
  const std::vector<Json> values = {Json(nullptr), Json(true),          Json(-7),          Json(0.25),
                                    Json("note"),  Json::array({1, 2}), Json{{"inner", 3}}};
  return values[sampler.below(values.size())];
}

/// Objects of a readback's records that may hold keys nobody knows.
std::vector<std::string> record_objects() {
  std::vector<std::string> places = {""};
  for (const char* module : {"attention", "ffn", "logp"}) {
    const std::string record = std::string("/operators/") + module;
    places.push_back(record);
    places.push_back(record + "/provenance");
    places.push_back(record + "/provenance/execution");
  }
  return places;
}

std::string json_variant(const std::string& text, const std::vector<std::string>& places, Sampler& sampler) {
  Json value = Json::parse(text);
  if (sampler.coin()) {
    Json& object = value[Json::json_pointer(places[sampler.below(places.size())])];
    object["x_unknown_" + std::to_string(sampler.below(1000))] = unknown_value(sampler);
  }
  if (sampler.coin()) {
    value = shuffled(value, sampler);
  }
  return value.dump(sampler.coin() ? 2 : -1, ' ', sampler.coin());
}

std::string pt_variant(PtValue payload, bool dump, Sampler& sampler) {
  const int kProtocols[] = {2, 4, 5};
  PtStyle style;
  style.protocol = kProtocols[sampler.below(3)];
  style.share_storages = sampler.coin();
  style.key_order = static_cast<unsigned>(sampler.below(5));
  if (sampler.coin()) {
    payload["x_unknown"] = PtValue::Dict{{"a", PtValue::List{1, 2.5, "text", PtValue()}}};
  }
  if (dump && sampler.coin()) {
    payload["rollout_data"]["x_unknown"] = PtValue::List{rlverify::test::float_tensor({1.0F, 2.0F})};
  }
  return write_pt(payload, sampler.coin() ? ".rank00000.call00000000.pt.41733" : "archive", style);
}

std::string log_variant(const std::string& text, Sampler& sampler) {
  const std::vector<std::string> strangers = {"",
                                              "INFO 09-19 16:11:02 engine.py:31 - Avg prompt throughput: 3.5 tokens/s",
                                              "{'not': 'a record'}",
                                              "Rollout generation: 100%|####| 8/8 [00:07<00:00, 1.1it/s]",
                                              "UserWarning: torch.backends is deprecated",
                                              "perf: fine",
                                              "\x1b[33mstep into the light\x1b[0m",
                                              "fallback=false",
                                              "(raylet) metrics exported"};
  const std::string end = sampler.below(3) == 0 ? "\r\n" : "\n";
  const bool plain = sampler.below(3) == 0;
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t stop = text.find('\n', at);
    std::string line = text.substr(at, stop - at);
    at = stop + 1;
    if (plain) {
      for (const char* code : {"\x1b[36m", "\x1b[0m", "\x1b[32m", "\x1b[39m"}) {
        for (std::size_t place = line.find(code); place != std::string::npos; place = line.find(code)) {
          line.erase(place, std::string_view(code).size());
        }
      }
    }
    if (const std::size_t pid = line.find(" pid=4100)"); pid != std::string::npos && sampler.coin()) {
      line.replace(pid, 10, " pid=4100, ip=10.0.0.7)");
    }
    if (!line.empty() && line.back() == '}' && sampler.below(4) == 0) {
      line += "\x1b[0m";
    }
    if (sampler.below(4) == 0) {
      out += strangers[sampler.below(strangers.size())] + end;
    }
    out += line + end;
  }
  return out;
}

/// One change of one kind; its name tells which.
std::pair<std::string, RunOnDisk::Changes> variant(const TestRun& run, Sampler& sampler) {
  const int rank = static_cast<int>(sampler.below(8));
  const int call = static_cast<int>(sampler.below(2));
  switch (sampler.below(7)) {
    case 0:
      return {"log", {{"run.log", log_variant(run.files.at("run.log"), sampler)}}};
    case 1:
      return {"manifest", {{"manifest.json", json_variant(run.files.at("manifest.json"), {""}, sampler)}}};
    case 2: {
      const std::string name = sampler.coin() ? megatron(rank) : vllm(rank);
      return {name, {{name, json_variant(run.files.at(name), record_objects(), sampler)}}};
    }
    case 3: {
      const std::string name = "weight-audit/weight_v00000" + std::to_string(1 + sampler.below(3)) + ".json";
      return {name, {{name, json_variant(run.files.at(name), {""}, sampler)}}};
    }
    case 4:
      return {"dump", {{dump_path(rank, call), pt_variant(dump_payload(rank, call), true, sampler)}}};
    case 5: {
      RunOnDisk::Changes changes;
      for (int each = 0; each < 8; ++each) {
        changes[sidecar_path(each, call)] = pt_variant(sidecar_payload(each, call), false, sampler);
      }
      return {"sidecars of a call", changes};
    }
    default:
      return {"other files",
              {{"mismatch-sidecars/.rank00000.call00000000.pt.1.tmp", "junk"},
               {"readbacks/x.json.tmp", "{"},
               {"runtime-audit.txt", "fallback=true"},
               {"train-data/notes.txt", "x"},
               {"weight-audit/README", "x"}}};
  }
}

}  // namespace

TEST_CASE("Harmless changes raise no error") {
  RunOnDisk disk(passing_run());
  Sampler sampler(4);
  std::string wrong;
  for (int i = 0; i < 300; ++i) {
    const auto [name, changes] = variant(disk.run(), sampler);
    const Judged judged = describe(disk.judge(changes));
    if (judged.exit_code != core::ExitCode::kPassed) {
      wrong += name + ": " + judged.sentences;
    }
  }
  CAPTURE(wrong);
  CHECK(wrong.empty());
}

TEST_CASE("Several harmless changes together, in files written in any order") {
  Sampler sampler(5);
  for (int i = 0; i < 20; ++i) {
    TestRun run = passing_run();
    for (int change = 0; change < 10; ++change) {
      for (const auto& [name, bytes] : variant(run, sampler).second) {
        run.files[name] = *bytes;
      }
    }
    std::vector<std::string> names;
    for (const auto& [name, bytes] : run.files) {
      names.push_back(name);
    }
    std::shuffle(names.begin(), names.end(), sampler.random());
    const TemporaryFolder folder;
    for (const std::string& name : names) {
      TestRun one;
      one.files[name] = run.files.at(name);
      one.write(folder.file("run"));
    }
    core::ThreadPool pool(2);
    const run::RunDirectory read = run::read_run_directory(folder.file("run"));
    const Judged judged = describe(judge_run(read, report::RuleSet::kStrict, pool, false));
    CAPTURE(judged.sentences);
    CHECK(judged.exit_code == core::ExitCode::kPassed);
  }
}

TEST_CASE("Python lists, views with strides and 0-d tensors are the same numbers") {
  RunOnDisk disk(passing_run());
  RunOnDisk::Changes changes;
  for (int rank = 0; rank < 8; ++rank) {
    PtValue payload = sidecar_payload(rank, 0);
    payload["rank"] = rlverify::test::scalar_tensor(rank);
    payload["total_lengths"] = PtValue::Tuple{{rlverify::test::scalar_tensor(16), 16}};
    for (std::size_t sample = 0; sample < 2; ++sample) {
      rlverify::test::PtTensor& tensor = payload["train_log_probs"].at(sample).tensor();
      std::string spread;
      for (std::size_t at = 0; at < tensor.bytes.size(); at += 4) {
        spread += tensor.bytes.substr(at, 4) + "junk";
      }
      tensor.bytes = spread;
      tensor.strides = {2};
    }
    changes[sidecar_path(rank, 0)] = write_pt(payload);
  }
  const Judged judged = describe(disk.judge(changes));
  CAPTURE(judged.sentences);
  CHECK(judged.exit_code == core::ExitCode::kPassed);
}

}  // namespace rlverify::judge::test
