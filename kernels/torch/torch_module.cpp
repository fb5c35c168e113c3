// SPDX-License-Identifier: Apache-2.0
// The frameworks' own sequences of ATen operations, on the CPU or a GPU. What a framework does in eager PyTorch is done
// here with the same operations in the same order; the all-reduce alone is simulated, as in the other backends.
#include "torch_module.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <torch/version.h>

#include <chrono>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "contracts/collective.h"

namespace {

using rlverify::kernels::collective_sum;
using rlverify::kernels::CollectiveOrder;
using rlverify::kernels::CollectiveSetting;
using rlverify::kernels::StorageType;

at::ScalarType scalar_type(std::int32_t storage) {
  switch (static_cast<StorageType>(storage)) {
    case StorageType::kFloat32:
      return at::kFloat;
    case StorageType::kBFloat16:
      return at::kBFloat16;
    case StorageType::kFloat16:
      return at::kHalf;
  }
  throw std::invalid_argument("unknown storage type");
}

at::Device device_of(std::int32_t device) {
  return device < 0 ? at::Device(at::kCPU) : at::Device(at::kCUDA, static_cast<at::DeviceIndex>(device));
}

/// The request's logits, [rows, padded vocabulary], without a copy on the CPU.
at::Tensor logits_of(const RlverifyTorchRequest& request) {
  return at::from_blob(const_cast<void*>(request.logits), {request.rows, request.padded_vocab}, {request.row_stride, 1},
                       at::TensorOptions().dtype(scalar_type(request.storage)))
      .to(device_of(request.device));
}

/// Target ids with everything outside [0, limit) replaced by 0, and a mask of the valid ones.
struct Targets {
  at::Tensor ids;
  at::Tensor valid;
};
Targets targets_of(const RlverifyTorchRequest& request, std::int64_t limit) {
  const at::Tensor ids =
      at::from_blob(const_cast<std::int64_t*>(request.targets), {request.rows}, at::TensorOptions().dtype(at::kLong))
          .to(device_of(request.device));
  const at::Tensor valid = ids.ge(0).logical_and(ids.lt(limit));
  return {at::where(valid, ids, at::zeros_like(ids)), valid};
}

at::Tensor gather(const at::Tensor& values, const at::Tensor& ids) {
  return values.gather(-1, ids.unsqueeze(-1)).squeeze(-1);
}

at::Tensor nan_where_invalid(const at::Tensor& logp, const at::Tensor& valid) {
  return at::where(valid, logp, at::full_like(logp, std::numeric_limits<double>::quiet_NaN()));
}

/// fp64 log_softmax over the real vocabulary.
at::Tensor fp64(const RlverifyTorchRequest& request) {
  const Targets targets = targets_of(request, request.real_vocab);
  at::Tensor z = logits_of(request).narrow(1, 0, request.real_vocab).to(at::kDouble);
  if (request.temperature != 1.0)
    z = z.div(request.temperature);
  return nan_where_invalid(gather(at::log_softmax(z, -1), targets.ids), targets.valid);
}

/// vLLM's sampler: slice, to(float32), division by a tensor, log_softmax, gather.
at::Tensor vllm_gather(const RlverifyTorchRequest& request) {
  const Targets targets = targets_of(request, request.real_vocab);
  at::Tensor z = logits_of(request).narrow(1, 0, request.real_vocab).to(at::kFloat);
  const double temperature = request.temperature < 1e-5 ? 1.0 : request.temperature;
  if (temperature != 1.0)
    z = z.div(at::full({request.rows, 1}, temperature, z.options()));
  return nan_where_invalid(gather(at::log_softmax(z, -1), targets.ids), targets.valid);
}

/// RL-Kernel's pure PyTorch reference with 64 tiles.
at::Tensor rl_kernel_ws2(const RlverifyTorchRequest& request) {
  constexpr std::int64_t kTiles = 64;
  if (request.padded_vocab % kTiles != 0)
    throw std::invalid_argument("64 tiles do not divide the padded vocabulary");
  const Targets targets = targets_of(request, request.real_vocab);
  at::Tensor z = logits_of(request).to(at::kFloat).clone();
  if (request.temperature != 1.0)
    z = z.div(request.temperature);
  z.narrow(1, request.real_vocab, request.padded_vocab - request.real_vocab)
      .fill_(-std::numeric_limits<float>::infinity());
  std::vector<at::Tensor> maxima;
  std::vector<at::Tensor> sums;
  for (const at::Tensor& tile : z.chunk(kTiles, -1)) {
    const at::Tensor max = tile.amax(-1);
    const at::Tensor finite = at::isfinite(max);
    const at::Tensor shift = at::where(finite, max, at::zeros_like(max));
    const at::Tensor sum = at::exp(tile - shift.unsqueeze(-1)).sum(-1);
    maxima.push_back(max);
    sums.push_back(sum);
  }
  const at::Tensor all_maxima = at::stack(maxima, -1);
  const at::Tensor max = all_maxima.amax(-1);
  const at::Tensor terms = at::stack(sums, -1) * at::exp(all_maxima - max.unsqueeze(-1));
  const at::Tensor lse = max + at::log(terms.sum(-1));
  return nan_where_invalid(gather(z, targets.ids) - lse, targets.valid);
}

/// Megatron's and slime's eager path up to the two all-reduced numbers: the predicted z - M and S.
struct ShardSums {
  at::Tensor predicted;
  at::Tensor sum;
};
ShardSums shard_sums(const RlverifyTorchRequest& request) {
  const Targets targets = targets_of(request, request.padded_vocab);
  at::Tensor z = logits_of(request).to(at::kFloat).clone();
  if (request.temperature != 1.0)
    z = z.div(request.temperature);
  const std::int64_t shard = request.padded_vocab / request.ranks;
  std::vector<at::Tensor> maxima;
  for (const at::Tensor& local : z.split(shard, -1))
    maxima.push_back(std::get<0>(local.max(-1)));
  const at::Tensor max = at::stack(maxima).amax(0);
  z.sub_(max.unsqueeze(-1));
  const at::Tensor predicted = at::where(targets.valid, gather(z, targets.ids), at::zeros({request.rows}, z.options()));
  std::vector<at::Tensor> sums;
  for (const at::Tensor& local : z.split(shard, -1))
    sums.push_back(at::exp(local).sum(-1));
  const at::Tensor all = at::stack(sums, -1).cpu().contiguous();
  at::Tensor reduced = at::empty({request.rows}, at::kFloat);
  const CollectiveSetting setting{static_cast<CollectiveOrder>(request.collective), request.max_channels};
  for (std::int64_t row = 0; row < request.rows; ++row) {
    reduced.data_ptr<float>()[row] = collective_sum(all.data_ptr<float>() + row * request.ranks, request.ranks, setting,
                                                    request.first_batch_row + row, request.batch_rows);
  }
  return {predicted, reduced.to(predicted.device())};
}

at::Tensor compute(const RlverifyTorchRequest& request) {
  const std::string name = request.contract;
  if (name == "fp64")
    return fp64(request);
  if (name == "vllm_gather")
    return vllm_gather(request);
  if (name == "rl_kernel_ws2")
    return rl_kernel_ws2(request);
  if (name == "megatron_ce") {
    const ShardSums sums = shard_sums(request);
    return (at::log(sums.sum) - sums.predicted).neg();
  }
  if (name == "vime_default") {
    const ShardSums sums = shard_sums(request);
    return sums.predicted - at::log(sums.sum);
  }
  throw std::invalid_argument("no ATen sequence for " + name);
}

/// Copies the result out, every NaN as the canonical one.
void write(const at::Tensor& logp, const RlverifyTorchRequest& request) {
  const at::Tensor wide = logp.to(at::kDouble).cpu().contiguous();
  const at::Tensor narrow = logp.to(at::kFloat).cpu().contiguous();
  for (std::int64_t row = 0; row < request.rows; ++row) {
    if (request.logp != nullptr)
      request.logp[row] = rlverify::kernels::canonical(narrow.data_ptr<float>()[row]);
    if (request.logp_fp64 != nullptr)
      request.logp_fp64[row] = rlverify::kernels::canonical(wide.data_ptr<double>()[row]);
  }
}

at::Tensor operation(const std::string& name, const at::Tensor& in, float scalar) {
  if (name == "exp")
    return at::exp(in);
  if (name == "log")
    return at::log(in);
  if (name == "divide_by_tensor")
    return in.div(at::full({1}, scalar, in.options()));
  if (name == "divide_by_scalar")
    return in.div(at::Scalar(static_cast<double>(scalar)));
  if (name == "sum")
    return in.sum(-1);
  if (name == "max")
    return std::get<0>(in.max(-1));
  if (name == "log_softmax")
    return at::log_softmax(in, -1);
  throw std::invalid_argument("no operation " + name);
}

int failed(const std::exception& error, char* message, std::int64_t message_bytes) {
  std::strncpy(message, error.what(), static_cast<std::size_t>(message_bytes) - 1);
  message[message_bytes - 1] = '\0';
  return 1;
}

}  // namespace

