// SPDX-License-Identifier: Apache-2.0
// Fills a ValueTable from the events. The elements of open containers wait on one stack and are moved into the table
// when their container closes. Equal keys are found there by sorting: no hash that an input could be made to collide
// in, and 80,000 keys take milliseconds.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/errors.h"
#include "core/json_lexer.h"
#include "core/json_parser.h"
#include "core/json_reader.h"
#include "core/python_value.h"

namespace rlverify::core {

namespace {

/// A key of the object that is being closed and the number of its entry.
struct Key {
  std::string_view text;
  std::size_t entry;
};

// Any total order does; comparing sizes first leaves few texts to compare.
bool key_before(const Key& a, const Key& b) {
  if (a.text.size() != b.text.size()) {
    return a.text.size() < b.text.size();
  }
  const int order = a.text.compare(b.text);
  return order != 0 ? order < 0 : a.entry < b.entry;
}

class TableBuilder final : public JsonHandler {
 public:
  TableBuilder(JsonDocument& document, JsonMode mode) : document_(document), table_(document.table), mode_(mode) {}

  void null(Place place) override { add(table_.add_null(offset(place))); }
  void boolean(bool value, Place place) override { add(table_.add_boolean(value, offset(place))); }
  void integer(std::int64_t value, Place place) override { add(table_.add_integer(value, offset(place))); }
  void big_integer(std::string_view digits, Place place) override {
    add(table_.add_big_integer(digits, offset(place)));
  }
  void real(double value, std::string_view, Place place) override { add(table_.add_real(value, offset(place))); }
  void string(std::string_view utf8, Place place) override { add(table_.add_text(Kind::kString, utf8, offset(place))); }
  void key(std::string_view utf8, Place place) override { add(table_.add_text(Kind::kString, utf8, offset(place))); }
  void begin_object(Place place) override { open(Kind::kDict, place); }
  void begin_array(Place place) override { open(Kind::kList, place); }
  void end_array(Place) override { close(); }
  void end_object(Place) override {
    resolve_duplicates(open_.back().first_waiting);
    close();
  }

 private:
  struct Open {
    NodeId container;
    std::size_t first_waiting;
  };

  static std::uint32_t offset(Place place) { return static_cast<std::uint32_t>(place.offset); }

  void add(NodeId id) {
    if (open_.empty()) {
      document_.root_id = id;
    } else {
      waiting_.push_back(id);
    }
  }

  void open(Kind kind, Place place) {
    const NodeId container = table_.add_container(kind, offset(place));
    add(container);
    open_.push_back({container, waiting_.size()});
  }

  void close() {
    const Open closed = open_.back();
    open_.pop_back();
    table_.set_items(closed.container, std::span(waiting_).subspan(closed.first_waiting));
    waiting_.resize(closed.first_waiting);
  }

  /// Strict: throws for a repeated key. Lenient: the first entry gets the value of the last one, the others go.
  void resolve_duplicates(std::size_t first_waiting) {
    keys_.clear();
    for (std::size_t i = first_waiting; i < waiting_.size(); i += 2) {
      keys_.push_back({table_.text(waiting_[i]), i});
    }
    std::sort(keys_.begin(), keys_.end(), key_before);
    const auto same = [](const Key& a, const Key& b) { return a.text == b.text; };
    auto group = std::adjacent_find(keys_.begin(), keys_.end(), same);
    if (group == keys_.end()) {
      return;
    }
    if (mode_ == JsonMode::kStrict) {
      refuse_first_duplicate();
    }
    while (group != keys_.end()) {
      const std::size_t first_entry = group->entry;
      while (++group != keys_.end() && group->text == table_.text(waiting_[first_entry])) {
        observe_duplicate(group->entry);
        waiting_[first_entry + 1] = waiting_[group->entry + 1];
        waiting_[group->entry] = kNoNode;
      }
      group = std::adjacent_find(group, keys_.end(), same);
    }
    remove_dropped_entries(first_waiting);
  }

  void observe_duplicate(std::size_t entry) {
    const Value key(table_, waiting_[entry]);
    document_.observations.push_back(
        {JsonObservation::What::kDuplicateKey, std::string(key.text()), document_.place_of(key)});
  }

  void remove_dropped_entries(std::size_t first_waiting) {
    std::size_t kept = first_waiting;
    for (std::size_t i = first_waiting; i < waiting_.size(); i += 2) {
      if (waiting_[i] != kNoNode) {
        waiting_[kept] = waiting_[i];
        waiting_[kept + 1] = waiting_[i + 1];
        kept += 2;
      }
    }
    waiting_.resize(kept);
  }

  /// Of all repeated keys the one whose second place comes first in the file.
  [[noreturn]] void refuse_first_duplicate() const {
    std::size_t second = std::numeric_limits<std::size_t>::max();
    std::size_t first = 0;
    for (std::size_t i = 1; i < keys_.size(); ++i) {
      if (keys_[i].text == keys_[i - 1].text && keys_[i].entry < second) {
        second = keys_[i].entry;
        first = keys_[i - 1].entry;
      }
    }
    constexpr std::size_t kShownBytes = 80;
    const Value key(table_, waiting_[second]);
    const Place first_place = document_.place_of(Value(table_, waiting_[first]));
    const Place second_place = document_.place_of(key);
    Problem problem;
    problem.file = document_.file;
    problem.offset = second_place.offset;
    problem.line = second_place.line;
    problem.column = second_place.column;
    problem.expected = "each key once in an object";
    problem.found = fmt::format(
        "the key {}{} again, which is at byte {}{} already", python_repr(key.text().substr(0, kShownBytes)),
        key.text().size() > kShownBytes ? "..." : "", first_place.offset,
        first_place.line == 0 ? "" : fmt::format(" (line {}, column {})", first_place.line, first_place.column));
    throw ArtifactError(std::move(problem));
  }

  JsonDocument& document_;
  ValueTable& table_;
  JsonMode mode_;
  std::vector<Open> open_;
  std::vector<NodeId> waiting_;
  std::vector<Key> keys_;
};

}  // namespace

Place JsonDocument::place_of(Value value) const {
  if (!value.present()) {
    return Place{0, 0, 0};
  }
  const std::uint32_t offset = value.place();
  const auto next_line = std::upper_bound(line_starts.begin(), line_starts.end(), offset);
  const bool beyond_kept_lines = next_line == line_starts.end() && line_starts.size() >= kMaxLineStarts;
  if (next_line == line_starts.begin() || beyond_kept_lines) {
    return Place{offset, 0, 0};
  }
  return Place{offset, static_cast<std::uint32_t>(next_line - line_starts.begin()), offset - *(next_line - 1) + 1};
}

JsonDocument read_json(const ByteSource& source, JsonMode mode, const JsonLimits& limits) {
  // Places in the table are 32 bits.
  constexpr std::uint64_t kMaxTableBytes = std::numeric_limits<std::uint32_t>::max();
  JsonLimits table_limits = limits;
  table_limits.max_bytes = std::min(limits.max_bytes, kMaxTableBytes);
  JsonDocument document;
  document.file = source.name();
  TableBuilder builder(document, mode);
  parse_json_lines(source, mode, builder, table_limits, &document.observations, &document.line_starts);
  std::stable_sort(document.observations.begin(), document.observations.end(),
                   [](const JsonObservation& a, const JsonObservation& b) { return a.place.offset < b.place.offset; });
  return document;
}

}  // namespace rlverify::core
