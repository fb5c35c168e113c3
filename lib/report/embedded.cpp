// SPDX-License-Identifier: Apache-2.0
// Look-up in the generated index.
#include "report/embedded.h"

namespace rlverify::report {

std::optional<std::string_view> embedded_file(std::string_view name) {
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name == name) {
      return file.content;
    }
  }
  return std::nullopt;
}

}  // namespace rlverify::report
