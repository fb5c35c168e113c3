// SPDX-License-Identifier: Apache-2.0
// The options that choose how an answer is shown, the same for every command: --format for stdout, --output for files,
// -q. A command says how each rendering is made; none is made that nobody asked for.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/report_view.h"
#include "report/validation_document.h"

namespace CLI {
class App;
}

namespace rlverify::app {

struct OutputOptions {
  std::string format = "text";
  std::vector<std::string> outputs;  ///< FORMAT=PATH
  bool quiet = false;
};

/// Adds --format, --output and -q. Unknown formats and two renderings for one file are wrong use, told while the
/// command line is parsed.
void add_output_options(CLI::App& command, OutputOptions& options);

/// How a command's answer is rendered. The github format also appends its table to the file that GITHUB_STEP_SUMMARY
/// names.
struct Answer {
  std::function<std::string(const report::TextOptions&)> text;
  std::function<std::string()> json;  ///< the command's document
  std::function<report::ReportView()> view;
};

/// Whether a format is asked for that needs Answer::view.
[[nodiscard]] bool wants_view(const OutputOptions& options);

/// Renders one answer. `options` and `answer` must outlive it.
class Renderings {
 public:
  Renderings(const OutputOptions& options, const Answer& answer) : options_(options), answer_(answer) {}
  /// Writes what --output names. Throws core::OutputError.
  void write_files();
  /// Prints what --format chose, unless -q or `stdout_taken` (a document went there).
  void show(bool stdout_taken);

 private:
  std::string render(const std::string& format, const report::TextOptions& text_options);
  const report::ReportView& view();
  void append_step_summary();

  const OutputOptions& options_;
  const Answer& answer_;
  std::optional<report::ReportView> view_;
  bool summary_written_ = false;
};

}  // namespace rlverify::app
