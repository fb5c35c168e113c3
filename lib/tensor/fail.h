// SPDX-License-Identifier: Apache-2.0
// One way to say that a tensor file can't be read: where, what was expected, what was found.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/errors.h"

namespace rlverify::tensor {

/// Throws the ArtifactError that describes a fault at byte `offset` of `file`.
[[noreturn]] inline void fail(core::ProblemKind kind, const std::string& file, std::uint64_t offset,
                              std::string expected, std::string found) {
  core::Problem problem;
  problem.kind = kind;
  problem.file = file;
  problem.offset = offset;
  problem.expected = std::move(expected);
  problem.found = std::move(found);
  throw core::ArtifactError(std::move(problem));
}

}  // namespace rlverify::tensor
