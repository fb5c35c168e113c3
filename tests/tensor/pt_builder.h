// SPDX-License-Identifier: Apache-2.0
// Writes the bytes of torch.save files by hand, so that a test shows every byte it depends on: pickles by opcode, zip
// archives with faults on request.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/byte_source.h"
#include "support/crc32.h"
#include "tensor/pt_reader.h"

namespace rlverify::tensor::test {

using namespace std::string_literals;

/// Little-endian bytes of a number.
inline std::string le(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) {
    out.push_back(static_cast<char>(static_cast<unsigned char>(value >> (8 * i))));
  }
  return out;
}

template <class Number>
std::string raw(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

// ---- pickle opcodes ----
inline std::string text(std::string_view value) {
  return "X" + le(value.size(), 4) + std::string(value);
}
inline std::string integer(std::int64_t value) {
  return value >= 0 && value < 256 ? "K" + le(static_cast<std::uint64_t>(value), 1)
                                   : "\x8a\x08"s + le(static_cast<std::uint64_t>(value), 8);
}
inline std::string global(std::string_view module, std::string_view name) {
  return "c" + std::string(module) + "\n" + std::string(name) + "\n";
}
inline std::string integers(const std::vector<std::int64_t>& values) {
  std::string out = "(";
  for (const std::int64_t value : values) {
    out += integer(value);
  }
  return out + "t";
}
inline std::string pickle(std::string_view body) {
  return "\x80\x02"s + std::string(body) + ".";
}
/// BINPERSID of a storage; `extra` is a sixth item.
inline std::string storage(std::string_view cls, std::string_view key, std::int64_t elements,
                           std::string_view extra = "") {
  return "(" + text("storage") + global("torch", cls) + text(key) + text("cpu") + integer(elements) +
         std::string(extra) + "tQ";
}
/// A _rebuild_tensor_v2 call on a storage expression.
inline std::string tensor_v2(std::string_view storage_expression, std::int64_t offset,
                             const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
                             std::string_view extra = "") {
  return global("torch._utils", "_rebuild_tensor_v2") + "(" + std::string(storage_expression) + integer(offset) +
         integers(shape) + integers(strides) + "\x89" + global("collections", "OrderedDict") + ")R" +
         std::string(extra) + "tR";
}

// ---- zip ----
using rlverify::test::crc32;

struct ZipItem {
  std::string name;
  std::string data;
  // What a faulty or unusual archive says instead of the truth.
  std::string local_name = {};
  std::uint16_t method = 0;
  std::uint16_t flags = 8;  // torch.save: sizes and CRC follow the data, zeros in the local header
  std::int64_t central_size = -1;
  std::int64_t header_offset = -1;
  std::int64_t crc = -1;
  bool zip64 = false;
  std::size_t padding = 0;  // bytes of extra field in the local header
};

inline std::string central_record(const ZipItem& item, std::uint64_t header_offset) {
  const std::uint64_t size = item.central_size >= 0 ? static_cast<std::uint64_t>(item.central_size) : item.data.size();
  const std::uint64_t offset = item.header_offset >= 0 ? static_cast<std::uint64_t>(item.header_offset) : header_offset;
  const std::uint32_t crc = item.crc >= 0 ? static_cast<std::uint32_t>(item.crc) : crc32(item.data);
  const std::string extra = item.zip64 ? le(1, 2) + le(24, 2) + le(size, 8) + le(size, 8) + le(offset, 8) : "";
  const std::uint64_t shown_size = item.zip64 ? 0xFFFFFFFFU : size;
  return "PK\x01\x02"s + le(0, 4) + le(item.flags, 2) + le(item.method, 2) + le(0, 4) + le(crc, 4) + le(shown_size, 4) +
         le(shown_size, 4) + le(item.name.size(), 2) + le(extra.size(), 2) + le(0, 2) + le(0, 4) + le(0, 4) +
         le(item.zip64 ? 0xFFFFFFFFU : offset, 4) + item.name + extra;
}

inline std::string zip(const std::vector<ZipItem>& items, std::string_view comment = "", bool zip64_end = false) {
  std::string out;
  std::string directory;
  for (const ZipItem& item : items) {
    directory += central_record(item, out.size());
    const std::string& name = item.local_name.empty() ? item.name : item.local_name;
    const std::uint64_t local_size = (item.flags & 8U) != 0 ? 0 : item.data.size();
    out += "PK\x03\x04"s + le(0, 2) + le(item.flags, 2) + le(item.method, 2) + le(0, 4) + le(0, 4) + le(local_size, 4) +
           le(local_size, 4) + le(name.size(), 2) + le(item.padding, 2) + name + std::string(item.padding, '\0') +
           item.data;
  }
  const std::size_t directory_offset = out.size();
  out += directory;
  if (zip64_end) {
    const std::size_t end64 = out.size();
    out += "PK\x06\x06"s + le(44, 8) + le(0, 2) + le(0, 2) + le(0, 4) + le(0, 4) + le(items.size(), 8) +
           le(items.size(), 8) + le(directory.size(), 8) + le(directory_offset, 8);
    out += "PK\x06\x07"s + le(0, 4) + le(end64, 8) + le(1, 4);
    return out + "PK\x05\x06"s + le(0, 4) + le(0xFFFF, 2) + le(0xFFFF, 2) + le(0xFFFFFFFFU, 4) + le(0xFFFFFFFFU, 4) +
           le(0, 2);
  }
  return out + "PK\x05\x06"s + le(0, 4) + le(items.size(), 2) + le(items.size(), 2) + le(directory.size(), 4) +
         le(directory_offset, 4) + le(comment.size(), 2) + std::string(comment);
}

/// A zip file of torch.save: data.pkl with `body` between PROTO and STOP, and storages by key.
inline std::string pt_zip(std::string_view body, const std::map<std::string, std::string>& storages = {}) {
  std::vector<ZipItem> items{{"top/data.pkl", pickle(body)}};
  for (const auto& [key, bytes] : storages) {
    items.push_back({"top/data/" + key, bytes});
  }
  items.push_back({"top/version", "3\n"});
  return zip(items);
}

/// The container before PyTorch 1.6; storages as (key, number of elements, bytes).
struct LegacyStorage {
  std::string key;
  std::uint64_t elements;
  std::string bytes;
};
inline std::string pt_legacy(std::string_view body, const std::vector<LegacyStorage>& storages = {}) {
  std::string keys = "](";
  std::string data;
  for (const LegacyStorage& item : storages) {
    keys += text(item.key);
    data += le(item.elements, 8) + item.bytes;
  }
  const std::string magic = "\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"s;
  return pickle(magic) + pickle("M\xe9\x03"s) +
         pickle("}(" + text("protocol_version") + "M\xe9\x03"s + text("little_endian") + "\x88u") + pickle(body) +
         pickle(keys + "e") + data;
}

/// A source and what was read from it; the source outlives the references.
struct Loaded {
  std::unique_ptr<core::MemorySource> source;
  PtFile file;
  [[nodiscard]] core::Value root() const { return file.root(); }
  template <class Number>
  [[nodiscard]] std::vector<Number> elements(core::Value value) const {
    const std::vector<std::byte> bytes = read_elements(*source, file.tensor(value));
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(numbers.data()));
    return numbers;
  }
};
inline Loaded load(std::string_view bytes, UnsafePolicy policy = UnsafePolicy::kRefuse) {
  Loaded loaded{std::make_unique<core::MemorySource>("test.pt", bytes), {}};
  loaded.file = read_pt(*loaded.source, policy);
  return loaded;
}
/// The value of a pickle body.
inline Loaded load_pickle(std::string_view body, UnsafePolicy policy = UnsafePolicy::kRefuse) {
  return load(pt_zip(body), policy);
}

/// "kind: expected X, found Y" of the error that reading throws; "" when it throws none.
inline std::string refusal(std::string_view bytes) {
  try {
    static_cast<void>(load(bytes));
    return "";
  } catch (const core::ArtifactError& error) {
    const char* kind = error.problem().kind == core::ProblemKind::kUnsafe  ? "unsafe"
                       : error.problem().kind == core::ProblemKind::kLimit ? "limit"
                                                                           : "malformed";
    return std::string(kind) + ": expected " + error.problem().expected + ", found " + error.problem().found;
  }
}
inline std::string pickle_refusal(std::string_view body) {
  return refusal(pt_zip(body));
}

}  // namespace rlverify::tensor::test
