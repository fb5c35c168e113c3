// SPDX-License-Identifier: Apache-2.0
// rlverify prior-art: the log-prob implementations side by side, as a document of the published form.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "command.h"
#include "core/memory.h"
#include "replay/prior_art.h"
#include "report/prior_art_document.h"
#include "report/schema_check.h"

namespace rlverify::app {
namespace {

struct PriorArtCommandOptions {
  std::int64_t tokens = 1024;
  std::int64_t vocabulary = 151936;
  std::int64_t real_vocabulary = 0;  ///< 0: all of them
  int ranks = replay::kPriorArtRanks;
  std::uint64_t seed = 1;
  std::string logits;
  std::string model;
  std::string output = "-";
  replay::PriorArtOptions options;
};

/// Refuses what the machine can't hold before anything is allocated: the kernel would end the program without a word.
void require_memory(const PriorArtCommandOptions& options) {
  const std::uint64_t needed = options.logits.empty()
                                   ? replay::synthetic_logits_bytes(options.tokens, options.vocabulary)
                                   : replay::logits_of_file_bytes(options.logits);
  const std::optional<std::uint64_t> available = core::available_memory();
  if (available && needed > *available) {
    throw core::Error(
        core::ExitCode::kInternal,
        fmt::format("the logits of {} take {:.1f} GiB of memory and {:.1f} GiB are available: {}",
                    options.logits.empty() ? fmt::format("{} tokens x {} columns", options.tokens, options.vocabulary)
                                           : options.logits,
                    static_cast<double>(needed) / 0x1p30, static_cast<double>(*available) / 0x1p30,
                    options.logits.empty() ? "take fewer --tokens" : "keep fewer rows in a file"));
  }
}

replay::SharedLogits logits_of(const PriorArtCommandOptions& options) {
  if (!options.logits.empty()) {
    return replay::logits_of_file(options.logits);
  }
  const std::int64_t real = options.real_vocabulary == 0 ? options.vocabulary : options.real_vocabulary;
  if (real > options.vocabulary) {
    throw core::UsageError(fmt::format("--real-vocab {}: expected at most --vocab {}", real, options.vocabulary));
  }
  return replay::synthetic_logits(options.tokens, options.vocabulary, real, options.seed);
}

/// The document is checked before it is written: what doesn't follow the published form is a fault of this program.
void check(const report::Document& document) {
  const auto violations = report::check_schema(document.root(), report::schema_text("logp_prior_art"));
  if (!violations.empty()) {
    throw core::Error(core::ExitCode::kInternal, fmt::format("the document does not follow its schema: {}: {}",
                                                             violations[0].pointer, violations[0].reason));
  }
}

core::ExitCode run(const PriorArtCommandOptions& options) {
  replay::require_contracts(options.options.candidates);
  require_memory(options);
  const replay::PriorArt result = replay::run_prior_art(logits_of(options), options.options);
  const std::string model = !options.model.empty() ? options.model : options.logits.empty() ? "synthetic" : "captured";
  const report::Document document = report::prior_art_document(result, model);
  check(document);
  write_document(options.output, report::to_json(document.root(), report::KeyOrder::kAsBuilt) + "\n");
  return core::ExitCode::kPassed;
}

}  // namespace

void add_prior_art_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<PriorArtCommandOptions>();
  CLI::App* const command =
      app.add_subcommand("prior-art", "Measure the log-prob contracts side by side on the same logits");
  CLI::Option* const logits =
      command->add_option("--logits", options->logits, "Take the logits of this logp-inputs file instead")
          ->type_name("FILE");
  command->add_option("--tokens", options->tokens, "Rows of synthetic logits")
      ->excludes(logits)
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command->add_option("--vocab", options->vocabulary, "Columns of synthetic logits")
      ->excludes(logits)
      ->type_name("V")
      ->check(CLI::Range(1, 1 << 28))
      ->capture_default_str();
  command
      ->add_option("--real-vocab", options->real_vocabulary, "Columns that count; the others are -inf (default: all)")
      ->excludes(logits)
      ->type_name("R")
      ->check(CLI::Range(1, 1 << 28));
  command->add_option("--tp", options->ranks, "Tensor-parallel ranks; the document's keys speak of 4")
      ->type_name("P")
      ->check(CLI::IsMember({replay::kPriorArtRanks}))
      ->capture_default_str();
  command->add_option("--repeats", options->options.repeats, "Identical runs")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the synthetic logits")
      ->excludes(logits)
      ->type_name("S")
      ->check(whole_number())
      ->capture_default_str();
  command->add_option("--model", options->model, "Name in the document's kind (default: synthetic or captured)")
      ->type_name("NAME");
  command->add_option("--candidate", options->options.candidates, "Only this contract; may be given again")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_option("-o", options->output, "Write the document to FILE; - is stdout")
      ->type_name("FILE")
      ->capture_default_str();
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace rlverify::app
