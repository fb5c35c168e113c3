// SPDX-License-Identifier: Apache-2.0
// Reads untrusted JSON. Ours and not nlohmann's parser, because every value needs its place for messages, integers keep
// all digits, duplicate keys and NaN tokens must be seen (strict refuses them, the reference rules read them as Python
// does), and long strings nobody looks at must not be kept. It is a SAX reader: events go to a handler in file order;
// read_json() fills a ValueTable.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_source.h"
#include "core/value.h"

namespace rlverify::core {

/// Line and column (1-based, in bytes) beside a byte offset.
struct Place {
  std::uint64_t offset = 0;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

struct JsonLimits {
  std::uint64_t max_bytes = 64ULL << 20;
  std::uint32_t max_depth = 128;
  /// Values and keys together.
  std::uint64_t max_values = 8'000'000;
  /// A string longer than this is checked but its handler gets only its first bytes (a manifest repeats the whole log
  /// in submission.stdout). A key that long is refused.
  std::uint64_t max_kept_string_bytes = 16ULL << 20;
  /// How much is read at a time (tests use tiny blocks).
  std::size_t block_bytes = 1U << 20;
};

/// How NaN, Infinity, -Infinity tokens and duplicate keys are met. Both are always kept as observations with their
/// place; who judges strictly refuses a document that has any.
enum class JsonMode {
  kStrict,   ///< they are errors (ArtifactError)
  kLenient,  ///< read as Python's json module reads them: floats, last value wins in the first one's position
};

/// A thing the lenient mode read that strict JSON does not have.
struct JsonObservation {
  enum class What { kDuplicateKey, kNonFiniteToken } what;
  std::string text;  ///< the key, or the token
  Place place;
};

/// Receives the document's events in file order. Views are valid during the call only.
class JsonHandler {
 public:
  virtual ~JsonHandler() = default;
  virtual void null(Place place) = 0;
  virtual void boolean(bool value, Place place) = 0;
  virtual void integer(std::int64_t value, Place place) = 0;
  /// An integer outside 64 signed bits, as its digits with sign.
  virtual void big_integer(std::string_view digits, Place place) = 0;
  /// A number with fraction or exponent, correctly rounded (out of range gives infinity, as Python does); `text` is its
  /// spelling. Also the tokens of the lenient mode.
  virtual void real(double value, std::string_view text, Place place) = 0;
  virtual void string(std::string_view utf8, Place place) = 0;
  virtual void key(std::string_view utf8, Place place) = 0;
  virtual void begin_object(Place place) = 0;
  virtual void end_object(Place place) = 0;
  virtual void begin_array(Place place) = 0;
  virtual void end_array(Place place) = 0;
};

/// Streams `source` through `handler`, block by block. Throws ArtifactError with line and column for text that is not
/// JSON: NUL bytes, bad UTF-8, a byte order mark, control characters in strings, trailing text, depth or size over the
/// limits. Duplicate keys are the handler's business here.
void parse_json(const ByteSource& source, JsonMode mode, JsonHandler& handler, const JsonLimits& limits = {},
                std::vector<JsonObservation>* observations = nullptr);

/// A JSON document in a table.
struct JsonDocument {
  std::string file;  ///< name for messages
  ValueTable table;
  NodeId root_id = kNoNode;
  std::vector<JsonObservation> observations;  ///< empty after JsonMode::kStrict
  std::vector<std::uint32_t>
      line_starts;  ///< offset of every line start, for place_of (capped: far places answer with line 0)

  [[nodiscard]] Value root() const { return {table, root_id}; }
  /// Line and column of a node; line 0 for an absent one.
  [[nodiscard]] Place place_of(Value value) const;
};

/// Reads a whole document. In strict mode a duplicate key is an ArtifactError that names it and both places.
[[nodiscard]] JsonDocument read_json(const ByteSource& source, JsonMode mode, const JsonLimits& limits = {});

}  // namespace rlverify::core
