// SPDX-License-Identifier: Apache-2.0
// What a name in a pickle means to this reader. Nothing is ever imported or called: a name either stands for a
// construction that the reader carries out itself, or is harmless to show, or would run code of the operating system or
// interpreter under Python ("unsafe").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/dtype.h"

namespace rlverify::tensor {

enum class GlobalKind : std::uint8_t {
  kOther,  ///< becomes an opaque object
  kUnsafe,
  kDtype,
  kRebuildTensor,
  kRebuildTensorV2,
  kRebuildTensorV3,
  kRebuildParameter,
  kRebuildParameterWithState,
  kRebuildFromType,
  kTypeTag,  ///< libtorch's notes on the type of a list or dict: the value is the first argument
  kTorchSize,
  kTorchDevice,
  kTorchLayout,
  kOrderedDict,
  kSet,
  kFrozenSet,
  kComplex,
  kBytes,
  kByteArray,
  kCodecsEncode,
  kReconstructor,
  kNumpyScalar,
  kNumpyReconstruct,
  kNumpyFrombuffer,
  kNumpyNdarray,
  kNumpyDtype,
};

/// A class or function that a pickle names.
struct Global {
  std::string module;
  std::string name;
  GlobalKind kind = GlobalKind::kOther;
  std::optional<DType> storage_dtype = std::nullopt;  ///< of PyTorch's storage classes

  [[nodiscard]] std::string full_name() const { return module + "." + name; }
};

/// Decides by the lists of DESIGN.md ("Limits on untrusted input"): globals of os, posix, nt, subprocess, sys, builtins
/// (other than a few harmless types), importlib, runpy, socket, shutil, ctypes and pickle are unsafe, also under their
/// other module names and as attributes of other modules.
[[nodiscard]] GlobalKind classify_global(std::string_view module, std::string_view name);

}  // namespace rlverify::tensor
