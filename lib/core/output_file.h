// SPDX-License-Identifier: Apache-2.0
// Documents are written to a temporary file beside the target and renamed over it, so that a reader sees the old
// document or the whole new one, and a run that fails or is interrupted leaves nothing behind.
#pragma once

#include <string>
#include <string_view>

namespace rlverify::core {

/// A document that is being written. Not for use by several threads at once.
class OutputFile {
 public:
  /// Creates the temporary file, or opens the target itself where it is a device or a pipe (renaming over /dev/null
  /// would replace it). A link is followed. Throws OutputError naming the file and the system's reason, also where the
  /// target is a directory.
  explicit OutputFile(std::string path);
  /// Removes the temporary file unless commit() was called.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends. Throws OutputError when the bytes can't be written (a full disk).
  void write(std::string_view bytes);
  /// Writes what is left and puts the file in its place. Call once, last.
  void commit();

 private:
  void create_temporary();
  void flush();
  void close();
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  std::string target_path_;
  std::string temporary_path_;
  std::string buffer_;
  int descriptor_ = -1;
};

/// Writes all of `bytes` to standard output, unbuffered. False when its reader has gone (a closed pipe), which is no
/// error; throws OutputError for every other failure.
[[nodiscard]] bool write_standard_output(std::string_view bytes);

}  // namespace rlverify::core
