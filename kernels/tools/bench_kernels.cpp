// SPDX-License-Identifier: Apache-2.0
// Speed of the CPU backend against two peers, interleaved in one run: the read roof (the same threads pread the same
// bytes from the page cache and do nothing) and torch.log_softmax through the torch module. Prints medians of ratios
// over five pairs, by the clock and by processor time; on a machine that others use only the second means something.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "rlverify_kernels/logp.h"
#include "rlverify_kernels/synthetic.h"

namespace {

using namespace rlverify::kernels;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kVocab = 151936;
constexpr int kThreads = 2;
constexpr int kPairs = 5;

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// Processor time of all threads of this process.
double processor_microseconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

/// One measurement by both clocks.
struct Time {
  double clock = 0.0;
  double processor = 0.0;
};

template <class Work>
Time time_of(const Work& work) {
  const double processor = processor_microseconds();
  const auto start = Clock::now();
  work();
  return {microseconds_since(start), processor_microseconds() - processor};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The logits as a file in the page cache, removed at the end.
class LogitsFile {
 public:
  explicit LogitsFile(const std::vector<unsigned char>& bytes) : size_(bytes.size()) {
    path_ = (std::filesystem::temp_directory_path() / ("bench_kernels_" + std::to_string(::getpid()))).string();
    descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (std::size_t done = 0; descriptor_ >= 0 && done < size_;) {
      const ssize_t written = ::write(descriptor_, bytes.data() + done, size_ - done);
      if (written <= 0)
        std::exit(5);
      done += static_cast<std::size_t>(written);
    }
  }
  LogitsFile(const LogitsFile&) = delete;
  LogitsFile& operator=(const LogitsFile&) = delete;
  ~LogitsFile() {
    ::close(descriptor_);
    std::filesystem::remove(path_);
  }

  /// Reads the whole file in blocks of 1 MiB on kThreads threads.
  void read_roof() const {
    constexpr std::size_t kBlock = std::size_t{1} << 20U;
    std::atomic<std::size_t> next{0};
    const auto loop = [&] {
      std::vector<unsigned char> buffer(kBlock);
      for (std::size_t offset = next.fetch_add(kBlock); offset < size_; offset = next.fetch_add(kBlock)) {
        if (::pread(descriptor_, buffer.data(), std::min(kBlock, size_ - offset), static_cast<off_t>(offset)) <= 0)
          std::exit(5);
      }
    };
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back(loop);
  }

 private:
  std::string path_;
  std::size_t size_;
  int descriptor_ = -1;
};

struct Data {
  std::vector<unsigned char> logits;
  std::vector<std::int64_t> targets;
  LogpInput input;
};

/// Runs job and peer in turns and prints the job's speed and the medians of peer / job.
template <class Peer>
void pairs(const Contract& entry, const Data& data, SimdLevel level, const char* peer_name, const Peer& peer) {
  Execution execution;
  execution.threads = kThreads;
  execution.simd = level;
  std::vector<float> logp(static_cast<std::size_t>(data.input.rows));
  std::vector<double> times;
  std::vector<double> clock_ratios;
  std::vector<double> processor_ratios;
  for (int pair = 0; pair < kPairs; ++pair) {
    const Time theirs = time_of(peer);
    const Time ours = time_of([&] { compute_logp(entry.id, data.input, execution, {logp.data(), nullptr}); });
    times.push_back(ours.clock);
    clock_ratios.push_back(theirs.clock / ours.clock);
    processor_ratios.push_back(theirs.processor / ours.processor);
  }
  std::printf("%-20s %-5s %-7s %6.2f GB/s  %6.2f (processor %6.2f) x %s\n", std::string(entry.name).c_str(),
              storage_name(data.input.logits_type), simd_name(level),
              static_cast<double>(data.logits.size()) / median(times) / 1e3, median(clock_ratios),
              median(processor_ratios), peer_name);
}

/// vllm_gather against torch.log_softmax.
void against_torch(const Data& data, SimdLevel level) {
  const BackendStatus status = backend_status(Backend::kTorch);
  if (!status.available) {
    std::printf("torch.log_softmax: not measured, %s\n", status.reason.c_str());
    return;
  }
  Execution torch;
  torch.backend = Backend::kTorch;
  torch.threads = kThreads;
  std::vector<float> logp(static_cast<std::size_t>(data.input.rows));
  const auto peer = [&] { compute_logp(ContractId::kVllmGather, data.input, torch, {logp.data(), nullptr}); };
  peer();
  pairs(contract(ContractId::kVllmGather), data, level, "torch.log_softmax", peer);
}

void bench(StorageType type, std::int64_t rows) {
  Data data;
  data.logits = normal_logits(1, rows, kVocab, kVocab, 1.0F, type);
  data.targets = uniform_targets(1, rows, kVocab);
  data.input.logits = data.logits.data();
  data.input.logits_type = type;
  data.input.targets = data.targets.data();
  data.input.rows = rows;
  data.input.real_vocab_size = data.input.padded_vocab_size = kVocab;
  const LogitsFile file(data.logits);
  file.read_roof();  // the first pass fills the page cache
  for (const SimdLevel level : simd_levels()) {
    if (level == SimdLevel::kScalar)
      continue;
    for (const Contract& entry : contracts())
      pairs(entry, data, level, "the read roof", [&] { file.read_roof(); });
    against_torch(data, level);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t rows = argc == 2 ? std::strtoll(argv[1], nullptr, 10) : 256;
  if (argc > 2 || rows < 1) {
    std::fprintf(stderr, "usage: bench_kernels [ROWS]\n");
    return 2;
  }
  std::printf("%lld rows, vocabulary %lld, %d threads, medians of %d interleaved pairs\n", static_cast<long long>(rows),
              static_cast<long long>(kVocab), kThreads, kPairs);
  try {
    bench(StorageType::kFloat32, rows);
    bench(StorageType::kBFloat16, rows);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_kernels: %s\n", error.what());
    return 5;
  }
  return 0;
}
