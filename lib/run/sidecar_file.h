// SPDX-License-Identifier: Apache-2.0
// One mismatch sidecar (spec/run-artifacts.md section 6): the payload of its .pt file as typed evidence. Tensors stay
// references into the file.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/byte_source.h"
#include "core/errors.h"
#include "run/number_vector.h"
#include "tensor/pt_reader.h"

namespace rlverify::run {

inline constexpr const char* kSidecarSchema = "rlkernel.vime_rocm_attention_mismatch_sidecar.v1";

struct SidecarSample {
  NumberVector train_log_probs;    ///< this rank's context-parallel piece
  NumberVector rollout_log_probs;  ///< the same
  NumberVector loss_mask;          ///< full response length; non-zero is active
  std::int64_t total_length = 0;   ///< tokens of prompt and response
  std::int64_t response_length = 0;
};

struct SidecarFile {
  std::string name;  ///< file name inside the folder
  std::unique_ptr<core::ByteSource> source;
  std::unique_ptr<tensor::PtFile> pt;  ///< on the heap: the values below point into it
  std::int64_t rank = 0;
  std::int64_t call_index = 0;
  core::Value tensor_parallel_size;  ///< as they stand: checked against the manifest, which this reader doesn't know
  core::Value context_parallel_size;
  std::vector<SidecarSample> samples;
};

/// Reads the payload of `source`. Throws core::ArtifactError with the field for everything that makes the public reader
/// drop the file (rules K2, K3, K5-K8), apart from the sizes' agreement with the manifest (K4).
[[nodiscard]] SidecarFile read_sidecar(std::unique_ptr<core::ByteSource> source, std::string name);

}  // namespace rlverify::run
