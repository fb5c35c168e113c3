// SPDX-License-Identifier: Apache-2.0
// Block buffers that the jobs of a pool take and give back, so that there are as many as threads and none is allocated
// per tensor.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tensor/difference_reader.h"

namespace rlverify::tensor {

class BufferStock {
 public:
  [[nodiscard]] std::unique_ptr<BlockBuffers> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      return std::make_unique<BlockBuffers>();
    }
    auto buffers = std::move(free_.back());
    free_.pop_back();
    return buffers;
  }
  void give(std::unique_ptr<BlockBuffers> buffers) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(buffers));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<BlockBuffers>> free_;
};

/// The buffers of one job.
class BufferLoan {
 public:
  explicit BufferLoan(BufferStock& stock) : stock_(stock), buffers_(stock.take()) {}
  ~BufferLoan() { stock_.give(std::move(buffers_)); }
  BufferLoan(const BufferLoan&) = delete;
  BufferLoan& operator=(const BufferLoan&) = delete;
  BlockBuffers* operator->() const { return buffers_.get(); }
  BlockBuffers& operator*() const { return *buffers_; }

 private:
  BufferStock& stock_;
  std::unique_ptr<BlockBuffers> buffers_;
};

}  // namespace rlverify::tensor
