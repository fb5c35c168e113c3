// SPDX-License-Identifier: Apache-2.0
// Comparing and sealing weights against what the machine can do: two threads that memcmp both files through mmap (file
// peer), two that only read the same blocks (read roof), cmp, and OpenSSL's own speed test. Five interleaved rounds,
// median of the ratios of each round. Every measurement is a process of its own, so that its time and memory are its
// own; wall time decides, CPU time is printed for machines that others use as well.
//   bench_compare_weights [GIB_PER_SNAPSHOT [FOLDER]]   writes two snapshots below FOLDER (default: the temporary
//   folder) and removes them
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compare/weights.h"
#include "file_peers.h"

namespace {

using namespace rlverify;
namespace fs = std::filesystem;

constexpr int kRounds = 5;
constexpr std::uint64_t kTensorBytes = 64ULL << 20U;

/// Waits until the file is on the disk: a kernel that still writes takes cores and memory from what is measured.
bool write_back(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY);
  const bool written = descriptor >= 0 && ::fsync(descriptor) == 0;
  return ::close(descriptor) == 0 && written;
}

/// A snapshot of bf16 tensors whose elements are all finite.
void write_snapshot(const std::string& path, std::uint64_t tensors) {
  std::string json = "{";
  for (std::uint64_t i = 0; i < tensors; ++i) {
    json += fmt::format(
        R"({}"model.layers.{}.mlp.down_proj.weight":{{"dtype":"BF16","shape":[8192,4096],"data_offsets":[{},{}]}})",
        i == 0 ? "" : ",", i, i * kTensorBytes, (i + 1) * kTensorBytes);
  }
  json += "}";
  json.resize((json.size() + 7) / 8 * 8, ' ');
  std::string block(kTensorBytes, '\0');
  std::mt19937_64 random(1);
  for (std::size_t at = 0; at < block.size(); at += 8) {
    const std::uint64_t bits = random() & 0xBFFFBFFFBFFFBFFFULL;
    std::memcpy(block.data() + at, &bits, 8);
  }
  std::ofstream file(path, std::ios::binary);
  const std::uint64_t length = json.size();
  file.write(reinterpret_cast<const char*>(&length), 8);
  file << json;
  for (std::uint64_t i = 0; i < tensors; ++i) {
    file << block;
  }
  if (!file.flush() || !write_back(path)) {
    std::fputs("bench_compare_weights: can't write the snapshots\n", stderr);
    std::exit(1);
  }
}

using Snapshots = bench::FilePair;
using bench::Cost;
using bench::in_halves;
using bench::measure;
using bench::median;
using bench::read_roof;

Cost mean(const Cost& one, const Cost& other) {
  return {(one.wall + other.wall) / 2, (one.cpu + other.cpu) / 2, std::max(one.peak_mb, other.peak_mb)};
}

bool file_peer(const Snapshots& files) {
  const int a = ::open(files.a.c_str(), O_RDONLY);
  const int b = ::open(files.b.c_str(), O_RDONLY);
  void* const map_a = ::mmap(nullptr, files.bytes, PROT_READ, MAP_SHARED, a, 0);
  void* const map_b = ::mmap(nullptr, files.bytes, PROT_READ, MAP_SHARED, b, 0);
  const bool equal = in_halves(files.bytes, [&](std::uint64_t begin, std::uint64_t end) {
    return std::memcmp(static_cast<const char*>(map_a) + begin, static_cast<const char*>(map_b) + begin, end - begin) ==
           0;
  });
  return equal && ::munmap(map_a, files.bytes) == 0 && ::munmap(map_b, files.bytes) == 0;
}

bool run_cmp(const Snapshots& files) {
  ::execlp("cmp", "cmp", files.a.c_str(), files.b.c_str(), nullptr);
  return false;
}

compare::WeightVersions versions(const std::string& path) {
  compare::WeightVersions out;
  out.side = path;
  out.versions.emplace_back();
  out.versions[0].name = compare::kSingleModel;
  out.versions[0].snapshot = path;
  out.versions[0].where = path;
  return out;
}

bool compare_snapshots(const Snapshots& files) {
  core::ThreadPool pool(2);
  auto reference = versions(files.a);
  auto candidate = versions(files.b);
  return compare::compare_weights(reference, candidate, pool).equal == true;
}

bool seal_snapshot(const Snapshots& files) {
  core::ThreadPool pool(2);
  core::Findings findings;
  auto side = versions(files.a);
  return !compare::seal_weights(side.versions[0], pool, findings).digests.tensors.empty() && findings.list().empty();
}

