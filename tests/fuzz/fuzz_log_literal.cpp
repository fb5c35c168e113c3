// SPDX-License-Identifier: Apache-2.0
// Any bytes as a literal, as a line and as a whole run log. What is read as a literal is shown as Python shows it and
// read again, which must give the same; the log is read from memory and by copied blocks, which must agree.
#include <cstdlib>
#include <string>

#include "core/byte_source.h"
#include "core/python_value.h"
#include "run/literal.h"
#include "run/record_matcher.h"
#include "run/run_log.h"
#include "run/text_scan.h"

namespace {

using namespace rlverify;

/// Hands its bytes out by read() only.
class CopyingSource final : public core::ByteSource {
 public:
  explicit CopyingSource(std::string_view bytes) : ByteSource("fuzz", bytes.size()), memory_("fuzz", bytes) {}
  void read(std::uint64_t offset, std::span<std::byte> out) const override { memory_.read(offset, out); }

 private:
  core::MemorySource memory_;
};

void check_literal(const std::string& text) {
  core::ValueTable table;
  const run::Literal literal = run::parse_literal(text, table);
  if ((literal.root == core::kNoNode) == literal.problem.empty()) {
    std::abort();
  }
  if (literal.root == core::kNoNode) {
    return;
  }
  const std::string shown = core::python_repr(core::Value(table, literal.root));
  // What repr itself shows as something that is no literal: the ellipsis, and complex numbers with non-finite parts.
  if (shown.find("Ellipsis") != std::string::npos || shown.find('j') != std::string::npos) {
    return;
  }
  core::ValueTable again_table;
  const run::Literal again = run::parse_literal(shown, again_table);
  if (again.root == core::kNoNode || core::python_repr(core::Value(again_table, again.root)) != shown) {
    std::abort();
  }
}

void check_line(std::string_view line) {
  const auto match = run::match_record(line);
  if (match && (match->begin >= match->payload_begin || match->payload_begin > match->payload_end ||
                match->payload_end > line.size() || line[match->payload_begin] != '{')) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check_literal(run::decode_with_replacement(bytes));
  check_line(bytes);
  const run::RunLog log = run::read_run_log(core::MemorySource("fuzz", bytes));
  const run::RunLog copied = run::read_run_log(CopyingSource(bytes));
  if (log.records.size() != copied.records.size() || log.lines != copied.lines) {
    std::abort();
  }
  for (const run::LogRecord& record : log.records) {
    if (record.public_parses && !log.payload(record).is_dict()) {
      std::abort();
    }
  }
  return 0;
}
