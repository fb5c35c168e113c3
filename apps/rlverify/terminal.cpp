// SPDX-License-Identifier: Apache-2.0
// Terminal manners: ninja's rules for colour; 80 columns where the width isn't known, so that piped output doesn't
// depend on the window.
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "command.h"
#include "core/output_file.h"

namespace rlverify::app {
namespace {

bool set_and_not_empty(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

}  // namespace

void print(std::string_view text) {
  static_cast<void>(core::write_standard_output(text));
}

void write_document(const std::string& path, std::string_view text) {
  if (path == "-") {
    print(text);
    return;
  }
  core::OutputFile file(path);
  file.write(text);
  file.commit();
}

Terminal stdout_terminal() {
  Terminal terminal;
  const bool is_terminal = isatty(STDOUT_FILENO) == 1;
  const char* const term = std::getenv("TERM");
  terminal.colour = is_terminal && term != nullptr && std::strcmp(term, "dumb") != 0 && !set_and_not_empty("NO_COLOR");
  if (set_and_not_empty("FORCE_COLOR")) {
    terminal.colour = std::strcmp(std::getenv("FORCE_COLOR"), "0") != 0;
  }
  winsize size{};
  if (is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40) {
    terminal.columns = size.ws_col;
  }
  terminal.unicode = std::strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
  return terminal;
}

}  // namespace rlverify::app
