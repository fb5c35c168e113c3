// SPDX-License-Identifier: Apache-2.0
// Where bytes come from: a file read with pread, or memory. Readers take a ByteSource, never a path, so that tests and
// fuzzers hand them raw bytes. No reader maps a file: one that shrinks under a mapping kills the program with SIGBUS;
// here it is an ArtifactError. tensor/mapped_window.h is the one place that maps, under a guard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rlverify::core {

/// Random access to bytes of a known total size. Safe to use from several threads at once.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Name for messages: the path as the user gave it.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Size in bytes when it was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// Fills `out` from `offset`. Throws ArtifactError (kUnreadable) when the bytes aren't there: out of range, shrunk
  /// meanwhile, or a read error.
  virtual void read(std::uint64_t offset, std::span<std::byte> out) const = 0;
  /// The whole content when it lies in memory already, else an empty span.
  [[nodiscard]] virtual std::span<const std::byte> memory() const { return {}; }
  /// The open file behind it, for tensor/mapped_window.h; -1 where there is none.
  [[nodiscard]] virtual int descriptor() const { return -1; }

 protected:
  ByteSource(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {}
  std::string name_;
  std::uint64_t size_ = 0;
};

/// Bytes in memory (owned).
class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, const std::vector<std::byte>& bytes);
  MemorySource(std::string name, std::string_view bytes);
  /// Takes a buffer that was filled by other means (a file's bytes need no zeroing first).
  MemorySource(std::string name, std::unique_ptr<std::byte[]> bytes, std::size_t size);
  void read(std::uint64_t offset, std::span<std::byte> out) const override;
  [[nodiscard]] std::span<const std::byte> memory() const override {
    return {bytes_.get(), static_cast<std::size_t>(size_)};
  }

 private:
  std::unique_ptr<std::byte[]> bytes_;
};

/// Files up to this size are read whole by open_file (one open, one read, one close).
inline constexpr std::uint64_t kReadWholeBytes = 1ULL << 20;

/// Opens a regular file (links are followed). Files up to `read_whole_bytes` are read at once and closed; larger ones
/// are read with pread on demand. `name` is used in messages. Throws ArtifactError (kUnreadable) with the system's
/// reason; a directory, pipe or device is refused.
[[nodiscard]] std::unique_ptr<ByteSource> open_file(const std::string& path, std::string name,
                                                    std::uint64_t read_whole_bytes = kReadWholeBytes);
[[nodiscard]] std::unique_ptr<ByteSource> open_file(const std::string& path);

/// The first bytes of `source` as text: all of them, or `at_most`.
[[nodiscard]] std::string read_text(const ByteSource& source, std::uint64_t at_most = ~std::uint64_t{0});

/// Hands out the bytes of [offset, offset + size) of `source` in blocks of at most `block_bytes`, in order, from one
/// buffer that is reused.
class BlockReader {
 public:
  BlockReader(const ByteSource& source, std::uint64_t offset, std::uint64_t size, std::size_t block_bytes = 1U << 20);
  /// The next block; empty at the end. Valid until the next call.
  [[nodiscard]] std::span<const std::byte> next();

 private:
  const ByteSource& source_;
  std::uint64_t offset_;
  std::uint64_t left_;
  std::size_t block_bytes_;
  std::vector<std::byte> buffer_;
};

}  // namespace rlverify::core
