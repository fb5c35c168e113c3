// SPDX-License-Identifier: Apache-2.0
// The hypotheses of one replay and their computed values: one candidate per contract, temperature and vocabulary
// (internal to replay.h). Whether a contract is tried is decided before, and again where a group's shapes don't fit it.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "replay/logits.h"
#include "replay/result.h"
#include "replay/walk.h"

namespace rlverify::replay {

/// Values of one contract at one setting for the rows of the current piece.
struct Candidate {
  kernels::ContractId contract = kernels::ContractId::kFp64;
  Temperature temperature = Temperature::kOfFile;
  Vocabulary vocabulary = Vocabulary::kReal;
  bool listed = true;  ///< false: computed for the nucleus only
  bool fits = true;    ///< false: some group's shapes are not for it
  bool whole = true;   ///< false: only over a nucleus that replay cuts; some row's kept logits are no retained set
  std::vector<float> values;
  std::vector<double> wide;  ///< the same, or the full fp64 values of the reference
};

class Table {
 public:
  /// Candidates of `contracts` that `backend` has; the others go to `unavailable`. The fp64 reference is always there.
  Table(const std::vector<kernels::ContractId>& contracts, kernels::Execution execution,
        std::vector<Unavailable>& unavailable);

  /// Computes every candidate for the piece.
  void compute(const Piece& piece);
  /// Computes every contract at (temperature, real vocabulary) with the piece's rows cut to the nucleus of mass `p`.
  void compute_nucleus(const Piece& piece, Temperature temperature, double p);

  [[nodiscard]] const std::vector<Candidate>& candidates() const { return candidates_; }
  /// The first candidate of the same setting that had the same values at every active position; itself if none had.
  [[nodiscard]] std::size_t twin_of(std::size_t candidate) const;
  /// fp64 over the real vocabulary.
  [[nodiscard]] const Candidate& reference(Temperature temperature) const;
  /// The logits of the current piece as `contract` sees them, with -inf beyond the real vocabulary.
  [[nodiscard]] const Logits& masked(const Piece& piece, kernels::ContractId contract);
  [[nodiscard]] const kernels::ExecutionReport& report() const { return report_; }

  /// What a hypothesis' temperature is as a divisor of the kept logits of `file`.
  [[nodiscard]] static double divisor(const run::LogpInputsFile& file, Temperature temperature);

 private:
  void run(Candidate& candidate, const Logits& logits, std::int64_t real_vocab, const Piece& piece);
  /// Contracts that are another one for this piece's storage, or need a retained set that some row is not.
  void leave_out(const Piece& piece);
  void copy_from(Candidate& candidate, Temperature temperature, Vocabulary vocabulary);
  void look_for_twins(const Piece& piece);
  Candidate* find(kernels::ContractId contract, Temperature temperature, Vocabulary vocabulary);

  kernels::Execution execution_;
  std::vector<Unavailable>& unavailable_;
  bool chosen_;  ///< contracts were asked for by name
  std::vector<Candidate> candidates_;
  std::vector<std::uint8_t> differ_;  ///< [later candidate][earlier one]: they had different values somewhere
  std::deque<std::pair<const Logits*, Logits>> masked_;  ///< of the current piece; a deque keeps references valid
  bool nucleus_ = false;                                 ///< the rows are being computed over a nucleus
  kernels::ExecutionReport report_;
};

}  // namespace rlverify::replay
