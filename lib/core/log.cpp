// SPDX-License-Identifier: Apache-2.0
// spdlog, headers only: it is one file's need, and the program then depends on no library for it.
#include "core/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <string>

namespace rlverify::core {

namespace {

/// Names of files must not reach a terminal as escape sequences: control characters (those of two bytes too) become ?.
std::string without_controls(std::string_view text) {
  std::string out(text);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto byte = static_cast<unsigned char>(out[i]);
    const bool second_of_c1 = byte >= 0x80 && byte <= 0x9f && i > 0 && static_cast<unsigned char>(out[i - 1]) == 0xc2;
    if (byte < 0x20 || byte == 0x7f || second_of_c1) {
      out[i] = '?';
    }
  }
  return out;
}

}  // namespace

void enable_log() {
  auto logger = std::make_shared<spdlog::logger>("rlverify", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_pattern("%H:%M:%S.%e %v");
  logger->set_level(spdlog::level::debug);
  spdlog::set_default_logger(std::move(logger));
}

bool log_enabled() {
  return spdlog::should_log(spdlog::level::debug);
}

void log_line(std::string_view text) {
  if (log_enabled()) {
    spdlog::debug("{}", without_controls(text));
  }
}

}  // namespace rlverify::core
