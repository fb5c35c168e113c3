// SPDX-License-Identifier: Apache-2.0
// Every byte of the weights is hashed once: data by tensor, headers by file (spec/documents.md section 4).
#include <fmt/format.h>

#include "compare/weights.h"
#include "compare/weights_hash.h"
#include "compare/weights_judge.h"
#include "core/sha256.h"
#include "tensor/model.h"

namespace rlverify::compare {
namespace {

std::string hash_range(const core::ByteSource& source, std::uint64_t bytes) {
  core::Sha256 hash;
  core::BlockReader blocks(source, 0, bytes);
  for (auto block = blocks.next(); !block.empty(); block = blocks.next()) {
    hash.update(block);
  }
  return core::hex(hash.finish());
}

void seal_files(const tensor::Model& model, SealedWeights& out, core::Findings& findings) {
  for (std::size_t i = 0; i < model.files().size(); ++i) {
    const tensor::ModelFile& file = model.files()[i];
    try {
      const auto source = model.source(static_cast<std::uint32_t>(i));
      out.files.push_back(
          {file.name, file.bytes, hash_range(*source, file.is_safetensors ? file.header_bytes : file.bytes)});
    } catch (const core::ArtifactError& error) {
      findings.add(error.problem(), "RLV-220", core::Section::kWeights);
    }
  }
}

void report_hashed(const std::vector<HashedTensor>& hashed, const WeightVersion& version, SealedWeights& out,
                   core::Findings& findings) {
  std::uint64_t non_finite_tensors = 0;
  core::Finding non_finite = weight_finding("RLV-306", core::Severity::kError, "", version);
  for (const HashedTensor& tensor : hashed) {
    out.coverage.add({0, 1, tensor.elements, tensor.bytes});
    if (tensor.problem) {
      findings.add(*tensor.problem, "RLV-220", core::Section::kWeights);
    }
    if (tensor.non_finite > 0 && non_finite_tensors++ == 0) {
      non_finite.what = fmt::format("non-finite weights: {} elements in tensor {}", tensor.non_finite, tensor.name);
      non_finite.place.tensor = tensor.name;
    }
  }
  if (non_finite_tensors > 0) {
    non_finite.count = non_finite_tensors;
    non_finite.expected = "finite numbers";
    non_finite.found = fmt::format("NaN or infinity in {} of {} tensors", non_finite_tensors, hashed.size());
    findings.add(std::move(non_finite));
  }
}

}  // namespace

SealedWeights seal_weights(WeightVersion& version, core::ThreadPool& pool, core::Findings& findings,
                           core::Progress* progress) {
  SealedWeights out;
  out.version = version.name;
  if (version.snapshot.empty()) {
    out.digests = version.digests.value_or(WeightDigests{});
    return out;
  }
  try {
    const tensor::Model model = tensor::open_model(version.snapshot, version.where);
    tensor::add_findings(model, core::Section::kWeights, findings);
    const std::vector<HashedTensor> hashed = hash_model(model, {}, pool, progress);
    out.digests = digests_of(hashed);
    out.coverage.files = model.files().size();
    report_hashed(hashed, version, out, findings);
    seal_files(model, out, findings);
    version.computed = out.digests;
  } catch (const core::ArtifactError& error) {
    findings.add(error.problem(), "RLV-220", core::Section::kWeights);
  }
  return out;
}

}  // namespace rlverify::compare
