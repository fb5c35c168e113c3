// SPDX-License-Identifier: Apache-2.0
// Runs every contract on every backend that is present, compares bits, and prints one table. It is what is run on a GPU
// machine. --native holds the card's own exponentials and trees against ATen on the same card, --nccl the simulated
// collectives against NCCL, --bandwidth measures the kernels. Exit 0: all that must agree agrees. Exit 1: it doesn't.
// Exit 2: wrong use. Exit 4: --native,
// --nccl or --bandwidth had no device to do it on. Exit 5: an error.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "check_bandwidth.h"
#include "check_native.h"
#include "check_nccl.h"
#include "rlverify_kernels/logp.h"
#include "rlverify_kernels/synthetic.h"

namespace {

using namespace rlverify::kernels;

struct Options {
  std::int64_t rows = 64;
  std::int64_t vocab = 152064;
  std::int64_t real = 151936;
  std::uint64_t seed = 1;
  int device = 0;
  int repeats = 3;
  enum class Job : std::uint8_t { kAll, kNative, kNccl, kNcclSetting, kBandwidth } job = Job::kAll;
};

struct Data {
  std::vector<unsigned char> logits;
  std::vector<std::int64_t> targets;
  StorageType type = StorageType::kBFloat16;
};

struct Result {
  std::vector<float> logp;
  std::vector<double> fp64;
  double microseconds = 0.0;
};

struct Tally {
  int compared = 0;
  int different = 0;
};

LogpInput input_of(const Options& options, const Data& data, int ranks) {
  LogpInput input;
  input.logits = data.logits.data();
  input.logits_type = data.type;
  input.targets = data.targets.data();
  input.rows = options.rows;
  input.padded_vocab_size = options.vocab;
  input.real_vocab_size = options.real;
  input.tensor_parallel_size = ranks;
  return input;
}

/// Median time of `repeats` runs; the results of all runs must be equal, which is checked.
Result run(ContractId id, const LogpInput& input, const Execution& execution, int repeats) {
  Result result;
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i) {
    Result next;
    next.logp.resize(static_cast<std::size_t>(input.rows));
    next.fp64.resize(static_cast<std::size_t>(input.rows));
    times.push_back(compute_logp(id, input, execution, {next.logp.data(), next.fp64.data()}).microseconds);
    const bool same =
        i == 0 || std::memcmp(next.fp64.data(), result.fp64.data(), next.fp64.size() * sizeof(double)) == 0;
    if (!same)
      throw KernelError(ErrorKind::kDevice, "two runs of the same computation differ");
    result = std::move(next);
  }
  std::sort(times.begin(), times.end());
  result.microseconds = times[times.size() / 2];
  return result;
}

int differing_rows(const Result& a, const Result& b) {
  int count = 0;
  for (std::size_t i = 0; i < a.fp64.size(); ++i) {
    if (std::memcmp(&a.fp64[i], &b.fp64[i], sizeof(double)) != 0)
      ++count;
  }
  return count;
}

double max_difference(const Result& a, const Result& b) {
  double max = 0.0;
  for (std::size_t i = 0; i < a.fp64.size(); ++i)
    max = std::max(max, std::fabs(a.fp64[i] - b.fp64[i]));
  return max;
}

void print_row(const Contract& entry, StorageType type, int ranks, const char* where, const Result& result,
               const Result& base, const Result& reference, std::int64_t rows) {
  std::printf("%-24s %-5s %2d  %-12s %6d  %10.3e  %10.3e  %10.1f\n", std::string(entry.name).c_str(),
              storage_name(type), ranks, where, differing_rows(result, base), max_difference(result, base),
              max_difference(result, reference), result.microseconds / static_cast<double>(rows));
}

