// SPDX-License-Identifier: Apache-2.0
// Payloads of .pt files as sources in memory, and one payload's value with the file that holds it.
#pragma once

#include <memory>
#include <string>

#include "core/byte_source.h"
#include "support/pt_writer.h"
#include "tensor/pt_reader.h"

namespace rlverify::run::test {

inline std::unique_ptr<core::ByteSource> source_of(const rlverify::test::PtValue& payload,
                                                   const std::string& name = "test.pt") {
  return std::make_unique<core::MemorySource>(name, rlverify::test::write_pt(payload));
}

/// A payload written and read back.
struct ReadBack {
  explicit ReadBack(const rlverify::test::PtValue& payload)
      : source(source_of(payload)), file(tensor::read_pt(*source)) {}
  std::unique_ptr<core::ByteSource> source;
  tensor::PtFile file;
};

}  // namespace rlverify::run::test
