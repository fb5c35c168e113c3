// SPDX-License-Identifier: Apache-2.0
// Pairs of models: containers and strides that make no difference, everything that does, and what is refused.
#include <catch2/catch.hpp>
#include <filesystem>
#include <limits>

#include "diff/diff_support.h"
#include "support/pt_writer.h"

namespace rlverify::diff::test {
namespace {

namespace fs = std::filesystem;
using rlverify::test::PtTensor;
using rlverify::test::PtValue;

/// A float tensor that is stored column by column.
PtTensor transposed(const std::vector<float>& values, std::int64_t rows, std::int64_t columns) {
  std::vector<float> stored(values.size());
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < columns; ++c) {
      stored[static_cast<std::size_t>(c * rows + r)] = values[static_cast<std::size_t>(r * columns + c)];
    }
  }
  PtTensor tensor = rlverify::test::float_tensor(stored);
  tensor.shape = {rows, columns};
  tensor.strides = {1, rows};
  return tensor;
}

}  // namespace

TEST_CASE("one set of values in every container is equal") {
  const std::vector<float> values = random_values(12, 1);
  const std::vector<NamedBytes> tensors = {float_tensor("w", {3, 4}, values),
                                           {"h", "BF16", {2}, raw(std::vector<std::uint16_t>{0x3f80, 0xbf00})}};
  const TemporaryFolder folder;
  const std::string one = folder.write("one.safetensors", tensor::test::safetensors(tensors));
  const std::string pickled = folder.write("one.pt", tensor::test::state_dict(tensors));
  fs::create_directory(folder.file("sharded"));
  (void)folder.write("sharded/model-1.safetensors", tensor::test::safetensors({tensors[1]}));
  (void)folder.write("sharded/model-2.safetensors", tensor::test::safetensors({tensors[0]}));
  (void)folder.write("sharded/model.safetensors.index.json",
                     tensor::test::index_json({{"h", "model-1.safetensors"}, {"w", "model-2.safetensors"}}));
  for (const std::string& candidate : {one, pickled, folder.file("sharded")}) {
    INFO(candidate);
    const ModelDiff diff = diff_paths(one, candidate);
    CHECK(diff.answer() == Answer::kEqual);
    CHECK(diff.exit_code() == core::ExitCode::kPassed);
    CHECK(diff.tensors_compared == 2);
    CHECK(diff.elements_compared == 14);
    CHECK(diff.bytes_compared == 52);
    CHECK(diff.findings.list().empty());
  }
}

TEST_CASE("a strided tensor equals a contiguous one, and a difference in it is found at its index") {
  std::vector<float> values = random_values(20, 2);
  const TemporaryFolder folder;
  const std::string plain =
      folder.write("a.safetensors", tensor::test::safetensors({float_tensor("w", {4, 5}, values)}));
  const std::string strided =
      folder.write("b.pt", rlverify::test::write_pt(PtValue::Dict{{"w", transposed(values, 4, 5)}}));
  CHECK(diff_paths(plain, strided).answer() == Answer::kEqual);
  values[13] = 7;
  const std::string other =
      folder.write("c.pt", rlverify::test::write_pt(PtValue::Dict{{"w", transposed(values, 4, 5)}}));
  const ModelDiff diff = diff_paths(plain, other);
  CHECK(diff.answer() == Answer::kDifferent);
  CHECK(tensor_of(diff, "w").difference.first->element_index == 13);
  CHECK(find(diff.findings, "RLV-401")->place.field == "[2, 3]");
}

TEST_CASE("tensors that can't be compared have findings of their own") {
  const Pair pair({float_tensor("gone", {1}, {1}), float_tensor("same", {1}, {1}),
                   float_tensor("shape", {4}, {1, 2, 3, 4}), float_tensor("type", {2}, {1, 2})},
                  {float_tensor("new", {1}, {1}),
                   float_tensor("same", {1}, {1}),
                   float_tensor("shape", {2, 2}, {1, 2, 3, 4}),
                   {"type", "I32", {2}, raw(std::vector<std::int32_t>{1, 2})}});
  const ModelDiff diff = pair.diff();
  CHECK(diff.answer() == Answer::kDifferent);
  CHECK(diff.exit_code() == core::ExitCode::kFailed);
  CHECK(diff.tensors_compared == 1);
  CHECK(find(diff.findings, "RLV-402")->place.tensor == "gone");
  CHECK(find(diff.findings, "RLV-403")->place.tensor == "new");
  CHECK(find(diff.findings, "RLV-404")->expected == "[4]");
  CHECK(find(diff.findings, "RLV-404")->found == "[2, 2]");
  CHECK(find(diff.findings, "RLV-405")->found == "torch.int32");
  CHECK(find(diff.findings, "RLV-401") == nullptr);
}

