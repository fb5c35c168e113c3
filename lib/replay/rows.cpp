// SPDX-License-Identifier: Apache-2.0
// Rows are kept for every candidate while values come in, whatever the files turn out to be, and weeded at the end.
#include "replay/rows.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "replay/comparison.h"

namespace rlverify::replay {
namespace {

std::string name_of(const Candidate& candidate) {
  return std::string(kernels::contract(candidate.contract).name);
}

void drop_rows(SideResult& side, const std::set<std::string>& misfits, const RowFilter& filter) {
  std::vector<Row> kept;
  std::map<std::size_t, std::size_t> moved;  // the first row of a class of twins, before and after
  for (Row& row : side.rows) {
    const Hypothesis& h = row.hypothesis;
    const bool drop = misfits.count(h.contract) != 0 ||
                      (filter.one_temperature && h.temperature == Temperature::kOne) ||
                      (!filter.has_padding && h.vocabulary == Vocabulary::kPadded) ||
                      (side.dtype == tensor::DType::kBfloat16 && h.output == Output::kBfloat16);
    if (!drop) {
      moved.emplace(row.same_as, kept.size());
      row.same_as = moved.at(row.same_as);
      kept.push_back(std::move(row));
    }
  }
  side.rows = std::move(kept);
}

}  // namespace

double output_value(const Candidate& candidate, std::size_t row, std::size_t output, tensor::DType dtype) {
  if (output == 0) {
    return in_dtype(dtype, candidate.values[row], candidate.wide[row]);
  }
  const float rounded = kernels::rounded_to(candidate.values[row], kernels::StorageType::kBFloat16);
  return in_dtype(dtype, rounded, static_cast<double>(rounded));
}

void name_rows(SideResult& side, const Table& table, const RowFilter& filter) {
  std::set<std::string> misfits;
  for (std::size_t i = 0; i < table.candidates().size(); ++i) {
    const Candidate& candidate = table.candidates()[i];
    if (!candidate.fits || !candidate.listed || !candidate.whole) {
      misfits.insert(name_of(candidate));
    }
    for (std::size_t output = 0; output < kOutputs; ++output) {
      Row& row = side.rows[row_index(i, output)];
      row.hypothesis = {name_of(candidate), candidate.temperature, candidate.vocabulary,
                        output == 0 ? Output::kAsComputed : Output::kBfloat16, false};
      row.same_as = row_index(table.twin_of(i), output);
    }
  }
  drop_rows(side, misfits, filter);
}

}  // namespace rlverify::replay
