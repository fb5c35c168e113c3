// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <cmath>

#include "tensor/pt_builder.h"
#include "tensor/value_walk.h"

using namespace rlverify;
using namespace rlverify::tensor::test;
using Catch::Matchers::Contains;
using tensor::find_tensors;
using tensor::TensorPaths;
using tensor::ValueWalk;

namespace {

const std::string kSix = raw<float>({0, 1, 2, 3, 4, 5});
std::string six() {
  return tensor_v2(storage("FloatStorage", "0", 6), 0, {6}, {1});
}

std::vector<std::string> paths_of(std::string_view body) {
  const Loaded loaded = load(pt_zip(body, {{"0", kSix}}));
  std::vector<std::string> paths;
  for (const tensor::TensorAt& found : find_tensors(loaded.file).tensors) {
    paths.push_back(found.path);
  }
  return paths;
}

/// Lists nested `depth` deep, each holding the next one twice.
std::string doubling(int depth) {
  std::string body = "K\x01";
  for (int i = 0; i < depth; ++i) {
    const std::string number = le(static_cast<std::uint64_t>(i), 1);
    body += "q" + number + "0](h" + number + "h" + number + "e";
  }
  return body;
}

}  // namespace

TEST_CASE("paths are keys with dots and positions in brackets") {
  CHECK(paths_of(six()) == std::vector<std::string>{""});
  CHECK(paths_of("}" + text("model") + "}" + text("layers.0.weight") + six() + "ss") ==
        std::vector<std::string>{"model.layers.0.weight"});
  CHECK(paths_of("}" + text("samples") + "](N}" + text("tokens") + six() + "ses") ==
        std::vector<std::string>{"samples[1].tokens"});
  CHECK(paths_of("}K\x07}" + text("exp_avg") + six() + "ss") == std::vector<std::string>{"[7].exp_avg"});
  CHECK(paths_of("}" + text("d") + "}K\x01K\x02\x86" + six() + "ss") == std::vector<std::string>{"d[(1, 2)]"});
}

TEST_CASE("tensors in objects, their arguments, attributes, sets and keys are found") {
  CHECK(paths_of("}" + text("o") + global("a", "B") + six() + "\x85R}" + text("w") + six() + "sbs") ==
        std::vector<std::string>{"o.<arguments>[0]", "o.w"});
  CHECK(paths_of("}" + text("o") + global("a", "B") + ")R" + six() + "bs") == std::vector<std::string>{"o.<state>"});
  CHECK(paths_of(global("collections", "OrderedDict") + ")R}" + text("extra") + six() + "sb") ==
        std::vector<std::string>{"<attributes>.extra"});
  CHECK(paths_of("\x8f(" + six() + "\x90") == std::vector<std::string>{"<item 0>"});
  CHECK(paths_of("}" + six() + "Ns") == std::vector<std::string>{"<key 0>"});
}

TEST_CASE("a tensor under two names is listed under both") {
  CHECK(paths_of("}(" + text("embed") + six() + "q\x05" + text("head") + "h\x05u") ==
        std::vector<std::string>{"embed", "head"});
}

TEST_CASE("a shared part is walked once and told") {
  const Loaded loaded =
      load(pt_zip("}(" + text("a") + "}" + text("w") + six() + "sq\x05" + text("b") + "h\x05u", {{"0", kSix}}));
  const TensorPaths found = find_tensors(loaded.file);
  REQUIRE(found.tensors.size() == 1);
  CHECK(found.tensors[0].path == "a.w");
  REQUIRE(found.shared.size() == 1);
  CHECK(found.shared[0].path == "b");
  CHECK(found.shared[0].first_path == "a");
  CHECK_FALSE(found.shared[0].inside_itself);
  CHECK(found.stopped.empty());
}

TEST_CASE("a list that contains itself ends and is told") {
  const Loaded loaded = load_pickle(
      "]q\x01h\x01"
      "a");
  const TensorPaths found = find_tensors(loaded.file);
  REQUIRE(found.shared.size() == 1);
  CHECK(found.shared[0].path == "[0]");
  CHECK(found.shared[0].first_path.empty());
  CHECK(found.shared[0].inside_itself);
  ValueWalk walk(loaded.file);
  while (walk.next()) {
  }
  CHECK(std::isinf(walk.unfolded_values()));
}

TEST_CASE("parts shared 60 levels deep are counted, not unfolded") {
  const Loaded loaded = load_pickle(doubling(60));
  ValueWalk walk(loaded.file);
  int steps = 0;
  while (walk.next()) {
    ++steps;
  }
  CHECK(steps < 200);
  CHECK(walk.unfolded_values() > 1e18);
}

TEST_CASE("limits stop the walk and say why") {
  std::string deep;
  for (int i = 0; i < 50; ++i) {
    deep += "]";
  }
  deep += std::string(49, 'a');
  const Loaded loaded = load_pickle(deep);
  CHECK(find_tensors(loaded.file).stopped.empty());
  tensor::WalkLimits limits;
  limits.max_depth = 10;
  CHECK_THAT(find_tensors(loaded.file, limits).stopped, Contains("nested more than 10 deep"));
  limits = {};
  limits.max_steps = 5;
  CHECK_THAT(find_tensors(loaded.file, limits).stopped, Contains("more than 5 values"));
  const Loaded named = load(pt_zip("}" + text(std::string(100, 'k')) + six() + "s", {{"0", kSix}}));
  limits = {};
  limits.max_path_bytes = 50;
  CHECK_THAT(find_tensors(named.file, limits).stopped, Contains("paths of more than 50 bytes"));
}

TEST_CASE("content can be left out") {
  const Loaded loaded = load_pickle(
      "](](K\x01K\x02"
      "eK\x03"
      "e");
  ValueWalk walk(loaded.file);
  REQUIRE(walk.next());
  REQUIRE(walk.next());
  walk.skip_content();
  const auto third = walk.next();
  REQUIRE(third);
  CHECK(third->value.integer() == 3);
  CHECK(walk.path() == "[1]");
  CHECK_FALSE(walk.next());
}
