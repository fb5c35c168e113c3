// SPDX-License-Identifier: Apache-2.0
// CUDA-graph evidence and step rows out of the log (spec/run-artifacts.md sections 3a, 3b and 10).
#include <algorithm>
#include <cmath>
#include <map>

#include "core/python_value.h"
#include "readback/checks.h"

namespace rlverify::readback {
namespace {

using core::Kind;

bool any_begins_with(const std::vector<run::LogMark>& marks, const std::string& text) {
  return std::any_of(marks.begin(), marks.end(),
                     [&text](const run::LogMark& mark) { return mark.text.rfind(text, 0) == 0; });
}

/// The sizes as the launcher prints them: Python's str of each, joined by commas. Python iterates strings by character
/// and objects by key.
std::string compact_sizes(core::Value sizes) {
  std::string text = "[";
  const auto add = [&text](const std::string& part) { text += (text.size() > 1 ? "," : "") + part; };
  if (sizes.is_list()) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      add(core::python_str(sizes.at(i)));
    }
  } else if (sizes.is_dict()) {
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      add(std::string(sizes.key_at(i).text()));
    }
  } else if (sizes.is_string()) {
    const std::string_view characters = sizes.text();
    for (std::size_t at = 0; at < characters.size();) {
      std::size_t end = at + 1;
      while (end < characters.size() && (static_cast<unsigned char>(characters[end]) & 0xC0U) == 0x80) {
        ++end;
      }
      add(std::string(characters.substr(at, end - at)));
      at = end;
    }
  }
  return text + "]";
}

/// number * factor as Python multiplies: integers stay integers. A product beyond 64 bits becomes the nearest double.
PythonNumber times(const PythonNumber& number, std::int64_t factor) {
  if (const auto* integer = std::get_if<std::int64_t>(&number)) {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(*integer, factor, &product)) {
      return product;
    }
    return static_cast<double>(*integer) * static_cast<double>(factor);
  }
  return std::get<double>(number) * static_cast<double>(factor);
}

bool is_zero(const std::optional<PythonNumber>& number) {
  return number && as_double(*number) == 0.0;
}

}  // namespace

double as_double(const PythonNumber& number) {
  return std::holds_alternative<double>(number) ? std::get<double>(number)
                                                : static_cast<double>(std::get<std::int64_t>(number));
}

CudagraphSection measure_cudagraph(const Frame& frame, const run::RunLog& log) {
  CudagraphSection section;
  const std::string compact = compact_sizes(frame.capture_sizes);
  const std::string repr = frame.capture_sizes.present() ? core::python_repr(frame.capture_sizes) : "[]";
  section.launcher_marker = any_begins_with(log.launcher_capture_sizes, compact);
  section.engine_mode = log.full_decode_only;
  section.not_eager = !log.not_eager.empty();
  section.capture_sizes =
      any_begins_with(log.capture_sizes_repr, repr) || any_begins_with(log.capture_sizes_json, compact);
  section.expected_capture_sizes = frame.capture_sizes;
  return section;
}

bool public_accepts(const run::LogRecord& record) {
  return record.kind == run::RecordKind::kStep && record.public_matches && record.public_parses;
}

bool strict_accepts(const run::LogRecord& record) {
  return record.kind == run::RecordKind::kStep && record.payload != core::kNoNode && record.role.empty();
}

StepRecords step_records(const run::RunLog& log, bool (*accept)(const run::LogRecord&), Repeated repeated) {
  std::map<std::int64_t, std::pair<std::size_t, const run::LogRecord*>> kept;
  for (const run::LogRecord& record : log.records) {
    if (accept(record)) {
      const auto entry = kept.emplace(record.number, std::make_pair(kept.size(), &record)).first;
      entry->second.second = repeated == Repeated::kLastCounts ? &record : entry->second.second;
    }
  }
  StepRecords steps;
  steps.by_arrival.resize(kept.size());
  for (const auto& [step, arrival] : kept) {
    steps.by_arrival[arrival.first] = steps.by_step.size();
    steps.by_step.push_back({step, arrival.second, log.payload(*arrival.second)});
  }
  return steps;
}

std::optional<PythonNumber> finite_metric(core::Value payload, const char* name) {
  const core::Value value = payload.get(name);
  if (value.is_integer()) {
    return value.integer();
  }
  if (value.is(Kind::kReal) && std::isfinite(value.real())) {
    return value.real();
  }
  if (value.is(Kind::kBigInteger)) {
    throw CannotJudge("OverflowError: " + std::string(name) + " is an integer beyond 64 bits");
  }
  return std::nullopt;
}

ScalarSection measure_scalars(const StepRecords& steps, std::int64_t global_batch_size) {
  ScalarSection section;
  section.bitwise_zero = !steps.by_step.empty();
  for (const StepRecord& step : steps.by_step) {
    ScalarRow row;
    row.step = step.step;
    row.vime_mean_mismatch_count_per_sample = finite_metric(step.payload, kMismatchCount);
    row.vime_mean_active_tokens_per_sample = finite_metric(step.payload, kNumel);
    row.max_abs_dlogp = finite_metric(step.payload, kMaxAbsDiff);
    row.mean_abs_dlogp = finite_metric(step.payload, kMeanAbsDiff);
    if (row.vime_mean_mismatch_count_per_sample) {
      row.bitwise_mismatch_count = times(*row.vime_mean_mismatch_count_per_sample, global_batch_size);
    }
    if (row.vime_mean_active_tokens_per_sample) {
      row.active_token_count = times(*row.vime_mean_active_tokens_per_sample, global_batch_size);
    }
    section.bitwise_zero = section.bitwise_zero && is_zero(row.bitwise_mismatch_count) && is_zero(row.max_abs_dlogp);
    // Python's sum: integers until the first float; a null or zero count adds 0.0.
    const bool counts = row.active_token_count && !is_zero(row.active_token_count);
    const PythonNumber addend = counts ? *row.active_token_count : PythonNumber(0.0);
    const auto* total = std::get_if<std::int64_t>(&section.total_active_token_exposure);
    const auto* integer = std::get_if<std::int64_t>(&addend);
    std::int64_t sum = 0;
    if (total != nullptr && integer != nullptr && !__builtin_add_overflow(*total, *integer, &sum)) {
      section.total_active_token_exposure = sum;
    } else {
      section.total_active_token_exposure = as_double(section.total_active_token_exposure) + as_double(addend);
    }
    section.rows.push_back(row);
  }
  return section;
}

}  // namespace rlverify::readback
