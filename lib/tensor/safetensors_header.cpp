// SPDX-License-Identifier: Apache-2.0
// A state machine on JSON events. Keys that the format doesn't know are skipped, as its own reader does; everything it
// knows is checked where it stands.
#include "tensor/safetensors_header.h"

#include <fmt/format.h>

#include <array>

#include "core/json_reader.h"
#include "tensor/c_order.h"
#include "tensor/fail.h"

namespace rlverify::tensor {
namespace {

using core::Place;
using core::ProblemKind;

constexpr std::string_view kMetadataKey = "__metadata__";
/// A tensor of more dimensions is nobody's weight; PyTorch stops at 64, too.
constexpr std::size_t kMaxDimensions = 64;

/// The JSON inside the file as a source of its own.
class HeaderSource final : public core::ByteSource {
 public:
  HeaderSource(const core::ByteSource& file, std::uint64_t json_bytes)
      : ByteSource(file.name(), json_bytes), file_(file) {}
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    file_.read(kLengthFieldBytes + offset, out);
  }
  [[nodiscard]] std::span<const std::byte> memory() const override {
    const auto whole = file_.memory();
    return whole.empty() ? whole : whole.subspan(kLengthFieldBytes, static_cast<std::size_t>(size_));
  }

 private:
  const core::ByteSource& file_;
};

class HeaderHandler final : public core::JsonHandler {
 public:
  HeaderHandler(const std::string& file, Header& header) : file_(file), header_(header) {}

  void null(Place place) override { scalar("null", place); }
  void boolean(bool value, Place place) override { scalar(value ? "true" : "false", place); }
  void big_integer(std::string_view digits, Place place) override { scalar(digits, place); }
  void real(double /*value*/, std::string_view text, Place place) override { scalar(text, place); }
  void integer(std::int64_t value, Place place) override;
  void string(std::string_view utf8, Place place) override;
  void key(std::string_view utf8, Place place) override;
  void begin_object(Place place) override;
  void end_object(Place place) override;
  void begin_array(Place place) override;
  void end_array(Place place) override;

 private:
  enum class In : std::uint8_t { kNothing, kTop, kMetadata, kTensor, kShape, kOffsets };
  enum class Field : std::uint8_t { kDtype, kShape, kOffsets, kOther };

  [[noreturn]] void fail_at(Place place, std::string expected, std::string found,
                            ProblemKind kind = ProblemKind::kMalformed) const {
    fail(kind, file_, kLengthFieldBytes + place.offset, std::move(expected), std::move(found));
  }
  /// What should have stood where a value of another kind stands.
  [[nodiscard]] std::string expectation() const;
  void scalar(std::string_view found, Place place) {
    if (!skipping()) {
      fail_at(place, expectation(), fmt::format("{}", found.substr(0, 60)));
    }
  }
  /// Whether the value at hand belongs to a key that the format doesn't know.
  [[nodiscard]] bool skipping() const { return skipped_depth_ > 0 || (in_ == In::kTensor && field_ == Field::kOther); }
  [[nodiscard]] bool skip_container() {
    if (skipping()) {
      ++skipped_depth_;
      return true;
    }
    return false;
  }
  [[nodiscard]] const std::string& name() const { return header_.entries.back().tensor.name; }
  void finish_tensor(Place place);

