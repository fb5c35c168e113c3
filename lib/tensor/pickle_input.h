// SPDX-License-Identifier: Apache-2.0
// The bytes of a pickle, in order: straight from memory, or through a window that grows only as far as an argument
// needs. Knows the frames of protocol 4, which no argument may cross.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_source.h"
#include "core/errors.h"

namespace rlverify::tensor {

class PickleInput {
 public:
  /// The bytes [begin, end) of `source`, which must outlive this object.
  PickleInput(const core::ByteSource& source, std::uint64_t begin, std::uint64_t end);

  /// Offset in the source of the next byte.
  [[nodiscard]] std::uint64_t position() const { return window_begin_ + cursor_; }
  [[nodiscard]] std::uint64_t left() const { return end_ - position(); }
  [[nodiscard]] const std::string& file() const { return source_.name(); }

  /// The next `count` bytes; valid until the next call. Throws ArtifactError where the pickle or its frame ends before.
  [[nodiscard]] std::span<const std::byte> take(std::uint64_t count) {
    if (frame_end_ == 0 && window_.size() - cursor_ >= count) {
      const auto bytes = window_.subspan(cursor_, count);
      cursor_ += count;
      return bytes;
    }
    return take_checked(count);
  }
  [[nodiscard]] std::string_view take_text(std::uint64_t count);
  [[nodiscard]] std::uint8_t take_byte() { return static_cast<std::uint8_t>(take(1)[0]); }
  /// An unsigned little-endian number of `count` bytes (up to 8).
  [[nodiscard]] std::uint64_t take_little(std::size_t count) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t value = 0;
    std::memcpy(&value, take(count).data(), count);
    return value;
  }
  /// The text up to the next line feed, which is taken too.
  [[nodiscard]] std::string_view take_line();
  /// The next `size` bytes are a frame.
  void begin_frame(std::uint64_t size);
  void end_frames() { frame_end_ = 0; }

  /// Throws a kMalformed ArtifactError at the next byte.
  [[noreturn]] void fail_here(std::string expected, std::string found) const;

 private:
  std::span<const std::byte> take_checked(std::uint64_t count);
  void fill(std::uint64_t count);

  const core::ByteSource& source_;
  std::uint64_t end_;
  std::uint64_t window_begin_;
  std::uint64_t cursor_ = 0;
  std::uint64_t frame_end_ = 0;  // 0: in no frame
  std::span<const std::byte> window_;
  std::vector<std::byte> buffer_;
};

}  // namespace rlverify::tensor
