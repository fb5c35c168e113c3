// SPDX-License-Identifier: Apache-2.0
// Each dimension is judged by itself: a pattern is a dimension of which only a part is touched. How unlikely that is by
// chance is bounded by (ways to choose such a part) * (its share)^(differing elements); the bound holds for elements
// drawn without repetition, too.
#include "diff/patterns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "diff/vocabulary.h"

namespace rlverify::diff {
namespace {

constexpr double kLogChance = -27.6;  // ln 1e-12
constexpr std::array<std::uint64_t, 3> kRankCounts = {8, 4, 2};
/// A tail that is nearly everything tells nothing.
constexpr double kMaxTailShare = 0.95;
constexpr double kMaxIndexShare = 0.5;
/// Share of differing elements from which a region counts as rewritten: some are equal by chance.
constexpr double kDense = 0.9;

/// What is touched in one dimension.
struct Touched {
  const std::vector<bool>& marks;
  std::size_t dimension;
  std::size_t dimensions;
  std::uint64_t size;
  std::uint64_t indices;
  std::uint64_t first;
  std::uint64_t last;
  std::uint64_t count;  ///< differing elements
  double density;

  [[nodiscard]] bool contiguous() const { return last - first + 1 == indices; }
  [[nodiscard]] bool is_last() const { return dimension + 1 == dimensions; }
};

double log_choose(std::uint64_t n, std::uint64_t k) {
  const auto gamma = [](std::uint64_t x) { return std::lgamma(static_cast<double>(x) + 1); };
  return gamma(n) - gamma(k) - gamma(n - k);
}

/// ln of the chance that all differences lie in `width` of the dimension's indices.
double log_chance(const Touched& touched, std::uint64_t width) {
  return static_cast<double>(touched.count) * std::log(static_cast<double>(width) / static_cast<double>(touched.size));
}

/// Whether a region of `width` indices is filled up to a border, though the outermost touched index is `gap` before it:
/// dense differences leave no gap; sparse ones leave what chance leaves free all but one time in 400.
bool reaches(const Touched& touched, std::uint64_t gap, std::uint64_t width, bool contiguous) {
  if (contiguous && touched.density >= kDense) {
    return gap == 0;
  }
  return static_cast<double>(gap) * static_cast<double>(touched.count) <= 6 * static_cast<double>(width);
}

Pattern make(PatternKind kind, const Touched& touched) {
  Pattern pattern;
  pattern.kind = kind;
  pattern.dimension = touched.dimension;
  pattern.size = touched.size;
  pattern.indices = touched.indices;
  pattern.first = touched.first;
  pattern.last = touched.last;
  pattern.density = touched.density;
  return pattern;
}

std::optional<Pattern> tensor_parallel(const Touched& touched) {
  for (const std::uint64_t parts : kRankCounts) {
    const std::uint64_t width = touched.size / parts;
    if (touched.size % parts != 0 || width < 2 || touched.first / width != touched.last / width) {
      continue;
    }
    const std::uint64_t begin = touched.first / width * width;
    if (log_chance(touched, width) + std::log(static_cast<double>(parts)) < kLogChance &&
        reaches(touched, touched.first - begin, width, touched.contiguous()) &&
        reaches(touched, begin + width - 1 - touched.last, width, touched.contiguous())) {
      Pattern pattern = make(PatternKind::kTensorParallel, touched);
      pattern.part = touched.first / width;
      pattern.parts = parts;
      return pattern;
    }
  }
  return std::nullopt;
}

/// The touched indices in [begin, end), and whether they reach both ends.
struct Chunk {
  std::uint64_t indices = 0;
  bool filled = false;
};

Chunk look_at(const Touched& touched, std::uint64_t begin, std::uint64_t end) {
  Chunk chunk;
  std::uint64_t first = end;
  std::uint64_t last = begin;
  for (std::uint64_t i = begin; i < end; ++i) {
    if (touched.marks[i]) {
      first = std::min(first, i);
      last = i;
      ++chunk.indices;
    }
  }
  if (chunk.indices > 0) {
    const bool contiguous = last - first + 1 == chunk.indices;
    // Half of the differences are in each chunk.
    chunk.filled = reaches(touched, first - begin, 2 * (end - begin), contiguous) &&
                   reaches(touched, end - 1 - last, 2 * (end - begin), contiguous);
  }
  return chunk;
}

/// The sequence is cut into 2 * ranks chunks; rank r owns chunk r and the r-th from the end.
std::optional<Pattern> context_parallel(const Touched& touched) {
  for (const std::uint64_t ranks : kRankCounts) {
    const std::uint64_t width = (touched.size + 2 * ranks - 1) / (2 * ranks);
    const std::uint64_t rank = std::min(touched.first / width, 2 * ranks - 1 - touched.last / width);
    const std::uint64_t second = (2 * ranks - 1 - rank) * width;
    if (width < 2 || rank >= ranks || second >= touched.size || touched.first / width != rank ||
        touched.last / width != 2 * ranks - 1 - rank ||
        log_chance(touched, 2 * width) + std::log(static_cast<double>(ranks)) >= kLogChance) {
      continue;
    }
    const Chunk low = look_at(touched, rank * width, (rank + 1) * width);
    const Chunk high = look_at(touched, second, std::min(second + width, touched.size));
    if (low.filled && high.filled && low.indices + high.indices == touched.indices) {
      Pattern pattern = make(PatternKind::kContextParallel, touched);
      pattern.part = rank;
      pattern.parts = ranks;
      pattern.chunk = width;
      return pattern;
    }
  }
  return std::nullopt;
}

bool is_tail(const Touched& touched) {
  const std::uint64_t width = touched.size - touched.first;
  return touched.first > 0 && touched.indices > 1 &&
         static_cast<double>(width) <= kMaxTailShare * static_cast<double>(touched.size) &&
         log_chance(touched, width) < kLogChance &&
         reaches(touched, touched.size - 1 - touched.last, width, touched.contiguous());
}

/// Rows of an embedding or columns of logits behind the last token that exists.
std::optional<Pattern> vocabulary(const Touched& touched, std::string_view name) {
  if ((touched.dimension != 0 && !touched.is_last()) || !is_tail(touched)) {
    return std::nullopt;
  }
  const std::optional<std::uint64_t> size = vocabulary_before(touched.first, touched.size, name);
  if (!size) {
    return std::nullopt;
  }
  Pattern pattern = make(PatternKind::kVocabulary, touched);
  pattern.vocabulary = *size;
  return pattern;
}

std::optional<Pattern> stretch_or_set(const Touched& touched) {
  const std::uint64_t span = touched.last - touched.first + 1;
  if (static_cast<double>(touched.indices) > kMaxIndexShare * static_cast<double>(touched.size)) {
    return std::nullopt;
  }
  // Any two ends of a run, or any set of as many indices.
  const double run = 2 * std::log(static_cast<double>(touched.count)) + log_chance(touched, span);
  const double set = log_choose(touched.size, touched.indices) + log_chance(touched, touched.indices);
  if (touched.contiguous() && touched.is_last() && std::min(run, set) < kLogChance) {
    return make(PatternKind::kStripe, touched);
  }
  if (set >= kLogChance && !(touched.contiguous() && run < kLogChance)) {
    return std::nullopt;
  }
  Pattern pattern = make(PatternKind::kIndices, touched);
  for (std::uint64_t i = touched.first; i <= touched.last && pattern.listed.size() < kListedIndices; ++i) {
    if (touched.marks[i]) {
      pattern.listed.push_back(i);
    }
  }
  return pattern;
}

std::optional<Pattern> pattern_of(const Touched& touched, std::string_view name) {
  if (touched.indices == touched.size) {
    return std::nullopt;
  }
  if (auto pattern = tensor_parallel(touched)) {
    return pattern;
  }
  if (auto pattern = vocabulary(touched, name)) {
    return pattern;
  }
  if (auto pattern = context_parallel(touched)) {
    return pattern;
  }
  if (is_tail(touched)) {
    return make(PatternKind::kTail, touched);
  }
  return stretch_or_set(touched);
}

}  // namespace

IndexSets::IndexSets(std::vector<std::uint64_t> shape) : shape_(std::move(shape)), touched_(shape_.size()) {
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    elements_ *= shape_[i];
    if (shape_[i] > 1 && shape_[i] <= kMaxDimension) {
      touched_[i].resize(shape_[i], false);
    }
  }
}

