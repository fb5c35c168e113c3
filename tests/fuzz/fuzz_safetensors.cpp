// SPDX-License-Identifier: Apache-2.0
// The safetensors reader on any bytes, from memory and by read(), which must agree. What it accepts must keep every
// promise of the format: each tensor inside the file, the data covered exactly, names unique; then every element is
// read, compared with itself and with a copy that has one bit flipped.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "core/errors.h"
#include "tensor/difference_reader.h"
#include "tensor/safetensors_reader.h"

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

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

std::string error_of(const core::ByteSource& source, tensor::SafetensorsFile& file) {
  try {
    file = tensor::read_safetensors(source);
  } catch (const core::ArtifactError& error) {
    return error.what();
  }
  return "";
}

void check_promises(const core::ByteSource& source, const tensor::SafetensorsFile& file) {
  std::set<std::string> names;
  std::uint64_t bytes = 0;
  for (const tensor::SafetensorsEntry& entry : file.tensors) {
    require(names.insert(entry.name).second);
    require(entry.ref.data_offset >= file.header_bytes && entry.ref.data_offset <= source.size());
    require(entry.ref.logical_bytes() <= source.size() - entry.ref.data_offset);
    require(entry.ref.is_contiguous());
    bytes += entry.ref.logical_bytes();
  }
  require(bytes == source.size() - file.header_bytes);
}

void compare_all(const core::ByteSource& source, const core::ByteSource& flipped, const tensor::SafetensorsFile& file) {
  tensor::BlockBuffers buffers;
  std::uint64_t different = 0;
  for (const tensor::SafetensorsEntry& entry : file.tensors) {
    const tensor::Difference same = tensor::compare_tensors({&source, &entry.ref}, {&source, &entry.ref}, buffers);
    require(same.equal() && same.elements == entry.ref.element_count);
    const tensor::Difference difference =
        tensor::compare_tensors({&source, &entry.ref}, {&flipped, &entry.ref}, buffers);
    different += difference.different_elements;
    if (difference.first) {
      (void)tensor::element_text(entry.ref.dtype, difference.first->candidate);
      (void)tensor::index_text(entry.ref.shape, difference.first->element_index);
    }
  }
  require(different == (source.size() > file.header_bytes ? 1U : 0U));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const core::MemorySource memory("fuzz", bytes);
  const CopyingSource copying(bytes);
  tensor::SafetensorsFile file;
  tensor::SafetensorsFile again;
  const std::string error = error_of(memory, file);
  require(error == error_of(copying, again));
  if (!error.empty()) {
    return 0;
  }
  check_promises(memory, file);
  std::string changed = bytes;
  if (size > file.header_bytes) {
    const std::size_t at =
        static_cast<std::size_t>(file.header_bytes) + size % (size - static_cast<std::size_t>(file.header_bytes));
    changed[at] = static_cast<char>(changed[at] ^ (1 << (size % 8)));
  }
  compare_all(copying, CopyingSource(changed), file);
  return 0;
}
