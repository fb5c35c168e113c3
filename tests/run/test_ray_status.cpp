// SPDX-License-Identifier: Apache-2.0
// What `ray job status` prints, in all its forms.
#include <catch2/catch.hpp>

#include "run/ray_status.h"

namespace rlverify::run {

TEST_CASE("Ray's success, in colour, in both spellings") {
  const RayStatus status = read_ray_status(
      "Job submission server address: http://127.0.0.1:8265\nStatus for job 'vime200-x': "
      "\x1b[32mSUCCEEDED\x1b[39m\nStatus message: Job finished successfully.\n");
  CHECK(status.has_succeeded_word);
  CHECK(status.state == JobState::kSucceeded);
  CHECK(status.job_id == "vime200-x");
  const RayStatus banner = read_ray_status("----\n\x1b[32mJob 'a b' succeeded\x1b[39m\n----\n");
  CHECK(banner.has_succeeded_word);
  CHECK(banner.state == JobState::kSucceeded);
  CHECK(banner.job_id == "a b");
  CHECK(job_state_name(banner.state) == "SUCCEEDED");
}

TEST_CASE("Other ends") {
  CHECK(read_ray_status("Job 'x' failed\n").state == JobState::kFailed);
  CHECK(read_ray_status("Job 'x' was stopped\n").state == JobState::kStopped);
  CHECK(read_ray_status("Status for job 'x': RUNNING\n").state == JobState::kRunning);
  CHECK(read_ray_status("Status for job 'x': PENDING\n").state == JobState::kPending);
  CHECK(read_ray_status("").state == JobState::kUnknown);
  CHECK_FALSE(read_ray_status("Job 'x' failed\n").has_succeeded_word);
  CHECK(job_state_name(JobState::kUnknown) == "UNKNOWN");
}

TEST_CASE("The word alone is the public validator's test, not the state") {
  const RayStatus failed = read_ray_status("Status for job 'x': FAILED (has not succeeded)\n");
  CHECK(failed.has_succeeded_word);
  CHECK(failed.state == JobState::kFailed);
  CHECK(read_ray_status("Status for job 'x': SUCCEEDED\nStatus for job 'x': FAILED\n").state == JobState::kFailed);
}

TEST_CASE("A whole word only; colour codes don't make one") {
  CHECK_FALSE(read_ray_status("unsucceeded").has_succeeded_word);
  CHECK_FALSE(read_ray_status("SUCCEEDED_").has_succeeded_word);
  CHECK_FALSE(read_ray_status("succeeded2").has_succeeded_word);
  CHECK_FALSE(read_ray_status("\xC3\xA9succeeded").has_succeeded_word);
  CHECK_FALSE(read_ray_status("SUC CEEDED").has_succeeded_word);
  CHECK(read_ray_status("SUC\x1b[0mCEEDED").has_succeeded_word);
  CHECK(read_ray_status("(SuCcEeDeD)").has_succeeded_word);
  CHECK(read_ray_status("unsucceeded succeeded").has_succeeded_word);
  CHECK(read_ray_status("\xFFSUCCEEDED\xFF").has_succeeded_word);
}

}  // namespace rlverify::run
