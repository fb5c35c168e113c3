// SPDX-License-Identifier: Apache-2.0
// Any bytes as a file of kernel inputs: what is accepted has shapes that fit each other, and its rows can be read.
#include <cstdlib>
#include <memory>
#include <string_view>

#include "core/byte_source.h"
#include "core/errors.h"
#include "run/logp_inputs_file.h"

namespace {

using namespace rlverify;

void check(bool right) {
  if (!right) {
    std::abort();
  }
}

void look(const run::LogpInputsFile& file) {
  check(file.real_vocab_size >= 1 && file.real_vocab_size <= file.padded_vocab_size);
  check(!file.samples.empty());
  for (const run::LogpInputsSample& sample : file.samples) {
    check(sample.matrix->shape.size() == 2 && sample.matrix->shape[0] == sample.tokens());
    check(sample.matrix->shape[1] == file.columns);
    if (sample.tokens() > 0) {
      const std::uint64_t last = sample.tokens() - 1;
      static_cast<void>(tensor::read_element_range(*file.source, *sample.matrix, last * file.columns, file.columns));
    }
    for (const auto* side : {&sample.train_log_probs, &sample.rollout_log_probs}) {
      if (*side) {
        check((*side)->element_count == sample.tokens());
        static_cast<void>(run::load(*file.source, **side));
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    look(run::read_logp_inputs(std::make_unique<core::MemorySource>("fuzz", bytes), "fuzz"));
  } catch (const core::ArtifactError&) {  // what every bad file must end in
  }
  return 0;
}
