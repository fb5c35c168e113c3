// SPDX-License-Identifier: Apache-2.0
// ATen's torch.sum: launch plans against published cases, and the order against a literal thread-by-thread reading of
// Reduce.cuh.
#include <catch2/catch.hpp>
#include <vector>

#include "contracts/aten_sum.h"
#include "sim_block.h"

namespace {

using namespace rlverify::kernels;
using namespace rlverify::kernels::test;

/// The element itself instead of its exponential, so that the literal version needs no exponential either.
struct IdentityTerm {
  template <class Ops>
  typename Ops::Vector operator()(Ops, typename Ops::Vector z) const {
    // Columns outside the row come as -inf and must add nothing.
    return z == negative_infinity() ? 0.0F : z;
  }
};

/// input_vectorized_thread_reduce_impl and the reductions after it, thread by thread.
float literal_sum(const float* data, std::int64_t count, int threads, int ctas, int shift) {
  std::vector<float> block_sums;
  for (int cta = 0; cta < ctas; ++cta) {
    std::vector<float> value(static_cast<std::size_t>(threads));
    for (int t = 0; t < threads; ++t) {
      float a[4] = {};
      std::int64_t first = 0;
      if (shift > 0) {
        if (t >= shift && t < 4 && cta == 0)
          a[0] += data[t - shift];
        first = 4 - shift;
      }
      const std::int64_t end = count - first;
      std::int64_t idx = t + static_cast<std::int64_t>(cta) * threads;
      for (; idx * 4 + 3 < end; idx += static_cast<std::int64_t>(threads) * ctas) {
        for (int i = 0; i < 4; ++i)
          a[i] += data[first + idx * 4 + i];
      }
      const std::int64_t tail = end - end % 4 + t;
      if (cta == 0 && tail < end)
        a[0] += data[first + tail];
      value[static_cast<std::size_t>(t)] = ((a[0] + a[1]) + a[2]) + a[3];
    }
    for (int offset = threads / 2; offset >= 32; offset /= 2) {
      for (int t = 0; t < offset; ++t)
        value[static_cast<std::size_t>(t)] += value[static_cast<std::size_t>(t + offset)];
    }
    for (int offset = 1; offset < 32; offset *= 2) {
      for (int t = 0; t + offset < 32; ++t)
        value[static_cast<std::size_t>(t)] += value[static_cast<std::size_t>(t + offset)];
    }
    block_sums.push_back(value[0]);
  }
  block_sums.resize(32, 0.0F);
  for (int offset = 1; offset < 32 && ctas > 1; offset *= 2) {
    for (int t = 0; t + offset < 32; ++t)
      block_sums[static_cast<std::size_t>(t)] += block_sums[static_cast<std::size_t>(t + offset)];
  }
  return block_sums[0];
}

std::vector<float> values(std::int64_t count) {
  std::vector<float> data;
  for (std::int64_t i = 0; i < count; ++i)
    data.push_back(1.0F / static_cast<float>(1 + (i * 7919) % 1013));
  return data;
}

}  // namespace

TEST_CASE("torch.sum's plan is the published one", "[aten_sum]") {
  CHECK(aten_sum_plan(1, 151936, 132).ctas == 19);
  CHECK(aten_sum_plan(100, 151936, 132).ctas == 6);
  CHECK(aten_sum_plan(264, 151936, 132).ctas == 2);
  CHECK(aten_sum_plan(528, 151936, 132).ctas == 2);
  CHECK(aten_sum_plan(529, 151936, 132).ctas == 1);
  CHECK(aten_sum_plan(1, 152064, 132).ctas == 19);
  for (const std::int64_t width : {18992, 37984, 38016, 75968, 76032}) {
    for (const std::int64_t rows : {1, 16, 100, 1024}) {
      const AtenSumPlan plan = aten_sum_plan(rows, width, 132);
      CHECK(plan.threads == 512);
      CHECK(plan.ctas == 1);
      CHECK(plan.vectorised);
    }
  }
  // A tile of the pure PyTorch path: threads per row fall with the number of rows.
  CHECK(aten_sum_plan(1, 2374, 132).threads == 512);
  CHECK(aten_sum_plan(2, 2374, 132).threads == 256);
  CHECK(aten_sum_plan(3, 2374, 132).threads == 256);
  CHECK(aten_sum_plan(7, 2374, 132).threads == 128);
  CHECK(aten_sum_plan(15, 2374, 132).threads == 64);
  CHECK(aten_sum_plan(16, 2374, 132).threads == 32);
  CHECK(aten_sum_plan(16, 64, 132).threads == 32);
}

TEST_CASE("torch.sum adds in the order of its threads", "[aten_sum]") {
  for (const std::int64_t width :
       {std::int64_t{129}, std::int64_t{1000}, std::int64_t{2374}, std::int64_t{4099}, std::int64_t{37984}}) {
    for (const std::int64_t rows : {1, 3, 64}) {
      for (int shift = 0; shift < 4; ++shift) {
        const std::vector<float> data = values(width);
        const AtenSumPlan plan = aten_sum_plan(rows, width, 132);
        SimBlock block(std::max(32, plan.threads));
        LogitColumns columns{data.data(), {}};
        const float sum = aten_sum(block, columns, ColumnRange{0, width}, plan, shift, IdentityTerm());
        INFO("width " << width << " rows " << rows << " shift " << shift);
        CHECK(bits_of(sum) == bits_of(literal_sum(data.data(), width, plan.threads, plan.ctas, shift)));
      }
    }
  }
}

TEST_CASE("torch.sum split over blocks joins them by the same tree", "[aten_sum]") {
  const std::int64_t width = 151936;
  const std::vector<float> data = values(width);
  for (const std::int64_t rows : {1, 100}) {
    const AtenSumPlan plan = aten_sum_plan(rows, width, 132);
    SimBlock block(plan.threads);
    LogitColumns columns{data.data(), {}};
    const float sum = aten_sum(block, columns, ColumnRange{0, width}, plan, 0, IdentityTerm());
    CHECK(bits_of(sum) == bits_of(literal_sum(data.data(), width, plan.threads, plan.ctas, 0)));
  }
}
