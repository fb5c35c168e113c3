// SPDX-License-Identifier: Apache-2.0
// Train dumps of both forms, and what the public validator's `"log_probs" in payload.get("rollout_data", {})` makes of
// any payload.
#include <catch2/catch.hpp>

#include "run/dump_file.h"
#include "run/pt_test_support.h"
#include "support/test_run.h"

namespace rlverify::run {
namespace {

using rlverify::test::PtValue;
using test::source_of;

PublicDumpView view_of(const PtValue& payload) {
  return read_dump(source_of(payload), "0.rank0.pt").public_view;
}
PublicDumpView view_of_rollout_data(const PtValue& data) {
  return view_of(PtValue::Dict{{"rollout_data", data}});
}

}  // namespace

TEST_CASE("The form of one rank") {
  const DumpFile dump = read_dump(source_of(rlverify::test::dump_payload(3, 1)), "1.rank3.pt");
  CHECK(dump.public_view == PublicDumpView::kHasLogProbs);
  CHECK(dump.rollout_id == 1);
  CHECK(dump.rank == 3);
  CHECK(dump.rollout_data.get("tokens").size() == 2);
  CHECK_FALSE(dump.samples.present());
}

TEST_CASE("The form of whole samples") {
  const DumpFile dump =
      read_dump(source_of(PtValue::Dict{{"format_version", 2},
                                        {"rollout_id", 0},
                                        {"rank", 0},
                                        {"samples", PtValue::List{PtValue::Dict{{"sample_index", 0}}}}}),
                "0.rank0.pt");
  CHECK(dump.public_view == PublicDumpView::kLacksLogProbs);
  CHECK(dump.samples.size() == 1);
  CHECK_FALSE(dump.rollout_data.present());
}

TEST_CASE("What the public validator makes of other payloads") {
  CHECK(view_of(PtValue::Dict{}) == PublicDumpView::kLacksLogProbs);
  CHECK(view_of_rollout_data(PtValue::Dict{{"tokens", PtValue::List{}}}) == PublicDumpView::kLacksLogProbs);
  CHECK(view_of_rollout_data(PtValue::List{"x", "log_probs"}) == PublicDumpView::kHasLogProbs);
  CHECK(view_of_rollout_data(PtValue::List{"x"}) == PublicDumpView::kLacksLogProbs);
  CHECK(view_of_rollout_data("all log_probs") == PublicDumpView::kHasLogProbs);
  CHECK(view_of_rollout_data("none") == PublicDumpView::kLacksLogProbs);
  CHECK(view_of_rollout_data(PtValue()) == PublicDumpView::kRaises);
  CHECK(view_of_rollout_data(3) == PublicDumpView::kRaises);
  CHECK(view_of(PtValue::List{}) == PublicDumpView::kRaises);
}

TEST_CASE("Ids that are no integers are left out; bytes that are no file are an error") {
  const DumpFile dump = read_dump(source_of(PtValue::Dict{{"rollout_id", "0"}, {"rank", true}}), "0.rank0.pt");
  CHECK_FALSE(dump.rollout_id);
  CHECK_FALSE(dump.rank);
  CHECK_THROWS_AS(read_dump(std::make_unique<core::MemorySource>("x.pt", std::string_view("junk")), "x.pt"),
                  core::ArtifactError);
}

}  // namespace rlverify::run
