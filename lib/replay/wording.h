// SPDX-License-Identifier: Apache-2.0
// Hypotheses and values in words, the same in findings, documents and text.
#pragma once

#include <string>

#include "replay/result.h"
#include "tensor/dtype.h"

namespace rlverify::replay {

/// "-1.2 (0xbf99999a)": all digits that tell the value from its neighbours in `dtype`, and its bits.
[[nodiscard]] std::string value_text(tensor::DType dtype, double value);
/// "temperature 0.6", or "the file's temperature" where the files differ.
[[nodiscard]] std::string temperature_text(const Settings& settings, Temperature temperature);
/// "real vocabulary (12 columns)".
[[nodiscard]] std::string vocabulary_text(const Settings& settings, Vocabulary vocabulary);
/// "rounded to bfloat16", "renormalised over top-p, 0.89 < p <= 0.9", both, or empty.
[[nodiscard]] std::string output_text(const Hypothesis& hypothesis, const SideResult& side);
/// Everything but the contract: "temperature 0.6, real vocabulary (12 columns), rounded to bfloat16".
[[nodiscard]] std::string setting_text(const Settings& settings, const SideResult& side, const Hypothesis& hypothesis);
/// "vllm_gather at temperature 0.6, real vocabulary (12 columns)"; hypotheses of one setting are joined: "a or b at
/// ...".
[[nodiscard]] std::string followed_text(const Settings& settings, const SideResult& side,
                                        const std::vector<std::size_t>& rows);
/// "12 of 96 values differ, max 2.4e-07 (2 ulp), mean 1.1e-08 (0.13 ulp)".
[[nodiscard]] std::string tally_text(const Tally& tally);

}  // namespace rlverify::replay
