// SPDX-License-Identifier: Apache-2.0
// Only asked about tensors that differ, so indices are built when first needed. Tensors on disk are looked up by the
// digest of their first bytes and then compared whole.
#include "compare/weights_sides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "compare/weights_snapshots.h"
#include "core/sha256.h"
#include "tensor/difference_reader.h"

namespace rlverify::compare {
namespace {

using tensor::Model;
using tensor::ModelTensor;

constexpr std::uint64_t kFingerprintElements = 1024;
constexpr std::size_t kMaxTwins = 16;
/// Zero bytes are hashed to recognise a digest of zeros; larger tensors are left unknown.
constexpr std::uint64_t kMaxZeroBytes = 64ULL << 20;

class ModelSides final : public Sides {
 public:
  ModelSides(const Model& reference, const Model& candidate) : models_{&reference, &candidate} {}

  [[nodiscard]] std::vector<std::string> twins(Side side, const std::string& name) override {
    std::vector<std::string> found;
    const ModelTensor* tensor = model(side).find(name);
    if (tensor == nullptr) {
      return found;
    }
    const Side other = side == Side::kReference ? Side::kCandidate : Side::kReference;
    const auto range = index(other).equal_range(fingerprint(model(side), *tensor));
    for (auto at = range.first; at != range.second && found.size() < kMaxTwins; ++at) {
      const ModelTensor& twin = model(other).tensors()[at->second];
      const auto source = model(side).source(tensor->file);
      const auto twin_source = model(other).source(twin.file);
      if (tensor::same_elements({source.get(), &tensor->ref}, {twin_source.get(), &twin.ref}, 0,
                                tensor->ref.element_count, buffers_)) {
        found.push_back(twin.name);
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  [[nodiscard]] bool all_zero(Side side, const std::string& name) override {
    const ModelTensor* tensor = model(side).find(name);
    if (tensor == nullptr || tensor->ref.element_count == 0) {
      return false;
    }
    const auto source = model(side).source(tensor->file);
    const std::uint64_t step = tensor::block_elements(tensor->ref.dtype);
    for (std::uint64_t first = 0; first < tensor->ref.element_count; first += step) {
      const auto bytes = buffers_.reference.read({source.get(), &tensor->ref}, first,
                                                 std::min(step, tensor->ref.element_count - first));
      if (std::any_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte != std::byte{0}; })) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::size_t dimensions(Side side, const std::string& name) override {
    const ModelTensor* tensor = model(side).find(name);
    return tensor == nullptr ? 0 : tensor->ref.shape.size();
  }

  [[nodiscard]] bool same_numbers(const std::string& name) override {
    const ModelTensor* a = model(Side::kReference).find(name);
    const ModelTensor* b = model(Side::kCandidate).find(name);
    return a != nullptr && b != nullptr && a->ref.shape == b->ref.shape &&
           same_values(model(Side::kReference), *a, model(Side::kCandidate), *b);
  }

 private:
  using Index = std::multimap<std::string, std::uint32_t>;

  [[nodiscard]] const Model& model(Side side) const { return *models_[static_cast<std::size_t>(side)]; }

  [[nodiscard]] std::string fingerprint(const Model& owner, const ModelTensor& tensor) {
    const auto source = owner.source(tensor.file);
    const std::uint64_t count = std::min(kFingerprintElements, tensor.ref.element_count);
    const auto bytes = buffers_.reference.read({source.get(), &tensor.ref}, 0, count);
    return fmt::format("{} {} {}", static_cast<int>(tensor.ref.dtype), fmt::join(tensor.ref.shape, ","),
                       core::hex(core::sha256(bytes)));
  }

  [[nodiscard]] const Index& index(Side side) {
    auto& known = indices_[static_cast<std::size_t>(side)];
    if (!known) {
      known.emplace();
      const std::vector<ModelTensor>& tensors = model(side).tensors();
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        try {
          known->emplace(fingerprint(model(side), tensors[i]), static_cast<std::uint32_t>(i));
        } catch (const core::ArtifactError&) {
          // It can't be read, which has its own finding; it is nobody's twin.
        }
      }
    }
    return *known;
  }

  std::array<const Model*, 2> models_;
  std::array<std::optional<Index>, 2> indices_;
  tensor::BlockBuffers buffers_;
};

class DigestSides final : public Sides {
 public:
  DigestSides(const WeightDigests& reference, const WeightDigests& candidate) {
    add(Side::kReference, reference);
    add(Side::kCandidate, candidate);
  }

  [[nodiscard]] std::vector<std::string> twins(Side side, const std::string& name) override {
    std::vector<std::string> found;
    const run::AuditTensor* tensor = find(side, name);
    if (tensor == nullptr) {
      return found;
    }
    const Side other = side == Side::kReference ? Side::kCandidate : Side::kReference;
    const auto range = by_digest_[static_cast<std::size_t>(other)].equal_range(tensor->sha256);
    for (auto at = range.first; at != range.second && found.size() < kMaxTwins; ++at) {
      if (at->second->dtype == tensor->dtype && at->second->shape == tensor->shape) {
        found.push_back(at->second->name);
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  [[nodiscard]] bool all_zero(Side side, const std::string& name) override {
    const run::AuditTensor* tensor = find(side, name);
    const auto dtype = tensor == nullptr ? std::nullopt : tensor::dtype_from_torch_name(tensor->dtype);
    if (!dtype) {
      return false;
    }
    std::uint64_t bytes = tensor::bytes_per_element(*dtype);
    for (const std::int64_t size : tensor->shape) {
      if (size < 0 || __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(size), &bytes) ||
          bytes > kMaxZeroBytes) {
        return false;
      }
    }
    return bytes > 0 && zero_digest(bytes) == tensor->sha256;
  }

  [[nodiscard]] std::size_t dimensions(Side side, const std::string& name) override {
    const run::AuditTensor* tensor = find(side, name);
    return tensor == nullptr ? 0 : tensor->shape.size();
  }

  [[nodiscard]] bool same_numbers(const std::string& /*name*/) override { return false; }

 private:
  void add(Side side, const WeightDigests& digests) {
    for (const run::AuditTensor& tensor : digests.tensors) {
      by_name_[static_cast<std::size_t>(side)].emplace(tensor.name, &tensor);
      by_digest_[static_cast<std::size_t>(side)].emplace(tensor.sha256, &tensor);
    }
  }
  [[nodiscard]] const run::AuditTensor* find(Side side, const std::string& name) const {
    const auto& names = by_name_[static_cast<std::size_t>(side)];
    const auto at = names.find(name);
    return at == names.end() ? nullptr : at->second;
  }
  [[nodiscard]] const std::string& zero_digest(std::uint64_t bytes) {
    std::string& known = zero_digests_[bytes];
    if (known.empty()) {
      core::Sha256 hash;
      const std::vector<std::byte> zeros(std::min<std::uint64_t>(bytes, 1U << 16U));
      for (std::uint64_t left = bytes; left > 0;) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left, zeros.size()));
        hash.update(std::span(zeros).first(count));
        left -= count;
      }
      known = core::hex(hash.finish());
    }
    return known;
  }

  std::array<std::map<std::string, const run::AuditTensor*>, 2> by_name_;
  std::array<std::multimap<std::string, const run::AuditTensor*>, 2> by_digest_;
  std::map<std::uint64_t, std::string> zero_digests_;
};

}  // namespace

std::unique_ptr<Sides> sides_of_models(const Model& reference, const Model& candidate) {
  return std::make_unique<ModelSides>(reference, candidate);
}

std::unique_ptr<Sides> sides_of_digests(const WeightDigests& reference, const WeightDigests& candidate) {
  return std::make_unique<DigestSides>(reference, candidate);
}

}  // namespace rlverify::compare
