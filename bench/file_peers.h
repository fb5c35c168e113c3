// SPDX-License-Identifier: Apache-2.0
// What benchmarks over two files of the same size share: a measured process, two threads with one half each, and the
// read roof.
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tensor/difference.h"

namespace rlverify::bench {

struct Cost {
  double wall = 0;
  double cpu = 0;
  double peak_mb = 0;
};

/// Runs `work` in a process of its own, so that its time and memory are its own; a failing one ends the program.
inline Cost measure(const std::function<bool()>& work) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(work() ? 0 : 1);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || ::wait4(child, &status, 0, &usage) != child || status != 0) {
    std::fputs("a measured process failed\n", stderr);
    std::exit(1);
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  return {wall.count(), seconds(usage.ru_utime) + seconds(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024};
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Two files of one size.
struct FilePair {
  std::string a;
  std::string b;
  std::uint64_t bytes = 0;
};

/// Two threads, each with one half of both files.
inline bool in_halves(std::uint64_t bytes, const std::function<bool(std::uint64_t, std::uint64_t)>& half) {
  const std::uint64_t middle = bytes / 2 / tensor::kBlockBytes * tensor::kBlockBytes;
  bool first = false;
  std::thread other([&] { first = half(0, middle); });
  const bool second = half(middle, bytes);
  other.join();
  return first && second;
}

/// Two threads that read the same blocks and do nothing.
inline bool read_roof(const FilePair& files) {
  const int a = ::open(files.a.c_str(), O_RDONLY);
  const int b = ::open(files.b.c_str(), O_RDONLY);
  return in_halves(files.bytes, [&](std::uint64_t begin, std::uint64_t end) {
    // At page borders, as ours are: the kernel copies to them faster than to any other place.
    const std::unique_ptr<char, void (*)(void*)> block_a(
        static_cast<char*>(std::aligned_alloc(4096, tensor::kBlockBytes)), std::free);
    const std::unique_ptr<char, void (*)(void*)> block_b(
        static_cast<char*>(std::aligned_alloc(4096, tensor::kBlockBytes)), std::free);
    for (std::uint64_t at = begin; at < end; at += tensor::kBlockBytes) {
      const std::size_t count = std::min<std::uint64_t>(tensor::kBlockBytes, end - at);
      if (::pread(a, block_a.get(), count, static_cast<off_t>(at)) < 0 ||
          ::pread(b, block_b.get(), count, static_cast<off_t>(at)) < 0) {
        return false;
      }
    }
    return true;
  });
}

}  // namespace rlverify::bench
