// SPDX-License-Identifier: Apache-2.0
// Which files are computed from, and what belongs together: the ranks that each hold a slice of the vocabulary, the
// sidecar of the same rank and call. Files are opened one group at a time, since a run may have thousands.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/finding.h"
#include "replay/result.h"
#include "run/logp_inputs_file.h"
#include "sidecar/cp_slice.h"
#include "tensor/dtype.h"

namespace rlverify::replay {

/// Files that are computed from together: one, or one per tensor-parallel rank in ascending order.
struct InputGroup {
  std::vector<std::string> paths;
  std::vector<std::string> names;  ///< for messages
  std::int64_t rank = 0;           ///< of the first
  std::int64_t call = 0;
  std::string sidecar_path;  ///< empty where there is none
  std::string sidecar_name;
};

struct FoundInputs {
  std::vector<InputGroup> groups;  ///< by call, then rank
  std::string run_path;            ///< where weights are looked for; empty for a file outside a run
  std::uint64_t files = 0;         ///< that were looked at
  core::Findings findings;         ///< files that can't be used (RLV-501), ranks that are missing (RLV-502)
};

/// The inputs of a run directory, or of one file; a file with a slice of the vocabulary brings the files of the other
/// ranks beside it. `sidecar`, where not empty, replaces the sidecar of its rank and call. Throws core::InputError for
/// a path that is not there, core::ArtifactError for a file given by itself that can't be read, core::UsageError for a
/// sidecar that belongs to none of the inputs. No inputs: no groups.
[[nodiscard]] FoundInputs find_inputs(const std::string& path, const std::string& sidecar);

/// One side's values of one sample, widened exactly.
struct SideValues {
  tensor::DType dtype = tensor::DType::kFloat32;
  std::vector<double> values;  ///< one per row
};

struct LoadedSample {
  const std::vector<std::int64_t>* targets = nullptr;
  std::vector<const tensor::TensorRef*> parts;  ///< one per file of the group
  std::array<std::optional<SideValues>, kSides> sides;
  std::vector<std::uint8_t> active;                        ///< one per row; empty: all are
  std::optional<std::array<sidecar::Range, 2>> positions;  ///< response positions of the rows, where known

  [[nodiscard]] std::size_t rows() const { return targets->size(); }
  [[nodiscard]] bool is_active(std::size_t row) const { return active.empty() || active[row] != 0; }
};

/// A group with its files open.
struct LoadedGroup {
  std::vector<run::LogpInputsFile> files;
  std::vector<LoadedSample> samples;
  std::string name;  ///< of the first file, for messages

  [[nodiscard]] const run::LogpInputsFile& head() const { return files.front(); }
  [[nodiscard]] Place place(std::size_t sample, std::size_t row) const;
};

/// Opens the group's files and its sidecar. Faults that make the group unusable are findings (RLV-501, 505, 506) and
/// give nothing; a group without a side's log-probs is returned with a finding RLV-504.
[[nodiscard]] std::optional<LoadedGroup> load_group(const InputGroup& group, core::Findings& findings);

}  // namespace rlverify::replay
