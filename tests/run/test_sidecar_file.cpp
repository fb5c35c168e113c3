// SPDX-License-Identifier: Apache-2.0
// Sidecars from bytes: the typed evidence of a good one, and the field named for each way of being a bad one (rules K2,
// K3, K5-K8).
#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "core/test_support.h"
#include "run/pt_test_support.h"
#include "run/sidecar_file.h"
#include "support/test_run.h"

namespace rlverify::run {
namespace {

using rlverify::test::PtValue;
using rlverify::test::sidecar_payload;
using test::source_of;

SidecarFile read(const PtValue& payload) {
  return read_sidecar(source_of(payload), "rank00000.call00000000.pt");
}

std::string refusal(const std::function<void(PtValue&)>& change) {
  PtValue payload = sidecar_payload(0, 0);
  change(payload);
  return core::test::problem_of([&payload] { static_cast<void>(read(payload)); }).text();
}

bool names(const std::string& text, const std::string& part) {
  CAPTURE(text);
  CHECK(text.rfind("test.pt: ", 0) == 0);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("A good sidecar as typed evidence") {
  const SidecarFile file = read(sidecar_payload(4, 1));
  CHECK(file.rank == 4);
  CHECK(file.call_index == 1);
  CHECK(file.tensor_parallel_size.integer() == 4);
  REQUIRE(file.samples.size() == 2);
  CHECK(file.samples[0].total_length == 17);
  CHECK(file.samples[0].response_length == 6);
  CHECK(file.samples[0].loss_mask.element_count == 6);
  CHECK(file.samples[0].train_log_probs.element_count == file.samples[0].rollout_log_probs.element_count);
}

TEST_CASE("Forms that the public reader takes as well") {
  PtValue payload = sidecar_payload(0, 0);
  payload["rank"] = rlverify::test::scalar_tensor(3);
  payload["total_lengths"] = PtValue::Tuple{{16, rlverify::test::scalar_tensor(16)}};
  payload["loss_masks"] =
      PtValue::List{PtValue::List{1, 1, 1, 1, 1, 0}, PtValue::List{true, true, true, true, true, true}};
  payload["extra"] = PtValue::Dict{{"anything", PtValue()}};
  const SidecarFile file = read(payload);
  CHECK(file.rank == 3);
  CHECK(file.samples[1].total_length == 16);
  CHECK(file.samples[0].loss_mask.dtype == tensor::DType::kInt64);
  PtValue empty = sidecar_payload(0, 0);
  for (const char* const list :
       {"train_log_probs", "rollout_log_probs", "loss_masks", "total_lengths", "response_lengths"}) {
    empty[list] = PtValue::List{};
  }
  CHECK(read(empty).samples.empty());
}

TEST_CASE("K2: what is no file of torch.save, or holds no dict") {
  const auto fault = [](std::string_view bytes) {
    return core::test::problem_of([bytes] {
             static_cast<void>(read_sidecar(std::make_unique<core::MemorySource>("test.pt", bytes), "x.pt"));
           })
        .text();
  };
  const std::string good = rlverify::test::write_pt(sidecar_payload(0, 0));
  CHECK(names(fault(""), "an empty file"));
  CHECK(names(fault("not a zip"), "test.pt"));
  CHECK(names(fault(std::string_view(good).substr(0, good.size() - 30)), "zip"));
  CHECK(names(core::test::problem_of([] { static_cast<void>(read(PtValue::List{1})); }).text(), "payload: a dict"));
}

TEST_CASE("K3: another schema version") {
  CHECK(names(refusal([](PtValue& payload) { payload["schema_version"] = "rlkernel.other.v1"; }), "schema_version"));
  CHECK(names(refusal([](PtValue& payload) { payload.erase("schema_version"); }), "found nothing"));
  CHECK(names(refusal([](PtValue& payload) { payload["schema_version"] = 1; }), "schema_version"));
}

TEST_CASE("K5: fields that are no lists are all named") {
  const std::string text = refusal([](PtValue& payload) {
    payload["loss_masks"] = PtValue();
    payload.erase("total_lengths");
  });
  CHECK(names(text, "loss_masks, total_lengths"));
  CHECK(names(refusal([](PtValue& payload) { payload["train_log_probs"] = rlverify::test::float_tensor({1.0F}); }),
              "train_log_probs"));
}

TEST_CASE("K6: lists of different lengths") {
  CHECK(names(refusal([](PtValue& payload) { payload["total_lengths"] = PtValue::List{16}; }),
              "total_lengths: 2 entries"));
}

TEST_CASE("K7: rank and call index") {
  CHECK(names(refusal([](PtValue& payload) { payload["rank"] = true; }), "rank"));
  CHECK(names(refusal([](PtValue& payload) { payload["rank"] = -1; }), "rank"));
  CHECK(names(refusal([](PtValue& payload) { payload["call_index"] = 1.0; }), "call_index"));
  CHECK(names(refusal([](PtValue& payload) { payload.erase("call_index"); }), "call_index"));
}

TEST_CASE("K8: lengths") {
  CHECK(names(refusal([](PtValue& payload) { payload["total_lengths"].at(1) = 0; }), "total_lengths[1]"));
  CHECK(names(refusal([](PtValue& payload) { payload["response_lengths"].at(0) = true; }), "response_lengths[0]"));
  CHECK(
      names(refusal([](PtValue& payload) { payload["response_lengths"].at(0) = 7; }), "7 values, the response length"));
  CHECK(names(refusal([](PtValue& payload) { payload["total_lengths"].at(0) = 5; }), "at least the response length 6"));
  CHECK(names(refusal([](PtValue& payload) { payload["loss_masks"].at(0) = "x"; }), "loss_masks[0]"));
  CHECK(names(refusal([](PtValue& payload) { payload["rollout_log_probs"].at(1) = PtValue::List{PtValue()}; }),
              "sample 1 position 0: logprob is null"));
  CHECK(names(refusal([](PtValue& payload) {
                payload["rollout_log_probs"].at(1) = PtValue::List{-0.5, "NaN"};
              }),
              "sample 1 position 1: logprob is the string 'NaN'"));
}

}  // namespace rlverify::run
