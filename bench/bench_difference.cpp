// SPDX-License-Identifier: Apache-2.0
// The first pass over two files of one tensor against the read roof: two threads that read the same blocks and do
// nothing. Equal files, and files that differ in every element by one ULP. Five interleaved rounds, median of the
// ratios of each round; wall time decides, CPU time is printed for machines that others use as well.
//   bench_difference [GIB_PER_FILE [FOLDER]]   writes two files below FOLDER (default: the temporary folder)
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/byte_source.h"
#include "file_peers.h"
#include "tensor/difference_detail.h"
#include "tensor/difference_reader.h"

namespace {

using namespace rlverify;
using bench::Cost;
using bench::FilePair;
namespace fs = std::filesystem;

constexpr int kRounds = 5;

struct Format {
  tensor::DType dtype;
  std::string_view name;
  double target;              // of all different; 0: none is set
  std::uint64_t normal_bits;  // what a random code keeps, so that it and the next one are finite and normal
  std::uint64_t smallest;     // is set in every code
};
constexpr std::array<Format, 4> kFormats = {{
    {tensor::DType::kFloat32, "f32", 0.5, 0xBF7FFFFE'BF7FFFFEULL, 0x10000000'10000000ULL},
    {tensor::DType::kBfloat16, "bf16", 0.3, 0xBF7EBF7E'BF7EBF7EULL, 0x10001000'10001000ULL},
    {tensor::DType::kFloat16, "f16", 0, 0xBBFEBBFE'BBFEBBFEULL, 0x04000400'04000400ULL},
    {tensor::DType::kFloat64, "f64", 0, 0xBFEFFFFFFFFFFFFEULL, 0x1000000000000000ULL},
}};

/// Words of random elements; with `next`, each element is the neighbour of the one without.
void write_file(const std::string& path, const Format& format, std::uint64_t bytes, bool next) {
  const unsigned bits = tensor::bits_per_element(format.dtype);
  const std::uint64_t one_each = bits == 64 ? 1 : bits == 32 ? 0x100000001ULL : 0x1000100010001ULL;
  std::mt19937_64 random(1);
  std::ofstream file(path, std::ios::binary);
  std::vector<std::uint64_t> block(tensor::kBlockBytes / 8);
  for (std::uint64_t at = 0; at < bytes; at += tensor::kBlockBytes) {
    for (std::uint64_t& word : block) {
      word = ((random() & format.normal_bits) | format.smallest) + (next ? one_each : 0);
    }
    file.write(reinterpret_cast<const char*>(block.data()), tensor::kBlockBytes);
  }
  if (!file.flush()) {
    std::fputs("bench_difference: can't write the files\n", stderr);
    std::exit(1);
  }
}

/// Parts dealt out to two threads and joined in order.
template <typename Part, typename Work>
std::vector<Part> on_two_threads(std::uint64_t parts, const Work& work) {
  std::vector<Part> found(parts);
  std::atomic<std::uint64_t> next{0};
  const auto loop = [&] {
    tensor::BlockBuffers buffers;
    for (std::uint64_t part = next++; part < parts; part = next++) {
      found[part] = work(part, buffers);
    }
  };
  std::thread other(loop);
  loop();
  other.join();
  return found;
}

/// One of the two passes; `different` is what the first has to find.
bool pass(const FilePair& files, tensor::DType dtype, bool second_pass, std::uint64_t different) {
  const auto a = core::open_file(files.a, "a", 0);
  const auto b = core::open_file(files.b, "b", 0);
  tensor::TensorRef ref;
  ref.dtype = dtype;
  ref.element_count = files.bytes * 8 / tensor::bits_per_element(dtype);
  ref.shape = {ref.element_count};
  ref.strides = {1};
  ref.storage_bytes = files.bytes;
  const tensor::TensorBytes reference{a.get(), &ref};
  const tensor::TensorBytes candidate{b.get(), &ref};
  const std::uint64_t parts = tensor::part_count(ref);
  if (second_pass) {
    tensor::DetailSums total;
    for (const auto& sums : on_two_threads<tensor::DetailSums>(parts, [&](std::uint64_t part, auto&buffers) {
           return tensor::detail_part(reference, candidate, part, buffers);
         })) {
      total.add(sums);
    }
    return total.finite_pairs == ref.element_count;
  }
  tensor::Difference total;
  for (const auto& difference : on_two_threads<tensor::Difference>(parts, [&](std::uint64_t part, auto&buffers) {
         return tensor::compare_part(reference, candidate, part, buffers);
       })) {
    total.add(difference);
  }
  return total.different_elements == different && total.elements == ref.element_count;
}

void print_rounds(const std::string& label, const FilePair& files, double target, const std::function<bool()>& work) {
  std::vector<double> wall;
  std::vector<double> cpu;
  double peak_mb = 0;
  for (int round = 0; round < kRounds; ++round) {
    const Cost roof = bench::measure([&] { return bench::read_roof(files); });
    const Cost ours = bench::measure(work);
    wall.push_back(roof.wall / ours.wall);
    cpu.push_back(roof.cpu / ours.cpu);
    peak_mb = std::max(peak_mb, ours.peak_mb);
  }
  fmt::print("{:<36} {:6.2f} of the read roof{}   (CPU time {:.2f}, {:.0f} MB)\n", label, bench::median(wall),
             target > 0 ? fmt::format(", target {:.2f}", target) : std::string(14, ' '), bench::median(cpu), peak_mb);
  std::fflush(stdout);
}

void run_format(const Format& format, const FilePair& files) {
  const std::uint64_t elements = files.bytes * 8 / tensor::bits_per_element(format.dtype);
  write_file(files.a, format, files.bytes, false);
  write_file(files.b, format, files.bytes, false);
  print_rounds(fmt::format("{} equal", format.name), files, 0.85, [&] { return pass(files, format.dtype, false, 0); });
  write_file(files.b, format, files.bytes, true);
  print_rounds(fmt::format("{} all different by one ULP", format.name), files, format.target,
               [&] { return pass(files, format.dtype, false, elements); });
  print_rounds(fmt::format("{} second pass", format.name), files, 0,
               [&] { return pass(files, format.dtype, true, 0); });
}

}  // namespace

int main(int count, char** arguments) {
  const double gib = count > 1 ? std::strtod(arguments[1], nullptr) : 2;
  const fs::path folder =
      (count > 2 ? fs::path(arguments[2]) : fs::temp_directory_path()) / fmt::format("rlverify-bench-{}", ::getpid());
  const auto blocks = static_cast<std::uint64_t>(gib * 1024 * 1024 * 1024) / tensor::kBlockBytes;
  if (blocks == 0) {
    std::fputs("usage: bench_difference [GIB_PER_FILE [FOLDER]]\n", stderr);
    return 2;
  }
  fs::create_directories(folder);
  const FilePair files{(folder / "a").string(), (folder / "b").string(), blocks * tensor::kBlockBytes};
  for (const Format& format : kFormats) {
    run_format(format, files);
  }
  fs::remove_all(folder);
  return 0;
}
