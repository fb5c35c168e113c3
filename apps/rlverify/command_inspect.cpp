// SPDX-License-Identifier: Apache-2.0
// Prints even what an unsafe file holds (nothing of it is run) and still exits with 3, so that a script never takes
// such a file for a good one.
#include <fmt/format.h>
#include <re2/re2.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "command.h"
#include "core/byte_source.h"
#include "core/errors.h"
#include "report/inspection.h"
#include "tensor/pt_reader.h"

namespace rlverify::app {
namespace {

struct Options {
  std::string file;
  std::string tensor_pattern;
  std::string format = "text";
  bool values = false;
};

core::ExitCode run(const Options& options) {
  report::InspectOptions inspect_options;
  inspect_options.values = options.values;
  RE2::Options quiet;
  quiet.set_log_errors(false);
  const RE2 pattern(options.tensor_pattern, quiet);
  if (!pattern.ok()) {
    throw core::UsageError(
        fmt::format("--tensor: \"{}\" is no regular expression (RE2): {}", options.tensor_pattern, pattern.error()));
  }
  if (!options.tensor_pattern.empty()) {
    inspect_options.selects = [&pattern](std::string_view path) {
      return RE2::PartialMatch(re2::StringPiece(path.data(), path.size()), pattern);
    };
  }
  const auto source = core::open_file(options.file);
  const tensor::PtFile file = tensor::read_pt(*source, tensor::UnsafePolicy::kReport);
  const report::Inspection inspection = report::inspect(*source, file, inspect_options);
  if (inspect_options.selects && inspection.rows.empty()) {
    throw core::UsageError(
        fmt::format("--tensor: no tensor of {} has a path that matches \"{}\"", options.file, options.tensor_pattern));
  }
  const std::string text =
      options.format == "json"
          ? report::to_json(report::inspection_document(inspection).root(), report::KeyOrder::kAsBuilt) + "\n"
          : report::inspection_text(inspection);
  print(text);
  return inspection.unsafe_globals.empty() ? core::ExitCode::kPassed : core::ExitCode::kBadInput;
}

}  // namespace

void add_inspect_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("inspect", "Show what a tensor file holds, and what makes it unsafe");
  command->add_option("file", options->file, "File of torch.save")->required()->type_name("FILE");
  command
      ->add_option("--tensor", options->tensor_pattern,
                   "Only tensors whose path matches this regular expression (RE2, anywhere in the path)")
      ->type_name("REGEX");
  command->add_flag("--values", options->values, "Show the first 1,000 elements of each tensor shown");
  command->add_option("--format", options->format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace rlverify::app
