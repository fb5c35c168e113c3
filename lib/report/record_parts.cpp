// SPDX-License-Identifier: Apache-2.0
// Order matters here: steps ascend, keys of a record stay as the log has them, a validation's are sorted.
#include "report/record_parts.h"

#include <algorithm>
#include <string>
#include <utility>

namespace rlverify::report {

using core::NodeId;

NodeId steps_object(Document& document, const std::vector<compare::LogStep>& steps) {
  const NodeId out = document.object();
  for (const compare::LogStep& step : steps) {
    document.put(out, std::to_string(step.step), document.copy(step.record));
  }
  return out;
}

NodeId tokens_object(Document& document, const std::vector<compare::StepTokens>& tokens) {
  const NodeId out = document.object();
  for (const compare::StepTokens& step : tokens) {
    document.put(out, std::to_string(step.step), document.string(step.sha256));
  }
  return out;
}

NodeId attention_cases_object(Document& document, const std::optional<compare::AttentionCases>& cases) {
  if (!cases) {
    return document.null();
  }
  const auto integers = [&document](const std::vector<std::int64_t>& values) {
    const NodeId list = document.array();
    for (const std::int64_t value : values) {
      document.append(list, document.integer(value));
    }
    return list;
  };
  return document.object({{"cp", integers(cases->cp)},
                          {"interleave", integers(cases->interleave)},
                          {"query_counts", integers(cases->query_counts)},
                          {"passed", document.integer(cases->passed)},
                          {"eager_and_cuda_graph_byte_mismatches", document.integer(cases->mismatches)}});
}

NodeId copy_sorted(Document& document, core::Value value) {
  if (value.is_list()) {
    const NodeId out = document.array();
    for (std::size_t i = 0; i < value.size(); ++i) {
      document.append(out, copy_sorted(document, value.at(i)));
    }
    return out;
  }
  if (!value.is_dict()) {
    return document.copy(value);
  }
  std::vector<std::pair<std::string, core::Value>> entries;
  for (std::size_t i = 0; i < value.size(); ++i) {
    entries.emplace_back(value.key_at(i).text(), value.value_at(i));
  }
  // UTF-8 sorts by bytes as it does by code point.
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  const NodeId out = document.object();
  for (const auto& entry : entries) {
    document.put(out, entry.first, copy_sorted(document, entry.second));
  }
  return out;
}

}  // namespace rlverify::report