  const std::string& file_;
  Header& header_;
  In in_ = In::kNothing;
  Field field_ = Field::kOther;
  std::array<bool, 3> seen_{};
  std::size_t offsets_ = 0;
  unsigned skipped_depth_ = 0;
  bool metadata_next_ = false;
  bool metadata_seen_ = false;
};

std::string HeaderHandler::expectation() const {
  switch (in_) {
    case In::kNothing:
      return "an object of tensors";
    case In::kTop:
      return metadata_next_ ? "an object of strings as \"__metadata__\""
                            : fmt::format("an object with dtype, shape and data_offsets for tensor \"{}\"", name());
    case In::kMetadata:
      return "a string in \"__metadata__\"";
    case In::kShape:
      return fmt::format("a size from 0 to 2^63 - 1 in the shape of tensor \"{}\"", name());
    case In::kOffsets:
      return fmt::format("a byte offset from 0 to 2^63 - 1 for tensor \"{}\"", name());
    case In::kTensor:
      break;
  }
  switch (field_) {
    case Field::kDtype:
      return fmt::format("a dtype name for tensor \"{}\"", name());
    case Field::kShape:
      return fmt::format("a list of sizes as the shape of tensor \"{}\"", name());
    default:
      return fmt::format("two byte offsets as the data_offsets of tensor \"{}\"", name());
  }
}

void HeaderHandler::integer(std::int64_t value, Place place) {
  if (skipping()) {
    return;
  }
  if ((in_ != In::kShape && in_ != In::kOffsets) || value < 0) {
    scalar(fmt::format("{}", value), place);
  }
  HeaderEntry& entry = header_.entries.back();
  if (in_ == In::kShape) {
    if (entry.tensor.ref.shape.size() == kMaxDimensions) {
      fail_at(place, fmt::format("at most {} dimensions in tensor \"{}\"", kMaxDimensions, name()), "more",
              ProblemKind::kLimit);
    }
    entry.tensor.ref.shape.push_back(static_cast<std::uint64_t>(value));
    return;
  }
  if (offsets_ == 2) {
    fail_at(place, fmt::format("two byte offsets as the data_offsets of tensor \"{}\"", name()), "a third");
  }
  (offsets_++ == 0 ? entry.begin : entry.end) = static_cast<std::uint64_t>(value);
}

void HeaderHandler::string(std::string_view utf8, Place place) {
  if (skipping()) {
    return;
  }
  if (in_ == In::kMetadata) {
    header_.metadata.back().second = utf8;
    return;
  }
  if (in_ != In::kTensor || field_ != Field::kDtype) {
    scalar("a string", place);
  }
  const auto dtype = dtype_from_safetensors_name(utf8);
  if (!dtype) {
    fail_at(place, fmt::format("a dtype that the format has, for tensor \"{}\"", name()),
            fmt::format("\"{}\"", utf8.substr(0, 60)));
  }
  header_.entries.back().tensor.ref.dtype = *dtype;
}

void HeaderHandler::key(std::string_view utf8, Place place) {
  if (skipped_depth_ > 0) {
    return;
  }
  if (in_ == In::kMetadata) {
    header_.metadata.emplace_back(utf8, "");
    return;
  }
  if (in_ == In::kTop) {
    metadata_next_ = utf8 == kMetadataKey;
    if (metadata_next_ && std::exchange(metadata_seen_, true)) {
      fail_at(place, "one \"__metadata__\"", "a second one");
    }
    if (!metadata_next_) {
      header_.entries.emplace_back();
      header_.entries.back().tensor.name = utf8;
      header_.entries.back().name_offset = static_cast<std::uint32_t>(place.offset);
    }
    return;
  }
  field_ = utf8 == "dtype"          ? Field::kDtype
           : utf8 == "shape"        ? Field::kShape
           : utf8 == "data_offsets" ? Field::kOffsets
                                    : Field::kOther;
  if (field_ != Field::kOther && std::exchange(seen_[static_cast<std::size_t>(field_)], true)) {
    fail_at(place, fmt::format("one \"{}\" of tensor \"{}\"", utf8, name()), "a second one");
  }
}

void HeaderHandler::begin_object(Place place) {
  if (skip_container()) {
    return;
  }
  if (in_ == In::kNothing) {
    in_ = In::kTop;
  } else if (in_ == In::kTop) {
    in_ = metadata_next_ ? In::kMetadata : In::kTensor;
    field_ = Field::kOther;
    seen_ = {};
    offsets_ = 0;
  } else {
    scalar("an object", place);
  }
}

void HeaderHandler::end_object(Place place) {
  if (skipped_depth_ > 0) {
    --skipped_depth_;
    return;
  }
  if (in_ == In::kTensor) {
    finish_tensor(place);
  }
  in_ = in_ == In::kTop ? In::kNothing : In::kTop;
}

void HeaderHandler::begin_array(Place place) {
  if (skip_container()) {
    return;
  }
  if (in_ != In::kTensor || field_ == Field::kDtype) {
    scalar("a list", place);
  }
  in_ = field_ == Field::kShape ? In::kShape : In::kOffsets;
}

void HeaderHandler::end_array(Place place) {
  if (skipped_depth_ > 0) {
    --skipped_depth_;
    return;
  }
  if (in_ == In::kOffsets && offsets_ != 2) {
    fail_at(place, fmt::format("two byte offsets as the data_offsets of tensor \"{}\"", name()),
            fmt::format("{}", offsets_));
  }
  in_ = In::kTensor;
}

void HeaderHandler::finish_tensor(Place place) {
  constexpr std::array<std::string_view, 3> kFields = {"dtype", "shape", "data_offsets"};
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    if (!seen_[i]) {
      fail_at(place, fmt::format("\"{}\" of tensor \"{}\"", kFields[i], name()), "none");
    }
  }
  HeaderEntry& entry = header_.entries.back();
  TensorRef& ref = entry.tensor.ref;
  const auto count = element_count(ref.shape);
  const auto bits = count ? product(*count, bits_per_element(ref.dtype)) : count;
  if (!bits) {
    fail_at(place, fmt::format("a shape of tensor \"{}\" whose size can be counted", name()),
            "one that overflows 64 bits");
  }
  if (*bits % 8 != 0) {
    fail_at(place, fmt::format("whole bytes in tensor \"{}\"", name()), fmt::format("{} bits", *bits));
  }
  if (entry.end < entry.begin || entry.end - entry.begin != *bits / 8) {
    fail_at(place,
            fmt::format("{} bytes for tensor \"{}\" ({} elements of {})", *bits / 8, name(), *count,
                        safetensors_name(ref.dtype)),
            fmt::format("data_offsets {} to {}", entry.begin, entry.end));
  }
  ref.element_count = *count;
  ref.storage_bytes = *bits / 8;
  ref.shape.shrink_to_fit();
  set_c_order_strides(ref);
}

}  // namespace

Header parse_header(const core::ByteSource& source, std::uint64_t json_bytes) {
  Header header;
  HeaderHandler handler(source.name(), header);
  core::JsonLimits limits;
  limits.max_bytes = kMaxSafetensorsHeaderBytes;
  // The shortest entry, {"":{"dtype":"U8",...}}, has nine values in more than 50 bytes.
  limits.max_values = kMaxSafetensorsHeaderBytes / 2;
  const HeaderSource json(source, json_bytes);
  try {
    core::parse_json(json, core::JsonMode::kStrict, handler, limits);
  } catch (const core::ArtifactError& error) {
    // The JSON reader counts from the JSON's first byte; ours already count from the file's.
    core::Problem problem = error.problem();
    if (problem.line != 0 && problem.offset) {
      *problem.offset += kLengthFieldBytes;
      problem.line = 0;
      problem.column = 0;
    }
    throw core::ArtifactError(std::move(problem));
  }
  return header;
}

}  // namespace rlverify::tensor
