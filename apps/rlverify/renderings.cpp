// SPDX-License-Identifier: Apache-2.0
// A rendering is made when it is written or printed; the view that several are drawn from is built once.
#include "renderings.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

#include "command.h"
#include "report/nearest.h"
#include "report/renderers.h"

namespace rlverify::app {
namespace {

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> kNames = {"text", "json", "junit", "github", "markdown", "html"};
  return kNames;
}

struct Output {
  std::string format;
  std::string path;
};

Output parse_output(const std::string& argument) {
  const std::size_t equals = argument.find('=');
  if (equals == std::string::npos) {
    return {argument, ""};
  }
  return {argument.substr(0, equals), argument.substr(equals + 1)};
}

/// What is wrong with the values of --output; empty when nothing is.
std::string output_fault(const std::vector<std::string>& arguments) {
  std::set<std::string> paths;
  for (const std::string& argument : arguments) {
    const Output output = parse_output(argument);
    const std::vector<std::string>& names = format_names();
    if (std::find(names.begin(), names.end(), output.format) == names.end()) {
      const std::string near = report::did_you_mean(output.format, names);
      return fmt::format("--output takes FORMAT=PATH; no format is called {}: {}", output.format,
                         near.empty() ? fmt::format("{}", fmt::join(names, ", ")) : near);
    }
    if (output.path.empty()) {
      return fmt::format("--output takes FORMAT=PATH, not {}", argument);
    }
    if (output.path == "-") {
      return fmt::format("--output writes files: --format {} shows it on stdout", output.format);
    }
    std::error_code ignored;
    const std::string path =
        std::filesystem::weakly_canonical(std::filesystem::absolute(output.path, ignored), ignored).string();
    if (!paths.insert(ignored ? output.path : path).second) {
      return fmt::format("--output: two renderings go to {}", output.path);
    }
  }
  return "";
}

}  // namespace

void add_output_options(CLI::App& command, OutputOptions& options) {
  command.add_option("--format", options.format, "What stdout shows: text, json, junit, github, markdown or html")
      ->check(CLI::IsMember(format_names()))
      ->type_name("FORMAT")
      ->capture_default_str();
  command
      .add_option_function<std::vector<std::string>>(
          "--output",
          [&options](const std::vector<std::string>& arguments) {
            const std::string fault = output_fault(arguments);
            if (!fault.empty()) {
              throw CLI::ValidationError(fault);
            }
            options.outputs = arguments;
          },
          "Write another rendering to a file; may be repeated")
      ->allow_extra_args(false)
      ->type_name("FORMAT=PATH");
  command.add_flag("-q,--quiet", options.quiet, "Print nothing; the exit code tells");
}

bool wants_view(const OutputOptions& options) {
  const auto needs_view = [](const std::string& format) { return format != "text" && format != "json"; };
  return needs_view(options.format) ||
         std::any_of(options.outputs.begin(), options.outputs.end(),
                     [&](const std::string& argument) { return needs_view(parse_output(argument).format); });
}

void Renderings::write_files() {
  for (const std::string& argument : options_.outputs) {
    const Output output = parse_output(argument);
    write_document(output.path, render(output.format, {false, 80, true}));
  }
}

void Renderings::show(bool stdout_taken) {
  if (options_.quiet || stdout_taken) {
    return;
  }
  const Terminal terminal = stdout_terminal();
  print(render(options_.format, {terminal.colour, terminal.columns, terminal.unicode}));
}

std::string Renderings::render(const std::string& format, const report::TextOptions& text_options) {
  if (format == "text") {
    return answer_.text(text_options);
  }
  if (format == "json") {
    return answer_.json();
  }
  if (format == "junit") {
    return report::render_junit(view());
  }
  if (format == "github") {
    append_step_summary();
    return report::render_github(view());
  }
  return format == "markdown" ? report::render_markdown(view()) : report::render_html(view());
}

const report::ReportView& Renderings::view() {
  if (!view_) {
    view_ = answer_.view();
  }
  return *view_;
}

/// Other steps of the job write to the same file, so it is appended to, in one write.
void Renderings::append_step_summary() {
  const char* const path = std::getenv("GITHUB_STEP_SUMMARY");
  if (path == nullptr || *path == '\0' || summary_written_) {
    return;
  }
  summary_written_ = true;
  const std::string text = report::render_markdown_summary(view()) + "\n";
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
  const bool written =
      descriptor >= 0 && write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int reason = errno;
  if (descriptor >= 0) {
    close(descriptor);
  }
  if (!written) {
    throw core::OutputError(fmt::format("{} (GITHUB_STEP_SUMMARY): {}", path, std::strerror(reason)));
  }
}

}  // namespace rlverify::app
