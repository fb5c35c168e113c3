// SPDX-License-Identifier: Apache-2.0
// Lists, looked through in order; a file names a handful of globals, so nothing faster is needed.
#include "tensor/pickle_globals.h"

#include <algorithm>
#include <array>

#include "tensor/dtype.h"

namespace rlverify::tensor {
namespace {

struct Known {
  std::string_view module;
  std::string_view name;
  GlobalKind kind;
};

// bytes is in neither of the design's lists by name: Python writes builtins.bytes for b"" below protocol 3, so
// torch.save does too.
constexpr std::array kKnown{
    Known{"torch._utils", "_rebuild_tensor_v2", GlobalKind::kRebuildTensorV2},
    Known{"torch._utils", "_rebuild_tensor", GlobalKind::kRebuildTensor},
    Known{"torch._utils", "_rebuild_tensor_v3", GlobalKind::kRebuildTensorV3},
    Known{"torch._utils", "_rebuild_parameter", GlobalKind::kRebuildParameter},
    Known{"torch._utils", "_rebuild_parameter_with_state", GlobalKind::kRebuildParameterWithState},
    Known{"torch._tensor", "_rebuild_from_type_v2", GlobalKind::kRebuildFromType},
    Known{"torch.jit._pickle", "restore_type_tag", GlobalKind::kTypeTag},
    Known{"torch.jit._pickle", "build_intlist", GlobalKind::kTypeTag},
    Known{"torch.jit._pickle", "build_tensorlist", GlobalKind::kTypeTag},
    Known{"torch.jit._pickle", "build_doublelist", GlobalKind::kTypeTag},
    Known{"torch.jit._pickle", "build_boollist", GlobalKind::kTypeTag},
    Known{"torch", "Size", GlobalKind::kTorchSize},
    Known{"torch", "device", GlobalKind::kTorchDevice},
    Known{"torch.serialization", "_get_layout", GlobalKind::kTorchLayout},
    Known{"collections", "OrderedDict", GlobalKind::kOrderedDict},
    Known{"builtins", "set", GlobalKind::kSet},
    Known{"builtins", "frozenset", GlobalKind::kFrozenSet},
    Known{"builtins", "complex", GlobalKind::kComplex},
    Known{"builtins", "bytes", GlobalKind::kBytes},
    Known{"builtins", "bytearray", GlobalKind::kByteArray},
    Known{"builtins", "slice", GlobalKind::kOther},
    Known{"builtins", "range", GlobalKind::kOther},
    Known{"builtins", "xrange", GlobalKind::kOther},  // Python 2's name of range, which protocols below 3 write
    Known{"builtins", "object", GlobalKind::kOther},
    Known{"_codecs", "encode", GlobalKind::kCodecsEncode},
    Known{"copyreg", "_reconstructor", GlobalKind::kReconstructor},
    Known{"copy_reg", "_reconstructor", GlobalKind::kReconstructor},
    Known{"numpy.core.multiarray", "scalar", GlobalKind::kNumpyScalar},
    Known{"numpy._core.multiarray", "scalar", GlobalKind::kNumpyScalar},
    Known{"numpy.core.multiarray", "_reconstruct", GlobalKind::kNumpyReconstruct},
    Known{"numpy._core.multiarray", "_reconstruct", GlobalKind::kNumpyReconstruct},
    Known{"numpy.core.numeric", "_frombuffer", GlobalKind::kNumpyFrombuffer},
    Known{"numpy._core.numeric", "_frombuffer", GlobalKind::kNumpyFrombuffer},
    Known{"numpy", "ndarray", GlobalKind::kNumpyNdarray},
    Known{"numpy", "dtype", GlobalKind::kNumpyDtype},
};

// The modules of the design and the other names under which Python has them.
constexpr std::array<std::string_view, 23> kUnsafeModules{"os",
                                                          "posix",
                                                          "nt",
                                                          "subprocess",
                                                          "_posixsubprocess",
                                                          "sys",
                                                          "builtins",
                                                          "__builtin__",
                                                          "__builtins__",
                                                          "importlib",
                                                          "_frozen_importlib",
                                                          "_frozen_importlib_external",
                                                          "imp",
                                                          "_imp",
                                                          "runpy",
                                                          "socket",
                                                          "_socket",
                                                          "shutil",
                                                          "ctypes",
                                                          "_ctypes",
                                                          "pickle",
                                                          "_pickle",
                                                          "cPickle"};

bool is_unsafe_module(std::string_view module) {
  return std::find(kUnsafeModules.begin(), kUnsafeModules.end(), module) != kUnsafeModules.end();
}

std::string_view first_component(std::string_view dotted) {
  return dotted.substr(0, dotted.find('.'));
}

/// Protocol 4 resolves dotted names attribute by attribute: "torch" with "os.system" is os.system.
bool reaches_unsafe_module(std::string_view name) {
  if (name.find('.') == std::string_view::npos) {
    return false;
  }
  for (std::string_view rest = name; !rest.empty();) {
    const std::string_view component = first_component(rest);
    if (is_unsafe_module(component)) {
      return true;
    }
    rest.remove_prefix(std::min(rest.size(), component.size() + 1));
  }
  return false;
}

}  // namespace

GlobalKind classify_global(std::string_view module, std::string_view name) {
  const bool is_builtin = module == "builtins" || module == "__builtin__";
  const std::string_view canonical_module = is_builtin ? std::string_view("builtins") : module;
  for (const Known& known : kKnown) {
    if (known.name == name && known.module == canonical_module) {
      return known.kind;
    }
  }
  if (is_unsafe_module(first_component(module)) || reaches_unsafe_module(name)) {
    return GlobalKind::kUnsafe;
  }
  if (module == "torch" && dtype_from_torch_name(name)) {
    return GlobalKind::kDtype;
  }
  return GlobalKind::kOther;
}

}  // namespace rlverify::tensor
