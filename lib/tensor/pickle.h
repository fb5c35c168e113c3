// SPDX-License-Identifier: Apache-2.0
// A pickle machine for protocols 0 to 5 that executes nothing: a stack of values, a memo, and an ObjectBuilder that
// knows a fixed set of constructions. Opcodes and their meaning: CPython's Lib/pickletools.py; every one is either
// carried out or refused by name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensor/object_builder.h"
#include "tensor/pickle_input.h"

namespace rlverify::tensor {

/// Values by number. Picklers number them 0, 1, 2 ...: those lie in a vector; stray numbers go to a map, so that one
/// opcode can't ask for gigabytes.
class PickleMemo {
 public:
  void put(std::uint64_t number, core::NodeId id) {
    ++count_;
    if (number == dense_.size()) {
      dense_.push_back(id);
    } else {
      put_elsewhere(number, id);
    }
  }
  [[nodiscard]] std::optional<core::NodeId> get(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t size() const { return count_; }

 private:
  void put_elsewhere(std::uint64_t number, core::NodeId id);

  std::vector<core::NodeId> dense_;
  std::unordered_map<std::uint64_t, core::NodeId> sparse_;
  std::uint64_t count_ = 0;
};

class PickleMachine {
 public:
  static constexpr std::size_t kMaxStack = std::size_t{1} << 26;
  static constexpr std::uint64_t kMaxMemo = std::uint64_t{1} << 26;

  PickleMachine(PickleInput& input, PickleContext& context) : input_(input), context_(context), builder_(context) {}
  /// Reads one pickle up to and with its STOP and returns its value. Throws ArtifactError.
  [[nodiscard]] core::NodeId run();
  /// The protocol that the pickle names; 0 where it names none.
  [[nodiscard]] int protocol() const { return protocol_; }

 private:
  // Each carries out an opcode of its group (pickle_opcodes.h).
  void run_memo(std::uint8_t code);
  void run_stack(std::uint8_t code);
  void run_number(std::uint8_t code);
  void run_text(std::uint8_t code);
  void run_container(std::uint8_t code);
  void run_object(std::uint8_t code);
  void run_framing(std::uint8_t code);
  core::NodeId finish();

  void push(core::NodeId id) {
    if (stack_.size() >= kMaxStack) {
      fail_stack_limit();
    }
    stack_.push_back(id);
  }
  [[nodiscard]] core::NodeId top() const {
    if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) {
      fail_no_value();
    }
    return stack_.back();
  }
  core::NodeId pop() {
    const core::NodeId id = top();
    stack_.pop_back();
    return id;
  }
  /// The values since the last mark; drop_to_mark() removes them and the mark.
  [[nodiscard]] std::span<const core::NodeId> since_mark() const {
    if (marks_.empty()) {
      fail_no_mark();
    }
    return std::span<const core::NodeId>(stack_).subspan(marks_.back());
  }
  void drop_to_mark() {
    if (marks_.empty()) {
      fail_no_mark();
    }
    stack_.resize(marks_.back());
    marks_.pop_back();
  }
  [[noreturn]] void fail_stack_limit() const;
  [[noreturn]] void fail_no_value() const;
  [[noreturn]] void fail_no_mark() const;
  [[noreturn]] void fail_memo_limit() const;
  [[noreturn]] void fail_memo_number(std::uint64_t number) const;
  [[noreturn]] void fail_unknown(std::uint8_t code) const;

  void push_text(core::Kind kind, std::uint64_t size);
  void push_checked_string(std::string_view text);
  void push_long(std::uint64_t size);
  void push_decimal(std::string_view line);
  void push_float_line();
  void push_integer_line();
  void push_binary_float();
  void push_tuple(std::size_t count);
  void push_from_mark(core::Kind kind);
  void extend_from_mark(std::uint8_t code);
  void check_pairs(std::size_t count) const;
  void put(std::uint64_t number);
  void push_memo(std::uint64_t number);
  std::uint64_t memo_number_line();
  void push_global_lines();
  void push_stack_global();
  void push_instance();
  void push_old_object();
  void apply_state();
  void set_protocol();

  PickleInput& input_;
  PickleContext& context_;
  ObjectBuilder builder_;
  PickleMemo memo_;
  std::vector<core::NodeId> stack_;
  std::vector<std::size_t> marks_;
  std::vector<std::pair<std::uint64_t, core::NodeId>>
      open_memos_;  // memo numbers of values that their state may replace
  int protocol_ = 0;
};

}  // namespace rlverify::tensor
