// SPDX-License-Identifier: Apache-2.0
// Writes the two runs of examples/runs. `passing` keeps its promise; `failing` parts from it in step 1: one log-prob of
// the training side is one ULP off, so the gradient norm of that step and the weights after it are others. Everything
// else is the same, so `compare` has one thing to find.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "support/test_run.h"

namespace rlverify::test {
namespace {

constexpr int kCall = 1;
constexpr std::size_t kSample = 1;
constexpr std::size_t kElement = 3;

/// Moves one element of the training side's log-probs one ULP towards zero.
void shift_log_prob(PtValue& train_log_probs) {
  std::string& bytes = train_log_probs.at(kSample).tensor().bytes;
  float value = 0.0F;
  std::memcpy(&value, bytes.data() + kElement * sizeof value, sizeof value);
  value = std::nextafter(value, 0.0F);
  std::memcpy(bytes.data() + kElement * sizeof value, &value, sizeof value);
}

TestRun failing_run() {
  TestRun run = passing_run();
  // The second context-parallel rank owns the element; its tensor-parallel replicas agree on it.
  for (int rank = kTensorParallel; rank < kRanks; ++rank) {
    PtValue sidecar = sidecar_payload(rank, kCall);
    shift_log_prob(sidecar["train_log_probs"]);
    run.files[sidecar_path(rank, kCall)] = write_pt(sidecar);
    PtValue dump = dump_payload(rank, kCall);
    shift_log_prob(dump["rollout_data"]["log_probs"]);
    run.files[dump_path(rank, kCall)] = write_pt(dump);
  }
  // What the log says of it: the difference, its mean over 12 tokens, and one mismatch among 2 samples.
  run.replace("run.log",
              "'train/train_rollout_logprob_abs_diff': 0.0, 'train/train_current_rollout_logprob_mismatch_count': 0.0, "
              "'train/train_current_rollout_logprob_max_abs_diff': 0.0, 'train/train_current_rollout_logprob_numel': "
              "6.0, 'train/grad_norm': 0.021",
              "'train/train_rollout_logprob_abs_diff': 2.483526865641276e-09, "
              "'train/train_current_rollout_logprob_mismatch_count': 0.5, "
              "'train/train_current_rollout_logprob_max_abs_diff': 2.9802322387695312e-08, "
              "'train/train_current_rollout_logprob_numel': 6.0, "
              "'train/grad_norm': 0.021000000834465027");
  // The digest of the whole is SHA-256 of the tensors map, computed once with Python's hashlib.
  const std::string audit = "weight-audit/weight_v000003.json";
  run.replace(audit, std::string(64, '3'), std::string(64, 'c'));
  run.replace(audit, "6dc4517e97376aaba7dbe531113e5ab9269af6735b6b2227a0bf98ccfb3c262a",
              "5447f3c11e16a623075c746e80e912989e83b2b0359260bfe112074367956423");
  for (const char* file : {"manifest.json", "run.log", "ray-status.txt"}) {
    run.replace_all(file, "small-run", "parted-run");
  }
  return run;
}

}  // namespace
}  // namespace rlverify::test

int main(int argc, char* argv[]) {
  if (argc != 2) {
    std::fputs("usage: write_example_runs DIRECTORY\n", stderr);
    return 2;
  }
  try {
    const std::string directory = argv[1];
    rlverify::test::passing_run().write(directory + "/passing");
    rlverify::test::failing_run().write(directory + "/failing");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "write_example_runs: %s\n", error.what());
    return 1;
  }
  return 0;
}
