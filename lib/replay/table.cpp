// SPDX-License-Identifier: Apache-2.0
// The real variant is made by writing -inf beyond the real vocabulary, so that contracts which sum padding leave it out
// while their split of the vocabulary over ranks stays as it was.
#include "replay/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/errors.h"
#include "replay/comparison.h"
#include "replay/nucleus.h"

namespace rlverify::replay {
namespace {

using kernels::Contract;
using kernels::ContractId;
using kernels::StorageType;

constexpr std::array<Temperature, 2> kTemperatures = {Temperature::kOfFile, Temperature::kOne};
constexpr std::array<Vocabulary, 2> kVocabularies = {Vocabulary::kReal, Vocabulary::kPadded};

bool chosen(const std::vector<ContractId>& contracts, ContractId id) {
  return contracts.empty() || std::find(contracts.begin(), contracts.end(), id) != contracts.end();
}

/// Whether every row leaves most of the vocabulary out, as logits kept after top-p do: at most 128 real columns that
/// are not -inf, and at least one that is.
bool is_retained_set(const Logits& logits, std::int64_t real_vocab) {
  constexpr std::int64_t kMaxRetained = 128;
  for (std::int64_t row = 0; row < logits.rows; ++row) {
    std::int64_t kept = 0;
    for (std::int64_t column = 0; column < real_vocab && kept <= kMaxRetained; ++column) {
      const float value = logit(logits, row, column);
      kept += std::isinf(value) && value < 0.0F ? 0 : 1;
    }
    if (kept > kMaxRetained || kept == real_vocab) {
      return false;
    }
  }
  return true;
}

}  // namespace

Table::Table(const std::vector<ContractId>& contracts, kernels::Execution execution,
             std::vector<Unavailable>& unavailable)
    : execution_(execution), unavailable_(unavailable), chosen_(!contracts.empty()) {
  for (const Contract& entry : kernels::contracts()) {
    const bool listed = chosen(contracts, entry.id);
    const std::string reason = kernels::unsupported_reason(entry.id, execution.backend);
    if (!reason.empty() && listed) {
      unavailable_.push_back({std::string(entry.name), reason});
    }
    if (!reason.empty() || (!listed && entry.id != ContractId::kFp64)) {
      continue;
    }
    for (const Temperature temperature : kTemperatures) {
      for (const Vocabulary vocabulary : kVocabularies) {
        Candidate candidate;
        candidate.contract = entry.id;
        candidate.temperature = temperature;
        candidate.vocabulary = vocabulary;
        candidate.listed = listed;
        candidates_.push_back(std::move(candidate));
      }
    }
  }
  differ_.assign(candidates_.size() * candidates_.size(), 0);
}

double Table::divisor(const run::LogpInputsFile& file, Temperature temperature) {
  const bool wants_scaled = temperature == Temperature::kOfFile;
  if (wants_scaled == file.logits_are_temperature_scaled) {
    return 1.0;
  }
  // Scaled logits are multiplied back, which can't restore the bits that the division rounded away.
  return wants_scaled ? file.temperature : file.temperature == 0.0 ? 1.0 : 1.0 / file.temperature;
}

Candidate* Table::find(ContractId contract, Temperature temperature, Vocabulary vocabulary) {
  for (Candidate& candidate : candidates_) {
    if (candidate.contract == contract && candidate.temperature == temperature && candidate.vocabulary == vocabulary) {
      return &candidate;
    }
  }
  return nullptr;
}

const Candidate& Table::reference(Temperature temperature) const {
  const auto found = std::find_if(candidates_.begin(), candidates_.end(), [temperature](const Candidate& candidate) {
    return candidate.contract == ContractId::kFp64 && candidate.temperature == temperature &&
           candidate.vocabulary == Vocabulary::kReal;
  });
  return *found;  // every backend has the reference
}

const Logits& Table::masked(const Piece& piece, ContractId contract) {
  const Logits& original = piece.reader.logits(kernels::contract(contract).product_type);
  const run::LogpInputsFile& head = piece.group.head();
  if (head.real_vocab_size == head.padded_vocab_size) {
    return original;
  }
  for (const auto& [source, copy] : masked_) {
    if (source == &original) {
      return copy;
    }
  }
  Logits& copy = masked_.emplace_back(&original, original).second;
  for (std::int64_t row = 0; row < copy.rows; ++row) {
    for (std::int64_t column = head.real_vocab_size; column < head.padded_vocab_size; ++column) {
      exclude(copy, row, column);
    }
  }
  return copy;
}

void Table::run(Candidate& candidate, const Logits& logits, std::int64_t real_vocab, const Piece& piece) {
  const run::LogpInputsFile& head = piece.group.head();
  const Contract& entry = kernels::contract(candidate.contract);
  candidate.values.resize(static_cast<std::size_t>(piece.rows));
  candidate.wide.resize(static_cast<std::size_t>(piece.rows));
  if (!candidate.fits || (!candidate.whole && !nucleus_)) {
    return;
  }
  kernels::LogpInput input;
  input.logits = logits.bytes.data();
  input.logits_type = logits.type;
  input.targets = piece.group.samples[piece.sample].targets->data() + piece.first_row;
  input.rows = piece.rows;
  input.real_vocab_size = real_vocab;
  input.padded_vocab_size = head.padded_vocab_size;
  input.temperature = divisor(head, candidate.temperature);
  // Contracts that gather the vocabulary give the same bits at every size, so that any size will do.
  input.tensor_parallel_size = entry.needs_divisible_vocab ? static_cast<int>(head.tensor_parallel_size) : 1;
  input.batch_rows = static_cast<std::int64_t>(piece.group.samples[piece.sample].rows());
  input.first_batch_row = piece.first_row;
  try {
    report_ =
        kernels::compute_logp(candidate.contract, input, execution_, {candidate.values.data(), candidate.wide.data()});
  } catch (const kernels::KernelError& error) {
    if (error.kind() != kernels::ErrorKind::kInvalidInput && error.kind() != kernels::ErrorKind::kUnsupported) {
      throw core::DeviceError(error.what());
    }
    const bool told = std::any_of(unavailable_.begin(), unavailable_.end(),
                                  [&entry](const Unavailable& known) { return known.contract == entry.name; });
    if (!told) {
      unavailable_.push_back({std::string(entry.name), piece.group.name + ": " + error.what()});
    }
    for (Candidate& other : candidates_) {
      other.fits = other.fits && other.contract != candidate.contract;
    }
  }
}

void Table::leave_out(const Piece& piece) {
  if (chosen_) {
    return;  // who asks for a contract gets it
  }
  const bool retained = is_retained_set(piece.reader.logits(StorageType::kFloat32), piece.group.head().real_vocab_size);
  for (Candidate& candidate : candidates_) {
    const Contract& entry = kernels::contract(candidate.contract);
    candidate.fits = candidate.fits && !kernels::is_alias(entry.id, piece.reader.logits(entry.product_type).type);
    candidate.whole = candidate.whole && (retained || !entry.needs_retained_set);
  }
}

void Table::copy_from(Candidate& candidate, Temperature temperature, Vocabulary vocabulary) {
  const Candidate* source = find(candidate.contract, temperature, vocabulary);
  candidate.values = source->values;
  candidate.wide = source->wide;
}

void Table::look_for_twins(const Piece& piece) {
  const LoadedSample& sample = piece.group.samples[piece.sample];
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Candidate& a = candidates_[i];
      const Candidate& b = candidates_[j];
      std::uint8_t& differ = differ_[i * candidates_.size() + j];
      for (std::size_t row = 0; row < static_cast<std::size_t>(piece.rows) && differ == 0; ++row) {
        const bool active = sample.is_active(static_cast<std::size_t>(piece.first_row) + row);
        differ = active && !same_bits(a.wide[row], b.wide[row]) ? 1 : 0;
      }
    }
  }
}

