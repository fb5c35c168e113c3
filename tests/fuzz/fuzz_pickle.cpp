// SPDX-License-Identifier: Apache-2.0
// The pickle machine alone, so that the fuzzer needs no valid archive around it. Storages are whatever the pickle asks
// for, of up to 4 KiB.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/errors.h"
#include "tensor/fail.h"
#include "tensor/pickle.h"
#include "tensor/torch_objects.h"
#include "tensor/value_walk.h"

namespace {

using namespace rlverify;

class AnyStorage final : public tensor::StorageProvider {
 public:
  explicit AnyStorage(tensor::PtFile& out) : out_(out) {}
  [[nodiscard]] std::uint32_t provide(const tensor::StorageRequest& request) override {
    if (request.elements > 256) {
      tensor::fail(core::ProblemKind::kLimit, "fuzz", request.place, "a small storage", "a large one");
    }
    out_.storages.push_back(
        {request.key, 0, request.elements * tensor::bytes_per_element(request.dtype), request.dtype});
    return static_cast<std::uint32_t>(out_.storages.size() - 1);
  }

 private:
  tensor::PtFile& out_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const core::MemorySource source("fuzz.pkl", std::string_view(reinterpret_cast<const char*>(data), size));
  try {
    tensor::PtFile file;
    AnyStorage storages(file);
    tensor::PickleInput input(source, 0, size);
    tensor::PickleContext context(file, source.name(), storages, tensor::UnsafePolicy::kReport,
                                  tensor::derived_budget(size));
    file.root_id = tensor::PickleMachine(input, context).run();
    tensor::give_lone_storages_tensors(context);
    static_cast<void>(tensor::find_tensors(file));
  } catch (const core::ArtifactError&) {
  }
  return 0;
}
