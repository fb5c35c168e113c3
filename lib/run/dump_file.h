// SPDX-License-Identifier: Apache-2.0
// One train dump (spec/run-artifacts.md section 7): form 1 holds one rank's lists in `rollout_data`, form 2 holds whole
// samples of one rollout.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/byte_source.h"
#include "core/errors.h"
#include "tensor/pt_reader.h"

namespace rlverify::run {

/// What the public validator makes of `"log_probs" in payload.get("rollout_data", {})`.
enum class PublicDumpView { kHasLogProbs, kLacksLogProbs, kRaises };

struct DumpFile {
  std::string name;
  std::unique_ptr<core::ByteSource> source;
  std::unique_ptr<tensor::PtFile> pt;
  PublicDumpView public_view = PublicDumpView::kRaises;
  std::optional<std::int64_t> rollout_id;
  std::optional<std::int64_t> rank;
  core::Value rollout_data;  ///< form 1: a dict of lists; absent otherwise
  core::Value samples;       ///< form 2: a list of dicts; absent otherwise
};

/// Throws core::ArtifactError for a file that can't be read at all; what a readable payload lacks is left empty.
[[nodiscard]] DumpFile read_dump(std::unique_ptr<core::ByteSource> source, std::string name);

}  // namespace rlverify::run
