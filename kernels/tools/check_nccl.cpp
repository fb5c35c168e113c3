// SPDX-License-Identifier: Apache-2.0
// All-reduces of the sums of exponentials that Megatron and slime reduce, on 2, 4 or 8 devices of this machine. The
// parent touches no device: a setting is a process of its own with its own environment.
#include "check_nccl.h"

#include <cuda_runtime_api.h>
#include <nccl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "arithmetic/exp_log.h"
#include "contracts/collective.h"
#include "rlverify_kernels/synthetic.h"

extern char** environ;

namespace rlverify::kernels {

namespace {

struct Setting {
  const char* algorithm;  // "" leaves the choice to NCCL
  const char* protocol;
  const char* max_channels;
};
constexpr Setting kSettings[] = {
    {"", "", ""},          {"Ring", "LL", ""},     {"Ring", "LL", "1"},     {"Ring", "LL", "16"},
    {"Ring", "LL128", ""}, {"Ring", "Simple", ""}, {"Ring", "Simple", "1"}, {"Tree", "LL", ""},
    {"Tree", "LL128", ""}, {"Tree", "Simple", ""}, {"Tree", "Simple", "1"}, {"NVLS", "Simple", ""}};
constexpr std::int64_t kRows[] = {1, 100, 1024, 1025, 8192};

void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}
void check(ncclResult_t error, const char* what) {
  if (error != ncclSuccess)
    throw std::runtime_error(std::string(what) + ": " + ncclGetErrorString(error));
}

/// What a system reduces: `elements` values, the sums of N rows from `offset` on.
struct Buffer {
  const char* name;
  std::int64_t rows;
  std::int64_t offset;
  std::int64_t elements;
};

/// One rank's device, communicator and memory.
struct Rank {
  ncclComm_t communicator = nullptr;
  cudaStream_t stream = nullptr;
  float* data = nullptr;
};

class Devices {
 public:
  explicit Devices(int count) : ranks_(static_cast<std::size_t>(count)) {
    std::vector<ncclComm_t> communicators(ranks_.size());
    check(ncclCommInitAll(communicators.data(), count, nullptr), "ncclCommInitAll");
    for (int r = 0; r < count; ++r) {
      Rank& rank = ranks_[static_cast<std::size_t>(r)];
      rank.communicator = communicators[static_cast<std::size_t>(r)];
      check(cudaSetDevice(r), "cudaSetDevice");
      check(cudaStreamCreate(&rank.stream), "cudaStreamCreate");
      check(cudaMalloc(reinterpret_cast<void**>(&rank.data), kMaxElements * sizeof(float)), "cudaMalloc");
    }
  }
  // The process ends with the setting, and its memory and communicators with it.

