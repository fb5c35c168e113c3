// SPDX-License-Identifier: Apache-2.0
// Order in which a sum over ranks adds, element by element, as NCCL 2.30 does it for a fp32 all-reduce with the LL
// protocol on one node (docs/kernels.md, "Collectives"). Every hop is one fp32 addition, so only the order matters.
#pragma once

#include "contracts/shape.h"

namespace rlverify::kernels {

/// Where an element of an all-reduce buffer is summed: its channel's range and its place inside it.
struct ChannelPlace {
  std::int64_t offset = 0;  // element's place inside the channel's range
  std::int64_t count = 0;   // elements of that range
};

/// Splits a buffer of `elements` fp32 values over channels the way NCCL's scheduler does: cells of 1,024 values, dealt
/// out in contiguous ranges; a low first channel, equal middle ones, the rest in the last when channels run out.
RLV_INLINE ChannelPlace channel_place(std::int64_t element, std::int64_t elements, int ranks, int max_channels) {
  constexpr std::int64_t kCell = 1024;
  constexpr std::int64_t kCellTraffic = 32768;
  const std::int64_t bytes = elements * 4;
  std::int64_t planned = max_channels;
  while (planned > 1 && bytes < planned * 512 * 8 * ranks)
    --planned;
  const std::int64_t buffer_traffic = 2 * bytes;
  const std::int64_t traffic = (buffer_traffic > kCellTraffic ? buffer_traffic : kCellTraffic) / planned;
  const std::int64_t cells = divide_up(elements, kCell);
  std::int64_t cells_per_channel = smaller(cells, divide_up(traffic, kCellTraffic));
  const std::int64_t cells_low = max_channels == 1 ? cells : cells_per_channel;
  std::int64_t middle = (cells - cells_low) / cells_per_channel;
  std::int64_t cells_high = (cells - cells_low) % cells_per_channel;
  if (1 + middle + (cells_high != 0 ? 1 : 0) > max_channels) {
    middle = max_channels - 2;
    cells_per_channel = (cells - cells_low) / (middle + 1);
    cells_high = cells_per_channel + (cells - cells_low) % (middle + 1);
  }
  const std::int64_t cell = element / kCell;
  std::int64_t begin = 0;
  std::int64_t end = cells_low;
  if (cell >= cells_low) {
    const std::int64_t slot = cells_per_channel > 0 ? smaller((cell - cells_low) / cells_per_channel, middle) : middle;
    begin = cells_low + slot * cells_per_channel;
    end = slot < middle ? begin + cells_per_channel : cells;
  }
  return {element - begin * kCell, smaller(end * kCell, elements) - begin * kCell};
}

/// Ring chunk (0..ranks-1) of an element: loops of ranks * 8,192 values, the last one cut into even chunks rounded up
/// to 4.
RLV_INLINE int ring_chunk(ChannelPlace place, int ranks) {
  constexpr std::int64_t kChunk = 8192;
  const std::int64_t loop = kChunk * ranks;
  const std::int64_t base = place.offset / loop * loop;
  const std::int64_t remaining = place.count - base;
  const std::int64_t chunk = remaining < loop ? divide_up(divide_up(remaining, ranks), 4) * 4 : kChunk;
  return static_cast<int>((place.offset - base) / chunk);
}

/// Sum of x[0..ranks) as the collective adds them for element `element` of a buffer of `elements`.
/// ring: ((x[c+1] + x[c+2]) + ...) + x[c] for chunk c; chain: x0 + (x1 + (x2 + ...)); gather: ((x0 + x1) + x2) + ...
RLV_INLINE float collective_sum(const float* x, int ranks, CollectiveSetting setting, std::int64_t element,
                                std::int64_t elements) {
  if (setting.order == CollectiveOrder::kChain) {
    float sum = x[ranks - 1];
    for (int rank = ranks - 2; rank >= 0; --rank)
      sum = x[rank] + sum;
    return sum;
  }
  int start = 0;
  if (setting.order == CollectiveOrder::kRing && ranks > 1) {
    const ChannelPlace place = channel_place(element, elements, ranks, setting.max_channels);
    start = (ring_chunk(place, ranks) + 1) % ranks;
  }
  float sum = x[start];
  for (int step = 1; step < ranks; ++step)
    sum = sum + x[(start + step) % ranks];
  return sum;
}

}  // namespace rlverify::kernels
