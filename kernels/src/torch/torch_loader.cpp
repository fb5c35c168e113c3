// SPDX-License-Identifier: Apache-2.0
// dlopen of the torch module, from the one folder it is installed to (../lib/rlverify beside the program's own folder)
// and nowhere else: no search path, no environment variable decides what code is run.
#include "torch/torch_loader.h"

#include <dlfcn.h>

#include <array>
#include <filesystem>
#include <string>
#include <system_error>

#include "../torch/torch_module.h"
#include "rlverify_kernels/native.h"

namespace rlverify::kernels {

namespace {

struct Module {
  decltype(&rlverify_torch_run) run = nullptr;
  decltype(&rlverify_torch_op) op = nullptr;
  decltype(&rlverify_torch_gpu_reason) gpu_reason = nullptr;
  std::string name;
  std::string reason;
};

std::string module_path() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error)
    return {};
  return (program.parent_path().parent_path() / "lib" / "rlverify" / "rlverify_torch.so").string();
}

template <class Function>
Function symbol(void* handle, const char* name) {
  return reinterpret_cast<Function>(dlsym(handle, name));
}

Module load() {
  Module module;
  const std::string path = module_path();
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) {
    module.reason = "the torch module is not installed (" + path + ")";
    return module;
  }
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    module.reason = std::string("the torch module can't be loaded: ") + (why != nullptr ? why : path.c_str());
    return module;
  }
  const auto version = symbol<decltype(&rlverify_torch_interface_version)>(handle, "rlverify_torch_interface_version");
  const auto name = symbol<decltype(&rlverify_torch_name)>(handle, "rlverify_torch_name");
  const auto run = symbol<decltype(&rlverify_torch_run)>(handle, "rlverify_torch_run");
  const auto op = symbol<decltype(&rlverify_torch_op)>(handle, "rlverify_torch_op");
  const auto gpu_reason = symbol<decltype(&rlverify_torch_gpu_reason)>(handle, "rlverify_torch_gpu_reason");
  const bool complete =
      version != nullptr && name != nullptr && run != nullptr && op != nullptr && gpu_reason != nullptr;
  if (!complete || version() != kTorchModuleVersion) {
    module.reason = "the torch module has another interface than this program: " + path;
    return module;
  }
  module.run = run;
  module.op = op;
  module.gpu_reason = gpu_reason;
  module.name = name();
  return module;
}

const Module& loaded_module() {
  static const Module module = load();
  return module;
}

}  // namespace

double run_on_torch(const Contract& contract, const LogpInput& input, const void* logits, StorageType storage,
                    const Execution& execution, const LogpOutput& output) {
  const Module& module = loaded_module();
  if (module.run == nullptr)
    throw KernelError(ErrorKind::kNoDevice, module.reason);
  const std::string name(contract.name);
  RlverifyTorchRequest request{};
  request.contract = name.c_str();
  request.logits = logits;
  request.storage = static_cast<std::int32_t>(storage);
  request.rows = input.rows;
  request.row_stride = input.logits_row_stride == 0 ? input.padded_vocab_size : input.logits_row_stride;
  request.real_vocab = input.real_vocab_size;
  request.padded_vocab = input.padded_vocab_size;
  request.temperature = input.temperature;
  request.targets = input.targets;
  request.ranks = input.tensor_parallel_size;
  request.collective = static_cast<std::int32_t>(input.collective.order);
  request.max_channels = input.collective.max_channels;
  request.batch_rows = input.batch_rows == 0 ? input.rows : input.batch_rows;
  request.first_batch_row = input.first_batch_row;
  request.threads = execution.threads;
  request.device = execution.native ? execution.device : -1;
  request.logp = output.logp;
  request.logp_fp64 = output.logp_fp64;
  std::array<char, 1024> message{};
  if (module.run(&request, message.data(), static_cast<std::int64_t>(message.size())) != 0) {
    throw KernelError(ErrorKind::kDevice, std::string("torch: ") + message.data());
  }
  return request.microseconds;
}

void run_aten_op(NativeOp op, const float* in, std::int64_t rows, std::int64_t columns, float scalar, int device,
                 float* out) {
  const Module& module = loaded_module();
  if (module.op == nullptr)
    throw KernelError(ErrorKind::kNoDevice, module.reason);
  const char* name = native_ops()[static_cast<std::size_t>(op)].name;
  std::array<char, 1024> message{};
  if (module.op(name, device, in, rows, columns, scalar, out, message.data(),
                static_cast<std::int64_t>(message.size())) != 0) {
    throw KernelError(ErrorKind::kDevice, std::string("torch: ") + message.data());
  }
}

std::string aten_name() {
  return loaded_module().name;
}

std::string aten_gpu_reason(int device) {
  const Module& module = loaded_module();
  return module.gpu_reason == nullptr ? module.reason : std::string(module.gpu_reason(device));
}

BackendStatus torch_status() {
  const Module& module = loaded_module();
  return {module.run != nullptr, module.name.empty() ? "" : module.name + " on the CPU", module.reason};
}

std::string torch_unsupported_reason(ContractId id) {
  const char* kind = nullptr;
  switch (id) {
    case ContractId::kFp64:
    case ContractId::kRlKernelWs2:
    case ContractId::kVllmGather:
    case ContractId::kMegatronCe:
    case ContractId::kVimeDefault:
      return {};
    case ContractId::kRlKernelStrictTp:
      kind = "is a CUDA kernel of RL-Kernel";
      break;
    case ContractId::kMilesFused:
    case ContractId::kMegatronCeFused:
      kind = "is compiled by Inductor";
      break;
    case ContractId::kVerlFused:
    case ContractId::kVerlFusedPhantom:
    case ContractId::kVllmBatchInvariant:
      kind = "is a Triton kernel";
      break;
    case ContractId::kRlKernelStrictSingle:
    case ContractId::kRlKernelStrictTopP:
    case ContractId::kRlKernelSparseNucleus:
    case ContractId::kRlKernelWs2F32:
    case ContractId::kRlKernelWs2Bits16:
    case ContractId::kRlKernelWs2Rocm:
      kind = "is a kernel of RL-Kernel";
      break;
  }
  return std::string(contract(id).name) + ' ' + kind + ", not a sequence of ATen operations";
}

}  // namespace rlverify::kernels
