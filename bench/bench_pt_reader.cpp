// SPDX-License-Identifier: Apache-2.0
// Opening the .pt files of a run and walking their pickles, against reading the same bytes. Both are measured in turn
// in one run, so that the state of the page cache and of the machine cancels out; the target is a ratio of 3 on one
// thread.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "core/byte_source.h"
#include "core/heap.h"
#include "tensor/pt_reader.h"
#include "tensor/value_walk.h"

namespace {

namespace fs = std::filesystem;
using Seconds = std::chrono::duration<double>;

constexpr int kPairs = 5;

std::vector<std::string> pt_files(const fs::path& folder) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".pt") {
      files.push_back(entry.path().string());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Seconds that `work` takes for all files, and the sum of what it returns.
template <class Work>
double seconds_for(const std::vector<std::string>& files, std::uint64_t& total, Work work) {
  const auto start = std::chrono::steady_clock::now();
  total = 0;
  for (const std::string& file : files) {
    total += work(file);
  }
  return Seconds(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int run(const fs::path& folder) {
  const std::vector<std::string> files = pt_files(folder);
  if (files.empty()) {
    fmt::print(stderr, "bench_pt_reader: no .pt file under {}\n", folder.string());
    return 3;
  }
  // Peer: the same bytes whole, by the same call that the reader uses, whatever their size.
  const auto read_bytes = [](const std::string& file) {
    return rlverify::core::open_file(file, file, ~std::uint64_t{0})->memory().size();
  };
  const auto walk = [](const std::string& file) {
    const auto source = rlverify::core::open_file(file);
    return rlverify::tensor::find_tensors(rlverify::tensor::read_pt(*source)).tensors.size();
  };
  std::vector<double> read_seconds;
  std::vector<double> walk_seconds;
  std::vector<double> ratios;
  std::uint64_t bytes = 0;
  std::uint64_t tensors = 0;
  static_cast<void>(seconds_for(files, bytes, read_bytes));  // fills the page cache
  for (int pair = 0; pair < kPairs; ++pair) {
    read_seconds.push_back(seconds_for(files, bytes, read_bytes));
    walk_seconds.push_back(seconds_for(files, tensors, walk));
    ratios.push_back(walk_seconds.back() / read_seconds.back());
  }
  fmt::print("{} files, {} bytes, {} tensors\n", files.size(), bytes, tensors);
  fmt::print("read bytes: {:.3f} s; open and walk: {:.3f} s; ratio {:.2f} (median of {} pairs, {:.2f} to {:.2f})\n",
             median(read_seconds), median(walk_seconds), median(ratios), kPairs,
             *std::min_element(ratios.begin(), ratios.end()), *std::max_element(ratios.begin(), ratios.end()));
  return 0;
}

}  // namespace

int main(int argc, char* argv[]) {
  rlverify::core::keep_freed_memory();  // as the program does
  if (argc != 2) {
    fmt::print(stderr, "usage: bench_pt_reader RUN_DIRECTORY\n");
    return 2;
  }
  try {
    return run(argv[1]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_pt_reader: {}\n", error.what());
    return 3;
  }
}
