// SPDX-License-Identifier: Apache-2.0
// Hard look-ups only; everything softer is a rule of its own.
#include "readback/frame.h"

#include "core/python_value.h"
#include "readback/sections.h"

namespace rlverify::readback {
namespace {

core::Value require_key(core::Value object, const char* key) {
  if (!object.is_dict()) {
    throw CannotJudge(std::string("TypeError: the object that should hold ") + key + " is no object");
  }
  const core::Value value = object.get(key);
  if (!value.present()) {
    throw CannotJudge(std::string("KeyError: '") + key + "'");
  }
  return value;
}

std::string require_case(core::Value arm, const char* module) {
  const std::string key = std::string(module) + "_case";
  const core::Value value = require_key(arm, key.c_str());
  if (!value.is_string()) {
    throw CannotJudge("AttributeError: arm." + key + " is no string");
  }
  const std::string_view text = value.text();
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || text.find('/', slash + 1) != std::string_view::npos) {
    throw CannotJudge("ValueError: arm." + key + " is not two letters around a slash");
  }
  return std::string(text);
}

/// What the public validator would iterate over: lists, and by Python's rules strings and objects too.
core::Value capture_sizes_of(core::Value manifest) {
  const core::Value execution = manifest.get("vllm_execution");
  if (!execution.is_dict()) {
    return {};
  }
  const core::Value sizes = execution.get("capture_sizes");
  if (sizes.present() && !sizes.is_list() && !sizes.is_string() && !sizes.is_dict()) {
    throw CannotJudge("TypeError: vllm_execution.capture_sizes is no list");
  }
  return sizes;
}

}  // namespace

std::string Frame::expected_implementation(std::size_t module, Side side) const {
  const std::string& text = cases.at(module);
  const std::size_t slash = text.find('/');
  const std::string letter = side == Side::kTraining ? text.substr(0, slash) : text.substr(slash + 1);
  return letter == "R" ? "rl_kernel" : "production";
}

std::int64_t require_int(core::Value value, const std::string& what) {
  const auto number = core::python_int(value);
  if (!number) {
    throw CannotJudge("ValueError: " + what + " is no integer");
  }
  return *number;
}

Frame read_frame(core::Value manifest) {
  Frame frame;
  if (!manifest.is_dict()) {
    throw CannotJudge("TypeError: manifest.json is no object");
  }
  frame.manifest = manifest;
  frame.arm = require_key(manifest, "arm");
  if (!frame.arm.is_dict()) {
    throw CannotJudge("TypeError: arm is no object");
  }
  for (std::size_t module = 0; module < kModules.size(); ++module) {
    frame.cases.at(module) = require_case(frame.arm, kModules.at(module));
  }
  frame.num_rollout = require_int(require_key(manifest, "num_rollout"), "num_rollout");
  frame.global_batch_size =
      require_int(require_key(require_key(manifest, "batching"), "global_batch_size"), "batching.global_batch_size");
  frame.topology = require_key(manifest, "topology");
  frame.tensor_parallel_size = require_int(require_key(frame.topology, "tp"), "topology.tp");
  frame.context_parallel_size = require_int(require_key(frame.topology, "cp"), "topology.cp");
  frame.capture_sizes = capture_sizes_of(manifest);
  return frame;
}

}  // namespace rlverify::readback