/// One contract at one degree: the best CPU level is the base, everything else is compared with it.
void check_contract(const Contract& entry, const Options& options, const Data& data, int ranks, Tally& tally) {
  const LogpInput input = input_of(options, data, ranks);
  const Result reference = run(ContractId::kFp64, input, Execution{}, 1);
  const std::vector<SimdLevel> levels = simd_levels();
  const Result base = run(entry.id, input, Execution{}, options.repeats);
  print_row(entry, data.type, ranks, (std::string("cpu ") + simd_name(levels.back())).c_str(), base, base, reference,
            options.rows);
  for (auto level = levels.rbegin() + 1; level != levels.rend(); ++level) {
    Execution execution;
    execution.simd = *level;
    const Result result = run(entry.id, input, execution, 1);
    print_row(entry, data.type, ranks, (std::string("cpu ") + simd_name(*level)).c_str(), result, base, reference,
              options.rows);
    ++tally.compared;
    tally.different += differing_rows(result, base) != 0 ? 1 : 0;
  }
  for (const Backend backend : {Backend::kCuda, Backend::kTorch}) {
    if (!backend_status(backend, options.device).available || !unsupported_reason(entry.id, backend).empty())
      continue;
    Execution execution;
    execution.backend = backend;
    execution.device = options.device;
    const Result result = run(entry.id, input, execution, options.repeats);
    print_row(entry, data.type, ranks, backend_name(backend), result, base, reference, options.rows);
    if (backend != Backend::kCuda)
      continue;
    ++tally.compared;
    tally.different += differing_rows(result, base) != 0 ? 1 : 0;
  }
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (name == "--native" || name == "--nccl" || name == "--bandwidth") {
      if (options.job != Options::Job::kAll)
        return false;
      options.job = name == "--native" ? Options::Job::kNative
                    : name == "--nccl" ? Options::Job::kNccl
                                       : Options::Job::kBandwidth;
      --i;
      continue;
    }
    if (i + 1 >= argc)
      return false;
    const std::string_view text = argv[i + 1];
    long long value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || value < 0)
      return false;
    if (name == "--rows")
      options.rows = value;
    else if (name == "--vocab")
      options.vocab = value;
    else if (name == "--real-vocab")
      options.real = value;
    else if (name == "--seed")
      options.seed = static_cast<std::uint64_t>(value);
    else if (name == "--nccl-setting") {  // what --nccl starts itself with
      options.job = Options::Job::kNcclSetting;
      options.seed = static_cast<std::uint64_t>(value);
    } else if (name == "--device")
      options.device = static_cast<int>(value);
    else if (name == "--repeats")
      options.repeats = static_cast<int>(value);
    else
      return false;
  }
  return options.rows > 0 && options.repeats > 0 && options.real > 0 && options.vocab >= options.real;
}

void print_backends(const Options& options) {
  for (const Backend backend : {Backend::kCpu, Backend::kCuda, Backend::kTorch}) {
    const BackendStatus status = backend_status(backend, options.device);
    std::printf("%-6s %s%s\n", backend_name(backend),
                status.available ? "" : "absent: ", status.available ? status.device.c_str() : status.reason.c_str());
  }
  if (!backend_status(Backend::kCuda, options.device).available) {
    std::printf("No GPU here: nothing below was confirmed on a device.\n");
  }
}

int check_all(const Options& options) {
  print_backends(options);
  std::printf("\n%lld rows of N(0,1) logits, vocabulary %lld of %lld, seed %llu\n",
              static_cast<long long>(options.rows), static_cast<long long>(options.real),
              static_cast<long long>(options.vocab), static_cast<unsigned long long>(options.seed));
  std::printf("%-24s %-5s %2s  %-12s %6s  %10s  %10s  %10s\n", "contract", "type", "tp", "where", "differ", "max diff",
              "max err", "us/row");
  Tally tally;
  for (const StorageType type : {StorageType::kBFloat16, StorageType::kFloat32, StorageType::kFloat16}) {
    Data data;
    data.type = type;
    data.logits = normal_logits(options.seed, options.rows, options.vocab, options.real, 1.0F, type);
    data.targets = uniform_targets(options.seed, options.rows, options.real);
    for (const Contract& entry : contracts()) {
      for (const int ranks : {1, 2, 4, 8}) {
        const bool depends = entry.needs_divisible_vocab;
        if ((!depends && ranks != 1) || (depends && options.vocab % ranks != 0))
          continue;
        check_contract(entry, options, data, ranks, tally);
      }
    }
  }
  std::printf("\n%d comparisons of backends that must agree, %d differ\n", tally.compared, tally.different);
  return tally.different == 0 ? 0 : 1;
}

int run_job(const Options& options) {
  switch (options.job) {
    case Options::Job::kNative:
      return check_native(options.device, options.seed);
    case Options::Job::kNccl:
      return check_nccl(options.seed);
    case Options::Job::kBandwidth:
      return check_bandwidth(options.device, options.rows, options.real, options.seed);
    case Options::Job::kNcclSetting:
      return run_nccl_setting(options.seed);
    case Options::Job::kAll:
      break;
  }
  return check_all(options);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: logp_check [--native | --nccl | --bandwidth] [--rows N] [--vocab V] [--real-vocab R] [--seed "
                 "S] [--device N] [--repeats N]\n");
    return 2;
  }
  try {
    return run_job(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "logp_check: %s\n", error.what());
    return 5;
  }
}
