// SPDX-License-Identifier: Apache-2.0
// The temporary name is random and the file must not exist (O_EXCL), so that in a shared folder nobody can put a link
// there first.
#include "core/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "core/errors.h"

namespace rlverify::core {

namespace {

constexpr std::size_t kBufferBytes = 256U << 10;
constexpr mode_t kNewFileMode = 0666;  // less the umask

/// False with errno set when not all bytes could be written.
bool write_fully(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::string random_suffix() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) {
    throw OutputError(fmt::format("no random name for a temporary file: {}", std::strerror(errno)));
  }
  return fmt::format("{:016x}", number);
}

/// The file a link leads to; the path itself where there is nothing yet.
std::string follow_links(const std::string& path) {
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  const std::unique_ptr<char, Free> resolved(::realpath(path.c_str(), nullptr));
  return resolved ? std::string(resolved.get()) : path;
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)), target_path_(follow_links(path_)) {
  struct stat status {};
  const bool exists = ::stat(target_path_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    fail("write");
  }
  if (!exists || S_ISREG(status.st_mode)) {
    create_temporary();
    return;
  }
  // Without O_NONBLOCK a pipe that nobody reads would be waited for, for ever; with it that is an error. Writing then
  // waits as usual.
  descriptor_ = ::open(target_path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor_ < 0 || ::fcntl(descriptor_, F_SETFL, ::fcntl(descriptor_, F_GETFL) & ~O_NONBLOCK) != 0) {
    fail("open");
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
  if (!temporary_path_.empty()) {
    ::unlink(temporary_path_.c_str());
  }
}

void OutputFile::create_temporary() {
  std::string name = fmt::format("{}.{}.tmp", target_path_, random_suffix());
  descriptor_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kNewFileMode);
  if (descriptor_ < 0) {
    fail("create a file beside");
  }
  temporary_path_ = std::move(name);
}

void OutputFile::write(std::string_view bytes) {
  if (buffer_.size() + bytes.size() > kBufferBytes) {
    flush();
  }
  if (bytes.size() <= kBufferBytes) {
    buffer_ += bytes;
  } else if (!write_fully(descriptor_, bytes)) {
    fail("write");
  }
}

void OutputFile::flush() {
  if (!write_fully(descriptor_, buffer_)) {
    fail("write");
  }
  buffer_.clear();
}

void OutputFile::close() {
  // Some file systems report a full disk or quota only here.
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    fail("write");
  }
}

void OutputFile::commit() {
  flush();
  close();
  if (temporary_path_.empty()) {
    return;
  }
  if (std::rename(temporary_path_.c_str(), target_path_.c_str()) != 0) {
    fail("replace");
  }
  temporary_path_.clear();
}

void OutputFile::fail(const char* what) const {
  const int reason = errno;
  throw OutputError(fmt::format("can't {} {}: {}", what, path_, std::strerror(reason)));
}

bool write_standard_output(std::string_view bytes) {
  if (write_fully(STDOUT_FILENO, bytes)) {
    return true;
  }
  if (errno == EPIPE) {
    return false;
  }
  throw OutputError(fmt::format("can't write to standard output: {}", std::strerror(errno)));
}

}  // namespace rlverify::core
