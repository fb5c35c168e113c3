// SPDX-License-Identifier: Apache-2.0
// Puts what one rank says about a sample to what is known of it. Where two ranks disagree, that is a finding and the
// first one stands.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compare/samples_reader.h"
#include "compare/value_text.h"
#include "tensor/difference.h"
#include "tensor/element.h"

namespace rlverify::compare {

using core::Section;

Sample& StepReader::sample(std::int64_t index, const std::string& file) {
  const auto [at, fresh] = samples_.try_emplace(index);
  if (fresh) {
    at->second.index = index;
    at->second.file = file;
  }
  return at->second;
}

core::Finding StepReader::finding(const char* code, Section section, std::string what, const Origin& origin,
                                  const Sample& sample) const {
  core::Finding out = core::bare_finding(code, core::Severity::kError, section, std::move(what));
  out.place.file = origin.source.name();
  out.place.step = out_.step;
  out.place.sample = sample.index;
  if (origin.rank >= 0) {
    out.place.rank = origin.rank;
  }
  if (origin.call >= 0) {
    out.place.call = origin.call;
  }
  return out;
}

void StepReader::unusable(const core::ArtifactError& error, const char* code, Section section, const Sample* sample) {
  core::Findings one;
  one.add(error.problem(), code, section);
  core::Finding out = one.list().front();
  out.what = section == Section::kTokens ? "a dump can't be used" : "log-probs can't be used";
  out.place.step = out_.step;
  if (sample != nullptr) {
    out.place.sample = sample->index;
  }
  out_.findings.add(std::move(out));
}

void StepReader::put_lengths(Sample& sample, std::int64_t total, std::int64_t response, const Origin& origin) {
  const auto put = [&](std::int64_t& known, std::int64_t value, const char* name) {
    if (value >= 0 && known >= 0 && known != value) {
      core::Finding out = finding("RLV-324", Section::kTokens,
                                  fmt::format("ranks state different {} of a sample", name), origin, sample);
      out.expected = fmt::format("{}, as {} has", known, sample.file);
      out.found = fmt::format("{}", value);
      out_.findings.add(std::move(out));
    } else if (value >= 0) {
      known = value;
    }
  };
  put(sample.total_length, total, "total lengths");
  put(sample.response_length, response, "response lengths");
}

void StepReader::put_tokens(Sample& sample, const Origin& origin, core::Value value, const std::string& field) {
  const std::string& file = origin.source.name();
  const run::NumberVector vector = run::number_vector(origin.pt, value, file, field);
  if (!tensor::is_integer(vector.dtype)) {
    run::fail_field(file, field, "token ids", run::describe(origin.pt, value));
  }
  const run::ElementBytes bytes = run::load(origin.source, vector);
  const std::size_t width = tensor::bytes_per_element(vector.dtype);
  std::vector<std::int64_t> tokens(vector.element_count);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    tokens[i] = tensor::integer_element(vector.dtype, bytes.view.data() + i * width);
  }
  if (!sample.has_tokens) {
    sample.has_tokens = true;
    sample.tokens = std::move(tokens);
    sample.token_dtype = vector.dtype;
    return;
  }
  if (tokens == sample.tokens) {
    return;
  }
  const auto shorter = std::min(tokens.size(), sample.tokens.size());
  const auto at = static_cast<std::size_t>(
      std::mismatch(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(shorter), sample.tokens.begin())
          .first -
      tokens.begin());
  core::Finding out = finding("RLV-324", Section::kTokens, "ranks hold different tokens of one sample", origin, sample);
  out.place.position = static_cast<std::int64_t>(at);
  out.expected =
      fmt::format("{} of {} tokens, as {} has", token_text(sample.tokens, at), sample.tokens.size(), sample.file);
  out.found = fmt::format("{} of {} tokens", token_text(tokens, at), tokens.size());
  out_.findings.add(std::move(out));
}

void StepReader::put_log_probs(Sample& sample, const Origin& origin, LogProbKind kind, core::Value value,
                               const std::string& field, bool whole) {
  if (!value.present() || value.is(core::Kind::kNull)) {
    return;
  }
  try {
    put_piece(sample, origin, kind, run::number_vector(origin.pt, value, origin.source.name(), field), whole);
  } catch (const core::ArtifactError& error) {
    unusable(error, "RLV-335", Section::kLogProbs, &sample);
  }
}

