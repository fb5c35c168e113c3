// SPDX-License-Identifier: Apache-2.0
// Train against rollout inside sidecars: samples put together from context-parallel ranks, replicas once, positions in
// response coordinates, masked positions left out.
#include <catch2/catch.hpp>
#include <limits>

#include "diff/diff_support.h"
#include "diff/sidecar_diff.h"
#include "sidecar/cp_slice.h"
#include "support/pt_writer.h"
#include "support/test_run.h"

namespace rlverify::diff::test {
namespace {

using rlverify::test::PtValue;

PtValue sidecar(std::int64_t rank, std::int64_t tp, std::int64_t cp, const std::vector<float>& train,
                const std::vector<float>& rollout, const std::vector<std::int32_t>& mask, std::int64_t total) {
  return PtValue::Dict{{"schema_version", "rlkernel.vime_rocm_attention_mismatch_sidecar.v1"},
                       {"rank", rank},
                       {"call_index", std::int64_t{0}},
                       {"tensor_parallel_size", tp},
                       {"context_parallel_size", cp},
                       {"train_log_probs", PtValue::List{rlverify::test::float_tensor(train)}},
                       {"rollout_log_probs", PtValue::List{rlverify::test::float_tensor(rollout)}},
                       {"loss_masks", PtValue::List{rlverify::test::int_tensor(mask)}},
                       {"total_lengths", PtValue::List{total}},
                       {"response_lengths", PtValue::List{static_cast<std::int64_t>(mask.size())}}};
}

SidecarDiff diff_path(const std::string& path, const SidecarOptions& options = {}) {
  core::ThreadPool pool(2);
  return diff_sidecars(path, options, pool);
}

}  // namespace

TEST_CASE("one sidecar: first position, classes, mask") {
  const TemporaryFolder folder;
  const std::string path =
      folder.write("one.pt", write_pt(sidecar(0, 1, 1, {-1, -2, -3, -4}, {-1, -9, -3.5F, -4}, {1, 0, 1, 1}, 10)));
  const SidecarDiff diff = diff_path(path);
  CHECK(diff.answer() == Answer::kDifferent);
  CHECK(diff.exit_code() == core::ExitCode::kFailed);
  CHECK(diff.total.elements == 3);
  CHECK(diff.total.different_elements == 1);
  REQUIRE(diff.samples.size() == 1);
  CHECK(diff.samples[0].difference.first->element_index == 2);
  CHECK(diff.samples[0].difference.max_abs_index == 2);
  CHECK(diff.samples[0].masked == 1);
  CHECK(diff.samples[0].masked_different == 1);
  const core::Finding* finding = find(diff.findings, "RLV-410");
  REQUIRE(finding != nullptr);
  CHECK(finding->place.position == 2);
  CHECK(finding->expected == "train -3.0 (0xc0400000)");
  CHECK(finding->found == "rollout -3.5 (0xc0600000)");
}

TEST_CASE("without a tolerance a zero of the other sign differs") {
  const TemporaryFolder folder;
  const std::string path = folder.write("one.pt", write_pt(sidecar(0, 1, 1, {0.0F, -2}, {-0.0F, -2}, {1, 1}, 5)));
  CHECK(diff_path(path).answer() == Answer::kDifferent);
}

TEST_CASE("context-parallel pieces become one sample, replicas count once") {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> mask(8, 1);
  // Nine tokens, eight of them the response, in four chunks of three: rank 0 owns the first and the (empty) last.
  const auto zero = sidecar::owned_ranges(9, 8, 2, 0);
  const auto one = sidecar::owned_ranges(9, 8, 2, 1);
  const auto values = [](const std::array<sidecar::Range, 2>& ranges, float plus_at_seven) {
    std::vector<float> out;
    for (std::int64_t i = 0; i < sidecar::owned_count(ranges); ++i) {
      const std::int64_t position = sidecar::response_position(ranges, i);
      out.push_back(-static_cast<float>(position + 1) + (position == 7 ? plus_at_seven : 0.0F));
    }
    return out;
  };
  for (const std::int64_t rank : {0, 1, 2, 3}) {
    const auto& ranges = rank < 2 ? zero : one;
    (void)folder.write("rank0000" + std::to_string(rank) + ".pt",
                       write_pt(sidecar(rank, 2, 2, values(ranges, 0), values(ranges, 0.5F), mask, 9)));
  }
  SidecarOptions options;
  options.per_position = true;
  const SidecarDiff diff = diff_path(folder.file(""), options);
  CHECK(diff.files_read == 4);
  REQUIRE(diff.samples.size() == 1);
  const SampleDiff& sample = diff.samples.front();
  CHECK(sample.difference.elements == 8);
  CHECK(sample.difference.different_elements == 1);
  CHECK(sample.difference.first->element_index == 7);
  REQUIRE(sample.bins);
  CHECK(sample.bins->bins()[7].different == 1);
  for (const PositionBins::Bin& bin : sample.bins->bins()) {
    CHECK(bin.covered == 1);
  }
  CHECK(find(diff.findings, "RLV-412") == nullptr);
}

TEST_CASE("tensor-parallel ranks that disagree are warned of") {
  const TemporaryFolder folder;
  (void)folder.write("a.pt", write_pt(sidecar(0, 2, 1, {-1, -2}, {-1, -2}, {1, 1}, 5)));
  (void)folder.write("b.pt", write_pt(sidecar(1, 2, 1, {-1, -2}, {-1, -2.5F}, {1, 1}, 5)));
  const SidecarDiff diff = diff_path(folder.file(""));
  CHECK(find(diff.findings, "RLV-412") != nullptr);
  REQUIRE(diff.samples.size() == 1);
  // Whichever rank comes first, the difference is seen.
  CHECK(diff.answer() == Answer::kDifferent);
  CHECK(diff.samples.front().rank == 1);
  CHECK(diff.samples.front().difference.different_elements == 1);
}

TEST_CASE("a tolerance for log-probs") {
  const TemporaryFolder folder;
  const std::string path = folder.write("one.pt", write_pt(sidecar(0, 1, 1, {-1, -2}, {-1, -2.5F}, {1, 1}, 5)));
  SidecarOptions options;
  options.tolerance = {0.5, 0, 0};
  const SidecarDiff diff = diff_path(path, options);
  CHECK(diff.answer() == Answer::kWithinTolerance);
  CHECK(diff.exit_code() == core::ExitCode::kPassed);
  CHECK(find(diff.findings, "RLV-413") != nullptr);
}

TEST_CASE("the folder of a run that passes is equal") {
  const TemporaryFolder folder;
  for (int rank = 0; rank < rlverify::test::kRanks; ++rank) {
    (void)folder.write("rank" + std::to_string(rank) + ".pt", write_pt(rlverify::test::sidecar_payload(rank, 0)));
  }
  const SidecarDiff diff = diff_path(folder.file(""));
  CHECK(diff.answer() == Answer::kEqual);
  CHECK(diff.samples.size() == rlverify::test::kBatch);
  CHECK(diff.total.elements == rlverify::test::kBatch * rlverify::test::kResponse);
}

TEST_CASE("a bad file among others is a finding, bad files alone are bad input") {
  const TemporaryFolder folder;
  (void)folder.write("a.pt", "no file of torch.save");
  CHECK_THROWS_AS(diff_path(folder.file("")), core::ArtifactError);
  (void)folder.write("b.pt", write_pt(sidecar(0, 1, 1, {-1}, {-1}, {1}, 5)));
  const SidecarDiff diff = diff_path(folder.file(""));
  CHECK(diff.answer() == Answer::kIncomplete);
  CHECK(diff.exit_code() == core::ExitCode::kFailed);
  CHECK(find(diff.findings, "RLV-411") != nullptr);
  // Sides that can't stand against each other.
  (void)folder.write("b.pt", write_pt(sidecar(0, 1, 1, {-1, -2}, {-1}, {1, 1}, 5)));
  CHECK(diff_path(folder.file("b.pt")).exit_code() == core::ExitCode::kFailed);
  CHECK(find(diff_path(folder.file("b.pt")).findings, "RLV-411")->found == "1");
}

TEST_CASE("a sidecar that rotted is damaged, not different") {
  const TemporaryFolder folder;
  rlverify::test::PtStyle style;
  style.with_crc = true;
  const std::string bytes = write_pt(sidecar(0, 1, 1, {-1, -2}, {-1, -2}, {1, 1}, 5), "archive", style);
  (void)folder.write("a.pt", bytes);
  CHECK(diff_path(folder.file("a.pt")).answer() == Answer::kEqual);
  std::string rotten = bytes;
  rotten[rotten.find(raw<float>({-1, -2}))] ^= 1;
  (void)folder.write("b.pt", rotten);
  const SidecarDiff diff = diff_path(folder.file(""));
  CHECK(diff.answer() == Answer::kIncomplete);
  CHECK_THAT(find(diff.findings, "RLV-411")->expected, Catch::StartsWith("\"archive/data/"));
  CHECK_THROWS_WITH(diff_path(folder.file("b.pt")), Catch::Contains("the file is damaged"));
}

TEST_CASE("sides of other dtypes fail, a sample without active tokens has nothing to compare") {
  const TemporaryFolder folder;
  PtValue payload = sidecar(0, 1, 1, {-1, -2}, {-1, -2}, {1, 1}, 5);
  payload["rollout_log_probs"] = PtValue::List{rlverify::test::double_tensor({-1, -2})};
  const SidecarDiff diff = diff_path(folder.write("a.pt", write_pt(payload)));
  CHECK(diff.exit_code() == core::ExitCode::kFailed);
  CHECK_THAT(find(diff.findings, "RLV-411")->found, Catch::Contains("float64"));
  const std::string masked = folder.write("b.pt", write_pt(sidecar(0, 1, 1, {-1, -2}, {-1, -2}, {0, 0}, 5)));
  CHECK(diff_path(masked).exit_code() == core::ExitCode::kNothingComparable);
}

TEST_CASE("NaN on both sides is told, though its bits are equal") {
  const TemporaryFolder folder;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const SidecarDiff diff = diff_path(folder.write("a.pt", write_pt(sidecar(0, 1, 1, {-1, nan}, {-1, nan}, {1, 1}, 5))));
  CHECK(diff.answer() == Answer::kEqual);
  REQUIRE(find(diff.findings, "RLV-414") != nullptr);
  CHECK(find(diff.findings, "RLV-414")->severity == core::Severity::kWarning);
  const std::string masked = folder.write("b.pt", write_pt(sidecar(0, 1, 1, {-1, nan}, {-1, nan}, {1, 0}, 5)));
  CHECK(find(diff_path(masked).findings, "RLV-414") == nullptr);
}

TEST_CASE("NaN on both sides is told of the file that holds it, whichever replica that is") {
  const TemporaryFolder folder;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  (void)folder.write("a.pt", write_pt(sidecar(0, 2, 1, {-1, -2}, {-1, -2}, {1, 1}, 5)));
  const std::string path = folder.write("b.pt", write_pt(sidecar(1, 2, 1, {-1, nan}, {-1, nan}, {1, 1}, 5)));
  const SidecarDiff diff = diff_path(folder.file(""));
  REQUIRE(find(diff.findings, "RLV-414") != nullptr);
  CHECK(find(diff.findings, "RLV-414")->place.file == path);
  CHECK(find(diff.findings, "RLV-414")->place.rank == 1);
  CHECK(find(diff.findings, "RLV-414")->count == 1);
  // The replicas found no difference, and not the same.
  REQUIRE(find(diff.findings, "RLV-412") != nullptr);
  CHECK(find(diff.findings, "RLV-412")->found == "0 differences, 1 train and 1 rollout values not finite");
}

TEST_CASE("a rank at the end of the numbers has no group that could be counted") {
  const TemporaryFolder folder;
  const std::int64_t last = std::numeric_limits<std::int64_t>::max();
  (void)folder.write("a.pt", write_pt(sidecar(last, 2, 1, {-1}, {-1}, {1}, 5)));
  CHECK(find(diff_path(folder.file("")).findings, "RLV-415") == nullptr);
}

TEST_CASE("a rank whose sidecar is missing in a folder is named") {
  const TemporaryFolder folder;
  (void)folder.write("a.pt", write_pt(sidecar(0, 2, 1, {-1}, {-1}, {1}, 5)));
  CHECK(find(diff_path(folder.file("a.pt")).findings, "RLV-415") == nullptr);
  const SidecarDiff diff = diff_path(folder.file(""));
  REQUIRE(find(diff.findings, "RLV-415") != nullptr);
  CHECK(find(diff.findings, "RLV-415")->place.rank == 1);
  CHECK(diff.exit_code() == core::ExitCode::kPassed);
  (void)folder.write("b.pt", write_pt(sidecar(1, 2, 1, {-1}, {-1}, {1}, 5)));
  CHECK(find(diff_path(folder.file("")).findings, "RLV-415") == nullptr);
}

TEST_CASE("what is no sidecar is wrong use") {
  const TemporaryFolder folder;
  const std::string path = folder.write("w.pt", write_pt(PtValue::Dict{{"w", rlverify::test::float_tensor({1})}}));
  CHECK_THROWS_AS(diff_path(path), core::UsageError);
  CHECK_THROWS_WITH(diff_path(path), Catch::Contains("rlverify diff A B"));
  CHECK_THROWS_AS(diff_path(folder.file("")), core::UsageError);
  CHECK_THROWS_AS(diff_path(folder.file("none.pt")), core::ArtifactError);
}

}  // namespace rlverify::diff::test