#define RLVERIFY_EXPORT extern "C" __attribute__((visibility("default")))

RLVERIFY_EXPORT int rlverify_torch_interface_version(void) {
  return kTorchModuleVersion;
}

RLVERIFY_EXPORT const char* rlverify_torch_name(void) {
  static const std::string name = "libtorch " + std::to_string(TORCH_VERSION_MAJOR) + "." +
                                  std::to_string(TORCH_VERSION_MINOR) + "." + std::to_string(TORCH_VERSION_PATCH);
  return name.c_str();
}

RLVERIFY_EXPORT int rlverify_torch_run(RlverifyTorchRequest* request, char* message, std::int64_t message_bytes) {
  try {
    const c10::NoGradGuard no_gradients;
    if (request->threads > 0)
      at::set_num_threads(request->threads);
    const auto start = std::chrono::steady_clock::now();
    const at::Tensor logp = compute(*request);
    request->microseconds = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    write(logp, *request);
    return 0;
  } catch (const std::exception& error) {
    return failed(error, message, message_bytes);
  }
}

RLVERIFY_EXPORT const char* rlverify_torch_gpu_reason(std::int32_t device) {
  if (!at::hasCUDA())
    return "this libtorch has no CUDA, or finds no GPU";
  return device < 0 || device >= static_cast<std::int32_t>(at::getNumGPUs()) ? "libtorch finds no such GPU" : "";
}

RLVERIFY_EXPORT int rlverify_torch_op(const char* name, std::int32_t device, const float* in, std::int64_t rows,
                                      std::int64_t columns, float scalar, float* out, char* message,
                                      std::int64_t message_bytes) {
  try {
    const c10::NoGradGuard no_gradients;
    const at::Tensor input =
        at::from_blob(const_cast<float*>(in), {rows, columns}, at::TensorOptions().dtype(at::kFloat))
            .to(device_of(device));
    const at::Tensor result = operation(name, input, scalar).cpu().contiguous();
    std::memcpy(out, result.data_ptr<float>(), static_cast<std::size_t>(result.numel()) * sizeof(float));
    return 0;
  } catch (const std::exception& error) {
    return failed(error, message, message_bytes);
  }
}
