// SPDX-License-Identifier: Apache-2.0
// The stack, the memo and the opcodes that move values between them; pickle_values.cpp has those that make plain values.
#include "tensor/pickle.h"

#include <charconv>

#include <fmt/format.h>

#include "tensor/fail.h"
#include "tensor/pickle_opcodes.h"
#include "tensor/torch_objects.h"

namespace rlverify::tensor {

using core::Kind;
using core::NodeId;

namespace {

constexpr std::size_t kMaxStack = std::size_t{1} << 26;
constexpr std::size_t kMaxMarks = std::size_t{1} << 16;
constexpr std::uint64_t kMaxMemo = std::uint64_t{1} << 26;
constexpr std::size_t kMemoGap = 16;  // a number this far beyond the last still goes to the vector
constexpr int kNewestProtocol = 5;

}  // namespace

void PickleMemo::put(std::uint64_t number, NodeId id) {
  ++count_;
  if (number < dense_.size() + kMemoGap) {
    if (number >= dense_.size()) {
      dense_.resize(number + 1, core::kNoNode);
    }
    dense_[number] = id;
    return;
  }
  sparse_[number] = id;
}

std::optional<NodeId> PickleMemo::get(std::uint64_t number) const {
  if (number < dense_.size() && dense_[number] != core::kNoNode) {
    return dense_[number];
  }
  const auto found = sparse_.find(number);
  return found == sparse_.end() ? std::nullopt : std::optional(found->second);
}

NodeId PickleMachine::run() {
  for (;;) {
    context_.offset = input_.position();
    const std::uint8_t code = input_.take_byte();
    if (code == opcode::kStop) {
      break;
    }
    const bool known = run_stack_or_memo(code) || run_number(code) || run_text(code) || run_container(code) || run_object(code) || run_framing(code);
    if (!known) {
      context_.malformed("an opcode of pickle protocols 0 to 5", fmt::format("byte 0x{:02x}", code));
    }
  }
  input_.end_frames();
  const NodeId result = pop();
  if (!stack_.empty() || !marks_.empty()) {
    context_.malformed("one value at the end of the pickle", fmt::format("{} more on the stack", stack_.size()));
  }
  return result;
}

void PickleMachine::push(NodeId id) {
  if (stack_.size() >= kMaxStack) {
    fail(core::ProblemKind::kLimit, context_.file, context_.offset, fmt::format("at most {} values on the pickle's stack", kMaxStack), "more");
  }
  stack_.push_back(id);
}

NodeId PickleMachine::top() const {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) {
    context_.malformed("a value on the pickle's stack", "none");
  }
  return stack_.back();
}

NodeId PickleMachine::pop() {
  const NodeId id = top();
  stack_.pop_back();
  return id;
}

std::span<const NodeId> PickleMachine::since_mark() const {
  if (marks_.empty()) {
    context_.malformed("a mark on the pickle's stack", "none");
  }
  return std::span<const NodeId>(stack_).subspan(marks_.back());
}

void PickleMachine::drop_to_mark() {
  if (marks_.empty()) {
    context_.malformed("a mark on the pickle's stack", "none");
  }
  stack_.resize(marks_.back());
  marks_.pop_back();
}

void PickleMachine::put(std::uint64_t number) {
  const NodeId id = top();
  if (memo_.size() >= kMaxMemo) {
    fail(core::ProblemKind::kLimit, context_.file, context_.offset, fmt::format("at most {} values in the pickle's memo", kMaxMemo), "more");
  }
  memo_.put(number, id);
  if (builder_.may_be_replaced(id)) {
    open_memos_.emplace_back(number, id);
  }
}

void PickleMachine::push_memo(std::uint64_t number) {
  const auto found = memo_.get(number);
  if (!found) {
    context_.malformed("a value that the pickle's memo has", fmt::format("number {}", number));
  }
  push(*found);
}

std::uint64_t PickleMachine::memo_number_line() {
  const std::string_view line = input_.take_line();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc{} || end != line.data() + line.size()) {
    context_.malformed("a memo number", "other text");
  }
  return number;
}

