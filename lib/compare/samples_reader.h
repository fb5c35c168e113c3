// SPDX-License-Identifier: Apache-2.0
// Reads the files of one step into samples (internal to compare/samples.h).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "compare/samples.h"
#include "run/dump_file.h"
#include "run/number_vector.h"
#include "run/sidecar_file.h"
#include "sidecar/cp_slice.h"

namespace rlverify::compare {

class StepReader {
 public:
  StepReader(const SampleSources& sources, std::int64_t step) : sources_(sources) { out_.step = step; }
  /// One dump of any form. Faults become findings.
  void read_dump(const std::string& name);
  /// The step's sidecars, sorted by rank and call; call after all dumps.
  void read_sidecars(const std::vector<SidecarName>& names);
  [[nodiscard]] StepSamples take();

 private:
  /// Where a vector comes from, for messages.
  struct Origin {
    const core::ByteSource& source;
    const tensor::PtFile& pt;
    std::int64_t rank;
    std::int64_t call;  ///< -1: not of a sidecar
  };
  struct Piece {
    LogProbKind kind{};
    std::array<sidecar::Range, 2> ranges{};  ///< response positions that the vector holds
  };

  void read_form_1(const run::DumpFile& dump);
  void read_form_2(const run::DumpFile& dump);
  void read_sample_of_form_2(const Origin& origin, core::Value entry, std::size_t position);
  void read_rank_of_sidecars(std::int64_t rank, const std::vector<SidecarName>& names);
  [[nodiscard]] std::vector<std::int64_t> samples_of_rank(std::int64_t rank) const;

  Sample& sample(std::int64_t index, const std::string& file);
  void put_lengths(Sample& sample, std::int64_t total, std::int64_t response, const Origin& origin);
  void put_tokens(Sample& sample, const Origin& origin, core::Value value, const std::string& field);
  /// One rank's piece; `whole`: the vector covers the full response whatever the parallel sizes.
  void put_piece(Sample& sample, const Origin& origin, LogProbKind kind, const run::NumberVector& vector, bool whole);
  void put_log_probs(Sample& sample, const Origin& origin, LogProbKind kind, core::Value value,
                     const std::string& field, bool whole);
  void place(Sample& sample, const Origin& origin, const Piece& piece, const run::NumberVector& vector);
  [[nodiscard]] std::array<sidecar::Range, 2> owned(const Sample& sample, std::int64_t rank, bool whole,
                                                    std::uint64_t count, const std::string& file) const;

  core::Finding finding(const char* code, core::Section section, std::string what, const Origin& origin,
                        const Sample& sample) const;
  void unusable(const core::ArtifactError& error, const char* code, core::Section section, const Sample* sample);

  const SampleSources& sources_;
  StepSamples out_;
  std::map<std::int64_t, Sample> samples_;                            ///< by index
  std::map<std::int64_t, std::vector<std::int64_t>> order_by_rank_;   ///< form 1: a rank's samples in list order
  std::map<std::int64_t, std::vector<std::int64_t>> order_by_group_;  ///< form 2: a data-parallel group's
};

}  // namespace rlverify::compare
