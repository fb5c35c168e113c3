// SPDX-License-Identifier: Apache-2.0
// Only the pickle is walked here: dumps are large, and most questions need a few of their lists.
#include "run/dump_file.h"

namespace rlverify::run {
namespace {

using core::Kind;

/// Python's `"log_probs" in container`.
PublicDumpView contains_log_probs(core::Value container) {
  static constexpr std::string_view kName = "log_probs";
  switch (container.kind()) {
    case Kind::kDict:
      return container.get(kName) ? PublicDumpView::kHasLogProbs : PublicDumpView::kLacksLogProbs;
    case Kind::kString:
      return container.text().find(kName) != std::string_view::npos ? PublicDumpView::kHasLogProbs
                                                                    : PublicDumpView::kLacksLogProbs;
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kSet:
    case Kind::kFrozenSet:
      for (std::size_t i = 0; i < container.size(); ++i) {
        if (container.at(i).is_string() && container.at(i).text() == kName) {
          return PublicDumpView::kHasLogProbs;
        }
      }
      return PublicDumpView::kLacksLogProbs;
    default:
      return PublicDumpView::kRaises;
  }
}

std::optional<std::int64_t> integer_of(core::Value value) {
  return value.is_integer() ? std::optional<std::int64_t>(value.integer()) : std::nullopt;
}

}  // namespace

DumpFile read_dump(std::unique_ptr<core::ByteSource> source, std::string name) {
  DumpFile dump;
  dump.name = std::move(name);
  dump.source = std::move(source);
  dump.pt = std::make_unique<tensor::PtFile>(tensor::read_pt(*dump.source));
  const core::Value payload = dump.pt->root();
  if (!payload.is_dict()) {
    return dump;
  }
  const core::Value rollout_data = payload.get("rollout_data");
  dump.public_view = rollout_data.present() ? contains_log_probs(rollout_data) : PublicDumpView::kLacksLogProbs;
  dump.rollout_id = integer_of(payload.get("rollout_id"));
  dump.rank = integer_of(payload.get("rank"));
  if (rollout_data.is_dict()) {
    dump.rollout_data = rollout_data;
  }
  if (payload.get("samples").is_sequence()) {
    dump.samples = payload.get("samples");
  }
  return dump;
}

}  // namespace rlverify::run
