// SPDX-License-Identifier: Apache-2.0
// Each planted pattern gets its hint and no other; noise gets none, sparse or dense, in any shape.
#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <set>

#include "diff/diff_support.h"
#include "diff/patterns.h"
#include "diff/vocabulary.h"

namespace rlverify::diff::test {
namespace {

using Shape = std::vector<std::uint64_t>;

std::uint64_t product(const Shape& shape) {
  std::uint64_t out = 1;
  for (const std::uint64_t size : shape) {
    out *= size;
  }
  return out;
}

/// The hints for the elements that `differs` chooses by their coordinates.
std::vector<Pattern> planted(const Shape& shape, const std::function<bool(const Shape&)>& differs,
                             const std::string& name = "weight") {
  IndexSets sets(shape);
  for (std::uint64_t element = 0; element < product(shape); ++element) {
    Shape index(shape.size());
    std::uint64_t rest = element;
    for (std::size_t i = shape.size(); i-- > 0;) {
      index[i] = rest % shape[i];
      rest /= shape[i];
    }
    if (differs(index)) {
      sets.add(element);
    }
  }
  return sets.patterns(name);
}

Pattern only(const std::vector<Pattern>& patterns) {
  REQUIRE(patterns.size() == 1);
  return patterns.front();
}

/// True for about one element in `n`.
std::function<bool()> one_in(unsigned n, unsigned seed) {
  return [generator = std::mt19937(seed), n]() mutable { return generator() % n == 0; };
}

}  // namespace

TEST_CASE("random noise gets no spatial hint") {
  const std::vector<Shape> shapes = {{4096}, {64, 64}, {1024, 4}, {3, 1000}, {8, 16, 32}, {2, 2048}, {151936 / 64, 8}};
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::mt19937 generator(seed);
    const Shape& shape = shapes[seed % shapes.size()];
    const std::uint64_t elements = product(shape);
    // From one element to nearly all.
    const std::uint64_t count = 1 + generator() % (seed % 3 == 0 ? 20 : elements);
    std::set<std::uint64_t> chosen;
    for (std::uint64_t i = 0; i < count; ++i) {
      chosen.insert(generator() % elements);
    }
    IndexSets sets(shape);
    for (const std::uint64_t element : chosen) {
      sets.add(element);
    }
    INFO("seed " << seed << ", " << chosen.size() << " of " << elements);
    CHECK(sets.patterns("model.embed_tokens.weight").empty());
  }
}

TEST_CASE("differences everywhere get no spatial hint") {
  CHECK(planted({64, 64}, [](const Shape&) { return true; }).empty());
  CHECK(planted({4096}, [](const Shape&) { return true; }).empty());
}

TEST_CASE("whole rows") {
  const Pattern pattern =
      only(planted({256, 64}, [](const Shape& at) { return at[0] == 17 || at[0] == 40 || at[0] == 199; }));
  CHECK(pattern.kind == PatternKind::kIndices);
  CHECK(pattern.dimension == std::size_t{0});
  CHECK(pattern.listed == std::vector<std::uint64_t>{17, 40, 199});
  CHECK(pattern.density == 1);
  // Nearly all of their elements are enough: by chance some of another row are equal.
  auto equal = one_in(20, 1);
  const Pattern most = only(planted({256, 64}, [&](const Shape& at) { return at[0] == 17 && !equal(); }));
  CHECK(most.kind == PatternKind::kIndices);
  CHECK(most.density > 0.85);
  CHECK(most.density < 1);
}

TEST_CASE("one column stripe") {
  const Pattern pattern = only(planted({128, 256}, [](const Shape& at) { return at[1] >= 30 && at[1] < 37; }));
  CHECK(pattern.kind == PatternKind::kStripe);
  CHECK(pattern.dimension == std::size_t{1});
  CHECK(pattern.first == 30);
  CHECK(pattern.last == 36);
  CHECK(only(planted({128, 256}, [](const Shape& at) { return at[1] == 30; })).kind == PatternKind::kStripe);
}

TEST_CASE("only the tail") {
  const Pattern rows = only(planted({1000, 16}, [](const Shape& at) { return at[0] >= 700; }));
  CHECK(rows.kind == PatternKind::kTail);
  CHECK(rows.dimension == std::size_t{0});
  CHECK(rows.first == 700);
  // From the middle of a row on: a write that stopped.
  const Pattern elements =
      only(planted({100, 16}, [](const Shape& at) { return at[0] > 60 || (at[0] == 60 && at[1] >= 5); }));
  CHECK(elements.kind == PatternKind::kTail);
  CHECK_FALSE(elements.dimension);
  CHECK(elements.first == 60 * 16 + 5);
  CHECK(only(planted({5000}, [](const Shape& at) { return at[0] >= 4321; })).kind == PatternKind::kTail);
}

TEST_CASE("only beyond the real vocabulary") {
  const Pattern known = only(planted({152064, 1}, [](const Shape& at) { return at[0] >= 151936; }));
  CHECK(known.kind == PatternKind::kVocabulary);
  CHECK(known.vocabulary == 151936);
  CHECK(known.first == 151936);
  const auto tail = [](const Shape& at) { return at[0] >= 1003; };
  const Pattern named = only(planted({1024, 8}, tail, "model.embed_tokens.weight"));
  CHECK(named.kind == PatternKind::kVocabulary);
  CHECK(named.vocabulary == 1003);
  CHECK(only(planted({1024, 8}, tail, "mlp.weight")).kind == PatternKind::kTail);
  // Logits have the vocabulary last.
  const Pattern logits = only(planted(
      {8, 32064}, [](const Shape& at) { return at[1] >= 32000; }, "logits"));
  CHECK(logits.kind == PatternKind::kVocabulary);
  CHECK(logits.dimension == std::size_t{1});
}

