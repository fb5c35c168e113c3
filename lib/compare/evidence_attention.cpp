// SPDX-License-Identifier: Apache-2.0
// Eager attention against its CUDA graph: pairs of files in gpu-attention-cases/, each a dict of tensors that must be
// byte-equal (spec/documents.md section 3).
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <tuple>

#include "compare/evidence.h"
#include "core/byte_source.h"
#include "tensor/difference_reader.h"
#include "tensor/pt_reader.h"
#include "tensor/storage_check.h"
#include "tensor/value_walk.h"

namespace rlverify::compare {
namespace {

constexpr const char* kFolder = "gpu-attention-cases";
using CaseKey = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  ///< cp, interleave, queries

struct CaseFiles {
  std::string eager;
  std::string graph;
};

/// cp<C>.interleave<I>.queries<Q>.(eager|cuda_graph).pt
bool parse_name(const std::string& name, CaseKey& key, bool& graph) {
  std::string_view rest = name;
  const auto part = [&rest](std::string_view word, std::int64_t& number) {
    if (rest.substr(0, word.size()) != word) {
      return false;
    }
    rest.remove_prefix(word.size());
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    return error == std::errc() && number >= 0;
  };
  auto& [cp, interleave, queries] = key;
  if (!part("cp", cp) || !part(".interleave", interleave) || !part(".queries", queries) || cp < 1 || interleave < 1) {
    return false;
  }
  graph = rest == ".cuda_graph.pt";
  return graph || rest == ".eager.pt";
}

core::Finding case_finding(std::string what, const std::string& file) {
  core::Finding finding =
      core::bare_finding("RLV-360", core::Severity::kError, core::Section::kTensors, std::move(what));
  finding.place.file = file;
  return finding;
}

/// A file of a case and its tensors by path.
struct CaseFile {
  std::unique_ptr<core::ByteSource> source;
  tensor::PtFile pt;
  std::map<std::string, const tensor::TensorRef*> tensors;

