// SPDX-License-Identifier: Apache-2.0
// Models on disk: one set of tensors in every container, and every way in which shards and their index can disagree.
#include <catch2/catch.hpp>
#include <filesystem>

#include "core/test_support.h"
#include "tensor/model.h"
#include "tensor/model_index.h"
#include "tensor/safetensors_builder.h"

using namespace rlverify;
using core::test::problem_of;
using core::test::TemporaryFolder;
using tensor::Model;
using tensor::ModelFault;
using tensor::open_model;
using namespace tensor::test;

namespace {

const NamedBytes kA{"a", "F32", {2}, raw<float>({1, 2})};
const NamedBytes kB{"b.weight", "BF16", {1, 2}, "\x80\x3f\x00\x40"s};
const NamedBytes kC{"c", "I64", {1}, raw<std::int64_t>({7})};

std::vector<std::string> names_of(const Model& model) {
  std::vector<std::string> names;
  for (const auto& tensor : model.tensors()) {
    names.push_back(tensor.name);
  }
  return names;
}

std::string bytes_of(const Model& model, const std::string& name) {
  const auto* tensor = model.find(name);
  REQUIRE(tensor != nullptr);
  std::string text;
  for (const std::byte byte : tensor::read_elements(*model.source(tensor->file), tensor->ref)) {
    text += static_cast<char>(byte);
  }
  return text;
}

const tensor::ModelProblem& only_problem(const Model& model, ModelFault fault) {
  REQUIRE(model.problems().size() == 1);
  CHECK(model.problems()[0].fault == fault);
  return model.problems()[0];
}

std::string text_of(const tensor::ModelProblem& problem) {
  return problem.problem.text();
}
bool has(const std::string& text, std::string_view part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

/// A directory with three shards and the index that fits them.
struct Sharded {
  TemporaryFolder folder;
  std::vector<std::pair<std::string, std::string>> map{
      {"a", "m-1.safetensors"}, {"b.weight", "m-2.safetensors"}, {"c", "m-3.safetensors"}};

  Sharded() {
    folder.write("m-1.safetensors", safetensors({kA}));
    folder.write("m-2.safetensors", safetensors({kB}));
    folder.write("m-3.safetensors", safetensors({kC}));
    write_index();
  }
  void write_index() const { folder.write("model.safetensors.index.json", index_json(map)); }
  [[nodiscard]] Model open() const { return open_model(folder.file(""), "M"); }
};

}  // namespace

TEST_CASE("one set of tensors is the same model in every container", "[model]") {
  const TemporaryFolder folder;
  for (const std::string& path :
       {folder.write("one.safetensors", safetensors({kC, kA, kB})), folder.write("one.pt", state_dict({kA, kB, kC})),
        folder.write("one.pth", state_dict({kB, kC, kA}))}) {
    const Model model = open_model(path);
    INFO(path);
    CHECK(model.problems().empty());
    CHECK(model.tensors().size() == 3);
    CHECK(bytes_of(model, "a") == kA.bytes);
    CHECK(bytes_of(model, "b.weight") == kB.bytes);
    CHECK(model.find("c")->ref.dtype == tensor::DType::kInt64);
    CHECK(model.find("d") == nullptr);
    CHECK(model.logical_bytes() == 8 + 4 + 8);
  }
  const Sharded sharded;
  CHECK(names_of(sharded.open()) == std::vector<std::string>{"a", "b.weight", "c"});
  CHECK(bytes_of(sharded.open(), "c") == kC.bytes);
  CHECK(sharded.open().problems().empty());
}

TEST_CASE("nested state dicts give dotted names; a part met twice is under both", "[model]") {
  const TemporaryFolder folder;
  const std::string tensor = tensor_v2(storage("FloatStorage", "0", 2), 0, {2}, {1});
  // {"model": d, "ema": d, "step": 3} with d = {"w": tensor}
  const std::string body = "}(" + text("model") + "}q\x01(" + text("w") + tensor + "u" + text("ema") + "h\x01" +
                           text("step") + integer(3) + "u";
  const Model model = open_model(folder.write("n.pt", pt_zip(body, {{"0", kA.bytes}})));
  CHECK(names_of(model) == std::vector<std::string>{"model.w", "ema.w"});
  CHECK(bytes_of(model, "ema.w") == kA.bytes);
}

TEST_CASE("a directory without an index is all its files; config.json says whether embeddings are tied", "[model]") {
  const TemporaryFolder folder;
  folder.write("2.safetensors", safetensors({kB}));
  folder.write("1.safetensors", safetensors({kA}));
  folder.write("optimizer.pt", state_dict({kC}));
  folder.write(".hidden.safetensors", "no safetensors");
  CHECK(names_of(open_model(folder.file(""))) == std::vector<std::string>{"a", "b.weight"});
  CHECK_FALSE(open_model(folder.file("")).tie_word_embeddings().has_value());
  folder.write("config.json", R"({"tie_word_embeddings": true})");
  CHECK(open_model(folder.file("")).tie_word_embeddings() == true);
  folder.write("config.json", R"({"text_config": {"tie_word_embeddings": false}})");
  CHECK(open_model(folder.file("")).tie_word_embeddings() == false);
  folder.write("config.json", "{");
  CHECK_FALSE(open_model(folder.file("")).tie_word_embeddings().has_value());
}

TEST_CASE("a folder of .pt files may name tensors by file", "[model]") {
  const TemporaryFolder folder;
  folder.write("x.pt", state_dict({kA}));
  folder.write("y.pt", state_dict({kA}));
  tensor::ModelOptions options;
  options.name_by_file = true;
  CHECK(names_of(open_model(folder.file(""), "M", options)) == std::vector<std::string>{"x.pt:a", "y.pt:a"});
  const Model global = open_model(folder.file(""), "M");
  CHECK(names_of(global) == std::vector<std::string>{"a"});
  CHECK(has(text_of(only_problem(global, ModelFault::kDuplicateTensor)), "duplicate tensor name \"a\""));
}

TEST_CASE("a missing shard is named with its number of tensors", "[model][B01]") {
  Sharded sharded;
  sharded.map.emplace_back("d", "model-00003-of-00003.safetensors");
  sharded.map.emplace_back("e", "model-00003-of-00003.safetensors");
  sharded.write_index();
  const Model model = sharded.open();
  CHECK(has(text_of(only_problem(model, ModelFault::kMissingShard)),
            "index names missing shard `model-00003-of-00003.safetensors` (2 tensors)"));
  CHECK(model.missing_names() == std::vector<std::string>{"d", "e"});
  CHECK(model.may_hold("e"));
  CHECK_FALSE(model.may_hold("a"));
  CHECK(model.tensors().size() == 3);
  core::Findings findings;
  tensor::add_findings(model, core::Section::kWeights, findings);
  CHECK(findings.list().at(0).code == "RLV-221");
  CHECK(findings.has_error(core::Section::kWeights));
}

TEST_CASE("a tensor that is not where the index says is told where it is", "[model]") {
  Sharded sharded;
  sharded.map[0].second = "m-2.safetensors";
  sharded.map.emplace_back("nowhere", "m-3.safetensors");
  sharded.write_index();
  const Model model = sharded.open();
  REQUIRE(model.problems().size() == 3);
  // m-1 is not named any more, so "a" is in none of the shards that are.
  CHECK(model.problems()[0].fault == ModelFault::kFileNotInIndex);
  CHECK(has(text_of(model.problems()[1]),
            "M/m-2.safetensors: expected tensor \"a\", which model.safetensors.index.json names here, found it is in "
            "no shard"));
  sharded.map[1].second = "m-1.safetensors";
  sharded.map.pop_back();
  sharded.write_index();
  const Model swapped = sharded.open();
  REQUIRE(swapped.problems().size() == 2);
  CHECK(has(text_of(swapped.problems()[0]), "found it is in M/m-2.safetensors"));
  CHECK(has(text_of(swapped.problems()[1]), "found it is in M/m-1.safetensors"));
  CHECK(swapped.missing_names().empty());
}

TEST_CASE("a tensor that the index doesn't name is told, and stays in the model", "[model]") {
  Sharded sharded;
  sharded.folder.write("m-3.safetensors", safetensors({kC, {"stray", "U8", {1}, "x"}}));
  const Model model = sharded.open();
  CHECK(has(text_of(only_problem(model, ModelFault::kTensorNotInIndex)), "tensor \"stray\", which it doesn't name"));
  CHECK(model.find("stray") != nullptr);
}

TEST_CASE("an index can't lead out of its directory; links can", "[model]") {
  Sharded sharded;
  const TemporaryFolder outside;
  outside.write("far.safetensors", safetensors({{"d", "U8", {1}, "x"}}));
  for (const std::string& file :
       {"../far.safetensors"s, outside.file("far.safetensors"), "x/../../far.safetensors"s, ""s}) {
    sharded.map.emplace_back("d", file);
    sharded.write_index();
    const Model model = sharded.open();
    CHECK(only_problem(model, ModelFault::kPathLeaves).affected == std::vector<std::string>{"d"});
    sharded.map.pop_back();
  }
  std::filesystem::create_symlink(outside.file("far.safetensors"), sharded.folder.file("m-4.safetensors"));
  sharded.map.emplace_back("d", "m-4.safetensors");
  sharded.write_index();
  CHECK(sharded.open().problems().empty());
  std::filesystem::remove(outside.file("far.safetensors"));
  CHECK(only_problem(sharded.open(), ModelFault::kUnreadableFile).affected == std::vector<std::string>{"d"});
  CHECK(tensor::unsafe_path_reason("sub/m..safetensors").empty());
}

TEST_CASE("one bad shard doesn't hide the others", "[model]") {
  Sharded sharded;
  sharded.folder.write("m-2.safetensors", safetensors({kB}) + "x");
  const Model model = sharded.open();
  CHECK(only_problem(model, ModelFault::kUnreadableFile).affected == std::vector<std::string>{"b.weight"});
  CHECK(names_of(model) == std::vector<std::string>{"a", "c"});
  CHECK(model.missing_names() == std::vector<std::string>{"b.weight"});
}

TEST_CASE("an index of another form is told", "[model]") {
  Sharded sharded;
  for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
           {"[]", "an object with a \"weight_map\""},
           {"{}", "expected an object with a \"weight_map\", found none"},
           {R"({"weight_map": []})", "an object of file names"},
           {R"({"weight_map": {"a": 1}})", "the name of the file that holds tensor \"a\""},
           {R"({"weight_map": {"a": "x", "b": "y", "a": "x"}})", "the duplicate tensor name \"a\""},
           {R"({"weight_map": {}, "weight_map": {}})", "one \"weight_map\""}}) {
    sharded.folder.write("model.safetensors.index.json", json);
    CHECK(has(text_of(only_problem(sharded.open(), ModelFault::kUnreadableFile)), part));
  }
  const core::MemorySource nested("i",
                                  R"({"metadata": {"weight_map": {"x": 1}, "l": [[{}]]}, "weight_map": {"a": "f"}})");
  CHECK(tensor::read_model_index(nested).entries.size() == 1);
}

