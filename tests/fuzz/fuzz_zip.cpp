// SPDX-License-Identifier: Apache-2.0
// Whole files: whatever the bytes are, reading them, walking what they hold and reading the elements of their tensors
// ends in values or in an ArtifactError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/errors.h"
#include "tensor/pt_reader.h"
#include "tensor/value_walk.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rlverify;
  const core::MemorySource source("fuzz.pt", std::string_view(reinterpret_cast<const char*>(data), size));
  try {
    const tensor::PtFile file = tensor::read_pt(source, tensor::UnsafePolicy::kReport);
    std::uint64_t budget = 1U << 22U;
    for (const tensor::TensorAt& found : tensor::find_tensors(file).tensors) {
      const tensor::TensorRef& reference = file.tensor(found.value);
      if (!reference.explodes() && reference.logical_bytes() <= budget) {
        budget -= reference.logical_bytes();
        static_cast<void>(tensor::read_elements(source, reference));
      }
    }
  } catch (const core::ArtifactError&) {
  }
  return 0;
}
