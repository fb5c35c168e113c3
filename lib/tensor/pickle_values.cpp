// SPDX-License-Identifier: Apache-2.0
// The opcodes of PickleMachine that make numbers, texts and containers.
#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <vector>

#include "tensor/fail.h"
#include "tensor/pickle.h"
#include "tensor/pickle_opcodes.h"
#include "tensor/pickle_text.h"

namespace rlverify::tensor {

using core::Kind;
using core::NodeId;

namespace {
constexpr std::size_t kMaxDecimalDigits = 4300;  // Python's own limit for int(text)
}

void PickleMachine::run_number(std::uint8_t code) {
  core::ValueTable& table = context_.out.values;
  const std::uint32_t place = context_.place();
  switch (code) {
    case opcode::kNone:
      push(table.add_null(place));
      break;
    case opcode::kNewTrue:
      push(table.add_boolean(true, place));
      break;
    case opcode::kNewFalse:
      push(table.add_boolean(false, place));
      break;
    case opcode::kBinInt1:
      push(table.add_integer(static_cast<std::int64_t>(input_.take_little(1)), place));
      break;
    case opcode::kBinInt2:
      push(table.add_integer(static_cast<std::int64_t>(input_.take_little(2)), place));
      break;
    case opcode::kBinInt:
      push(table.add_integer(static_cast<std::int32_t>(static_cast<std::uint32_t>(input_.take_little(4))), place));
      break;
    case opcode::kLong1:
      push_long(input_.take_little(1));
      break;
    case opcode::kLong4:
      push_long(input_.take_little(4));
      break;
    case opcode::kInt:
      push_integer_line();
      break;
    case opcode::kLong: {
      std::string_view line = input_.take_line();
      push_decimal(!line.empty() && line.back() == 'L' ? line.substr(0, line.size() - 1) : line);
      break;
    }
    case opcode::kFloat:
      push_float_line();
      break;
    case opcode::kBinFloat:
      push_binary_float();
      break;
    default:
      fail_unknown(code);
  }
}

void PickleMachine::push_long(std::uint64_t size) {
  if (size > kMaxLongBytes) {
    // Sizes above 2^31 are negative ones; the bytes would have to be there anyway.
    fail(core::ProblemKind::kLimit, context_.file, context_.offset,
         fmt::format("an integer of at most {} bytes", kMaxLongBytes), fmt::format("{} bytes", size));
  }
  const auto bytes = input_.take(size);
  if (size > 8) {
    push_decimal(decimal_from_twos_complement(bytes));
    return;
  }
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bits |= static_cast<std::uint64_t>(bytes[i]) << (8 * i);
  }
  const unsigned unused = static_cast<unsigned>(64 - 8 * size);
  const std::int64_t value = size == 0 ? 0 : static_cast<std::int64_t>(bits << unused) >> unused;
  push(context_.out.values.add_integer(value, context_.place()));
}

/// An integer of any size, in one spelling: no plus sign, no leading zeros.
void PickleMachine::push_decimal(std::string_view line) {
  if (!is_decimal_integer(line) || line.size() > kMaxDecimalDigits) {
    context_.malformed(fmt::format("an integer of at most {} digits", kMaxDecimalDigits), "other text");
  }
  const bool negative = line.front() == '-';
  line.remove_prefix(line.find_first_not_of("+-"));
  const std::size_t first_digit = line.find_first_not_of('0');
  const std::string digits =
      first_digit == std::string_view::npos ? "0" : (negative ? "-" : "") + std::string(line.substr(first_digit));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  push(error == std::errc{} ? context_.out.values.add_integer(value, context_.place())
                            : context_.out.values.add_big_integer(digits, context_.place()));
}

void PickleMachine::push_integer_line() {
  const std::string_view line = input_.take_line();
  if (line == "00" || line == "01") {
    push(context_.out.values.add_boolean(line == "01", context_.place()));  // how protocols 0 and 1 write bools
    return;
  }
  push_decimal(line);
}

void PickleMachine::push_float_line() {
  const std::string_view line = input_.take_line();
  double value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (error != std::errc{} || end != line.data() + line.size()) {
    context_.malformed("a float", "other text");
  }
  push(context_.out.values.add_real(value, context_.place()));
}

void PickleMachine::push_binary_float() {
  std::uint64_t bits = 0;
  for (const std::byte byte : input_.take(8)) {
    bits = bits << 8U | static_cast<std::uint64_t>(byte);
  }
  push(context_.out.values.add_real(std::bit_cast<double>(bits), context_.place()));
}

