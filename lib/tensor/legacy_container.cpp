// SPDX-License-Identifier: Apache-2.0
// The payload comes before the storages and says how large they are: tensors are checked against those sizes first, and
// the sizes against the file after.
#include "tensor/legacy_container.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tensor/fail.h"
#include "tensor/pickle.h"
#include "tensor/torch_objects.h"

namespace rlverify::tensor {
namespace {

using core::Kind;
using core::ProblemKind;
using core::Value;

constexpr std::string_view kMagicDigits = "119547037146038801333356";  // 0x1950a86a20f9469cfc6c
constexpr std::int64_t kLegacyProtocol = 1001;
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 56;

/// Hands out storages whose place in the file isn't known yet.
class LegacyStorages final : public StorageProvider {
 public:
  explicit LegacyStorages(PtFile& out, std::string file) : out_(out), file_(std::move(file)) {}

  [[nodiscard]] std::uint32_t provide(const StorageRequest& request) override {
    const std::uint64_t element_bytes = bytes_per_element(request.dtype);
    if (request.elements > kMaxElements) {
      fail(ProblemKind::kLimit, file_, request.place, fmt::format("a storage of at most {} elements", kMaxElements),
           fmt::format("{}", request.elements));
    }
    const auto [root_at, is_new] = roots_.emplace(request.key, Root{request.dtype, request.elements, false});
    const Root& root = root_at->second;
    if (!is_new && (root.dtype != request.dtype || root.elements != request.elements)) {
      fail(ProblemKind::kMalformed, file_, request.place,
           fmt::format("storage \"{}\" with one type and size", request.key), "it again with others");
    }
    std::pair<std::string, std::string> name{request.key, ""};
    Part part{0, 0};
    std::uint64_t elements = request.elements;
    if (request.view) {
      if (request.view->first_element > elements || request.view->elements > elements - request.view->first_element) {
        fail(ProblemKind::kMalformed, file_, request.place,
             fmt::format("a view inside the {} elements of storage \"{}\"", elements, request.key),
             fmt::format("{} elements from {} on", request.view->elements, request.view->first_element));
      }
      name.second = request.view->key;
      part.first_byte = request.view->first_element * element_bytes;
      elements = request.view->elements;
    }
    const auto [known, is_new_part] = parts_.emplace(std::move(name), part);
    if (!is_new_part) {
      const Storage& storage = out_.storages[known->second.storage];
      if (known->second.first_byte != part.first_byte || storage.bytes != elements * element_bytes) {
        fail(ProblemKind::kMalformed, file_, request.place,
             fmt::format("view \"{}\" with one place and size", storage.key), "it again with others");
      }
      return known->second.storage;
    }
    known->second.storage = static_cast<std::uint32_t>(out_.storages.size());
    // Keys of views are bare numbers that say nothing of the storage they share: name the part instead.
    std::string shown_key = request.view ? fmt::format("{}[{}:{}]", request.key, request.view->first_element,
                                                       request.view->first_element + elements)
                                         : request.key;
    out_.storages.push_back({std::move(shown_key), 0, elements * element_bytes, request.dtype});
    return known->second.storage;
  }

  /// Size in bytes that the payload gave the storage `key`; refuses keys that it doesn't know or that came before.
  std::uint64_t place_root(const std::string& key, std::uint64_t offset, std::uint64_t elements) {
    const auto found = roots_.find(key);
    if (found == roots_.end() || found->second.placed) {
      fail(ProblemKind::kMalformed, file_, offset, "the key of a storage that the payload names, once",
           fmt::format("\"{}\"", key));
    }
    if (found->second.elements != elements) {
      fail(ProblemKind::kMalformed, file_, offset,
           fmt::format("{} elements in storage \"{}\"", found->second.elements, key), fmt::format("{}", elements));
    }
    found->second.placed = true;
    found->second.offset = offset + 8;
    return elements * bytes_per_element(found->second.dtype);
  }

  /// Gives every storage its offset; refuses a payload that names a storage which the file doesn't hold (PyTorch would
  /// leave it uninitialised).
  void finish(std::uint64_t end) {
    for (const auto& [name, part] : parts_) {
      const Root& root = roots_.at(name.first);
      if (!root.placed) {
        fail(ProblemKind::kMalformed, file_, end, fmt::format("the bytes of storage \"{}\"", name.first),
             "no such key in the list of storages");
      }
      out_.storages[part.storage].offset = root.offset + part.first_byte;
    }
  }

 private:
  struct Root {
    DType dtype;
    std::uint64_t elements;
    bool placed;
    std::uint64_t offset = 0;
  };
  struct Part {
    std::uint64_t first_byte;
    std::uint32_t storage;
  };
  PtFile& out_;
  std::string file_;
  std::map<std::string, Root> roots_;
  std::map<std::pair<std::string, std::string>, Part> parts_;  // by storage key and view key
};

/// Refuses persistent ids where none belong.
class NoStorages final : public StorageProvider {
 public:
  explicit NoStorages(std::string file) : file_(std::move(file)) {}
  [[nodiscard]] std::uint32_t provide(const StorageRequest& request) override {
    fail(ProblemKind::kMalformed, file_, request.place, "storages in the payload only",
         fmt::format("storage \"{}\" in another pickle", request.key));
  }