std::size_t Table::twin_of(std::size_t candidate) const {
  const Candidate& a = candidates_[candidate];
  for (std::size_t j = 0; j < candidate; ++j) {
    const Candidate& b = candidates_[j];
    if (a.temperature == b.temperature && a.vocabulary == b.vocabulary && b.listed && b.fits && b.whole &&
        differ_[candidate * candidates_.size() + j] == 0) {
      return j;
    }
  }
  return candidate;
}

void Table::compute(const Piece& piece) {
  masked_.clear();
  nucleus_ = false;
  leave_out(piece);
  const run::LogpInputsFile& head = piece.group.head();
  for (Candidate& candidate : candidates_) {
    const bool real = candidate.vocabulary == Vocabulary::kReal;
    if (candidate.temperature == Temperature::kOne && head.temperature == 1.0) {
      copy_from(candidate, Temperature::kOfFile, candidate.vocabulary);
    } else if (!real && head.real_vocab_size == head.padded_vocab_size) {
      copy_from(candidate, candidate.temperature, Vocabulary::kReal);
    } else if (real) {
      run(candidate, masked(piece, candidate.contract), head.real_vocab_size, piece);
    } else {
      run(candidate, piece.reader.logits(kernels::contract(candidate.contract).product_type), head.padded_vocab_size,
          piece);
    }
  }
  look_for_twins(piece);
}

void Table::compute_nucleus(const Piece& piece, Temperature temperature, double p) {
  masked_.clear();
  nucleus_ = true;
  std::deque<std::pair<const Logits*, Logits>> cut;
  for (Candidate& candidate : candidates_) {
    if (candidate.temperature != temperature || candidate.vocabulary != Vocabulary::kReal || !candidate.listed) {
      continue;
    }
    const Logits& source = masked(piece, candidate.contract);
    auto known = std::find_if(cut.begin(), cut.end(), [&source](const auto& entry) { return entry.first == &source; });
    if (known == cut.end()) {
      Logits& copy = cut.emplace_back(&source, source).second;
      for (std::int64_t row = 0; row < piece.rows; ++row) {
        keep_nucleus(copy, row, divisor(piece.group.head(), temperature), p);
      }
      known = std::prev(cut.end());
    }
    run(candidate, known->second, piece.group.head().real_vocab_size, piece);
  }
}

}  // namespace rlverify::replay
