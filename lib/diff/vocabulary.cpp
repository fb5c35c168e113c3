// SPDX-License-Identifier: Apache-2.0
// A size alone is believed only where the differences begin exactly there; a name makes a near miss good enough.
#include "diff/vocabulary.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace rlverify::diff {
namespace {

/// Tokens of published tokenizers and vocab_size of their models' configurations, ascending: Llama 2, Yi, GPT-2,
/// InternLM and Baichuan, cl100k, DeepSeek V2, Llama 3, DeepSeek V3, Qwen 2 to 3 (ordinary tokens, with special ones,
/// vocab_size), o200k, Gemma.
constexpr std::array<std::uint64_t, 18> kPublished = {32000,  50257,  64000,  92544,  100277, 102400,
                                                      125696, 128000, 128256, 128815, 129280, 151643,
                                                      151646, 151665, 151669, 151936, 200019, 256000};
constexpr std::array<std::string_view, 7> kNames = {"embed", "lm_head", "wte",        "output_layer",
                                                    "vocab", "logits",  "head.weight"};

}  // namespace

std::optional<std::uint64_t> vocabulary_before(std::uint64_t first, std::uint64_t size, std::string_view tensor_name) {
  std::string name(tensor_name);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool named = std::any_of(kNames.begin(), kNames.end(),
                                 [&name](std::string_view part) { return name.find(part) != std::string::npos; });
  const std::uint64_t most_padding = size / 8;
  const auto above = std::upper_bound(kPublished.begin(), kPublished.end(), first);
  if (above != kPublished.begin()) {
    const std::uint64_t known = *(above - 1);
    if (known < size && size - known <= most_padding && (named || known == first)) {
      return known;
    }
  }
  return named && size - first <= most_padding ? std::optional(first) : std::nullopt;
}

}  // namespace rlverify::diff
