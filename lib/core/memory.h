// SPDX-License-Identifier: Apache-2.0
// How much memory this process can still take, for work whose need is known before it starts. Linux hands out more than
// there is and ends the process when it is touched, so a failed allocation is nothing to wait for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rlverify::core {

/// The bytes that can be had without swapping: MemAvailable of /proc/meminfo, or less where this process' control group
/// (version 2) allows less. Nothing where the system doesn't say.
[[nodiscard]] std::optional<std::uint64_t> available_memory();

/// MemAvailable of a text like /proc/meminfo, in bytes.
[[nodiscard]] std::optional<std::uint64_t> available_of_meminfo(std::string_view text);

}  // namespace rlverify::core
