// SPDX-License-Identifier: Apache-2.0
// Goes through all groups of inputs, piece by piece, holding one group's files and one piece of logits at a time
// (internal to replay.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/finding.h"
#include "replay/inputs.h"
#include "replay/logits.h"

namespace rlverify::replay {

/// Rows of one sample; `reader` holds their logits.
struct Piece {
  const LoadedGroup& group;
  LogitReader& reader;
  std::size_t sample;
  std::int64_t first_row;
  std::int64_t rows;
};

class GroupWalk {
 public:
  GroupWalk(const FoundInputs& found, const kernels::Execution& execution, bool show_progress)
      : found_(found), execution_(execution), show_progress_(show_progress) {}

  /// Calls `enter` for every group that can be used, then `visit` for its pieces in order. Faults become findings
  /// (RLV-501, 503 to 507).
  void run(const std::function<void(const LoadedGroup&)>& enter, const std::function<void(const Piece&)>& visit,
           core::Findings& findings);

 private:
  const OutputWeight* weight_of(const LoadedGroup& group, core::Findings& findings);

  const FoundInputs& found_;
  kernels::Execution execution_;
  bool show_progress_;
  std::unique_ptr<OutputWeight> weight_;  ///< of the last group of hidden states: the next one probably has the same
  std::string weight_version_;
};

}  // namespace rlverify::replay
