// SPDX-License-Identifier: Apache-2.0
// What the machine says of a pickle that breaks its rules: apart from the opcodes, whose loop stays small that way.
#include <fmt/format.h>

#include "tensor/fail.h"
#include "tensor/pickle.h"

namespace rlverify::tensor {

void PickleMachine::fail_unknown(std::uint8_t code) const {
  context_.malformed("an opcode of pickle protocols 0 to 5", fmt::format("byte 0x{:02x}", code));
}

void PickleMachine::fail_stack_limit() const {
  fail(core::ProblemKind::kLimit, context_.file, context_.offset,
       fmt::format("at most {} values on the pickle's stack", kMaxStack), "more");
}

void PickleMachine::fail_no_value() const {
  context_.malformed("a value on the pickle's stack", "none");
}

void PickleMachine::fail_no_mark() const {
  context_.malformed("a mark on the pickle's stack", "none");
}

void PickleMachine::fail_memo_limit() const {
  fail(core::ProblemKind::kLimit, context_.file, context_.offset,
       fmt::format("at most {} values in the pickle's memo", kMaxMemo), "more");
}

void PickleMachine::fail_memo_number(std::uint64_t number) const {
  context_.malformed("a value that the pickle's memo has", fmt::format("number {}", number));
}

}  // namespace rlverify::tensor
