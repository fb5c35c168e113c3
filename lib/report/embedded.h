// SPDX-License-Identifier: Apache-2.0
// Text files of the source tree that are part of the binary (cmake/embed.cmake writes the definitions at build time):
// the schemas and the table of finding codes, so that the program needs no files beside it and can't disagree with its
// docs.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace rlverify::report {

struct EmbeddedFile {
  std::string_view name;  ///< path in the source tree: "docs/rules.md"
  std::string_view content;
};

/// All embedded files, by name ascending.
[[nodiscard]] std::vector<EmbeddedFile> embedded_files();
/// Content of one; nothing when there is none of that name.
[[nodiscard]] std::optional<std::string_view> embedded_file(std::string_view name);

}  // namespace rlverify::report
