// SPDX-License-Identifier: Apache-2.0
// What the parts of the pickle machine share: the file that is being built, what nodes stand for beyond their value,
// the place for messages, and the budget for data that the pickle makes without having it (a memoised text decoded a
// thousand times).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/value.h"
#include "tensor/pickle_globals.h"
#include "tensor/pt_reader.h"

namespace rlverify::tensor {

inline constexpr std::uint32_t kNoStorage = 0xFFFFFFFFU;

/// What a persistent id asks for. A view (legacy container only) is a part of the storage under a key of its own, in
/// elements.
struct StorageRequest {
  struct View {
    std::string key;
    std::uint64_t first_element = 0;
    std::uint64_t elements = 0;
  };
  std::string key;
  DType dtype = DType::kUint8;
  std::uint64_t elements = 0;
  std::optional<View> view;
  std::uint64_t place = 0;  ///< offset in the file, for messages
};

/// The container's part: finds storages by key and adds them to PtFile::storages.
class StorageProvider {
 public:
  StorageProvider() = default;
  StorageProvider(const StorageProvider&) = delete;
  StorageProvider& operator=(const StorageProvider&) = delete;
  virtual ~StorageProvider() = default;
  /// Position in PtFile::storages; the same for the same key. Throws ArtifactError where the file has no such storage.
  [[nodiscard]] virtual std::uint32_t provide(const StorageRequest& request) = 0;
};

/// What a pickle of so many bytes may make beyond what it holds, in units of about a byte.
[[nodiscard]] constexpr std::uint64_t derived_budget(std::uint64_t pickle_bytes) {
  return 8 * pickle_bytes + (1U << 18U);
}

struct PickleContext {
  /// `budget` bounds the derived data, in elements or bytes.
  PickleContext(PtFile& out_file, std::string file_name, StorageProvider& storage_provider, UnsafePolicy unsafe_policy,
                std::uint64_t budget)
      : out(out_file),
        file(std::move(file_name)),
        storages(storage_provider),
        policy(unsafe_policy),
        budget_left(budget) {}

  PtFile& out;
  std::string file;
  StorageProvider& storages;
  UnsafePolicy policy;
  std::uint64_t budget_left;
  std::uint64_t offset = 0;                              ///< of the opcode at work
  std::vector<std::pair<core::NodeId, Global>> globals;  ///< nodes that are classes or functions, ascending
  std::vector<std::uint32_t> storage_of_opaque;  ///< by position in PtFile::opaques: the storage that the object is, or
                                                 ///< kNoStorage; may be shorter
  std::vector<core::NodeId> node_of_storage;     ///< the other way round
  std::vector<bool> storage_has_tensor;

  [[nodiscard]] core::Value value(core::NodeId id) const { return {out.values, id}; }
  [[nodiscard]] std::uint32_t place() const {
    return offset > 0xFFFFFFFEU ? 0xFFFFFFFFU : static_cast<std::uint32_t>(offset);
  }
  [[nodiscard]] const Global* global_of(core::NodeId id) const;
  /// The storage that a value is, or kNoStorage.
  [[nodiscard]] std::uint32_t storage_of(core::Value value) const {
    const bool known = value.is(core::Kind::kOpaque) && value.index() < storage_of_opaque.size();
    return known ? storage_of_opaque[value.index()] : kNoStorage;
  }
  [[noreturn]] void malformed(std::string expected, std::string found) const;
  /// Takes `amount` from the budget; throws kLimit when it is spent.
  void spend(std::uint64_t amount);
  core::NodeId add_opaque(std::string module, std::string name, core::NodeId arguments,
                          core::NodeId state = core::kNoNode);
  void add_attributes(core::NodeId object, core::NodeId state) { out.attributes.push_back({object, state}); }
};

/// "a list", "an int" ... for messages.
[[nodiscard]] std::string_view kind_name(core::Kind kind);

}  // namespace rlverify::tensor
