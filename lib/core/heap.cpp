// SPDX-License-Identifier: Apache-2.0
// Blocks above the mmap threshold stay outside the heap, whose size this bounds.
#include "core/heap.h"

#include <cstdlib>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace rlverify::core {

void keep_freed_memory() noexcept {
#if defined(__GLIBC__)
  constexpr int kKeptBytes = 16 << 20;
  constexpr int kMapBytes = 128 << 10;
  // Setting one of the two ends their automatic growth, so the other is set to its default.
  mallopt(M_TRIM_THRESHOLD, kKeptBytes);
  mallopt(M_MMAP_THRESHOLD, kMapBytes);
#endif
}

}  // namespace rlverify::core