TEST_CASE("NaN on both sides is equal and warned of") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Pair pair({float_tensor("x", {2}, {nan, 1})}, {float_tensor("x", {2}, {nan, 1})});
  const ModelDiff diff = pair.diff();
  CHECK(diff.answer() == Answer::kEqual);
  CHECK(find(diff.findings, "RLV-407") != nullptr);
}

TEST_CASE("nothing in common is no pass") {
  const Pair names({float_tensor("a", {1}, {1})}, {float_tensor("b", {1}, {1})});
  CHECK(names.diff().answer() == Answer::kNothing);
  CHECK(names.diff().exit_code() == core::ExitCode::kNothingComparable);
  const Pair empty({float_tensor("a", {0}, {})}, {float_tensor("a", {0}, {})});
  CHECK(empty.diff().exit_code() == core::ExitCode::kNothingComparable);
  const Pair none({}, {});
  CHECK(none.diff().exit_code() == core::ExitCode::kNothingComparable);
}

TEST_CASE("the first difference is the first in natural order, the worst is the largest") {
  std::vector<NamedBytes> reference;
  std::vector<NamedBytes> candidate;
  for (const char* name : {"layers.10.w", "layers.2.w", "layers.9.w"}) {
    reference.push_back(float_tensor(name, {2}, {1, 1}));
    candidate.push_back(float_tensor(name, {2}, {1, std::string(name) == "layers.10.w" ? 9.0F : 2.0F}));
  }
  const ModelDiff diff = Pair(reference, candidate).diff();
  CHECK(diff.first_different()->name == "layers.2.w");
  CHECK(diff.tensors[diff.worst.front()].name == "layers.10.w");
  CHECK(diff.worst.size() == 3);
  CHECK(natural_less("a2b", "a10b"));
  CHECK_FALSE(natural_less("a10b", "a2b"));
  CHECK(natural_less("a", "a1"));
  CHECK(natural_less("a01", "a1"));
  CHECK_FALSE(natural_less("a1", "a1"));
}

TEST_CASE("a damaged file is never a pass, and one that holds nothing readable is bad input") {
  const std::string good = tensor::test::safetensors({float_tensor("w", {1}, {1})});
  const TemporaryFolder folder;
  for (const char* side : {"a", "b"}) {
    fs::create_directory(folder.file(side));
    (void)folder.write(std::string(side) + "/1.safetensors", good);
  }
  (void)folder.write("b/2.safetensors", "broken");
  const ModelDiff diff = diff_paths(folder.file("a"), folder.file("b"));
  CHECK(diff.answer() == Answer::kIncomplete);
  CHECK(diff.exit_code() == core::ExitCode::kFailed);
  CHECK(find(diff.findings, "RLV-220") != nullptr);
  fs::remove(folder.file("b/1.safetensors"));
  CHECK_THROWS_AS(diff_paths(folder.file("a"), folder.file("b")), core::InputError);
  CHECK_THROWS_AS(diff_paths(folder.file("a"), folder.file("b/2.safetensors")), core::ArtifactError);
  CHECK_THROWS_AS(diff_paths(folder.file("a"), folder.file("none")), core::ArtifactError);
}

TEST_CASE("folders of dumps are compared file by file") {
  const TemporaryFolder folder;
  for (const char* side : {"a", "b"}) {
    fs::create_directory(folder.file(side));
    for (const char* name : {"0.pt", "1.pt"}) {
      const float value = std::string(side) == "b" && std::string(name) == "1.pt" ? 2 : 1;
      (void)folder.write(std::string(side) + "/" + name, tensor::test::state_dict({float_tensor("x", {1}, {value})}));
    }
  }
  const ModelDiff diff = diff_paths(folder.file("a"), folder.file("b"));
  CHECK(diff.tensors_compared == 2);
  CHECK(diff.first_different()->name == "1.pt:x");
}

TEST_CASE("a selection leaves the rest out") {
  const Pair pair({float_tensor("a.w", {1}, {1}), float_tensor("b.w", {1}, {1})},
                  {float_tensor("a.w", {1}, {1}), float_tensor("b.w", {1}, {2})});
  const ModelDiff chosen = pair.diff({}, {NamePattern("--tensor", "^a"), NamePattern()});
  CHECK(chosen.answer() == Answer::kEqual);
  CHECK(chosen.left_out == 1);
  CHECK(pair.diff({}, {NamePattern(), NamePattern("--ignore", "^b")}).answer() == Answer::kEqual);
  const ModelDiff none = pair_models(pair.folder().file("a.safetensors"), pair.folder().file("b.safetensors"),
                                     {NamePattern("--tensor", "c"), NamePattern()});
  CHECK(none.tensors.empty());
  CHECK(none.left_out == 2);
  CHECK(names_of(none) == std::vector<std::string>{"a.w", "b.w"});
}

