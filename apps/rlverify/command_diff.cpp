// SPDX-License-Identifier: Apache-2.0
// rlverify diff: two models, or the two sides inside sidecars. What is refused here is refused before anything is read,
// with the command that was probably meant.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <memory>

#include "command.h"
#include "core/progress.h"
#include "diff/model_diff.h"
#include "diff/sidecar_diff.h"
#include "renderings.h"
#include "report/diff_document.h"
#include "report/diff_text.h"
#include "report/diff_view.h"
#include "report/nearest.h"

namespace rlverify::app {
namespace {

namespace fs = std::filesystem;
using core::UsageError;

struct DiffArguments {
  std::string reference;
  std::string candidate;  ///< empty: `reference` is a sidecar or a folder of them
  std::string tensor;
  std::string ignore;
  double atol = 0;
  double rtol = 0;
  std::uint64_t ulp = 0;
  std::string tolerances;
  bool per_position = false;
  std::string output;
  OutputOptions shown;

  [[nodiscard]] diff::Tolerance tolerance() const {
    if (!std::isfinite(atol) || !std::isfinite(rtol) || atol < 0 || rtol < 0) {
      throw UsageError("--atol and --rtol take finite numbers that are not negative");
    }
    return {atol, rtol, ulp};
  }
};

bool is_run(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored) && fs::exists(path + "/manifest.json", ignored);
}

/// A run is no model: says which command takes it.
void refuse_runs(const DiffArguments& arguments) {
  const bool first = is_run(arguments.reference);
  if (arguments.candidate.empty() && first) {
    throw UsageError(
        fmt::format("{0} is a run: rlverify validate {0} judges it, and rlverify diff "
                    "{0}/mismatch-sidecars looks at its sidecars",
                    arguments.reference));
  }
  if (first && is_run(arguments.candidate)) {
    throw UsageError(
        fmt::format("these are runs, not models: rlverify compare {} {}", arguments.reference, arguments.candidate));
  }
  if (first || is_run(arguments.candidate)) {
    throw UsageError(fmt::format("{} is a run, not a model: name a model inside it",
                                 first ? arguments.reference : arguments.candidate));
  }
}

/// Exit code and output of either comparison.
template <typename Result, typename Text, typename MakeDocument, typename View>
core::ExitCode show(const DiffArguments& arguments, const Result& result, const Text& text,
                    const MakeDocument& make_document, const View& view) {
  const Answer answer = {
      [&](const report::TextOptions& options) { return text(result, options); },
      [&] {
        return report::to_json(make_document(result, RLVERIFY_VERSION).root(), report::KeyOrder::kAsBuilt) + "\n";
      },
      [&] { return view(result, RLVERIFY_VERSION); }};
  if (!arguments.output.empty()) {
    write_document(arguments.output, answer.json());
  }
  Renderings renderings(arguments.shown, answer);
  renderings.write_files();
  renderings.show(arguments.output == "-");
  return result.exit_code();
}

core::ExitCode diff_sides(const DiffArguments& arguments) {
  for (const auto& [given, option] : {std::pair<bool, const char*>{!arguments.tensor.empty(), "--tensor"},
                                      {!arguments.ignore.empty(), "--ignore"},
                                      {!arguments.tolerances.empty(), "--tolerances"}}) {
    if (given) {
      throw UsageError(fmt::format("{} chooses among the tensors of two models; {} alone is taken as sidecars", option,
                                   arguments.reference));
    }
  }
  core::ThreadPool pool;
  const diff::SidecarDiff result = diff::diff_sidecars(
      arguments.reference, {arguments.tolerance(), arguments.per_position, core::Progress::terminal()}, pool);
  return show(arguments, result, report::sidecar_diff_text, report::sidecar_diff_document, report::sidecar_diff_view);
}

/// A selection that matches nothing.
void require_selected(const DiffArguments& arguments, const diff::NameFilter& filter, const diff::ModelDiff& pairs) {
  if (!pairs.tensors.empty() || pairs.left_out == 0) {
    return;
  }
  const std::vector<std::string> names = diff::names_of(pairs);
  for (const std::string& name : names) {
    if (filter.only.matches(name)) {
      throw UsageError(fmt::format("--ignore: \"{}\" leaves nothing of what is selected", arguments.ignore));
    }
  }
  const std::string hint = report::did_you_mean(arguments.tensor, names);
  throw UsageError(
      fmt::format("--tensor: no tensor has a name that matches \"{}\"; {}", arguments.tensor,
                  hint.empty() ? fmt::format("there are {}, the first is \"{}\"", names.size(), names.front()) : hint));
}

core::ExitCode diff_pair(const DiffArguments& arguments) {
  const diff::NameFilter filter = {diff::NamePattern("--tensor", arguments.tensor),
                                   diff::NamePattern("--ignore", arguments.ignore)};
  diff::DiffOptions options;
  options.tolerances = arguments.tolerances.empty() ? diff::Tolerances(arguments.tolerance())
                                                    : diff::Tolerances::read(arguments.tolerances);
  options.per_position = arguments.per_position;
  options.show_progress = core::Progress::terminal();
  diff::ModelDiff result = diff::pair_models(arguments.reference, arguments.candidate, filter);
  require_selected(arguments, filter, result);
  core::ThreadPool pool;
  diff::compare_pairs(result, options, pool);
  return show(arguments, result, report::diff_text, report::diff_document, report::diff_view);
}

}  // namespace

void add_diff_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<DiffArguments>();
  CLI::App* const command =
      app.add_subcommand("diff", "Compare tensor files or models, or the two sides inside sidecars");
  command
      ->add_option("reference", arguments->reference,
                   "A .pt, .pth or .safetensors file, or a directory of them; alone: sidecars")
      ->required()
      ->type_name("A");
  command->add_option("candidate", arguments->candidate, "What must equal it")->type_name("B");
  command->add_option("--tensor", arguments->tensor, "Only names that match this regular expression (RE2, anywhere)")
      ->type_name("REGEX");
  command->add_option("--ignore", arguments->ignore, "Not those that match this one")->type_name("REGEX");
  CLI::Option* const tolerances =
      command->add_option("--tolerances", arguments->tolerances, "Tolerances by name: a JSON list of rules")
          ->type_name("FILE");
  for (auto& [name, value, meaning] :
       {std::tuple<const char*, double*, const char*>{"--atol", &arguments->atol, "Allow this absolute difference"},
        {"--rtol", &arguments->rtol, "Allow this share of the reference, added to --atol"}}) {
    command->add_option(name, *value, meaning)->excludes(tolerances)->type_name("X");
  }
  command->add_option("--ulp", arguments->ulp, "Allow so many steps between two values")
      ->check(whole_number())
      ->excludes(tolerances)
      ->type_name("N");
  command->add_flag("--per-position", arguments->per_position, "Show where along each sample or row differences lie");
  command->add_option("-o", arguments->output, "Write the findings document to FILE; - is stdout")->type_name("FILE");
  add_output_options(*command, arguments->shown);
  command->callback([arguments, &action] {
    action = [arguments] {
      refuse_runs(*arguments);
      return arguments->candidate.empty() ? diff_sides(*arguments) : diff_pair(*arguments);
    };
  });
}

}  // namespace rlverify::app
