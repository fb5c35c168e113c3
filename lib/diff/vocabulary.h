// SPDX-License-Identifier: Apache-2.0
// Sizes of real vocabularies, which trainers pad to a multiple of something.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rlverify::diff {

/// The vocabulary whose padding begins at or before index `first` of a dimension of `size`: a published size where one
/// fits; `first` itself where the name says that the tensor is an embedding or logits and at most an eighth of the
/// dimension is left. Nothing otherwise.
[[nodiscard]] std::optional<std::uint64_t> vocabulary_before(std::uint64_t first, std::uint64_t size,
                                                             std::string_view tensor_name);

}  // namespace rlverify::diff
