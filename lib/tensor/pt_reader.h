// SPDX-License-Identifier: Apache-2.0
// Reads a file of torch.save: the zip container and the one before PyTorch 1.6. The pickle inside is interpreted as
// data by a machine that calls nothing (tensor/pickle.h): tensors become references, unknown classes opaque objects,
// and code-running globals make the file unsafe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/byte_source.h"
#include "core/errors.h"
#include "core/value.h"
#include "tensor/tensor_ref.h"

namespace rlverify::tensor {

/// A pickled object of a class that we don't interpret. It can be shown, never called. kNoNode where a part is absent.
struct OpaqueObject {
  std::string module;
  std::string name;
  core::NodeId arguments = core::kNoNode;
  core::NodeId state = core::kNoNode;
};

/// Attributes that a pickle sets on an object which is a plain value here: `_metadata` of a state dict, attributes of a
/// tensor.
struct ObjectAttributes {
  core::NodeId object = core::kNoNode;
  core::NodeId state = core::kNoNode;
};

/// What would have run code if Python had loaded this file. Such a file is refused by everything but `inspect`.
struct UnsafeGlobal {
  std::string global;        ///< "posix.system"
  std::string opcode;        ///< "GLOBAL", "STACK_GLOBAL", "INST", ...
  std::uint64_t offset = 0;  ///< of the opcode in the file
};

enum class PtContainer { kZip, kLegacy };

struct PtFile {
  PtContainer container = PtContainer::kZip;
  int pickle_protocol = 2;
  core::ValueTable values;
  core::NodeId root_id = core::kNoNode;
  std::vector<TensorRef> tensors;  ///< index() of kTensor nodes
  std::vector<Storage> storages;
  std::vector<OpaqueObject> opaques;  ///< index() of kOpaque nodes
  std::vector<ObjectAttributes> attributes;
  std::vector<UnsafeGlobal> unsafe_globals;

  [[nodiscard]] core::Value root() const { return {values, root_id}; }
  /// The tensor of a kTensor value.
  [[nodiscard]] const TensorRef& tensor(core::Value value) const { return tensors[value.index()]; }
};

enum class UnsafePolicy {
  kRefuse,  ///< an unsafe global is an ArtifactError of kind kUnsafe that names it
  kReport,  ///< it becomes an opaque object and is listed in unsafe_globals
};

/// Reads container and pickle of `source`; tensor elements are not read. Throws ArtifactError for everything that can't
/// be read safely.
[[nodiscard]] PtFile read_pt(const core::ByteSource& source, UnsafePolicy policy = UnsafePolicy::kRefuse);

}  // namespace rlverify::tensor
