// SPDX-License-Identifier: Apache-2.0
// Everything that costs memory beyond the pickle's own bytes goes through spend().
#include "tensor/pickle_context.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tensor/fail.h"

namespace rlverify::tensor {

const Global* PickleContext::global_of(core::NodeId id) const {
  const auto found = std::lower_bound(globals.begin(), globals.end(), id,
                                      [](const auto& entry, core::NodeId wanted) { return entry.first < wanted; });
  return found != globals.end() && found->first == id ? &found->second : nullptr;
}

void PickleContext::malformed(std::string expected, std::string found) const {
  fail(core::ProblemKind::kMalformed, file, offset, std::move(expected), std::move(found));
}

void PickleContext::spend(std::uint64_t amount) {
  if (amount > budget_left) {
    fail(core::ProblemKind::kLimit, file, offset, "a pickle that makes about as much data as it holds",
         "one that unfolds to many times its size");
  }
  budget_left -= amount;
}

core::NodeId PickleContext::add_opaque(std::string module, std::string name, core::NodeId arguments,
                                       core::NodeId state) {
  spend(16 + module.size() + name.size());
  const auto index = static_cast<std::uint32_t>(out.opaques.size());
  out.opaques.push_back({std::move(module), std::move(name), arguments, state});
  return out.values.add_index(core::Kind::kOpaque, index, place());
}

std::string_view kind_name(core::Kind kind) {
  using core::Kind;
  switch (kind) {
    case Kind::kNull:
      return "None";
    case Kind::kBoolean:
      return "a bool";
    case Kind::kInteger:
    case Kind::kBigInteger:
      return "an int";
    case Kind::kReal:
      return "a float";
    case Kind::kComplex:
      return "a complex number";
    case Kind::kString:
      return "a string";
    case Kind::kBytes:
      return "bytes";
    case Kind::kList:
      return "a list";
    case Kind::kTuple:
      return "a tuple";
    case Kind::kDict:
      return "a dict";
    case Kind::kSet:
      return "a set";
    case Kind::kFrozenSet:
      return "a frozenset";
    case Kind::kEllipsis:
      return "an ellipsis";
    case Kind::kTensor:
      return "a tensor";
    case Kind::kType:
      return "a class or function";
    case Kind::kOpaque:
      return "an object";
  }
  return "a value";
}

}  // namespace rlverify::tensor
