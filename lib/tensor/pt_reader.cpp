// SPDX-License-Identifier: Apache-2.0
// Chooses the container and finishes what both have in common: where each tensor's first element lies.
#include "tensor/pt_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

#include "tensor/fail.h"
#include "tensor/legacy_container.h"
#include "tensor/pickle.h"
#include "tensor/torch_objects.h"
#include "tensor/zip_reader.h"

namespace rlverify::tensor {
namespace {

using core::ProblemKind;

constexpr std::uint64_t kMaxPickleBytes = 1ULL << 30;
constexpr int kNewestFormat = 10;  // the newest container format that PyTorch itself knows
constexpr std::string_view kPickleName = "/data.pkl";

/// Finds storages under <top>/data/<key>.
class ZipStorages final : public StorageProvider {
 public:
  ZipStorages(PtFile& out, std::string file, const ZipDirectory& directory, const std::string& top)
      : out_(out),
        file_(std::move(file)),
        directory_(directory),
        entry_name_(top + "/data/"),
        prefix_bytes_(entry_name_.size()),
        storage_of_entry_(directory.entries().size(), kNone) {}

  [[nodiscard]] std::uint32_t provide(const StorageRequest& request) override {
    if (request.view) {
      fail(ProblemKind::kMalformed, file_, request.place,
           "a storage of its own (views are a matter of the container before PyTorch 1.6)",
           fmt::format("a view into storage \"{}\"", request.key));
    }
    entry_name_.resize(prefix_bytes_);
    entry_name_ += request.key;
    const ZipEntry* entry = directory_.find(entry_name_);
    if (entry == nullptr) {
      fail(ProblemKind::kMalformed, file_, request.place, fmt::format("an entry \"{}\"", entry_name_),
           "none in the archive");
    }
    std::uint32_t& storage = storage_of_entry_[static_cast<std::size_t>(entry - directory_.entries().data())];
    const bool is_new = storage == kNone;
    if (entry->size / bytes_per_element(request.dtype) != request.elements ||
        (!is_new && out_.storages[storage].dtype != request.dtype)) {
      fail(ProblemKind::kMalformed, file_, request.place,
           fmt::format("storage \"{}\" with {} elements of {}", request.key, request.elements,
                       torch_name(request.dtype)),
           fmt::format("{} bytes", entry->size));
    }
    if (is_new) {
      storage = static_cast<std::uint32_t>(out_.storages.size());
      out_.storages.push_back({request.key, entry->data_offset, entry->size, request.dtype, entry->crc32});
    }
    return storage;
  }