void PickleMachine::run_text(std::uint8_t code) {
  switch (code) {
    case opcode::kShortBinUnicode:
      push_text(Kind::kString, input_.take_little(1));
      break;
    case opcode::kBinUnicode:
      push_text(Kind::kString, input_.take_little(4));
      break;
    case opcode::kBinUnicode8:
      push_text(Kind::kString, input_.take_little(8));
      break;
    // Python 2's str: torch.load decodes it as UTF-8.
    case opcode::kShortBinString:
      push_text(Kind::kString, input_.take_little(1));
      break;
    case opcode::kBinString:
      push_text(Kind::kString, input_.take_little(4));
      break;
    case opcode::kShortBinBytes:
      push_text(Kind::kBytes, input_.take_little(1));
      break;
    case opcode::kBinBytes:
      push_text(Kind::kBytes, input_.take_little(4));
      break;
    case opcode::kBinBytes8:
    case opcode::kByteArray8:
      push_text(Kind::kBytes, input_.take_little(8));
      break;
    case opcode::kUnicode:
    case opcode::kString: {
      const std::string_view line = input_.take_line();
      const auto text = code == opcode::kUnicode ? decode_raw_unicode_escape(line) : decode_quoted_string(line);
      if (!text) {
        context_.malformed("an escaped string", "other text");
      }
      push_checked_string(*text);
      break;
    }
    default:
      fail_unknown(code);
  }
}

void PickleMachine::push_text(Kind kind, std::uint64_t size) {
  const std::string_view text = input_.take_text(size);
  if (kind == Kind::kString) {
    push_checked_string(text);
    return;
  }
  push(context_.out.values.add_text(kind, text, context_.place()));
}

void PickleMachine::push_checked_string(std::string_view text) {
  if (!is_pickle_utf8(text)) {
    context_.malformed("a string in UTF-8", "other bytes");
  }
  push(context_.out.values.add_text(Kind::kString, text, context_.place()));
}

void PickleMachine::run_container(std::uint8_t code) {
  core::ValueTable& table = context_.out.values;
  switch (code) {
    case opcode::kEmptyList:
      push(table.add_container(Kind::kList, context_.place()));
      break;
    case opcode::kEmptyTuple:
      push(table.add_container(Kind::kTuple, context_.place()));
      break;
    case opcode::kEmptyDict:
      push(table.add_container(Kind::kDict, context_.place()));
      break;
    case opcode::kEmptySet:
      push(table.add_container(Kind::kSet, context_.place()));
      break;
    case opcode::kTuple1:
      push_tuple(1);
      break;
    case opcode::kTuple2:
      push_tuple(2);
      break;
    case opcode::kTuple3:
      push_tuple(3);
      break;
    case opcode::kTuple:
      push_from_mark(Kind::kTuple);
      break;
    case opcode::kList:
      push_from_mark(Kind::kList);
      break;
    case opcode::kDict:
      push_from_mark(Kind::kDict);
      break;
    case opcode::kFrozenSet:
      push_from_mark(Kind::kFrozenSet);
      break;
    case opcode::kAppend: {
      const NodeId item = pop();
      builder_.append_items(top(), std::span(&item, 1));
      break;
    }
    case opcode::kSetItem: {
      const NodeId value = pop();
      const std::vector<NodeId> entry{pop(), value};
      builder_.set_items(top(), entry);
      break;
    }
    case opcode::kAppends:
    case opcode::kSetItems:
    case opcode::kAddItems:
      extend_from_mark(code);
      break;
    default:
      fail_unknown(code);
  }
}

void PickleMachine::push_tuple(std::size_t count) {
  const NodeId tuple = context_.out.values.add_container(Kind::kTuple, context_.place());
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() - floor < count) {
    context_.malformed(fmt::format("{} values on the pickle's stack", count), fmt::format("{}", stack_.size() - floor));
  }
  context_.out.values.set_items(tuple, std::span(stack_).last(count));
  stack_.resize(stack_.size() - count);
  push(tuple);
}

/// Makes one container of all values since the mark.
void PickleMachine::push_from_mark(Kind kind) {
  const auto items = since_mark();  // on the stack, which nothing below touches
  const NodeId container = context_.out.values.add_container(kind, context_.place());
  if (kind == Kind::kDict) {
    check_pairs(items.size());
    builder_.set_items(container, items);
  } else if (kind == Kind::kFrozenSet) {
    builder_.add_to_set(container, items);
  } else {
    context_.out.values.set_items(container, items);
  }
  drop_to_mark();
  push(container);
}

void PickleMachine::check_pairs(std::size_t count) const {
  if (count % 2 != 0) {
    context_.malformed("keys and values in pairs", "a key without a value");
  }
}

/// APPENDS, SETITEMS and ADDITEMS: the values since the mark go to the one below it.
void PickleMachine::extend_from_mark(std::uint8_t code) {
  const auto items = since_mark();
  const std::size_t floor = marks_.size() < 2 ? 0 : marks_[marks_.size() - 2];
  if (marks_.back() <= floor) {
    context_.malformed("a container below the mark", "none");
  }
  const NodeId target = stack_[marks_.back() - 1];
  if (code == opcode::kAppends) {
    builder_.append_items(target, items);
  } else if (code == opcode::kAddItems) {
    builder_.add_to_set(target, items);
  } else {
    check_pairs(items.size());
    builder_.set_items(target, items);
  }
  drop_to_mark();
}

}  // namespace rlverify::tensor