TEST_CASE("sizes of vocabularies") {
  CHECK(vocabulary_before(151936, 152064, "weight") == std::uint64_t{151936});
  CHECK_FALSE(vocabulary_before(151940, 152064, "weight"));
  CHECK(vocabulary_before(151940, 152064, "lm_head.weight") == std::uint64_t{151936});
  CHECK(vocabulary_before(151700, 151936, "lm_head.weight") == std::uint64_t{151669});
  CHECK_FALSE(vocabulary_before(500, 1000, "lm_head.weight"));
}

TEST_CASE("a tensor-parallel shard") {
  for (const std::uint64_t parts : {2U, 4U, 8U}) {
    for (const std::size_t dimension : {0U, 1U}) {
      const std::uint64_t part = parts - 1;
      const auto inside = [&](const Shape& at) { return at[dimension] / (256 / parts) == part; };
      INFO(parts << " parts, dimension " << dimension);
      const Pattern pattern = only(planted({256, 256}, inside));
      CHECK(pattern.kind == PatternKind::kTensorParallel);
      CHECK(pattern.dimension == dimension);
      CHECK(pattern.parts == parts);
      CHECK(pattern.part == part);
      // One element in fifty of the shard tells it as well.
      auto chosen = one_in(50, static_cast<unsigned>(parts));
      const Pattern sparse = only(planted({256, 256}, [&](const Shape& at) { return inside(at) && chosen(); }));
      CHECK(sparse.kind == PatternKind::kTensorParallel);
      CHECK(sparse.parts == parts);
    }
  }
  // An embedding cut by rows is a shard, not padding.
  CHECK(only(planted(
                 {1024, 8}, [](const Shape& at) { return at[0] >= 896; }, "embed_tokens.weight"))
            .kind == PatternKind::kTensorParallel);
}

TEST_CASE("the chunks of a context-parallel rank") {
  for (const std::uint64_t ranks : {2U, 4U, 8U}) {
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
      const std::uint64_t length = 1000;
      const std::uint64_t chunk = (length + 2 * ranks - 1) / (2 * ranks);
      INFO(ranks << " ranks, rank " << rank);
      const auto inside = [&](std::uint64_t position) {
        return position / chunk == rank || position / chunk == 2 * ranks - 1 - rank;
      };
      const Pattern pattern = only(planted({length}, [&](const Shape& at) { return inside(at[0]); }));
      CHECK(pattern.kind == PatternKind::kContextParallel);
      CHECK(pattern.parts == ranks);
      CHECK(pattern.part == rank);
      CHECK(pattern.chunk == chunk);
      // A batch has the positions last.
      const Pattern batch = only(planted({4, length}, [&](const Shape& at) { return inside(at[1]); }));
      CHECK(batch.kind == PatternKind::kContextParallel);
      CHECK(batch.part == rank);
    }
  }
}

namespace {

/// The hint of a constant shift between float tensors.
std::optional<Pattern> shift_between(const std::vector<float>& reference, const std::vector<float>& candidate) {
  const Pair pair({float_tensor("x", {reference.size()}, reference)},
                  {float_tensor("x", {candidate.size()}, candidate)});
  const ModelDiff diff = pair.diff();
  for (const Pattern& pattern : tensor_of(diff, "x").detail->patterns) {
    if (pattern.kind == PatternKind::kConstantShift) {
      CHECK(tensor_of(diff, "x").detail->patterns.size() == 1);
      return pattern;
    }
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("a constant shift") {
  const std::vector<float> reference = random_values(5000, 3);
  std::vector<float> candidate = reference;
  for (float& value : candidate) {
    value += 0.25F;
  }
  const auto exact = shift_between(reference, candidate);
  REQUIRE(exact);
  CHECK(exact->shift == Approx(0.25));
  CHECK(exact->indices == 5000);
  // 0.1 is rounded in each sum.
  for (std::size_t i = 0; i < candidate.size(); ++i) {
    candidate[i] = reference[i] + 0.1F;
  }
  const auto rounded = shift_between(reference, candidate);
  REQUIRE(rounded);
  CHECK_FALSE(rounded->exact_shift);
  CHECK(rounded->shift == Approx(0.1).epsilon(1e-6));
  // One element that moved otherwise, and there is none.
  candidate[77] += 0.5F;
  CHECK_FALSE(shift_between(reference, candidate));
}

TEST_CASE("noise is no constant shift") {
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 generator(seed);
    const std::size_t count = 30 + generator() % 400;
    const std::vector<float> reference = random_values(count, seed);
    std::vector<float> candidate = reference;
    for (float& value : candidate) {
      value = std::nextafter(value, (generator() & 1U) != 0 ? 10.0F : -10.0F);
    }
    INFO("seed " << seed);
    CHECK_FALSE(shift_between(reference, candidate));
  }
}

}  // namespace rlverify::diff::test