  /// values[rank][element] summed over ranks by NCCL; throws where ranks get different bytes.
  std::vector<float> sum(const std::vector<std::vector<float>>& values) {
    const std::size_t bytes = values.front().size() * sizeof(float);
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      check(cudaSetDevice(static_cast<int>(r)), "cudaSetDevice");
      check(cudaMemcpy(ranks_[r].data, values[r].data(), bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
    }
    check(ncclGroupStart(), "ncclGroupStart");
    for (const Rank& rank : ranks_) {
      check(ncclAllReduce(rank.data, rank.data, values.front().size(), ncclFloat, ncclSum, rank.communicator,
                          rank.stream),
            "ncclAllReduce");
    }
    check(ncclGroupEnd(), "ncclGroupEnd");
    std::vector<float> first;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      std::vector<float> result(values.front().size());
      check(cudaSetDevice(static_cast<int>(r)), "cudaSetDevice");
      check(cudaStreamSynchronize(ranks_[r].stream), "cudaStreamSynchronize");
      check(cudaMemcpy(result.data(), ranks_[r].data, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
      if (r == 0)
        first = result;
      else if (std::memcmp(first.data(), result.data(), bytes) != 0)
        throw std::runtime_error("ranks got different sums");
    }
    return first;
  }

  static constexpr std::size_t kMaxElements = 2 * 8192;

 private:
  std::vector<Rank> ranks_;
};

/// Sums of exponentials as ranks have them: around 30 and never equal.
std::vector<std::vector<float>> shard_sums(int ranks, std::int64_t elements, std::uint64_t seed) {
  std::vector<std::vector<float>> values;
  for (int r = 0; r < ranks; ++r) {
    const auto bytes =
        normal_logits(seed + static_cast<std::uint64_t>(r), 1, elements, elements, 0.5F, StorageType::kFloat32);
    std::vector<float> own(static_cast<std::size_t>(elements));
    std::memcpy(own.data(), bytes.data(), bytes.size());
    for (float& value : own)
      value = 30.0F * exp_portable(value);
    values.push_back(std::move(own));
  }
  return values;
}

/// Rows whose result differs from the simulated order; the order of ranks is the best of all up to four ranks.
struct Fit {
  std::int64_t sums = 0;
  std::int64_t log_probs = 0;
};
Fit fit_of(const Buffer& buffer, const std::vector<std::vector<float>>& values, const std::vector<float>& reduced,
           CollectiveSetting setting) {
  const int ranks = static_cast<int>(values.size());
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  Fit best{buffer.rows + 1, buffer.rows + 1};
  do {
    Fit fit;
    for (std::int64_t row = 0; row < buffer.rows; ++row) {
      const auto element = static_cast<std::size_t>(buffer.offset + row);
      float x[8] = {};
      for (std::size_t r = 0; r < order.size(); ++r)
        x[r] = values[order[r]][element];
      const float simulated = collective_sum(x, ranks, setting, static_cast<std::int64_t>(element), buffer.elements);
      fit.sums += bits_of(simulated) != bits_of(reduced[element]) ? 1 : 0;
      // slime's last step, z_t - M = -8; Megatron's is its negative.
      fit.log_probs +=
          bits_of(-8.0F - log_portable(simulated)) != bits_of(-8.0F - log_portable(reduced[element])) ? 1 : 0;
    }
    best = fit.sums < best.sums ? fit : best;
  } while (ranks <= 4 && std::next_permutation(order.begin(), order.end()));
  return best;
}

/// Whether one of the simulated orders gives all sums.
bool report(const Buffer& buffer, const std::vector<std::vector<float>>& values, const std::vector<float>& reduced) {
  const char* channels = std::getenv("NCCL_MAX_NCHANNELS");
  const int max_channels = channels == nullptr ? 16 : std::max(1, std::atoi(channels));
  bool explained = false;
  std::printf("  %-28s N %5lld:", buffer.name, static_cast<long long>(buffer.rows));
  for (const CollectiveOrder order : {CollectiveOrder::kRing, CollectiveOrder::kChain, CollectiveOrder::kGather}) {
    const Fit fit = fit_of(buffer, values, reduced, {order, max_channels});
    explained = explained || fit.sums == 0;
    std::printf("  %s %lld sums, %lld log-probs differ", collective_name(order), static_cast<long long>(fit.sums),
                static_cast<long long>(fit.log_probs));
  }
  std::printf("\n");
  return explained;
}

int start(const Setting& setting, std::uint64_t seed) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "NCCL_", 5) != 0)
      environment.emplace_back(*entry);
  }
  const auto set = [&](const char* name, const char* value) {
    if (*value != '\0')
      environment.push_back(std::string(name) + "=" + value);
  };
  set("NCCL_ALGO", setting.algorithm);
  set("NCCL_PROTO", setting.protocol);
  set("NCCL_MAX_NCHANNELS", setting.max_channels);
  std::vector<char*> pointers;
  for (std::string& entry : environment)
    pointers.push_back(entry.data());
  pointers.push_back(nullptr);
  std::string program = "logp_check";
  std::string flag = "--nccl-setting";
  std::string number = std::to_string(seed);
  char* arguments[] = {program.data(), flag.data(), number.data(), nullptr};
  std::fflush(stdout);
  pid_t child = 0;
  int status = 0;
  if (posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, arguments, pointers.data()) != 0 ||
      waitpid(child, &status, 0) != child)
    return 5;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}

}  // namespace

int run_nccl_setting(std::uint64_t seed) {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error != cudaSuccess || devices < 2) {
    std::printf("NCCL can't be checked: %s; it takes two devices.\n",
                error != cudaSuccess ? cudaGetErrorString(error) : "there is one CUDA device");
    return 4;
  }
  const int ranks = devices >= 8 ? 8 : devices >= 4 ? 4 : 2;
  int version = 0;
  check(ncclGetVersion(&version), "ncclGetVersion");
  std::printf("  NCCL %d, %d devices\n", version, ranks);
  Devices all(ranks);
  bool explained = true;
  for (const std::int64_t rows : kRows) {
    const Buffer unfused{"megatron_ce, vime_default", rows, 0, rows};
    const Buffer fused{"megatron_ce_fused, miles", rows, rows, 2 * rows};
    for (const Buffer& buffer : {unfused, fused}) {
      const auto values = shard_sums(ranks, buffer.elements, seed);
      explained = report(buffer, values, all.sum(values)) && explained;
    }
  }
  return explained ? 0 : 1;
}

int check_nccl(std::uint64_t seed) {
  bool explained = true;
  for (const Setting& setting : kSettings) {
    std::printf("NCCL_ALGO=%s NCCL_PROTO=%s NCCL_MAX_NCHANNELS=%s (empty: NCCL's choice)\n", setting.algorithm,
                setting.protocol, setting.max_channels);
    const int result = start(setting, seed);
    if (result == 4)
      return 4;
    const bool has_order = std::strcmp(setting.algorithm, "NVLS") != 0;
    if (result == 5)
      std::printf("  this setting doesn't run here\n");
    explained = explained && (result != 1 || !has_order);
  }
  return explained ? 0 : 1;
}

}  // namespace rlverify::kernels