TEST_CASE("any number of threads finds the same bits") {
  const std::vector<float> values = random_values(3 << 20U, 5);
  std::vector<float> other = values;
  std::mt19937 generator(6);
  for (float& value : other) {
    value += static_cast<float>(generator() >> 8U) * 0x1p-40F;
  }
  const Pair pair({float_tensor("w", {3072, 1024}, values)}, {float_tensor("w", {3072, 1024}, other)});
  const auto figures = [&pair](unsigned threads) {
    const ModelDiff diff = pair.diff({}, {}, threads);
    const TensorDiff& tensor = tensor_of(diff, "w");
    return std::vector<double>{tensor.difference.sum_abs_difference, tensor.difference.sum_difference,
                               tensor.detail->statistics.rms_difference, tensor.detail->statistics.cosine,
                               static_cast<double>(tensor.difference.max_ulp_index)};
  };
  CHECK(figures(1) == figures(4));
  CHECK(figures(1) == figures(3));
}

TEST_CASE("rows tell where they differ") {
  std::vector<float> values(40, 1);
  std::vector<float> other = values;
  other[13] = 2;
  other[19] = 2;
  other[30] = 2;
  const Pair pair({float_tensor("w", {4, 10}, values)}, {float_tensor("w", {4, 10}, other)});
  DiffOptions options;
  options.per_position = true;
  const ModelDiff diff = pair.diff(options);
  const TensorDetail& detail = *tensor_of(diff, "w").detail;
  CHECK(detail.rows_different == 2);
  REQUIRE(detail.rows.size() == 2);
  CHECK(detail.rows[0].row == 1);
  CHECK(detail.rows[0].different == 2);
  CHECK(detail.rows[0].first == 3);
  CHECK(detail.rows[0].bins.bins()[3].different == 1);
  CHECK(detail.rows[0].bins.bins()[4].different == 0);
  CHECK(detail.rows[1].row == 3);
  CHECK(pair.diff().tensors[0].detail->rows.empty());
}

TEST_CASE("positions fall into bins that cover a sequence of any length") {
  for (const std::uint64_t length : {1U, 7U, 256U, 257U, 1000U, 511U}) {
    PositionBins bins(length);
    PositionBins all(length);
    all.cover_all();
    for (std::uint64_t i = 0; i < length; ++i) {
      bins.cover(i);
    }
    CHECK(bins.bins().size() == std::min<std::uint64_t>(length, kPositionBins));
    for (std::size_t i = 0; i < bins.bins().size(); ++i) {
      CHECK(bins.bins()[i].covered == all.bins()[i].covered);
      CHECK(bins.bins()[i].covered > 0);
    }
  }
}

TEST_CASE("a file that rotted is damaged, not different") {
  const TemporaryFolder folder;
  const std::vector<NamedBytes> tensors = {float_tensor("a", {3}, {1, 2, 3}), float_tensor("b", {2}, {4, 5})};
  const std::string bytes = tensor::test::state_dict(tensors);
  std::string rotten = bytes;
  rotten[rotten.find(raw<float>({4, 5}))] ^= 1;
  const ModelDiff diff = diff_paths(folder.write("a.pt", bytes), folder.write("b.pt", rotten));
  CHECK(diff.answer() == Answer::kIncomplete);
  CHECK(tensor_of(diff, "a").state == TensorState::kEqual);
  CHECK(tensor_of(diff, "b").state == TensorState::kNotJudged);
  const core::Finding* finding = find(diff.findings, "RLV-220");
  REQUIRE(finding != nullptr);
  CHECK(finding->place.file == folder.file("b.pt"));
  CHECK_THAT(finding->expected, Catch::StartsWith("\"top/data/1\" with CRC "));
  CHECK_THAT(finding->found, Catch::EndsWith(": the file is damaged"));
  CHECK(find(diff.findings, "RLV-401") == nullptr);
  // Against itself it is equal; and where nothing else could be judged, the damage is still a failure.
  CHECK(diff_paths(folder.file("b.pt"), folder.file("b.pt")).answer() == Answer::kEqual);
  DiffOptions options;
  const NameFilter only = {NamePattern("--tensor", "^b$"), NamePattern("--ignore", "")};
  CHECK(diff_paths(folder.file("a.pt"), folder.file("b.pt"), options, only).exit_code() == core::ExitCode::kFailed);
}

}  // namespace rlverify::diff::test
