// SPDX-License-Identifier: Apache-2.0
// One bad group among others costs its own findings and no more.
#include "replay/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/errors.h"
#include "core/progress.h"

namespace rlverify::replay {
namespace {

core::Finding weight_finding(const char* code, core::Severity severity, const LoadedGroup& group, std::string what,
                             std::string expected, std::string found) {
  core::Finding finding = core::bare_finding(code, severity, core::Section::kReplay, std::move(what));
  finding.place.file = group.name;
  finding.expected = std::move(expected);
  finding.found = std::move(found);
  return finding;
}

void visit_pieces(const LoadedGroup& group, LogitReader& reader, const std::function<void(const Piece&)>& visit) {
  for (std::size_t sample = 0; sample < group.samples.size(); ++sample) {
    const auto rows = static_cast<std::int64_t>(group.samples[sample].rows());
    for (std::int64_t first = 0; first < rows; first += reader.rows_per_piece()) {
      const std::int64_t count = std::min(reader.rows_per_piece(), rows - first);
      reader.read(sample, first, count);
      visit(Piece{group, reader, sample, first, count});
    }
  }
}

}  // namespace

void GroupWalk::run(const std::function<void(const LoadedGroup&)>& enter,
                    const std::function<void(const Piece&)>& visit, core::Findings& findings) {
  core::Progress progress("logp-inputs", found_.groups.size(), show_progress_ && core::Progress::terminal());
  for (const InputGroup& input : found_.groups) {
    const std::optional<LoadedGroup> group = load_group(input, findings);
    progress.add(1);
    if (!group) {
      continue;
    }
    const OutputWeight* const weight = group->head().has_hidden ? weight_of(*group, findings) : nullptr;
    if (group->head().has_hidden && weight == nullptr) {
      continue;
    }
    enter(*group);
    LogitReader reader(*group, weight, execution_);
    try {
      visit_pieces(*group, reader, visit);
    } catch (const core::ArtifactError& error) {
      findings.add(error.problem(), "RLV-501", core::Section::kReplay);
    }
  }
}

const OutputWeight* GroupWalk::weight_of(const LoadedGroup& group, core::Findings& findings) {
  const run::LogpInputsFile& head = group.head();
  if (weight_ == nullptr || weight_version_ != head.weight_version || !weight_->fits(head)) {
    weight_.reset();
    try {
      weight_ = std::make_unique<OutputWeight>(found_.run_path, head.weight_version, head);
      weight_version_ = head.weight_version;
    } catch (const core::ArtifactError& error) {
      findings.add(weight_finding("RLV-503", core::Severity::kError, group,
                                  "the output weight of hidden states can't be had", error.problem().expected,
                                  error.problem().found));
      return nullptr;
    }
  }
  if (weight_->rows() < head.padded_vocab_size) {
    findings.add(weight_finding("RLV-507", core::Severity::kNote, group,
                                "the output weight has no rows for the padding: their logits are taken as 0",
                                fmt::format("{} rows", head.padded_vocab_size),
                                fmt::format("{} rows in {}", weight_->rows(), weight_->name())));
  }
  return weight_.get();
}

}  // namespace rlverify::replay
