// SPDX-License-Identifier: Apache-2.0
// A value is never shown rounded: its digits are those that tell it from its neighbours.
#include "replay/wording.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <map>

namespace rlverify::replay {
namespace {

using tensor::DType;

std::string sizes_text(const std::vector<std::int64_t>& sizes) {
  return sizes.size() == 1 ? fmt::format(" ({} columns)", sizes.front()) : "";
}

}  // namespace

std::string value_text(DType dtype, double value) {
  switch (dtype) {
    case DType::kFloat64:
      return fmt::format("{} ({:#018x})", value, std::bit_cast<std::uint64_t>(value));
    case DType::kBfloat16:
      return fmt::format("{} ({:#06x})", static_cast<float>(value),
                         std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16U);
    default:
      // float16, too: its bits would be hard to hold against those of a float32 side.
      return fmt::format("{} ({:#010x})", static_cast<float>(value),
                         std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
}

std::string temperature_text(const Settings& settings, Temperature temperature) {
  if (temperature == Temperature::kOne) {
    return "temperature 1";
  }
  return settings.temperatures.size() == 1 ? fmt::format("temperature {}", settings.temperatures.front())
                                           : "the file's temperature";
}

std::string vocabulary_text(const Settings& settings, Vocabulary vocabulary) {
  if (settings.real_vocab_sizes == settings.padded_vocab_sizes) {
    return "the whole vocabulary" + sizes_text(settings.real_vocab_sizes);
  }
  return vocabulary == Vocabulary::kReal ? "real vocabulary" + sizes_text(settings.real_vocab_sizes)
                                         : "padded vocabulary" + sizes_text(settings.padded_vocab_sizes);
}

std::string output_text(const Hypothesis& hypothesis, const SideResult& side) {
  std::string text = hypothesis.output == Output::kBfloat16 ? "rounded to bfloat16" : "";
  if (hypothesis.top_p && side.nucleus) {
    text += text.empty() ? "" : ", ";
    text += fmt::format("renormalised over top-p, {:.5g} < p <= {:.5g}", side.nucleus->low, side.nucleus->high);
  }
  return text;
}

std::string setting_text(const Settings& settings, const SideResult& side, const Hypothesis& hypothesis) {
  const std::string output = output_text(hypothesis, side);
  return temperature_text(settings, hypothesis.temperature) + ", " + vocabulary_text(settings, hypothesis.vocabulary) +
         (output.empty() ? "" : ", " + output);
}

std::string followed_text(const Settings& settings, const SideResult& side, const std::vector<std::size_t>& rows) {
  std::vector<std::string> order;
  std::map<std::string, std::string> contracts;
  for (const std::size_t index : rows) {
    const Hypothesis& hypothesis = side.rows[index].hypothesis;
    const std::string setting = setting_text(settings, side, hypothesis);
    const auto [entry, fresh] = contracts.emplace(setting, hypothesis.contract);
    if (fresh) {
      order.push_back(setting);
    } else {
      entry->second += " or " + hypothesis.contract;
    }
  }
  std::string text;
  for (const std::string& setting : order) {
    text += (text.empty() ? "" : "; or ") + contracts[setting] + " at " + setting;
  }
  return text;
}

std::string tally_text(const Tally& tally) {
  if (tally.differing == 0) {
    return fmt::format("all {} values", tally.compared);
  }
  std::string text = fmt::format("{} of {} values differ", tally.differing, tally.compared);
  if (tally.finite() > 0) {
    text += fmt::format(", max {:.4g} ({} ulp), mean {:.4g} ({:.3g} ulp)", tally.max_abs, tally.max_ulp,
                        tally.mean_abs(), tally.mean_ulp());
  }
  if (tally.not_finite > 0) {
    text += fmt::format(", {} not finite on a side", tally.not_finite);
  }
  return text;
}

}  // namespace rlverify::replay
