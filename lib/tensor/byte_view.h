// SPDX-License-Identifier: Apache-2.0
// A few bytes of a source: a view where they lie in memory already (small files are read whole), else a copy. Thousands
// of small headers are read this way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/byte_source.h"

namespace rlverify::tensor {

class ByteView {
 public:
  /// The bytes [offset, offset + size) of `source`, which must outlive this object. Throws ArtifactError where they
  /// aren't there.
  ByteView(const core::ByteSource& source, std::uint64_t offset, std::uint64_t size) {
    const auto memory = source.memory();
    if (offset <= memory.size() && size <= memory.size() - offset) {
      bytes_ = memory.subspan(offset, size);
      return;
    }
    copy_.resize(size);
    source.read(offset, copy_);
    bytes_ = copy_;
  }
  ByteView(const ByteView&) = delete;
  ByteView& operator=(const ByteView&) = delete;

  [[nodiscard]] std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> copy_;
  std::span<const std::byte> bytes_;
};

}  // namespace rlverify::tensor
