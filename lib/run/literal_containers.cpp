// SPDX-License-Identifier: Apache-2.0
// Brackets of Python literals: tuples, lists, dicts and sets. A key that comes again keeps its first place and takes
// the last value.
#include <unordered_map>
#include <unordered_set>

#include "core/errors.h"
#include "core/python_key.h"
#include "run/literal_parser.h"

namespace rlverify::run {

using core::Kind;
using core::NodeId;

core::NodeId LiteralParser::parenthesised(std::uint32_t place) {
  enter();
  if (is(')')) {
    leave(')');
    return table_.add_container(Kind::kTuple, place);
  }
  const NodeId first = expression();
  if (!is(',')) {
    leave(')');
    return first;
  }
  const NodeId tuple = table_.add_container(Kind::kTuple, place);
  table_.append(tuple, first);
  while (is(',')) {
    advance();
    if (is(')')) {
      break;
    }
    table_.append(tuple, expression());
  }
  leave(')');
  return tuple;
}

core::NodeId LiteralParser::list(std::uint32_t place) {
  enter();
  const NodeId list = table_.add_container(Kind::kList, place);
  while (!is(']')) {
    table_.append(list, expression());
    if (!is(']')) {
      expect(',');
    }
  }
  leave(']');
  return list;
}

core::NodeId LiteralParser::braces(std::uint32_t place) {
  enter();
  if (is('}')) {
    leave('}');
    return table_.add_container(Kind::kDict, place);
  }
  const NodeId first = expression();
  const NodeId result = is(':') ? dict(first, place) : set(first, place);
  leave('}');
  return result;
}

std::string LiteralParser::hash_key(NodeId id) const {
  const core::Value key(table_, id);
  if (!core::is_hashable(key)) {
    fail("a key that Python can't hash");
  }
  try {
    return core::python_key(key);
  } catch (const core::ArtifactError&) {
    fail("a key that is too large");
  }
}

core::NodeId LiteralParser::dict(NodeId first_key, std::uint32_t place) {
  const NodeId dict = table_.add_container(Kind::kDict, place);
  std::unordered_map<std::string, std::size_t> known;
  NodeId key = first_key;
  while (true) {
    expect(':');
    const NodeId value = expression();
    const auto [entry, fresh] = known.emplace(hash_key(key), known.size());
    if (fresh) {
      table_.append_entry(dict, key, value);
    } else {
      table_.set_item(dict, entry->second * 2 + 1, value);
    }
    if (is('}')) {
      return dict;
    }
    expect(',');
    if (is('}')) {
      return dict;
    }
    key = expression();
  }
}

core::NodeId LiteralParser::set(NodeId first, std::uint32_t place) {
  const NodeId set = table_.add_container(Kind::kSet, place);
  std::unordered_set<std::string> known;
  NodeId item = first;
  while (true) {
    if (known.insert(hash_key(item)).second) {
      table_.append(set, item);
    }
    if (is('}')) {
      return set;
    }
    expect(',');
    if (is('}')) {
      return set;
    }
    item = expression();
  }
}

}  // namespace rlverify::run
