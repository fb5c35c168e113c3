// SPDX-License-Identifier: Apache-2.0
// A schema is chosen by name, by file, or by what the document says of itself.
#include "document_check.h"

#include <fmt/format.h>

#include <filesystem>

#include "command.h"
#include "core/byte_source.h"
#include "core/json_reader.h"
#include "report/document_forms.h"
#include "report/payload_document.h"
#include "report/schema_check_document.h"
#include "run/run_directory.h"

namespace rlverify::app {
namespace {

namespace fs = std::filesystem;
using core::ExitCode;

std::string read_text(const std::string& path) {
  const auto source = core::open_file(path);
  constexpr std::uint64_t kMaxSchemaBytes = 16ULL << 20;
  if (source->size() > kMaxSchemaBytes) {
    throw core::InputError(path + ": larger than a schema can be");
  }
  return core::read_text(*source);
}

/// The text of the schema; `name` becomes what it is called.
std::string schema_for(const std::string& target, const std::string& choice, core::Value document, std::string& name) {
  name = choice;
  if (name == "auto") {
    name = report::schema_name_of(document);
    if (name.empty()) {
      throw core::UsageError(target +
                             " is no document of a known kind: choose one with --schema=NAME or --schema=FILE");
    }
  }
  std::error_code ignored;
  const bool is_file =
      name.find('/') != std::string::npos || name.find('.') != std::string::npos || fs::exists(name, ignored);
  return is_file ? read_text(name) : std::string(report::schema_text(name));
}

/// `document` against its schema; `source` gives lines and columns where the document is text.
report::SchemaCheck checked(const DocumentCheckOptions& options, core::Value document,
                            const core::JsonDocument* source) {
  report::SchemaCheck check;
  check.file = options.target;
  const std::string schema = schema_for(options.target, options.schema, document, check.schema);
  if (const auto form = report::form_of(document)) {
    check.form = form->words;
  }
  check.violations = report::check_schema(document, schema, source);
  return check;
}

report::SchemaCheck check_file(const DocumentCheckOptions& options) {
  const auto source = core::open_file(options.target);
  const std::string extension = fs::path(options.target).extension();
  if (extension == ".pt" || extension == ".pth") {
    const tensor::PtFile file = tensor::read_pt(*source, tensor::UnsafePolicy::kRefuse);
    const report::Document payload = report::payload_document(file);
    return checked(options, payload.root(), nullptr);
  }
  const bool is_manifest = fs::path(options.target).filename() == "manifest.json";
  const core::JsonDocument document =
      core::read_json(*source, core::JsonMode::kStrict, is_manifest ? run::kManifestLimits : core::JsonLimits{});
  return checked(options, document.root(), &document);
}

}  // namespace

ExitCode check_document(const DocumentCheckOptions& options) {
  const report::SchemaCheck check = check_file(options);
  const Answer answer = {
      [&check](const report::TextOptions&) { return report::schema_check_text(check); },
      [&check] {
        return report::to_json(report::schema_check_document(check).root(), report::KeyOrder::kAsBuilt) + "\n";
      },
      nullptr};
  if (!options.output.empty()) {
    write_document(options.output, answer.json());
  }
  Renderings renderings(options.shown, answer);
  renderings.write_files();
  renderings.show(options.output == "-");
  return check.violations.empty() ? ExitCode::kPassed : ExitCode::kFailed;
}

ExitCode check_own_document(const std::string& schema, core::Value document, ExitCode code) {
  std::string name;
  const std::string text = schema_for("the validation document", schema, document, name);
  const auto violations = report::check_schema(document, text);
  for (const report::SchemaViolation& violation : violations) {
    fmt::print(stderr, "{}", report::violation_line("validation document (schema " + name + ")", violation));
  }
  if (violations.empty()) {
    return code;
  }
  return schema == "auto" ? ExitCode::kInternal : code == ExitCode::kPassed ? ExitCode::kFailed : code;
}

}  // namespace rlverify::app