TEST_CASE("what is no model is refused with the reason", "[model]") {
  const TemporaryFolder folder;
  folder.write("__0_0.distcp", "");
  CHECK(
      has(problem_of([&] { (void)open_model(folder.file("")); }).text(), "Megatron distributed checkpoint (.distcp)"));
  CHECK(has(problem_of([&] { (void)open_model(folder.file("__0_0.distcp")); }).text(), "(.distcp)"));
  CHECK(tensor::looks_like_model(folder.file("")));
  const TemporaryFolder empty;
  CHECK(has(problem_of([&] { (void)open_model(empty.file("")); }).text(), "none in it"));
  CHECK_FALSE(tensor::looks_like_model(empty.file("")));
  CHECK(has(problem_of([&] { (void)open_model(empty.file("x.pt")); }).text(), "No such file"));
  empty.write("x.txt", "");
  CHECK(has(problem_of([&] { (void)open_model(empty.file("x.txt")); }).text(), "another kind of file"));
}

TEST_CASE("a tensor that unfolds to far more than its storage is told and left out", "[model]") {
  const TemporaryFolder folder;
  const std::string body =
      "}(" + text("huge") + tensor_v2(storage("FloatStorage", "0", 2), 0, {1000000, 1000000}, {0, 0}) + "u";
  const Model model = open_model(folder.write("h.pt", pt_zip(body, {{"0", kA.bytes}})));
  CHECK(model.tensors().empty());
  CHECK(only_problem(model, ModelFault::kExploding).tensor == "huge");
  CHECK(model.may_hold("huge"));
}