void IndexSets::mark(std::size_t dimension, std::uint64_t index) {
  if (!touched_[dimension].empty()) {
    touched_[dimension][index] = true;
  }
}

void IndexSets::add(std::uint64_t element_index) {
  if (count_ == 0) {
    first_ = element_index;
  }
  last_ = element_index;
  ++count_;
  if (shape_.empty()) {
    return;
  }
  const std::uint64_t columns = shape_.back();
  if (element_index >= row_end_) {
    std::uint64_t row = element_index / columns;
    row_begin_ = row * columns;
    row_end_ = row_begin_ + columns;
    for (std::size_t i = shape_.size() - 1; i-- > 0;) {
      mark(i, row % shape_[i]);
      row /= shape_[i];
    }
  }
  mark(shape_.size() - 1, element_index - row_begin_);
}

/// A write that stopped: everything from one element on, not at the border of a row.
std::optional<Pattern> IndexSets::flat_tail() const {
  const std::uint64_t columns = shape_.back();
  const std::uint64_t width = elements_ - first_;
  const double share = static_cast<double>(width) / static_cast<double>(elements_);
  const double density = static_cast<double>(count_) / static_cast<double>(width);
  if (shape_.size() < 2 || first_ % columns == 0 || share > kMaxTailShare || density < kDense ||
      static_cast<double>(count_) * std::log(share) >= kLogChance) {
    return std::nullopt;
  }
  Pattern pattern;
  pattern.kind = PatternKind::kTail;
  pattern.size = elements_;
  pattern.indices = count_;
  pattern.first = first_;
  pattern.last = last_;
  pattern.density = density;
  return pattern;
}

std::vector<Pattern> IndexSets::patterns(std::string_view tensor_name) const {
  std::vector<Pattern> out;
  if (count_ == 0 || shape_.empty()) {
    return out;
  }
  if (auto tail = flat_tail()) {
    out.push_back(std::move(*tail));
    return out;
  }
  for (std::size_t i = 0; i < shape_.size(); ++i) {
    const std::vector<bool>& marks = touched_[i];
    const auto indices = static_cast<std::uint64_t>(std::count(marks.begin(), marks.end(), true));
    if (indices == 0) {
      continue;
    }
    const auto first = static_cast<std::uint64_t>(std::find(marks.begin(), marks.end(), true) - marks.begin());
    const auto from_end = static_cast<std::uint64_t>(std::find(marks.rbegin(), marks.rend(), true) - marks.rbegin());
    const std::uint64_t elements_per_index = elements_ / shape_[i];
    const double room = static_cast<double>(indices) * static_cast<double>(elements_per_index);
    const Touched touched{marks,
                          i,
                          shape_.size(),
                          shape_[i],
                          indices,
                          first,
                          shape_[i] - 1 - from_end,
                          count_,
                          static_cast<double>(count_) / room};
    if (auto pattern = pattern_of(touched, tensor_name)) {
      out.push_back(std::move(*pattern));
    }
  }
  return out;
}

}  // namespace rlverify::diff
