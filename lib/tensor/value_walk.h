// SPDX-License-Identifier: Apache-2.0
// Walks what a file holds, depth first and in file order. A pickle may share parts without end (1,125 bytes can unfold
// to 2^60 leaves) and contain itself, so every container is entered once; where it is met again the walk says so, with
// the path where its content was shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/value.h"
#include "tensor/pt_reader.h"

namespace rlverify::tensor {

struct WalkLimits {
  std::uint64_t max_steps = 64'000'000;
  std::uint32_t max_depth = 1000;              ///< Python's own recursion limit for pickling
  std::uint64_t max_path_bytes = 16ULL << 20;  ///< of all paths that are asked for
};

class ValueWalk {
 public:
  struct Step {
    core::Value value;
    std::uint32_t depth = 0;     ///< 0 for the root
    bool met_before = false;     ///< a container (or object) whose content was already walked, under first_path()
    bool inside_itself = false;  ///< one that is being walked right now
  };

  explicit ValueWalk(const PtFile& file, WalkLimits limits = {});
  /// The next value; nothing at the end, or where a limit was reached (then stopped() says which).
  [[nodiscard]] std::optional<Step> next();
  /// Leaves out what is inside the value that next() returned last; it counts as one value in unfolded_values().
  void skip_content();
  /// Path of the value that next() returned last: keys joined by dots, other keys and positions in brackets
  /// ("model.layers.0.weight", "samples[3].tokens"); parts that aren't reached by keys in angle brackets
  /// ("optimizer.<arguments>[0]"). The root's is empty. Keys are as the file has them: two values may have one path.
  [[nodiscard]] std::string path();
  /// Path under which a value with content was met first.
  [[nodiscard]] std::string first_path(core::NodeId id);
  /// The reason why the walk ended early; empty if it didn't.
  [[nodiscard]] const std::string& stopped() const { return stopped_; }
  /// How many values the walked part would be if every shared part were unfolded; infinite where a value contains
  /// itself. Complete at the end only.
  [[nodiscard]] double unfolded_values() const { return unfolded_; }

 private:
  struct Frame {
    core::NodeId node;
    std::size_t next_slot;
    double unfolded;
  };
  struct Visited {
    core::NodeId parent;
    std::size_t slot;
    double unfolded;
    bool open;
  };
  struct Child {
    core::NodeId id;
    std::size_t slot;
  };

  [[nodiscard]] std::size_t slot_count(core::NodeId node) const;
  [[nodiscard]] core::NodeId child_at(core::NodeId node, std::size_t slot) const;
  void append_component(std::string& path, core::NodeId node, std::size_t slot) const;
  [[nodiscard]] const Visited* visit_of(core::NodeId node) const;
  [[nodiscard]] std::string count_path(std::string path);
  [[nodiscard]] std::optional<Child> advance();
  void leave();
  void add_unfolded(double values);

  const PtFile& file_;
  WalkLimits limits_;
  std::unordered_map<core::NodeId, std::vector<core::NodeId>> attributes_;
  std::vector<std::uint32_t> visit_of_node_;  // position in visits_ plus 1; 0: not met yet
  std::vector<Visited> visits_;
  std::vector<Frame> frames_;
  bool entered_last_ = false;
  bool started_ = false;
  std::uint64_t steps_ = 0;
  std::uint64_t path_bytes_ = 0;
  double unfolded_ = 0;
  std::string stopped_;
};

/// A tensor of a file and where it is.
struct TensorAt {
  std::string path;
  core::Value value;
};
/// A container that is met a second time: everything under `first_path` is also under `path`.
struct SharedPart {
  std::string path;
  std::string first_path;
  bool inside_itself = false;
};
struct TensorPaths {
  std::vector<TensorAt>
      tensors;  ///< in file order; a tensor that is met again (tied weights) is listed under each path
  std::vector<SharedPart>
      shared;  ///< only parts that hold tensors or objects somewhere inside may matter to a comparison; all are listed
  std::string stopped;  ///< why the walk ended early; empty if it didn't
};
/// All tensors of the file, those inside opaque objects included.
[[nodiscard]] TensorPaths find_tensors(const PtFile& file, WalkLimits limits = {});

}  // namespace rlverify::tensor
