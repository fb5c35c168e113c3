// SPDX-License-Identifier: Apache-2.0
// The opcodes of PickleMachine that make numbers, texts and containers.
#include <bit>
#include <charconv>
#include <vector>

#include <fmt/format.h>

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

bool PickleMachine::run_number(std::uint8_t code) {
  core::ValueTable& table = context_.out.values;
  const std::uint32_t place = context_.place();
  switch (code) {
    case opcode::kNone: push(table.add_null(place)); return true;
    case opcode::kNewTrue: push(table.add_boolean(true, place)); return true;
    case opcode::kNewFalse: push(table.add_boolean(false, place)); return true;
    case opcode::kBinInt1: push(table.add_integer(static_cast<std::int64_t>(input_.take_little(1)), place)); return true;
    case opcode::kBinInt2: push(table.add_integer(static_cast<std::int64_t>(input_.take_little(2)), place)); return true;
    case opcode::kBinInt: push(table.add_integer(static_cast<std::int32_t>(static_cast<std::uint32_t>(input_.take_little(4))), place)); return true;
    case opcode::kLong1: push_long(input_.take_little(1)); return true;
    case opcode::kLong4: push_long(input_.take_little(4)); return true;
    case opcode::kInt: push_integer_line(); return true;
    case opcode::kLong: {
      std::string_view line = input_.take_line();
      push_decimal(!line.empty() && line.back() == 'L' ? line.substr(0, line.size() - 1) : line);
      return true;
    }
    case opcode::kFloat: push_float_line(); return true;
    case opcode::kBinFloat: push_binary_float(); return true;
    default: return false;
  }
}

void PickleMachine::push_long(std::uint64_t size) {
  if (size > kMaxLongBytes) {
    // Sizes above 2^31 are negative ones; the bytes would have to be there anyway.
    fail(core::ProblemKind::kLimit, context_.file, context_.offset, fmt::format("an integer of at most {} bytes", kMaxLongBytes), fmt::format("{} bytes", size));
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
  const std::string digits = first_digit == std::string_view::npos ? "0" : (negative ? "-" : "") + std::string(line.substr(first_digit));
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  push(error == std::errc{} ? context_.out.values.add_integer(value, context_.place()) : context_.out.values.add_big_integer(digits, context_.place()));
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

bool PickleMachine::run_text(std::uint8_t code) {
  switch (code) {
    case opcode::kShortBinUnicode: push_text(Kind::kString, input_.take_little(1)); return true;
    case opcode::kBinUnicode: push_text(Kind::kString, input_.take_little(4)); return true;
    case opcode::kBinUnicode8: push_text(Kind::kString, input_.take_little(8)); return true;
    // Python 2's str: torch.load decodes it as UTF-8.
    case opcode::kShortBinString: push_text(Kind::kString, input_.take_little(1)); return true;
    case opcode::kBinString: push_text(Kind::kString, input_.take_little(4)); return true;
    case opcode::kShortBinBytes: push_text(Kind::kBytes, input_.take_little(1)); return true;
    case opcode::kBinBytes: push_text(Kind::kBytes, input_.take_little(4)); return true;
    case opcode::kBinBytes8:
    case opcode::kByteArray8: push_text(Kind::kBytes, input_.take_little(8)); return true;
    case opcode::kUnicode:
    case opcode::kString: {
      const std::string_view line = input_.take_line();
      const auto text = code == opcode::kUnicode ? decode_raw_unicode_escape(line) : decode_quoted_string(line);
      if (!text) {
        context_.malformed("an escaped string", "other text");
      }
      push_checked_string(*text);
      return true;
    }
    default: return false;
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

bool PickleMachine::run_container(std::uint8_t code) {
  core::ValueTable& table = context_.out.values;
  switch (code) {
    case opcode::kEmptyList: push(table.add_container(Kind::kList, context_.place())); return true;
    case opcode::kEmptyTuple: push(table.add_container(Kind::kTuple, context_.place())); return true;
    case opcode::kEmptyDict: push(table.add_container(Kind::kDict, context_.place())); return true;
    case opcode::kEmptySet: push(table.add_container(Kind::kSet, context_.place())); return true;
    case opcode::kTuple1: push_tuple(1); return true;
    case opcode::kTuple2: push_tuple(2); return true;
    case opcode::kTuple3: push_tuple(3); return true;
    case opcode::kTuple: push_from_mark(Kind::kTuple); return true;
    case opcode::kList: push_from_mark(Kind::kList); return true;
    case opcode::kDict: push_from_mark(Kind::kDict); return true;
    case opcode::kFrozenSet: push_from_mark(Kind::kFrozenSet); return true;
    case opcode::kAppend: {
      const NodeId item = pop();
      builder_.append_items(top(), std::span(&item, 1));
      return true;
    }
    case opcode::kSetItem: {
      const NodeId value = pop();
      const std::vector<NodeId> entry{pop(), value};
      builder_.set_items(top(), entry);
      return true;
    }
    case opcode::kAppends:
    case opcode::kSetItems:
    case opcode::kAddItems: {
      const auto span = since_mark();
      const std::vector<NodeId> items(span.begin(), span.end());
      drop_to_mark();
      if (code == opcode::kAppends) {
        builder_.append_items(top(), items);
      } else if (code == opcode::kAddItems) {
        builder_.add_to_set(top(), items);
      } else {
        if (items.size() % 2 != 0) {
          context_.malformed("keys and values in pairs", "a key without a value");
        }
        builder_.set_items(top(), items);
      }
      return true;
    }
    default: return false;
  }
}

void PickleMachine::push_tuple(std::size_t count) {
  const NodeId tuple = context_.out.values.add_container(Kind::kTuple, context_.place());
  const std::size_t floor = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() - floor < count) {
    context_.malformed(fmt::format("{} values on the pickle's stack", count), fmt::format("{}", stack_.size() - floor));
  }
  for (std::size_t i = stack_.size() - count; i < stack_.size(); ++i) {
    context_.out.values.append(tuple, stack_[i]);
  }
  stack_.resize(stack_.size() - count);
  push(tuple);
}

/// Makes one container of all values since the mark.
void PickleMachine::push_from_mark(Kind kind) {
  const auto span = since_mark();
  const std::vector<NodeId> items(span.begin(), span.end());
  drop_to_mark();
  const NodeId container = context_.out.values.add_container(kind, context_.place());
  if (kind == Kind::kDict) {
    if (items.size() % 2 != 0) {
      context_.malformed("keys and values in pairs", "a key without a value");
    }
    builder_.set_items(container, items);
  } else if (kind == Kind::kFrozenSet) {
    builder_.add_to_set(container, items);
  } else {
    for (const NodeId item : items) {
      context_.out.values.append(container, item);
    }
  }
  push(container);
}

}  // namespace rlverify::tensor