bool PickleMachine::run_stack_or_memo(std::uint8_t code) {
  switch (code) {
    case opcode::kMark:
      if (marks_.size() >= kMaxMarks) {
        fail(core::ProblemKind::kLimit, context_.file, context_.offset, fmt::format("at most {} open marks", kMaxMarks), "more");
      }
      marks_.push_back(stack_.size());
      return true;
    case opcode::kPop:
      // Python's POP takes a mark away where one is on top.
      if (!marks_.empty() && marks_.back() == stack_.size()) {
        marks_.pop_back();
      } else {
        pop();
      }
      return true;
    case opcode::kPopMark: drop_to_mark(); return true;
    case opcode::kDup: push(top()); return true;
    case opcode::kGet: push_memo(memo_number_line()); return true;
    case opcode::kBinGet: push_memo(input_.take_little(1)); return true;
    case opcode::kLongBinGet: push_memo(input_.take_little(4)); return true;
    case opcode::kPut: put(memo_number_line()); return true;
    case opcode::kBinPut: put(input_.take_little(1)); return true;
    case opcode::kLongBinPut: put(input_.take_little(4)); return true;
    case opcode::kMemoize: put(memo_.size()); return true;
    default: return false;
  }
}

bool PickleMachine::run_object(std::uint8_t code) {
  switch (code) {
    case opcode::kGlobal: push_global_lines(); return true;
    case opcode::kStackGlobal: push_stack_global(); return true;
    case opcode::kReduce:
    case opcode::kNewObj: {
      const NodeId arguments = pop();
      push(builder_.reduce(pop(), arguments));
      return true;
    }
    case opcode::kNewObjEx: {
      const NodeId keywords = pop();
      const NodeId arguments = pop();
      push(builder_.new_object(pop(), arguments, keywords));
      return true;
    }
    case opcode::kInst: push_instance(); return true;
    case opcode::kObj: push_old_object(); return true;
    case opcode::kBuild: apply_state(); return true;
    case opcode::kBinPersistentId: push(load_persistent(context_, pop())); return true;
    case opcode::kPersistentId: context_.malformed("persistent ids as torch.save writes them (BINPERSID)", "opcode PERSID");
    case opcode::kExt1:
    case opcode::kExt2:
    case opcode::kExt4: context_.malformed("names of classes", "a number of Python's extension registry (opcode EXT), which no file carries");
    default: return false;
  }
}

bool PickleMachine::run_framing(std::uint8_t code) {
  switch (code) {
    case opcode::kProto: set_protocol(); return true;
    case opcode::kFrame: input_.begin_frame(input_.take_little(8)); return true;
    case opcode::kNextBuffer:
    case opcode::kReadonlyBuffer: context_.malformed("a pickle that holds all its data", "an out-of-band buffer of protocol 5");
    default: return false;
  }
}

void PickleMachine::set_protocol() {
  const std::uint8_t protocol = input_.take_byte();
  if (protocol > kNewestProtocol) {
    context_.malformed("pickle protocol 5 or lower", fmt::format("protocol {}", protocol));
  }
  protocol_ = protocol;
}

void PickleMachine::push_global_lines() {
  const std::string module(input_.take_line());
  push(builder_.global(module, input_.take_line(), "GLOBAL"));
}

void PickleMachine::push_stack_global() {
  const core::Value name = context_.value(pop());
  const core::Value module = context_.value(pop());
  if (!name.is_string() || !module.is_string()) {
    context_.malformed("module and name of a class as strings", "other values");
  }
  const std::string module_text(module.text());
  const std::string name_text(name.text());
  push(builder_.global(module_text, name_text, "STACK_GLOBAL"));
}

void PickleMachine::push_instance() {
  const std::string module(input_.take_line());
  const NodeId cls = builder_.global(module, input_.take_line(), "INST");
  push_from_mark(Kind::kTuple);
  push(builder_.reduce(cls, pop()));
}

void PickleMachine::push_old_object() {
  const auto items = since_mark();
  if (items.empty()) {
    context_.malformed("a class after the mark", "nothing");
  }
  const NodeId cls = items.front();
  const NodeId arguments = context_.out.values.add_container(Kind::kTuple, context_.place());
  for (const NodeId item : items.subspan(1)) {
    context_.out.values.append(arguments, item);
  }
  drop_to_mark();
  push(builder_.reduce(cls, arguments));
}

void PickleMachine::apply_state() {
  const NodeId state = pop();
  const NodeId object = pop();
  const bool replaceable = builder_.may_be_replaced(object);
  const NodeId result = builder_.set_state(object, state);
  if (replaceable) {
    std::erase_if(open_memos_, [&](const auto& open) {
      if (open.second == object) {
        memo_.put(open.first, result);
      }
      return open.second == object;
    });
  }
  push(result);
}

}  // namespace rlverify::tensor