TEST_CASE("handles are few and a file that changed meanwhile is told", "[model]") {
  const Sharded sharded;
  tensor::ModelOptions options;
  options.max_open_files = 1;
  const Model model = open_model(sharded.folder.file(""), "M", options);
  const auto first = model.source(0);
  CHECK(model.source(0) == first);
  CHECK(model.source(1) != first);
  CHECK(model.source(0) != first);  // it was closed in between
  sharded.folder.write("m-2.safetensors", "short");
  CHECK(has(problem_of([&] { (void)model.source(1); }).text(), "it changed meanwhile"));
}

TEST_CASE("a .pt file beside .safetensors files is left out, and that is said", "[model]") {
  const TemporaryFolder folder;
  folder.write("model.safetensors", safetensors({kA}));
  folder.write("extra.pt", "not read");
  const Model model = open_model(folder.file(""), "M");
  REQUIRE(model.problems().size() == 1);
  CHECK(model.problems()[0].fault == ModelFault::kFileNotInIndex);
  CHECK(model.problems()[0].problem.file == "M/extra.pt");
}

TEST_CASE("each fault has its code, and only a stray file is a warning", "[model]") {
  const std::vector<std::string_view> codes = {"RLV-220", "RLV-221", "RLV-222", "RLV-223",
                                               "RLV-224", "RLV-225", "RLV-226", "RLV-227"};
  for (std::size_t i = 0; i < codes.size(); ++i) {
    CHECK(tensor::fault_code(static_cast<ModelFault>(i)) == codes[i]);
  }
  Sharded sharded;
  sharded.folder.write("stray.safetensors", safetensors({kA}));
  core::Findings findings;
  tensor::add_findings(sharded.open(), core::Section::kWeights, findings);
  REQUIRE(findings.list().size() == 1);
  CHECK(findings.list()[0].code == "RLV-227");
  CHECK_FALSE(findings.has_error());
}
