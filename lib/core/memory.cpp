// SPDX-License-Identifier: Apache-2.0
// In a container the control group's files lie at the root of the mounted hierarchy; elsewhere there are none there,
// and the machine's own number holds.
#include "core/memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace rlverify::core {
namespace {

std::string text_of(const char* path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::optional<std::uint64_t> leading_number(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// What the control group leaves; nothing without one or without a limit ("max").
std::optional<std::uint64_t> left_in_group() {
  const auto limit = leading_number(text_of("/sys/fs/cgroup/memory.max"));
  const auto used = leading_number(text_of("/sys/fs/cgroup/memory.current"));
  return limit && used ? std::optional(*limit > *used ? *limit - *used : 0) : std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> available_of_meminfo(std::string_view text) {
  constexpr std::string_view kName = "MemAvailable:";
  const std::size_t at = text.find(kName);
  const auto kibibytes = at == std::string_view::npos ? std::nullopt : leading_number(text.substr(at + kName.size()));
  return kibibytes ? std::optional(*kibibytes * 1024) : std::nullopt;
}

std::optional<std::uint64_t> available_memory() {
  const auto machine = available_of_meminfo(text_of("/proc/meminfo"));
  const auto group = left_in_group();
  return machine && group ? std::optional(std::min(*machine, *group)) : machine ? machine : group;
}

}  // namespace rlverify::core
