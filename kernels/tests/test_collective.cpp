// SPDX-License-Identifier: Apache-2.0
// The simulated collectives against the published splits and against rings and chains that pass messages literally.
#include <catch2/catch.hpp>
#include <vector>

#include "contracts/collective.h"

namespace {

using namespace rlverify::kernels;

/// Sizes of the channels that a buffer is split over, in order.
std::vector<std::int64_t> channel_sizes(std::int64_t elements, int ranks, int max_channels) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t e = 0; e < elements; ++e) {
    const ChannelPlace place = channel_place(e, elements, ranks, max_channels);
    if (place.offset == 0)
      sizes.push_back(place.count);
  }
  return sizes;
}

/// A ring that passes messages: at step s rank r sends chunk (r - s) mod P, so chunk c starts at rank c + 1... and ends
/// at rank c.
std::vector<float> literal_ring(const std::vector<std::vector<float>>& chunks_of_rank) {
  const int ranks = static_cast<int>(chunks_of_rank.size());
  std::vector<std::vector<float>> value = chunks_of_rank;
  for (int step = 0; step < ranks - 1; ++step) {
    const std::vector<std::vector<float>> before = value;
    for (int rank = 0; rank < ranks; ++rank) {
      const int next = (rank + 1) % ranks;
      const int chunk = ((rank - 1 - step) % ranks + ranks) % ranks;
      const auto c = static_cast<std::size_t>(chunk);
      value[static_cast<std::size_t>(next)][c] =
          before[static_cast<std::size_t>(rank)][c] + chunks_of_rank[static_cast<std::size_t>(next)][c];
    }
  }
  std::vector<float> sums;
  for (int chunk = 0; chunk < ranks; ++chunk)
    sums.push_back(value[static_cast<std::size_t>(chunk)][static_cast<std::size_t>(chunk)]);
  return sums;
}

constexpr CollectiveSetting kRing{CollectiveOrder::kRing, 16};
constexpr CollectiveSetting kChain{CollectiveOrder::kChain, 16};
constexpr CollectiveSetting kGather{CollectiveOrder::kGather, 16};

}  // namespace

TEST_CASE("buffers are split over channels as published", "[collective]") {
  CHECK(channel_sizes(1024, 4, 16) == std::vector<std::int64_t>{1024});
  CHECK(channel_sizes(1025, 4, 16) == std::vector<std::int64_t>{1024, 1});
  CHECK(channel_sizes(4096, 4, 16) == std::vector<std::int64_t>(4, 1024));
  CHECK(channel_sizes(8192, 4, 16) == std::vector<std::int64_t>(8, 1024));
  std::vector<std::int64_t> wide(16, 2048);
  wide.front() = 1024;
  wide.back() = 3072;
  CHECK(channel_sizes(32768, 4, 16) == wide);
  CHECK(channel_sizes(32768, 4, 1) == std::vector<std::int64_t>{32768});
}

TEST_CASE("a row's ring chunk follows its place in the channel", "[collective]") {
  for (std::int64_t row = 0; row < 1024; ++row)
    CHECK(ring_chunk(channel_place(row, 1024, 4, 16), 4) == row / 256);
  for (std::int64_t row = 0; row < 4; ++row)
    CHECK(ring_chunk(channel_place(row, 4, 4, 16), 4) == 0);
  // 100 rows: chunks of roundup4(25) = 28.
  for (std::int64_t row = 0; row < 100; ++row)
    CHECK(ring_chunk(channel_place(row, 100, 4, 16), 4) == row / 28);
  // The second half of a fused buffer of 2 x 1,024 fills channel 1 and repeats the chunks of the unfused one.
  for (std::int64_t row = 0; row < 1024; ++row)
    CHECK(ring_chunk(channel_place(1024 + row, 2048, 4, 16), 4) == row / 256);
  // One channel, more than a loop of 4 x 8,192.
  CHECK(ring_chunk(channel_place(8191, 40000, 4, 1), 4) == 0);
  CHECK(ring_chunk(channel_place(8192, 40000, 4, 1), 4) == 1);
  CHECK(ring_chunk(channel_place(32768, 40000, 4, 1), 4) == 0);
  CHECK(ring_chunk(channel_place(32768 + 1808, 40000, 4, 1), 4) == 1);
}

TEST_CASE("the ring adds as messages passed around it do", "[collective]") {
  for (const int ranks : {2, 4, 8}) {
    std::vector<std::vector<float>> inputs;
    for (int r = 0; r < ranks; ++r) {
      std::vector<float> chunks;
      for (int c = 0; c < ranks; ++c)
        chunks.push_back(1.0F / static_cast<float>(3 + 7 * r + 11 * c) + static_cast<float>(r * r));
      inputs.push_back(chunks);
    }
    const std::vector<float> expected = literal_ring(inputs);
    const std::int64_t elements = 4 * ranks;  // four elements per chunk
    for (int c = 0; c < ranks; ++c) {
      float x[8] = {};
      for (int r = 0; r < ranks; ++r)
        x[r] = inputs[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
      CHECK(bits_of(collective_sum(x, ranks, kRing, 4 * c, elements)) ==
            bits_of(expected[static_cast<std::size_t>(c)]));
    }
  }
}

TEST_CASE("chain and gather add from their own ends", "[collective]") {
  // 2^24 + 1 rounds to 2^24: which end starts shows.
  const float x[4] = {16777216.0F, 1.0F, 1.0F, 1.0F};
  CHECK(collective_sum(x, 4, kGather, 0, 4) == 16777216.0F);
  CHECK(collective_sum(x, 4, kChain, 0, 4) == 16777220.0F);
  CHECK(collective_sum(x, 4, kRing, 0, 4) == 16777220.0F);  // chunk 0: ((x1 + x2) + x3) + x0, 3 rounds up to even
}

TEST_CASE("two ranks give the same bits in every order", "[collective]") {
  for (int i = 0; i < 100; ++i) {
    const float x[2] = {1.0F / static_cast<float>(i + 3), 37.1F / static_cast<float>(i + 7)};
    const float expected = x[0] + x[1];
    for (const CollectiveSetting setting : {kRing, kChain, kGather}) {
      for (std::int64_t e = 0; e < 64; e += 9)
        CHECK(bits_of(collective_sum(x, 2, setting, e, 64)) == bits_of(expected));
    }
  }
}
