// SPDX-License-Identifier: Apache-2.0
// Any bytes as a sidecar and as a train dump: surveyed twice (from memory and by copied reads, which must agree),
// judged by the reference and the strict rules, and the dump held against the sidecar.
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/byte_source.h"
#include "core/errors.h"
#include "sidecar/dump_survey.h"
#include "sidecar/reference_rules.h"
#include "sidecar/survey.h"

namespace {

using namespace rlverify;

/// Hands its bytes out by read() only.
class CopyingSource final : public core::ByteSource {
 public:
  explicit CopyingSource(std::string_view bytes) : ByteSource("fuzz", bytes.size()), memory_("fuzz", bytes) {}
  void read(std::uint64_t offset, std::span<std::byte> out) const override { memory_.read(offset, out); }

 private:
  core::MemorySource memory_;
};

bool same(const sidecar::SurveyedFile& a, const sidecar::SurveyedFile& b) {
  bool equal = a.problem.has_value() == b.problem.has_value() && a.shards.size() == b.shards.size();
  for (std::size_t i = 0; i < a.shards.size() && equal; ++i) {
    equal = a.shards[i].digest == b.shards[i].digest && a.shards[i].statistics.active == b.shards[i].statistics.active;
  }
  return equal;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const sidecar::Layout layout = size % 3 == 0 ? sidecar::Layout{1, 1} : sidecar::Layout{4, 2};
  std::vector<sidecar::SurveyedFile> files;
  files.push_back(sidecar::survey_sidecar(std::make_unique<core::MemorySource>("fuzz", bytes),
                                          "rank00000.call00000000.pt", layout));
  files.push_back(sidecar::survey_sidecar(std::make_unique<CopyingSource>(bytes), "rank00001.call00000000.pt", layout));
  for (sidecar::Shard& shard : files[1].shards) {
    shard.file = 1;
  }
  if (!same(files[0], files[1])) {
    std::abort();
  }
  const sidecar::MergedShards merged = sidecar::merge_shards(files);
  const sidecar::SidecarSection section = sidecar::measure_sidecars(files, merged, true);
  core::Findings findings;
  sidecar::sidecar_rules(files, merged, layout, section, findings);
  if ((files[0].problem || section.element_count == 0) && !findings.has_error()) {
    std::abort();
  }
  const sidecar::ShardIndex index(files, layout, 1);
  static_cast<void>(sidecar::survey_dump(std::make_unique<core::MemorySource>("fuzz", bytes), "0.rank0.pt", &index));
  return 0;
}
