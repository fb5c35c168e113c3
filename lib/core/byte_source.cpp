// SPDX-License-Identifier: Apache-2.0
// Files are opened without waiting (a FIFO would block for ever) and looked at through the descriptor, so that what was
// checked is what is read. pread keeps no position: several threads read one source without a lock.
#include "core/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "core/log.h"
#include "core/signals.h"

namespace rlverify::core {

namespace {

[[noreturn]] void unreadable(const std::string& name, std::optional<std::uint64_t> offset, std::string expected,
                             std::string found) {
  Problem problem;
  problem.kind = ProblemKind::kUnreadable;
  problem.file = name;
  problem.offset = offset;
  problem.expected = std::move(expected);
  problem.found = std::move(found);
  throw ArtifactError(std::move(problem));
}

void check_range(const ByteSource& source, std::uint64_t offset, std::uint64_t count) {
  if (offset > source.size() || count > source.size() - offset) {
    unreadable(source.name(), offset, fmt::format("{} bytes", count),
               fmt::format("the end of the file at byte {}", source.size()));
  }
}

/// Closes the descriptor it owns.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (number_ >= 0) {
      ::close(number_);
    }
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

void read_fully(int descriptor, const std::string& name, std::uint64_t file_size, std::uint64_t offset,
                std::span<std::byte> out) {
  std::size_t done = 0;
  while (done < out.size()) {
    const std::uint64_t position = offset + done;
    const ssize_t count = ::pread(descriptor, out.data() + done, out.size() - done, static_cast<off_t>(position));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      unreadable(name, position, "readable bytes", std::strerror(errno));
    }
    if (count == 0) {
      unreadable(name, position, fmt::format("{} bytes, the file's size when it was opened", file_size),
                 "the end of the file: it shrank while it was read");
    }
    done += static_cast<std::size_t>(count);
  }
}

class FileSource final : public ByteSource {
 public:
  FileSource(Descriptor descriptor, std::string name, std::uint64_t size)
      : ByteSource(std::move(name), size), descriptor_(std::move(descriptor)) {}

  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    check_range(*this, offset, out.size());
    read_fully(descriptor_.number(), name_, size_, offset, out);
  }
  [[nodiscard]] int descriptor() const override { return descriptor_.number(); }

 private:
  Descriptor descriptor_;
};

const char* file_type(mode_t mode) {
  if (S_ISDIR(mode)) {
    return "a directory";
  }
  if (S_ISFIFO(mode)) {
    return "a pipe";
  }
  if (S_ISSOCK(mode)) {
    return "a socket";
  }
  return S_ISCHR(mode) || S_ISBLK(mode) ? "a device" : "something else";
}

}  // namespace

MemorySource::MemorySource(std::string name, std::unique_ptr<std::byte[]> bytes, std::size_t size)
    : ByteSource(std::move(name), size), bytes_(std::move(bytes)) {}

MemorySource::MemorySource(std::string name, const std::vector<std::byte>& bytes)
    : MemorySource(std::move(name), std::make_unique<std::byte[]>(bytes.size()), bytes.size()) {
  std::copy(bytes.begin(), bytes.end(), bytes_.get());
}

MemorySource::MemorySource(std::string name, std::string_view bytes)
    : MemorySource(std::move(name), std::make_unique<std::byte[]>(bytes.size()), bytes.size()) {
  std::transform(bytes.begin(), bytes.end(), bytes_.get(), [](char c) { return static_cast<std::byte>(c); });
}

void MemorySource::read(std::uint64_t offset, std::span<std::byte> out) const {
  check_range(*this, offset, out.size());
  const std::span<const std::byte> from = memory().subspan(static_cast<std::size_t>(offset), out.size());
  std::copy(from.begin(), from.end(), out.begin());
}

std::unique_ptr<ByteSource> open_file(const std::string& path, std::string name, std::uint64_t read_whole_bytes) {
  // A path with a NUL byte would silently name another file.
  if (path.find('\0') != std::string::npos) {
    unreadable(name, std::nullopt, "a path", "a NUL byte in it");
  }
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (descriptor.number() < 0) {
    unreadable(name, std::nullopt, "a readable file", std::strerror(errno));
  }
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0) {
    unreadable(name, std::nullopt, "a readable file", std::strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) {
    unreadable(name, std::nullopt, "a regular file", file_type(status.st_mode));
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (log_enabled()) {
    log_line(fmt::format("opened {} ({} bytes)", path, size));
  }
  if (size > read_whole_bytes) {
    return std::make_unique<FileSource>(std::move(descriptor), std::move(name), size);
  }
  // Zeroing what the read overwrites would cost a tenth of a run's validation.
  auto bytes = std::make_unique_for_overwrite<std::byte[]>(size);
  read_fully(descriptor.number(), name, size, 0, {bytes.get(), size});
  return std::make_unique<MemorySource>(std::move(name), std::move(bytes), size);
}

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  return open_file(path, path);
}

std::string read_text(const ByteSource& source, std::uint64_t at_most) {
  std::string text(std::min(source.size(), at_most), '\0');
  source.read(0, std::as_writable_bytes(std::span(text.data(), text.size())));
  return text;
}

BlockReader::BlockReader(const ByteSource& source, std::uint64_t offset, std::uint64_t size, std::size_t block_bytes)
    : source_(source), offset_(offset), left_(size), block_bytes_(std::max<std::size_t>(block_bytes, 1)) {
  check_range(source, offset, size);
}

std::span<const std::byte> BlockReader::next() {
  check_interrupted();
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, block_bytes_));
  if (count == 0) {
    return {};
  }
  const std::uint64_t offset = offset_;
  offset_ += count;
  left_ -= count;
  if (const std::span<const std::byte> memory = source_.memory(); !memory.empty()) {
    return memory.subspan(static_cast<std::size_t>(offset), count);
  }
  // Sized at the first block, which is the largest.
  if (buffer_.empty()) {
    buffer_.resize(count);
  }
  const std::span<std::byte> block(buffer_.data(), count);
  source_.read(offset, block);
  return block;
}

}  // namespace rlverify::core