std::array<sidecar::Range, 2> StepReader::owned(const Sample& sample, std::int64_t rank, bool whole,
                                                std::uint64_t count, const std::string& file) const {
  const std::int64_t length = static_cast<std::int64_t>(count);
  const std::int64_t response = sample.response_length >= 0 ? sample.response_length : length;
  if (whole || sources_.context_parallel_size == 1) {
    return {sidecar::Range{0, std::min(length, response)}, sidecar::Range{response, response}};
  }
  if (sources_.context_parallel_size <= 0 || sources_.tensor_parallel_size <= 0 || rank < 0) {
    run::fail_field(file, "log-probs", "a manifest with topology.tp and topology.cp, and a rank",
                    "nothing that says which positions this rank holds");
  }
  const std::int64_t total =
      sample.total_length >= 0 ? sample.total_length : static_cast<std::int64_t>(sample.tokens.size());
  if (sample.response_length <= 0 || total < sample.response_length) {
    run::fail_field(file, "total_lengths, response_lengths", "the lengths of the sample", "none that fit each other");
  }
  const std::int64_t cp_rank = (rank / sources_.tensor_parallel_size) % sources_.context_parallel_size;
  return sidecar::owned_ranges(total, response, sources_.context_parallel_size, cp_rank);
}

void StepReader::put_piece(Sample& sample, const Origin& origin, LogProbKind kind, const run::NumberVector& vector,
                           bool whole) {
  const std::string& file = origin.source.name();
  if (!tensor::is_floating(vector.dtype) || tensor::bytes_per_element(vector.dtype) == 0) {
    run::fail_field(file, std::string(log_prob_name(kind)), "floating-point numbers",
                    std::string(tensor::torch_name(vector.dtype)));
  }
  const Piece piece = {kind, owned(sample, origin.rank, whole, vector.element_count, file)};
  const std::int64_t positions = sidecar::owned_count(piece.ranges);
  // A whole vector may be shorter than the response: what is missing is a matter of coverage. A piece may not.
  if (positions != static_cast<std::int64_t>(vector.element_count)) {
    run::fail_field(file, std::string(log_prob_name(kind)),
                    fmt::format("{} values (rank {}, total length {}, response length {})", positions, origin.rank,
                                sample.total_length, sample.response_length),
                    fmt::format("{}", vector.element_count));
  }
  place(sample, origin, piece, vector);
}

void StepReader::place(Sample& sample, const Origin& origin, const Piece& piece, const run::NumberVector& vector) {
  if (vector.element_count == 0) {
    return;  // an empty shard is legal and says nothing, not even a dtype
  }
  LogProbs& target = sample.log_probs.at(static_cast<std::size_t>(piece.kind));
  const std::size_t width = tensor::bytes_per_element(vector.dtype);
  const auto response = static_cast<std::size_t>(
      sample.response_length >= 0 ? sample.response_length : static_cast<std::int64_t>(vector.element_count));
  if (target.present.empty()) {
    target.dtype = vector.dtype;
    target.present.assign(response, 0);
    target.values.assign(response * width, std::byte{0});
    target.owners.assign(response, 0);
  }
  if (target.dtype != vector.dtype || target.present.size() != response) {
    core::Finding out =
        finding("RLV-333", Section::kLogProbs,
                fmt::format("ranks hold {} of different dtype or length", log_prob_name(piece.kind)), origin, sample);
    out.expected = fmt::format("{} values {}", target.present.size(), tensor::torch_name(target.dtype));
    out.found = fmt::format("{} values {}", response, tensor::torch_name(vector.dtype));
    out_.findings.add(std::move(out));
    return;
  }
  const run::ElementBytes bytes = run::load(origin.source, vector);
  if (target.files.empty() || target.files.back() != origin.source.name()) {
    target.files.push_back(origin.source.name());
    target.ranks.push_back(origin.rank);
  }
  for (std::size_t i = 0; i < vector.element_count; ++i) {
    const auto position =
        static_cast<std::size_t>(sidecar::response_position(piece.ranges, static_cast<std::int64_t>(i)));
    std::byte* const known = target.values.data() + position * width;
    const std::byte* const given = bytes.view.data() + i * width;
    if (target.present[position] == 0) {
      std::memcpy(known, given, width);
      target.present[position] = 1;
      target.owners[position] = static_cast<std::uint32_t>(target.files.size() - 1);
      ++target.present_count;
    } else if (std::memcmp(known, given, width) != 0) {
      core::Finding out =
          finding("RLV-333", Section::kLogProbs, fmt::format("conflicting duplicate of {}", log_prob_name(piece.kind)),
                  origin, sample);
      out.place.position = static_cast<std::int64_t>(position);
      out.expected =
          fmt::format("{}, as {} has", tensor::element_text(vector.dtype, {known, width}), target.file_of(position));
      out.found = tensor::element_text(vector.dtype, {given, width});
      out_.findings.add(std::move(out));
      return;
    }
  }
}

}  // namespace rlverify::compare