/// Bytes per second of SHA-256 on two processes, as OpenSSL measures it.
double openssl_speed() {
  FILE* const output = ::popen("openssl speed -evp sha256 -bytes 1048576 -multi 2 -seconds 2 2>/dev/null", "r");
  std::array<char, 512> line{};
  double speed = 0;
  while (output != nullptr && std::fgets(line.data(), static_cast<int>(line.size()), output) != nullptr) {
    const std::string text(line.data());
    if (text.rfind("sha256", 0) == 0 || text.rfind("evp", 0) == 0) {
      speed = 1000 * std::strtod(text.c_str() + text.find_first_of("0123456789", text.find(' ')), nullptr);
    }
  }
  if (output == nullptr || ::pclose(output) != 0 || speed <= 0) {
    std::fputs("bench_compare_weights: openssl speed gave no answer\n", stderr);
    std::exit(1);
  }
  return speed;
}

class Ratios {
 public:
  Ratios(std::string label, double target) : label_(std::move(label)), target_(target) {}
  void add(double wall, double cpu) {
    wall_.push_back(wall);
    cpu_.push_back(cpu);
  }
  /// The CPU time is left out where the peer gives none.
  void print() const {
    const std::string cpu = median(cpu_) > 0 ? fmt::format("   (CPU time {:.2f})", median(cpu_)) : "";
    fmt::print("{:<42} {:6.2f}   target {:.2f}{}\n", label_, median(wall_), target_, cpu);
  }

 private:
  std::string label_;
  double target_;
  std::vector<double> wall_;
  std::vector<double> cpu_;
};

using Work = std::function<bool()>;

/// Mean costs of two works, each measured twice: the first before and after the second.
std::pair<Cost, Cost> measure_around(const Work& outside, const Work& inside) {
  const Cost first = measure(outside);
  const Cost second = measure(inside);
  const Cost third = measure(inside);
  return {mean(first, measure(outside)), mean(second, third)};
}

void run_rounds(const Snapshots& files) {
  Ratios peer("compare against the file peer", 1.0);
  Ratios roof("compare against the read roof", 0.85);
  Ratios cmp("compare against cmp", 5.0);
  Ratios seal("seal against openssl speed, per byte", 0.8);
  const Work compare_both = [&files] { return compare_snapshots(files); };
  const Work map_both = [&files] { return file_peer(files); };
  double peak_mb = 0;
  std::vector<double> speeds;
  for (int round = 0; round < kRounds; ++round) {
    // What follows the hashing of the round before is slower than what comes later, so one reading goes before. Each of
    // the two stands outside and inside in turn: what comes after the reading is slower, too.
    static_cast<void>(measure([&files] { return read_roof(files); }));
    const bool ours_outside = round % 2 == 0;
    const auto [outside, inside] =
        ours_outside ? measure_around(compare_both, map_both) : measure_around(map_both, compare_both);
    const Cost& ours = ours_outside ? outside : inside;
    const Cost& mapped = ours_outside ? inside : outside;
    const Cost read = measure([&files] { return read_roof(files); });
    const Cost compared = measure([&files] { return run_cmp(files); });
    peer.add(mapped.wall / ours.wall, mapped.cpu / ours.cpu);
    roof.add(read.wall / ours.wall, read.cpu / ours.cpu);
    cmp.add(compared.wall / ours.wall, compared.cpu / ours.cpu);
    speeds.push_back(2 * static_cast<double>(files.bytes) / ours.wall / 1e9);
    const double hashes_per_second = openssl_speed();
    const Cost sealed = measure([&files] { return seal_snapshot(files); });
    const double ideal = static_cast<double>(files.bytes) / hashes_per_second;
    seal.add(ideal / sealed.wall, 0);
    peak_mb = std::max({peak_mb, ours.peak_mb, sealed.peak_mb});
  }
  for (const Ratios* ratios : {&peer, &roof, &cmp, &seal}) {
    ratios->print();
  }
  fmt::print("{:<42} {:6.2f} GB/s of both files\n", "compare", median(speeds));
  fmt::print("{:<42} {:6.0f} MB   target below 200\n", "largest resident memory of ours", peak_mb);
}

}  // namespace

int main(int count, char** arguments) {
  const double gib = count > 1 ? std::strtod(arguments[1], nullptr) : 2;
  const fs::path folder =
      (count > 2 ? fs::path(arguments[2]) : fs::temp_directory_path()) / fmt::format("rlverify-bench-{}", ::getpid());
  const auto tensors = static_cast<std::uint64_t>(gib * 1024 * 1024 * 1024) / kTensorBytes;
  if (tensors == 0) {
    std::fputs("usage: bench_compare_weights [GIB_PER_SNAPSHOT [FOLDER]]\n", stderr);
    return 2;
  }
  fs::create_directories(folder);
  Snapshots files{(folder / "a.safetensors").string(), (folder / "b.safetensors").string(), 0};
  write_snapshot(files.a, tensors);
  write_snapshot(files.b, tensors);
  files.bytes = fs::file_size(files.a);
  run_rounds(files);
  fs::remove_all(folder);
  return 0;
}