 private:
  PtFile& out_;
  std::string file_;
  const ZipDirectory& directory_;
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  std::string entry_name_;  // <top>/data/ and the key last asked for
  std::size_t prefix_bytes_;
  std::vector<std::uint32_t> storage_of_entry_;
};

/// The one <top>/data.pkl of the archive.
const ZipEntry& find_pickle(const std::string& file, const ZipDirectory& directory) {
  const ZipEntry* found = nullptr;
  for (const ZipEntry& entry : directory.entries()) {
    const std::size_t slash = entry.name.find('/');
    if (slash == std::string_view::npos || slash == 0 || entry.name.substr(slash) != kPickleName) {
      continue;
    }
    if (found != nullptr) {
      fail(ProblemKind::kMalformed, file, entry.data_offset, "one data.pkl",
           fmt::format("\"{}\" and \"{}\"", found->name, entry.name));
    }
    found = &entry;
  }
  if (found == nullptr) {
    fail(ProblemKind::kMalformed, file, 0, "an archive of torch.save, with a data.pkl in its folder",
         fmt::format("{} other entries", directory.entries().size()));
  }
  return *found;
}

std::string read_small_entry(const core::ByteSource& source, const ZipEntry& entry) {
  std::array<std::byte, 16> buffer{};
  const auto used =
      std::span(buffer).first(static_cast<std::size_t>(std::min<std::uint64_t>(entry.size, buffer.size())));
  source.read(entry.data_offset, used);
  std::string text;
  std::transform(used.begin(), used.end(), std::back_inserter(text),
                 [](std::byte byte) { return static_cast<char>(byte); });
  return text;
}

/// The entries beside the pickle that change how it is to be read.
void check_format(const core::ByteSource& source, const ZipDirectory& directory, const std::string& top) {
  if (const ZipEntry* order = directory.find(top + "/byteorder")) {
    if (const std::string text = read_small_entry(source, *order); text != "little") {
      fail(ProblemKind::kMalformed, source.name(), order->data_offset, "byte order \"little\"",
           fmt::format("\"{}\"", text));
    }
  }
  if (const ZipEntry* version = directory.find(top + "/version")) {
    std::string text = read_small_entry(source, *version);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
      text.pop_back();
    }
    const bool digits = !text.empty() && text.size() <= 2 &&
                        std::all_of(text.begin(), text.end(), [](char digit) { return digit >= '0' && digit <= '9'; });
    if (!digits || std::stoi(text) > kNewestFormat) {
      fail(ProblemKind::kMalformed, source.name(), version->data_offset,
           fmt::format("container format {} or older", kNewestFormat), fmt::format("\"{}\"", text));
    }
  }
}

void read_zip_container(const core::ByteSource& source, UnsafePolicy policy, PtFile& out) {
  const ZipDirectory directory = read_zip_directory(source);
  const ZipEntry& pickle = find_pickle(source.name(), directory);
  const std::string top(pickle.name.substr(0, pickle.name.size() - kPickleName.size()));
  check_format(source, directory, top);
  if (pickle.size > kMaxPickleBytes) {
    fail(ProblemKind::kLimit, source.name(), pickle.data_offset,
         fmt::format("a pickle of at most {} bytes", kMaxPickleBytes), fmt::format("{}", pickle.size));
  }
  check_crc(source, pickle);
  ZipStorages storages(out, source.name(), directory, top);
  PickleInput input(source, pickle.data_offset, pickle.data_offset + pickle.size);
  PickleContext context(out, source.name(), storages, policy, derived_budget(pickle.size));
  // A tensor takes about 60 bytes of pickle and 20 values; huge pickles are mostly text or numbers and may grow as they
  // go.
  out.values.reserve(std::min<std::uint64_t>(pickle.size / 3, 1U << 16U));
  out.tensors.reserve(directory.entries().size());
  out.opaques.reserve(directory.entries().size());
  out.storages.reserve(directory.entries().size());
  PickleMachine machine(input, context);
  out.root_id = machine.run();
  out.pickle_protocol = machine.protocol();
  if (input.left() != 0) {
    fail(ProblemKind::kMalformed, source.name(), input.position(), "the end of data.pkl after its pickle",
         fmt::format("{} more bytes", input.left()));
  }
  give_lone_storages_tensors(context);
}

/// With kReport, a file that is both unsafe and unreadable is above all unsafe.
void read_container(const core::ByteSource& source, UnsafePolicy policy, PtFile& out) {
  try {
    looks_like_zip(source) ? read_zip_container(source, policy, out) : read_legacy_container(source, policy, out);
  } catch (const core::ArtifactError& error) {
    if (out.unsafe_globals.empty()) {
      throw;
    }
    const UnsafeGlobal& unsafe = out.unsafe_globals.front();
    fail(ProblemKind::kUnsafe, source.name(), unsafe.offset, "data only",
         fmt::format("opcode {} naming {}, which would run code if Python loaded this file; beyond that the file can't "
                     "be read ({})",
                     unsafe.opcode, unsafe.global, error.problem().text()));
  }
}

}  // namespace

PtFile read_pt(const core::ByteSource& source, UnsafePolicy policy) {
  PtFile out;
  if (source.size() == 0) {
    fail(ProblemKind::kMalformed, source.name(), 0, "a file of torch.save", "an empty file");
  }
  read_container(source, policy, out);
  for (TensorRef& tensor : out.tensors) {
    tensor.data_offset = out.storages[tensor.storage].offset + tensor.storage_offset * bytes_per_element(tensor.dtype);
  }
  return out;
}

}  // namespace rlverify::tensor
