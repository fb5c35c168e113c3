// SPDX-License-Identifier: Apache-2.0
// The JSON reader on any bytes: in both modes and in two block sizes, which must agree. What was read is then shown and
// compared with itself, so that Python's repr and equality see odd values too.
#include <cstdlib>
#include <optional>
#include <string>

#include "core/errors.h"
#include "core/json_reader.h"
#include "core/python_value.h"

namespace {

using namespace rlverify::core;

/// Hands its bytes out by read() only, so that the reader's blocks are copies and a read past their end is seen.
class CopyingSource final : public ByteSource {
 public:
  explicit CopyingSource(std::string_view bytes) : ByteSource("fuzz", bytes.size()), memory_("fuzz", bytes) {}
  void read(std::uint64_t offset, std::span<std::byte> out) const override { memory_.read(offset, out); }

 private:
  MemorySource memory_;
};

struct Outcome {
  std::string text;
  std::string error;
  std::size_t observations = 0;
};

Outcome outcome_of(std::string_view bytes, JsonMode mode, std::size_t block_bytes) {
  const CopyingSource source(bytes);
  JsonLimits limits;
  limits.block_bytes = block_bytes;
  Outcome outcome;
  try {
    const JsonDocument document = read_json(source, mode, limits);
    outcome.observations = document.observations.size();
    outcome.text = python_repr(document.root());
    if (!python_equal(document.root(), document.root()) && outcome.text != "nan") {
      std::abort();
    }
    static_cast<void>(python_int(document.root()));
  } catch (const ArtifactError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

bool same(const Outcome& a, const Outcome& b) {
  return a.text == b.text && a.error == b.error && a.observations == b.observations;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Outcome strict = outcome_of(bytes, JsonMode::kStrict, 1U << 20);
  const Outcome lenient = outcome_of(bytes, JsonMode::kLenient, 1U << 20);
  const std::size_t small_block = 1 + size % 7;
  const bool agree = same(strict, outcome_of(bytes, JsonMode::kStrict, small_block)) &&
                     same(lenient, outcome_of(bytes, JsonMode::kLenient, small_block));
  // What the strict reader takes, the lenient one takes too, without an observation.
  const bool ordered = !strict.error.empty() || (same(strict, lenient) && lenient.observations == 0);
  if (!agree || !ordered) {
    std::abort();
  }
  return 0;
}
