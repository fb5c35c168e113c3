// SPDX-License-Identifier: Apache-2.0
// A digest can't be split, so the longest tensors go first: the last one to end is then a short one.
#include "compare/weights_hash.h"

#include <algorithm>
#include <numeric>

#include "core/sha256.h"
#include "tensor/buffer_stock.h"
#include "tensor/difference_reader.h"

namespace rlverify::compare {
namespace {

void hash_tensor(const tensor::Model& model, const tensor::ModelTensor& tensor, tensor::BlockBuffer& buffer,
                 HashedTensor& out, core::Progress* progress) {
  const auto source = model.source(tensor.file);
  core::Sha256 hash;
  tensor::for_each_block({source.get(), &tensor.ref}, buffer,
                         [&](std::uint64_t /*first_element*/, std::span<const std::byte> elements) {
                           hash.update(elements);
                           out.non_finite += tensor::count_non_finite(tensor.ref.dtype, elements);
                           if (progress != nullptr) {
                             progress->add(elements.size());
                           }
                         });
  out.sha256 = core::hex(hash.finish());
}

}  // namespace

std::vector<HashedTensor> hash_model(const tensor::Model& model, const std::vector<std::string>& only,
                                     core::ThreadPool& pool, core::Progress* progress) {
  std::vector<const tensor::ModelTensor*> wanted;
  for (const std::uint32_t i : model.by_name()) {
    if (only.empty() || std::find(only.begin(), only.end(), model.tensors()[i].name) != only.end()) {
      wanted.push_back(&model.tensors()[i]);
    }
  }
  std::vector<HashedTensor> hashed(wanted.size());
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&wanted](std::size_t a, std::size_t b) {
    return wanted[a]->ref.logical_bytes() > wanted[b]->ref.logical_bytes();
  });
  tensor::BufferStock stock;
  pool.for_each(order.size(), [&](std::size_t i) {
    const tensor::ModelTensor& tensor = *wanted[order[i]];
    HashedTensor& out = hashed[order[i]];
    out.name = tensor.name;
    out.dtype = tensor::torch_name(tensor.ref.dtype);
    out.shape.assign(tensor.ref.shape.begin(), tensor.ref.shape.end());
    out.elements = tensor.ref.element_count;
    out.bytes = tensor.ref.logical_bytes();
    const tensor::BufferLoan buffers(stock);
    try {
      hash_tensor(model, tensor, buffers->reference, out, progress);
    } catch (const core::ArtifactError& error) {
      out.problem = error.problem();
    }
  });
  return hashed;
}

WeightDigests digests_of(const std::vector<HashedTensor>& tensors) {
  WeightDigests digests;
  for (const HashedTensor& tensor : tensors) {
    digests.tensors.push_back({tensor.name, tensor.sha256, tensor.dtype, tensor.shape, !tensor.problem});
  }
  digests.tensor_count = tensors.size();
  digests.sha256 = run::audit_digest(digests.tensors);
  return digests;
}

}  // namespace rlverify::compare
