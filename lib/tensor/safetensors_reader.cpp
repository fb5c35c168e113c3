// SPDX-License-Identifier: Apache-2.0
// The order of the checks decides what a broken file is told: a doubled name before anything about offsets (a doubled
// entry always disturbs those, too), the layout of the ranges before the file's length.
#include "tensor/safetensors_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "tensor/element.h"
#include "tensor/fail.h"
#include "tensor/safetensors_header.h"

namespace rlverify::tensor {
namespace {

using core::ProblemKind;

std::uint64_t read_header_length(const core::ByteSource& source) {
  if (source.size() < kLengthFieldBytes) {
    fail(ProblemKind::kMalformed, source.name(), 0, "the 8 bytes of a safetensors header's length",
         fmt::format("a file of {} bytes", source.size()));
  }
  std::array<std::byte, kLengthFieldBytes + 1> start{};
  const auto used =
      std::span(start).first(static_cast<std::size_t>(std::min<std::uint64_t>(source.size(), start.size())));
  source.read(0, used);
  const auto length = load_element<std::uint64_t>(start.data());
  if (length > kMaxSafetensorsHeaderBytes) {
    fail(ProblemKind::kLimit, source.name(), 0,
         fmt::format("a safetensors header of at most {} bytes", kMaxSafetensorsHeaderBytes),
         fmt::format("one of {} bytes", length));
  }
  if (length > source.size() - kLengthFieldBytes) {
    fail(ProblemKind::kMalformed, source.name(), 0,
         fmt::format("a file of at least {} bytes, which its header alone needs", kLengthFieldBytes + length),
         fmt::format("{} bytes", source.size()));
  }
  if (length == 0 || start.back() != std::byte{'{'}) {
    fail(ProblemKind::kMalformed, source.name(), kLengthFieldBytes, "a safetensors header that begins with '{'",
         length == 0 ? "an empty one" : "another byte");
  }
  return length;
}

void refuse_duplicate_names(const std::string& file, const std::vector<HeaderEntry>& entries) {
  std::vector<std::uint32_t> order(entries.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto key = [&entries](std::uint32_t i) {
    return std::make_pair(std::string_view(entries[i].tensor.name), entries[i].name_offset);
  };
  std::sort(order.begin(), order.end(), [&key](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  const auto twice = std::adjacent_find(order.begin(), order.end(), [&entries](std::uint32_t a, std::uint32_t b) {
    return entries[a].tensor.name == entries[b].tensor.name;
  });
  if (twice != order.end()) {
    const HeaderEntry& first = entries[*twice];
    fail(ProblemKind::kMalformed, file, kLengthFieldBytes + entries[*std::next(twice)].name_offset,
         "each tensor name once",
         fmt::format("the duplicate tensor name \"{}\", first at byte {}", first.tensor.name,
                     kLengthFieldBytes + first.name_offset));
  }
}

/// The ranges in their order must follow each other from 0 on.
void check_ranges(const std::string& file, const std::vector<HeaderEntry>& entries,
                  const std::vector<std::uint32_t>& order) {
  std::uint64_t covered = 0;
  const HeaderEntry* before = nullptr;
  for (const std::uint32_t i : order) {
    const HeaderEntry& entry = entries[i];
    if (entry.begin != covered) {
      const std::string after =
          before == nullptr ? "the first tensor" : fmt::format("the tensor after \"{}\"", before->tensor.name);
      fail(ProblemKind::kMalformed, file, kLengthFieldBytes + entry.name_offset,
           fmt::format("{} at data offset {}", after, covered),
           fmt::format("\"{}\" at {}, which leaves {}", entry.tensor.name, entry.begin,
                       entry.begin > covered ? "a hole" : "an overlap"));
    }
    covered = entry.end;
    before = &entry;
  }
}

void check_length(const core::ByteSource& source, std::uint64_t header_bytes, const std::vector<HeaderEntry>& entries,
                  const std::vector<std::uint32_t>& order) {
  const std::uint64_t data_bytes = order.empty() ? 0 : entries[order.back()].end;
  const std::uint64_t present = source.size() - header_bytes;
  if (present > data_bytes) {
    fail(ProblemKind::kMalformed, source.name(), header_bytes + data_bytes,
         fmt::format("the end of the file, whose header needs {} bytes", header_bytes + data_bytes),
         fmt::format("{} bytes", source.size()));
  }
  if (present < data_bytes) {
    const auto first =
        std::find_if(order.begin(), order.end(), [&](std::uint32_t i) { return entries[i].end > present; });
    // The sum can't overflow: offsets are below 2^63 and the header is below 10^8.
    fail(ProblemKind::kMalformed, source.name(), source.size(),
         fmt::format("a file of {} bytes, which its header needs", header_bytes + data_bytes),
         fmt::format("{} bytes; the first affected tensor is \"{}\"", source.size(), entries[*first].tensor.name));
  }
}

}  // namespace

SafetensorsFile read_safetensors(const core::ByteSource& source) {
  const std::uint64_t json_bytes = read_header_length(source);
  Header header = parse_header(source, json_bytes);
  std::vector<HeaderEntry>& entries = header.entries;
  refuse_duplicate_names(source.name(), entries);

  std::vector<std::uint32_t> order(entries.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&entries](std::uint32_t a, std::uint32_t b) {
    return std::make_pair(entries[a].begin, entries[a].end) < std::make_pair(entries[b].begin, entries[b].end);
  });
  check_ranges(source.name(), entries, order);

  SafetensorsFile file;
  file.header_bytes = kLengthFieldBytes + json_bytes;
  check_length(source, file.header_bytes, entries, order);
  file.metadata = std::move(header.metadata);
  file.tensors.reserve(entries.size());
  for (HeaderEntry& entry : entries) {
    entry.tensor.ref.data_offset = file.header_bytes + entry.begin;
    file.tensors.push_back(std::move(entry.tensor));
  }
  return file;
}

}  // namespace rlverify::tensor
