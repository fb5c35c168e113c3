// SPDX-License-Identifier: Apache-2.0
// The log-prob of a token comes from the logits one position before it, hence the shift by one.
#include "sidecar/cp_slice.h"

#include <algorithm>
#include <limits>

namespace rlverify::sidecar {

namespace {

/// The product, or the end of the range: lengths and sizes come from files and may be any number.
std::int64_t saturated_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

}  // namespace

std::array<Range, 2> owned_ranges(std::int64_t total_length, std::int64_t response_length, std::int64_t cp_size,
                                  std::int64_t cp_rank) {
  if (cp_size == 1) {
    return {Range{0, response_length}, Range{response_length, response_length}};
  }
  const std::int64_t first_logit = total_length - response_length - 1;
  const std::int64_t piece_count = saturated_product(2, cp_size);
  const std::int64_t chunk = (total_length - 1) / piece_count + 1;
  std::array<Range, 2> ranges{};
  const std::array<std::int64_t, 2> pieces = {cp_rank, piece_count - 1 - cp_rank};
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::int64_t begin = std::max(saturated_product(pieces[i], chunk), first_logit);
    const std::int64_t end = std::min(saturated_product(pieces[i] + 1, chunk), total_length - 1);
    if (begin < end) {
      ranges[i] = {begin - first_logit, end - first_logit};
    }
  }
  return ranges;
}

}  // namespace rlverify::sidecar
