// SPDX-License-Identifier: Apache-2.0
// Values of options that count something.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdint>
#include <limits>

#include "command.h"

namespace rlverify::app {

CLI::Validator whole_number() {
  const auto check = [](const std::string& text) -> std::string {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) {
      return "";
    }
    return fmt::format("expected a whole number from 0 to {}, found \"{}\"", std::numeric_limits<std::uint64_t>::max(),
                       text);
  };
  CLI::Validator validator("");
  validator.operation([check](std::string& text) { return check(text); });
  return validator;
}

}  // namespace rlverify::app