  explicit CaseFile(const std::string& path) : source(core::open_file(path)), pt(tensor::read_pt(*source)) {
    tensor::check_storages(*source, pt);
    for (const tensor::TensorAt& at : tensor::find_tensors(pt).tensors) {
      tensors[at.path] = &pt.tensor(at.value);
    }
  }
};

/// What is wrong with a case; nothing when all tensors are byte-equal.
std::optional<core::Finding> compare_case(const std::string& eager_path, const std::string& graph_path) {
  const CaseFile eager(eager_path);
  const CaseFile graph(graph_path);
  if (eager.tensors.empty()) {
    return case_finding("an attention case holds no tensor", eager_path);
  }
  for (const auto& [path, ref] : eager.tensors) {
    const auto other = graph.tensors.find(path);
    core::Finding finding = case_finding("eager attention and its CUDA graph differ", graph_path);
    finding.place.tensor = path;
    if (other == graph.tensors.end()) {
      finding.expected = "the tensor, as the eager file has it";
      finding.found = "nothing";
      return finding;
    }
    if (ref->dtype != other->second->dtype || ref->shape != other->second->shape) {
      finding.expected = fmt::format("{} of {} elements", tensor::torch_name(ref->dtype), ref->element_count);
      finding.found = fmt::format("{} of {} elements or of another shape", tensor::torch_name(other->second->dtype),
                                  other->second->element_count);
      return finding;
    }
    if (ref->explodes() || other->second->explodes()) {
      finding.expected = "tensors of at most 64 times their storage";
      finding.found = fmt::format("{} elements", ref->element_count);
      return finding;
    }
    tensor::BlockBuffers buffers;
    const tensor::Difference difference =
        tensor::compare_tensors({eager.source.get(), ref}, {graph.source.get(), other->second}, buffers);
    if (!difference.equal()) {
      finding.expected = fmt::format("{} at {}", tensor::element_text(ref->dtype, difference.first->reference),
                                     tensor::index_text(ref->shape, difference.first->element_index));
      finding.found =
          fmt::format("{} ({} of {} elements differ)", tensor::element_text(ref->dtype, difference.first->candidate),
                      difference.different_elements, difference.elements);
      return finding;
    }
  }
  for (const auto& entry : graph.tensors) {
    if (eager.tensors.count(entry.first) == 0) {
      core::Finding finding = case_finding("eager attention and its CUDA graph differ", eager_path);
      finding.place.tensor = entry.first;
      finding.expected = "the tensor, as the CUDA-graph file has it";
      finding.found = "nothing";
      return finding;
    }
  }
  return std::nullopt;
}

std::optional<core::Finding> judge_case(const std::string& folder, const CaseFiles& files) {
  if (files.eager.empty() || files.graph.empty()) {
    const std::string& present = files.eager.empty() ? files.graph : files.eager;
    core::Finding finding = case_finding("an attention case has one file only", folder + "/" + present);
    finding.expected = "an eager and a cuda_graph file";
    return finding;
  }
  try {
    return compare_case(folder + "/" + files.eager, folder + "/" + files.graph);
  } catch (const core::ArtifactError& error) {
    core::Findings one;
    one.add(error.problem(), "RLV-360", core::Section::kTensors);
    return one.list().front();
  }
}

std::map<CaseKey, CaseFiles> list_cases(const run::Listing& listing, const std::string& folder,
                                        core::Findings& findings) {
  std::map<CaseKey, CaseFiles> cases;
  for (const std::string& name : listing.names) {
    CaseKey key;
    bool graph = false;
    if (name.front() == '.') {
      continue;
    }
    if (!parse_name(name, key, graph)) {
      core::Finding finding = case_finding("a file of another name is left out", folder + "/" + name);
      finding.severity = core::Severity::kWarning;
      finding.expected = "cp<C>.interleave<I>.queries<Q>.eager.pt or .cuda_graph.pt";
      findings.add(std::move(finding));
      continue;
    }
    (graph ? cases[key].graph : cases[key].eager) = name;
  }
  return cases;
}

}  // namespace

std::optional<AttentionCases> read_attention_cases(const run::RunDirectory& run, core::ThreadPool& pool,
                                                   core::Findings& findings) {
  const std::string folder = run.path + "/" + kFolder;
  const run::Listing listing = run::list_files(run.path, kFolder, ".pt");
  std::error_code error;
  if (listing.problem) {
    core::Problem problem = *listing.problem;
    problem.file = folder;
    findings.add(problem, "RLV-360", core::Section::kTensors);
    return std::nullopt;
  }
  if (!std::filesystem::is_directory(folder, error)) {
    return std::nullopt;
  }
  AttentionCases out;
  std::vector<CaseFiles> files;
  std::set<std::int64_t> cp;
  std::set<std::int64_t> interleave;
  std::set<std::int64_t> queries;
  for (const auto& [key, pair] : list_cases(listing, folder, findings)) {
    files.push_back(pair);
    cp.insert(std::get<0>(key));
    interleave.insert(std::get<1>(key));
    queries.insert(std::get<2>(key));
  }
  std::vector<std::optional<core::Finding>> verdicts(files.size());
  pool.for_each(files.size(), [&](std::size_t i) { verdicts[i] = judge_case(folder, files[i]); });
  for (std::optional<core::Finding>& verdict : verdicts) {
    ++(verdict ? out.mismatches : out.passed);
    if (verdict) {
      findings.add(std::move(*verdict));
    }
  }
  if (files.empty()) {
    findings.add(case_finding("the folder of attention cases is empty", folder));
  }
  out.cp.assign(cp.begin(), cp.end());
  out.interleave.assign(interleave.begin(), interleave.end());
  out.query_counts.assign(queries.rbegin(), queries.rend());
  return out;
}

}  // namespace rlverify::compare
