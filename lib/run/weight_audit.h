// SPDX-License-Identifier: Apache-2.0
// One weight audit (spec/run-artifacts.md section 8): digests of all exported tensors, or of one sampled tensor (the
// older form). Only what is needed is kept: 200 versions of 400 tensors as JSON tables would be 50 MB.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_source.h"
#include "core/errors.h"
#include "core/json_reader.h"
#include "core/value.h"

namespace rlverify::run {

struct AuditTensor {
  std::string name;
  std::string sha256;  ///< as written; empty when it is no string
  std::string dtype;   ///< "torch.bfloat16"
  std::vector<std::int64_t> shape;
  bool well_formed = false;  ///< digest of 64 hex digits, a list of sizes, a dtype
};

struct WeightAudit {
  std::string name;                      ///< file name
  std::optional<core::Problem> problem;  ///< the file is no JSON
  bool is_object = false;
  std::optional<std::string>
      sha256_key;      ///< core::python_key of `sha256` (None when absent); empty when Python can't hash it
  std::string sha256;  ///< when it is a string
  std::optional<std::string> version;
  std::optional<std::string> scope;
  std::optional<std::int64_t> tensor_count;
  bool has_tensors = false;          ///< the form with all tensors
  std::vector<AuditTensor> tensors;  ///< in file order; the older form gives one
  std::vector<core::JsonObservation> observations;
};

/// Never throws for bad content: `problem` tells.
[[nodiscard]] WeightAudit read_weight_audit(const core::ByteSource& source, std::string name);

/// One entry of a tensors map: `entry` is {sha256, shape, dtype}. Never throws: `well_formed` tells.
[[nodiscard]] AuditTensor read_audit_tensor(std::string_view name, core::Value entry);

/// SHA-256 over the canonical JSON of the tensors map: keys sorted at all levels, ", " and ": ", non-ASCII escaped
/// (spec section 8). 64 hex digits.
[[nodiscard]] std::string audit_digest(std::vector<AuditTensor> tensors);

}  // namespace rlverify::run
