// SPDX-License-Identifier: Apache-2.0
// Equality as Python 3.11 has it, without recursion. Pairs of values wait on a stack. As long as no more pairs were met
// than two trees could have, nothing is remembered; beyond that the pairs of containers already taken up are, so that
// shared parts and cycles are compared once.
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "core/python_key.h"
#include "core/python_value.h"

namespace rlverify::core {

namespace {

bool is_number(Kind kind) {
  return kind == Kind::kBoolean || kind == Kind::kInteger || kind == Kind::kBigInteger || kind == Kind::kReal ||
         kind == Kind::kComplex;
}

bool is_set(Kind kind) {
  return kind == Kind::kSet || kind == Kind::kFrozenSet;
}

bool fits_64_bits(Value value) {
  return value.is(Kind::kBoolean) || value.is(Kind::kInteger);
}

std::int64_t integer_of(Value value) {
  return value.is(Kind::kBoolean) ? (value.boolean() ? 1 : 0) : value.integer();
}

bool equal_integer_real(std::int64_t integer, double real) {
  const bool in_range = real >= -0x1p63 && real < 0x1p63;
  return in_range && std::trunc(real) == real && static_cast<std::int64_t>(real) == integer;
}

bool equal_numbers(Value a, Value b) {
  if (fits_64_bits(a) && fits_64_bits(b)) {
    return integer_of(a) == integer_of(b);
  }
  if (a.is(Kind::kReal) && b.is(Kind::kReal)) {
    return a.real() == b.real();
  }
  if (fits_64_bits(a) && b.is(Kind::kReal)) {
    return equal_integer_real(integer_of(a), b.real());
  }
  if (a.is(Kind::kReal) && fits_64_bits(b)) {
    return equal_integer_real(integer_of(b), a.real());
  }
  // Big integers and complex numbers: equal numbers have equal keys.
  return number_has_key(a) && number_has_key(b) && python_key(a) == python_key(b);
}

class Comparison {
 public:
  Comparison(const ValueTable& a, const ValueTable& b) : a_(a), b_(b), tree_pairs_(a.size() + b.size()) {}

  bool run(NodeId a, NodeId b) {
    waiting_.push_back({a, b});
    bool at_root = true;
    while (!waiting_.empty()) {
      const auto [left, right] = waiting_.back();
      waiting_.pop_back();
      count_pair();
      // Python's containers ask "is" before "==".
      const bool identical = &a_ == &b_ && left == right;
      if (!(identical && !at_root) && !equal_here(left, right)) {
        return false;
      }
      at_root = false;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t kMaxPairs = 100'000'000;

  void count_pair() {
    if (++pairs_ > kMaxPairs) {
      Problem problem;
      problem.kind = ProblemKind::kLimit;
      problem.expected = "values whose comparison takes at most 100,000,000 steps";
      problem.found = "more: their parts are shared too often";
      throw ArtifactError(std::move(problem));
    }
  }

  /// Compares scalars and shapes; the elements of containers go on the stack.
  bool equal_here(NodeId left, NodeId right) {
    const Value a(a_, left);
    const Value b(b_, right);
    if (is_number(a.kind()) && is_number(b.kind())) {
      return equal_numbers(a, b);
    }
    if (is_set(a.kind()) && is_set(b.kind())) {
      return equal_sets(a, b);
    }
    if (a.kind() != b.kind()) {
      return false;
    }
    switch (a.kind()) {
      case Kind::kNull:
      case Kind::kEllipsis:
        return true;
      case Kind::kString:
      case Kind::kBytes:
      case Kind::kType:
        return a.text() == b.text();
      case Kind::kList:
      case Kind::kTuple:
        return a.size() == b.size() && (already_taken_up(left, right) || take_up_elements(left, right));
      case Kind::kDict:
        return a.size() == b.size() && (already_taken_up(left, right) || take_up_entries(a, b));
      default:  // tensors and opaque objects: only an object itself is known to be equal
        return &a_ == &b_ && a.index() == b.index();
    }
  }

  bool already_taken_up(NodeId left, NodeId right) {
    return pairs_ > tree_pairs_ && !taken_up_.insert((std::uint64_t{left} << 32) | right).second;
  }

  bool take_up_elements(NodeId left, NodeId right) {
    const std::span<const NodeId> a = a_.items(left);
    const std::span<const NodeId> b = b_.items(right);
    for (std::size_t i = a.size(); i-- > 0;) {
      waiting_.push_back({a[i], b[i]});
    }
    return true;
  }

  /// Entries in the same order need no search; the others are looked up in the sorted keys of b.
  bool take_up_entries(Value a, Value b) {
    PythonKeyIndex index;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const Value key = a.key_at(i);
      const Value other = b.key_at(i);
      if (key.is_string() && other.is_string() && key.text() == other.text()) {
        waiting_.push_back({a.value_at(i).id(), b.value_at(i).id()});
        continue;
      }
      if (index.empty()) {
        index = PythonKeyIndex(b);
      }
      const std::optional<std::size_t> entry = index.find(key);
      if (!entry) {
        return false;
      }
      waiting_.push_back({a.value_at(i).id(), b.value_at(*entry).id()});
    }
    return true;
  }

  static bool equal_sets(Value a, Value b) {
    if (a.size() != b.size()) {
      return false;
    }
    const PythonKeyIndex index(b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!index.find(a.at(i))) {
        return false;
      }
    }
    return true;
  }

  const ValueTable& a_;
  const ValueTable& b_;
  std::uint64_t tree_pairs_;
  std::uint64_t pairs_ = 0;
  std::vector<std::pair<NodeId, NodeId>> waiting_;
  std::unordered_set<std::uint64_t> taken_up_;
};

}  // namespace

bool python_equal(Value a, Value b) {
  return a.present() && b.present() && Comparison(*a.table(), *b.table()).run(a.id(), b.id());
}

bool python_equal(Value a, std::int64_t b) {
  if (fits_64_bits(a)) {
    return integer_of(a) == b;
  }
  if (a.is(Kind::kComplex)) {
    const std::span<const NodeId> parts = a.table()->items(a.id());
    return a.table()->real(parts[1]) == 0 && equal_integer_real(b, a.table()->real(parts[0]));
  }
  return a.is(Kind::kReal) && equal_integer_real(b, a.real());
}

bool python_equal(Value a, std::string_view b) {
  return a.is_string() && a.text() == b;
}

}  // namespace rlverify::core
