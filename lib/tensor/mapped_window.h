// SPDX-License-Identifier: Apache-2.0
// Looks at two stretches of files without copying them: mapped for the time of one call. Comparing is bound by memory,
// so the copy that pread makes would double its cost. A page that can't be had (the file shrank, the disk failed)
// raises SIGBUS; the guard ends the call instead of the program, and the caller reads the same stretch with pread,
// which says what is wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/byte_source.h"

namespace rlverify::tensor {

/// A stretch of a source.
struct FileStretch {
  const core::ByteSource* source = nullptr;
  std::uint64_t offset = 0;
  std::size_t bytes = 0;
};

/// Calls `look` with the bytes of both stretches and returns true. Returns false when they can't be mapped, a page
/// couldn't be had, or a file is shorter afterwards; `look` may then have run in part, so what it wrote is to be thrown
/// away. `look` must own nothing while it runs (no allocation, no lock): it may be left at any byte. It may throw.
/// Installs a handler of SIGBUS at first use, which passes on every fault outside a stretch that is being looked at.
[[nodiscard]] bool look_at_mapped(
    const FileStretch& reference, const FileStretch& candidate,
    const std::function<void(std::span<const std::byte>, std::span<const std::byte>)>& look);

}  // namespace rlverify::tensor
