// SPDX-License-Identifier: Apache-2.0
// The constants of one experiment: names, ids, numbers, lists, flags. What needs a condition is a rule in C++. The
// manifest's schema_version picks the profile.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rlverify::run {

struct Profile {
  std::string_view name;
  std::string_view manifest_schema;  ///< manifest.schema_version
  std::int64_t gpus = 0;
  std::string_view platform;  ///< of every operator record
  std::string_view cudagraph_mode;
  std::array<std::string_view, 3> backend_ids;      ///< of RL-Kernel's attention, ffn and logp
  std::array<std::string_view, 4> actual_backends;  ///< what an RL-Kernel record may say that it executed
  std::array<std::string_view, 5> fallback_flags;   ///< keys that must not be true at any depth
  std::array<std::string_view, 14> topology_keys;   ///< all that the topology may have
  bool fallback_proof = false;                      ///< an RL-Kernel record must say fallback=false somewhere
  std::int64_t first_weight_version = 1;            ///< of the initial sync; one more after each step
};

/// The profile of a manifest's schema_version; null for an unknown one.
[[nodiscard]] const Profile* find_profile(std::string_view manifest_schema);

}  // namespace rlverify::run
