// SPDX-License-Identifier: Apache-2.0
// The stack, the memo and the opcodes that move values between them; pickle_values.cpp has those that make plain
// values, pickle_faults.cpp what is said of broken pickles.
#include "tensor/pickle.h"

#include <fmt/format.h>

#include <charconv>

#include "tensor/fail.h"
#include "tensor/pickle_opcodes.h"
#include "tensor/torch_objects.h"

namespace rlverify::tensor {

using core::Kind;
using core::NodeId;

namespace {

constexpr std::size_t kMaxMarks = std::size_t{1} << 16;
constexpr std::size_t kMemoGap = 16;  // a number this far beyond the last still goes to the vector
constexpr int kNewestProtocol = 5;

}  // namespace

void PickleMemo::put_elsewhere(std::uint64_t number, NodeId id) {
  if (number >= dense_.size() + kMemoGap) {
    sparse_[number] = id;
    return;
  }
  if (number >= dense_.size()) {
    dense_.resize(number + 1, core::kNoNode);
  }
  dense_[number] = id;
}

std::optional<NodeId> PickleMemo::get(std::uint64_t number) const {
  if (number < dense_.size() && dense_[number] != core::kNoNode) {
    return dense_[number];
  }
  const auto found = sparse_.find(number);
  return found == sparse_.end() ? std::nullopt : std::optional(found->second);
}

NodeId PickleMachine::run() {
  using opcode::Group;
  for (;;) {
    context_.offset = input_.position();
    const std::uint8_t code = input_.take_byte();
    switch (opcode::kGroups[code]) {
      case Group::kMemo:
        run_memo(code);
        break;
      case Group::kStack:
        run_stack(code);
        break;
      case Group::kNumber:
        run_number(code);
        break;
      case Group::kText:
        run_text(code);
        break;
      case Group::kContainer:
        run_container(code);
        break;
      case Group::kObject:
        run_object(code);
        break;
      case Group::kFraming:
        run_framing(code);
        break;
      case Group::kEnd:
        return finish();
      case Group::kUnknown:
        fail_unknown(code);
    }
  }
}

NodeId PickleMachine::finish() {
  input_.end_frames();
  const NodeId result = pop();
  if (!stack_.empty() || !marks_.empty()) {
    context_.malformed("one value at the end of the pickle", fmt::format("{} more on the stack", stack_.size()));
  }
  return result;
}

void PickleMachine::put(std::uint64_t number) {
  const NodeId id = top();
  if (memo_.size() >= kMaxMemo) {
    fail_memo_limit();
  }
  memo_.put(number, id);
  if (builder_.may_be_replaced(id)) {
    open_memos_.emplace_back(number, id);
  }
}

void PickleMachine::push_memo(std::uint64_t number) {
  const auto found = memo_.get(number);
  if (!found) {
    fail_memo_number(number);
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

void PickleMachine::run_stack(std::uint8_t code) {
  switch (code) {
    case opcode::kMark:
      if (marks_.size() >= kMaxMarks) {
        fail(core::ProblemKind::kLimit, context_.file, context_.offset, fmt::format("at most {} open marks", kMaxMarks),
             "more");
      }
      marks_.push_back(stack_.size());
      break;
    case opcode::kPop:
      // Python's POP takes a mark away where one is on top.
      if (!marks_.empty() && marks_.back() == stack_.size()) {
        marks_.pop_back();
      } else {
        pop();
      }
      break;
    case opcode::kPopMark:
      drop_to_mark();
      break;
    default:
      push(top());
      break;  // DUP
  }
}

void PickleMachine::run_memo(std::uint8_t code) {
  switch (code) {
    case opcode::kBinPut:
      put(input_.take_little(1));
      break;
    case opcode::kBinGet:
      push_memo(input_.take_little(1));
      break;
    case opcode::kLongBinPut:
      put(input_.take_little(4));
      break;
    case opcode::kLongBinGet:
      push_memo(input_.take_little(4));
      break;
    case opcode::kMemoize:
      put(memo_.size());
      break;
    case opcode::kPut:
      put(memo_number_line());
      break;
    default:
      push_memo(memo_number_line());
      break;  // GET
  }
}

void PickleMachine::run_object(std::uint8_t code) {
  switch (code) {
    case opcode::kGlobal:
      push_global_lines();
      break;
    case opcode::kStackGlobal:
      push_stack_global();
      break;
    case opcode::kReduce:
    case opcode::kNewObj: {
      const NodeId arguments = pop();
      push(builder_.reduce(pop(), arguments));
      break;
    }
    case opcode::kNewObjEx: {
      const NodeId keywords = pop();
      const NodeId arguments = pop();
      push(builder_.new_object(pop(), arguments, keywords));
      break;
    }
    case opcode::kInst:
      push_instance();
      break;
    case opcode::kObj:
      push_old_object();
      break;
    case opcode::kBuild:
      apply_state();
      break;
    case opcode::kBinPersistentId:
      push(load_persistent(context_, pop()));
      break;
    case opcode::kPersistentId:
      context_.malformed("persistent ids as torch.save writes them (BINPERSID)", "opcode PERSID");
    case opcode::kExt1:
    case opcode::kExt2:
    case opcode::kExt4:
      context_.malformed("names of classes",
                         "a number of Python's extension registry (opcode EXT), which no file carries");
    default:
      fail_unknown(code);
  }
}

void PickleMachine::run_framing(std::uint8_t code) {
  switch (code) {
    case opcode::kProto:
      set_protocol();
      break;
    case opcode::kFrame:
      input_.begin_frame(input_.take_little(8));
      break;
    case opcode::kNextBuffer:
    case opcode::kReadonlyBuffer:
      context_.malformed("a pickle that holds all its data", "an out-of-band buffer of protocol 5");
    default:
      fail_unknown(code);
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
