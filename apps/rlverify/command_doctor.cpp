// SPDX-License-Identifier: Apache-2.0
// rlverify doctor: how the program was built and what it finds here. Judges nothing.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "report/document.h"
#include "report/embedded.h"
#include "report/rule_table.h"
#include "report/text_layout.h"
#include "tensor/difference_vector.h"
#if RLVERIFY_WITH_KERNELS
#include "rlverify_kernels/cuda_facts.h"
#include "rlverify_kernels/logp.h"
#endif

namespace rlverify::app {
namespace {

struct DoctorOptions {
  std::string format = "text";
  std::string output;
};

struct Facts {
  std::vector<std::string> vector_levels;  ///< of the comparison of tensors, scalar first
  std::vector<std::string> kernel_levels;  ///< of the log-prob kernels; empty without them
  bool kernels = false;
  bool cuda_built = false;
  std::string cuda_toolkit;
  std::string cuda_driver;
  std::vector<std::string> cuda_devices;
  std::string cuda_reason;
  bool torch_found = false;
  std::string torch_version;
  std::string torch_reason;
  std::int64_t schemas = 0;
  std::int64_t finding_codes = 0;
};

#if RLVERIFY_WITH_KERNELS
void add_kernel_facts(Facts& facts) {
  facts.kernels = true;
  for (const kernels::SimdLevel level : kernels::simd_levels()) {
    facts.kernel_levels.emplace_back(kernels::simd_name(level));
  }
  const kernels::CudaFacts cuda = kernels::cuda_facts();
  facts.cuda_built = cuda.built;
  facts.cuda_toolkit = cuda.toolkit;
  facts.cuda_driver = cuda.driver;
  facts.cuda_devices = cuda.devices;
  facts.cuda_reason = cuda.reason;
  const kernels::BackendStatus torch = kernels::backend_status(kernels::Backend::kTorch);
  facts.torch_found = torch.available;
  facts.torch_version = torch.device;
  facts.torch_reason = torch.reason;
}
#else
void add_kernel_facts(Facts& facts) {
  facts.cuda_reason = "this build has no kernels";
  facts.torch_reason = facts.cuda_reason;
}
#endif

Facts find_facts() {
  Facts facts;
  for (const tensor::VectorLevel level : tensor::vector_levels()) {
    facts.vector_levels.emplace_back(tensor::vector_level_name(level));
  }
  add_kernel_facts(facts);
  for (const report::EmbeddedFile& file : report::embedded_files()) {
    if (file.name.find(".schema.json") != std::string_view::npos) {
      ++facts.schemas;
    }
  }
  facts.finding_codes = static_cast<std::int64_t>(report::all_rules().size());
  return facts;
}

std::string text_of(const Facts& facts, unsigned columns) {
  constexpr std::size_t kIndent = 16;
  std::string text;
  const auto line = [&](std::string_view label, const std::string& value) {
    text += report::wrapped(label, value, kIndent, columns);
  };
  line("rlverify", RLVERIFY_VERSION);
  line("compiler", RLVERIFY_COMPILER);
  line("build", RLVERIFY_BUILD_TYPE);
  line("options", RLVERIFY_BUILD_OPTIONS);
  line("SIMD", fmt::format("{} for tensors{}", facts.vector_levels.back(),
                           facts.kernels ? fmt::format(", {} for kernels", facts.kernel_levels.back()) : ""));
  line("CUDA toolkit", facts.cuda_built ? facts.cuda_toolkit : "none: built without CUDA");
  if (facts.cuda_built) {
    line("CUDA driver", facts.cuda_driver.empty() ? "none" : "takes CUDA " + facts.cuda_driver);
  }
  for (std::size_t i = 0; i < facts.cuda_devices.size(); ++i) {
    line(fmt::format("CUDA device {}", i), facts.cuda_devices[i]);
  }
  if (facts.cuda_devices.empty()) {
    line("CUDA devices", "none: " + facts.cuda_reason);
  }
  line("torch module", facts.torch_found ? facts.torch_version : "none: " + facts.torch_reason);
  line("schemas", std::to_string(facts.schemas));
  line("finding codes", std::to_string(facts.finding_codes));
  return text;
}

core::NodeId string_or_null(report::Document& document, const std::string& text) {
  return text.empty() ? document.null() : document.string(text);
}

std::string json_of(const Facts& facts) {
  report::Document document;
  const auto list = [&](const std::vector<std::string>& values) {
    const core::NodeId array = document.array();
    for (const std::string& value : values) {
      document.append(array, document.string(value));
    }
    return array;
  };
  const core::NodeId build = document.object({{"compiler", document.string(RLVERIFY_COMPILER)},
                                              {"type", document.string(RLVERIFY_BUILD_TYPE)},
                                              {"options", document.string(RLVERIFY_BUILD_OPTIONS)},
                                              {"kernels", document.boolean(facts.kernels)}});
  const core::NodeId simd =
      document.object({{"tensors", list(facts.vector_levels)}, {"kernels", list(facts.kernel_levels)}});
  const core::NodeId cuda = document.object({{"built", document.boolean(facts.cuda_built)},
                                             {"toolkit", string_or_null(document, facts.cuda_toolkit)},
                                             {"driver", string_or_null(document, facts.cuda_driver)},
                                             {"devices", list(facts.cuda_devices)},
                                             {"reason", string_or_null(document, facts.cuda_reason)}});
  const core::NodeId torch = document.object({{"found", document.boolean(facts.torch_found)},
                                              {"version", string_or_null(document, facts.torch_version)},
                                              {"reason", string_or_null(document, facts.torch_reason)}});
  document.set_root(document.object({{"rlverify", document.string(RLVERIFY_VERSION)},
                                     {"build", build},
                                     {"simd", simd},
                                     {"cuda", cuda},
                                     {"torch_module", torch},
                                     {"schemas", document.integer(facts.schemas)},
                                     {"finding_codes", document.integer(facts.finding_codes)}}));
  return report::to_json(document.root(), report::KeyOrder::kAsBuilt) + "\n";
}

core::ExitCode examine(const DoctorOptions& options) {
  const Facts facts = find_facts();
  if (!options.output.empty()) {
    write_document(options.output, json_of(facts));
  }
  if (options.output != "-") {
    print(options.format == "json" ? json_of(facts) : text_of(facts, stdout_terminal().columns));
  }
  return core::ExitCode::kPassed;
}

}  // namespace

void add_doctor_command(CLI::App& app, Action& action) {
  const auto options = std::make_shared<DoctorOptions>();
  CLI::App* const command =
      app.add_subcommand("doctor", "Show how rlverify was built and what it finds on this machine");
  command->add_option("--format", options->format, "What stdout shows")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  command->add_option("-o", options->output, "Write the facts as JSON to FILE; - is stdout")->type_name("FILE");
  command->callback([options, &action] { action = [options] { return examine(*options); }; });
}

}  // namespace rlverify::app
