// SPDX-License-Identifier: Apache-2.0
// A walk over every entry of every object inside a JSON value, with its path. JSON is a tree of limited depth, so the
// walk ends.
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/value.h"

namespace rlverify::readback {

/// Walks a value and calls `visit(path, key, value)` for every entry of every object in it.
template <typename Visit>
void for_each_entry(core::Value value, const std::string& path, const Visit& visit) {
  if (value.is_dict()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      const std::string key(value.key_at(i).text());
      const std::string inner = path.empty() ? key : path + "." + key;
      visit(inner, key, value.value_at(i));
      for_each_entry(value.value_at(i), inner, visit);
    }
  } else if (value.is_list()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      for_each_entry(value.at(i), fmt::format("{}[{}]", path, i), visit);
    }
  }
}

}  // namespace rlverify::readback
