// SPDX-License-Identifier: Apache-2.0
// A length in a pickle is compared with the bytes that are left before anything is allocated for it.
#include "tensor/pickle_input.h"

#include <fmt/format.h>

#include <algorithm>

#include "tensor/fail.h"

namespace rlverify::tensor {
namespace {
constexpr std::uint64_t kWindowBytes = 1ULL << 18;
constexpr std::uint64_t kMaxLineBytes = 1ULL << 20;
}  // namespace

PickleInput::PickleInput(const core::ByteSource& source, std::uint64_t begin, std::uint64_t end)
    : source_(source), end_(end), window_begin_(begin) {
  if (!source.memory().empty()) {
    window_ = source.memory().subspan(begin, end - begin);
  }
}

void PickleInput::fail_here(std::string expected, std::string found) const {
  fail(core::ProblemKind::kMalformed, file(), position(), std::move(expected), std::move(found));
}

void PickleInput::fill(std::uint64_t count) {
  const std::uint64_t at = position();
  const std::uint64_t wanted = std::min(std::max(count, kWindowBytes), end_ - at);
  buffer_.resize(wanted);
  source_.read(at, buffer_);
  window_ = buffer_;
  window_begin_ = at;
  cursor_ = 0;
}

std::span<const std::byte> PickleInput::take_checked(std::uint64_t count) {
  if (count > left()) {
    fail_here(fmt::format("{} more bytes of the pickle", count), fmt::format("its end after {}", left()));
  }
  const std::uint64_t at = position();
  if (at < frame_end_ && count > frame_end_ - at) {
    fail_here(fmt::format("{} more bytes in the pickle's frame", count),
              fmt::format("the frame's end after {}", frame_end_ - at));
  }
  if (window_.size() - cursor_ < count) {
    fill(count);
  }
  const auto bytes = window_.subspan(cursor_, count);
  cursor_ += count;
  return bytes;
}

std::string_view PickleInput::take_text(std::uint64_t count) {
  const auto bytes = take(count);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view PickleInput::take_line() {
  const std::uint64_t limit = std::min(left(), kMaxLineBytes);
  if (window_.size() - cursor_ < limit) {
    fill(limit);
  }
  const auto rest = window_.subspan(cursor_, limit);
  const auto found = std::find(rest.begin(), rest.end(), std::byte{'\n'});
  if (found == rest.end()) {
    fail_here("a line of text that ends", fmt::format("no line feed in the next {} bytes", limit));
  }
  const std::string_view line = take_text(static_cast<std::uint64_t>(found - rest.begin()) + 1);
  return line.substr(0, line.size() - 1);
}

void PickleInput::begin_frame(std::uint64_t size) {
  if (position() < frame_end_) {
    fail_here("the end of a frame before the next one", "a frame inside a frame");
  }
  if (size > left()) {
    fail_here(fmt::format("a frame of {} bytes", size), fmt::format("the pickle's end after {}", left()));
  }
  frame_end_ = position() + size;
}

}  // namespace rlverify::tensor