 private:
  std::string file_;
};

/// Reads one pickle that isn't the payload; its unsafe globals are added to those of `out`.
PtFile read_side_pickle(PickleInput& input, UnsafePolicy policy, PtFile& out) {
  PtFile side;
  NoStorages none(input.file());
  PickleContext context(side, input.file(), none, policy, derived_budget(input.left()));
  try {
    side.root_id = PickleMachine(input, context).run();
  } catch (const core::ArtifactError&) {
    out.unsafe_globals.insert(out.unsafe_globals.end(), side.unsafe_globals.begin(), side.unsafe_globals.end());
    throw;
  }
  out.unsafe_globals.insert(out.unsafe_globals.end(), side.unsafe_globals.begin(), side.unsafe_globals.end());
  return side;
}

/// The first pickle is the magic number; what can't even be read as a pickle is no file of torch.save.
void check_magic(PickleInput& input, UnsafePolicy policy, PtFile& out) {
  constexpr std::string_view kExpected =
      "a file of torch.save: a zip archive, or the magic number of PyTorch before 1.6";
  PtFile magic;
  try {
    magic = read_side_pickle(input, policy, out);
  } catch (const core::ArtifactError& error) {
    if (error.problem().kind != ProblemKind::kMalformed) {
      throw;
    }
    fail(ProblemKind::kMalformed, input.file(), 0, std::string(kExpected),
         fmt::format("neither (as a pickle, expected {}, found {})", error.problem().expected, error.problem().found));
  }
  if (!magic.root().is(Kind::kBigInteger) || magic.root().text() != kMagicDigits) {
    fail(ProblemKind::kMalformed, input.file(), 0, std::string(kExpected), "a pickle of something else");
  }
}

void check_preamble(PickleInput& input, UnsafePolicy policy, PtFile& out) {
  check_magic(input, policy, out);
  const std::uint64_t protocol_offset = input.position();
  const PtFile protocol = read_side_pickle(input, policy, out);
  if (!protocol.root().is_integer() || protocol.root().integer() != kLegacyProtocol) {
    fail(ProblemKind::kMalformed, input.file(), protocol_offset, "container protocol 1001", "another one");
  }
  const std::uint64_t system_offset = input.position();
  const PtFile system = read_side_pickle(input, policy, out);
  if (!system.root().is_dict() || !system.root().get("little_endian").is_true()) {
    fail(ProblemKind::kMalformed, input.file(), system_offset, "system info of a little-endian machine",
         "none, or a big-endian one");
  }
}

void place_storages(const core::ByteSource& source, PickleInput& input, Value keys, LegacyStorages& storages) {
  std::uint64_t offset = input.position();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string key(keys.at(i).text());
    if (!keys.at(i).is_string() || source.size() - offset < 8) {
      fail(ProblemKind::kMalformed, source.name(), offset, fmt::format("the size of storage \"{}\"", key),
           "the end of the file");
    }
    std::array<std::byte, 8> size_bytes{};
    source.read(offset, size_bytes);
    std::uint64_t elements = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) {
      elements |= static_cast<std::uint64_t>(size_bytes[byte]) << (8 * byte);
    }
    const std::uint64_t bytes = storages.place_root(key, offset, elements);
    offset += 8;
    if (bytes > source.size() - offset) {
      fail(ProblemKind::kMalformed, source.name(), offset, fmt::format("the {} bytes of storage \"{}\"", bytes, key),
           fmt::format("the end of the file after {}", source.size() - offset));
    }
    offset += bytes;
  }
  if (offset != source.size()) {
    fail(ProblemKind::kMalformed, source.name(), offset, "the end of the file after the last storage",
         fmt::format("{} more bytes", source.size() - offset));
  }
  storages.finish(offset);
}

}  // namespace

void read_legacy_container(const core::ByteSource& source, UnsafePolicy policy, PtFile& out) {
  out.container = PtContainer::kLegacy;
  PickleInput input(source, 0, source.size());
  check_preamble(input, policy, out);
  LegacyStorages storages(out, source.name());
  PickleContext context(out, source.name(), storages, policy, derived_budget(source.size()));
  PickleMachine machine(input, context);
  out.root_id = machine.run();
  out.pickle_protocol = machine.protocol();
  const std::uint64_t keys_offset = input.position();
  const PtFile keys = read_side_pickle(input, policy, out);
  if (!keys.root().is_list()) {
    fail(ProblemKind::kMalformed, source.name(), keys_offset, "the list of storage keys", "another value");
  }
  place_storages(source, input, keys.root(), storages);
  give_lone_storages_tensors(context);
}

}  // namespace rlverify::tensor
