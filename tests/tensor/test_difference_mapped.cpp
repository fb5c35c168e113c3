// SPDX-License-Identifier: Apache-2.0
// Comparing files in place: the same answers as by reading, and a file that shrinks meanwhile is an error and not the
// end of the program.
#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "core/test_support.h"
#include "tensor/difference_reader.h"
#include "tensor/mapped_window.h"
#include "tensor/safetensors_builder.h"
#include "tensor/safetensors_reader.h"

using namespace rlverify;
using core::test::problem_of;
using core::test::TemporaryFolder;
using namespace tensor::test;

namespace {

/// A file of one tensor, opened so that it is not held in memory.
struct File {
  TemporaryFolder folder;
  std::string path;
  std::unique_ptr<core::ByteSource> source;
  tensor::SafetensorsFile file;

  File(const std::string& name, const NamedBytes& tensor, const std::string& metadata = "") {
    path = folder.write(name, safetensors({tensor}, metadata));
    source = core::open_file(path, name, 0);
    file = tensor::read_safetensors(*source);
  }
  [[nodiscard]] tensor::TensorBytes tensor() const { return {source.get(), &file.tensors.at(0).ref}; }
};

NamedBytes random_tensor(std::uint64_t elements) {
  std::mt19937 random(11);
  std::vector<float> values(elements);
  for (float& value : values) {
    value = static_cast<float>(random()) * 0x1p-32F;
  }
  return {"w", "F32", {elements}, raw(values)};
}

}  // namespace

TEST_CASE("files compared in place give what reading gives, bit for bit", "[difference][mapped]") {
  // Longer than a window and not a multiple of anything; the second header is longer, so that the data lies otherwise.
  const NamedBytes tensor = random_tensor(9 * tensor::block_elements(tensor::DType::kFloat32) + 12345);
  NamedBytes changed = tensor;
  for (std::size_t i = 3; i < changed.bytes.size(); i += 1'000'003) {
    changed.bytes[i] = static_cast<char>(changed.bytes[i] ^ 1);
  }
  const File a("a.safetensors", tensor);
  const File b("b.safetensors", changed, R"({"format":"pt"})");
  const core::test::CopyingSource copy_a("a", core::test::file_text(a.path));
  const core::test::CopyingSource copy_b("b", core::test::file_text(b.path));
  REQUIRE(a.source->descriptor() >= 0);
  REQUIRE(copy_a.descriptor() < 0);
  tensor::BlockBuffers buffers;
  const auto mapped = tensor::compare_tensors(a.tensor(), b.tensor(), buffers);
  const auto read = tensor::compare_tensors({&copy_a, a.tensor().ref}, {&copy_b, b.tensor().ref}, buffers);
  CHECK(mapped.different_elements == read.different_elements);
  CHECK(mapped.different_elements == 10);
  CHECK(mapped.elements == read.elements);
  CHECK(std::bit_cast<std::uint64_t>(mapped.sum_difference) == std::bit_cast<std::uint64_t>(read.sum_difference));
  CHECK(std::bit_cast<std::uint64_t>(mapped.sum_abs_difference) ==
        std::bit_cast<std::uint64_t>(read.sum_abs_difference));
  CHECK(mapped.first->element_index == read.first->element_index);
  CHECK(mapped.max_ulp_index == read.max_ulp_index);
  CHECK(mapped.blocks == read.blocks);
}

TEST_CASE("a file that shrinks between opening and comparing is an error", "[difference][mapped]") {
  const NamedBytes tensor = random_tensor(1'000'000);
  // By whole pages (a fault), and within the last page (zeros without a fault).
  for (const std::uintmax_t cut : {std::uintmax_t{2'000'000}, std::uintmax_t{1}}) {
    const File a("a.safetensors", tensor);
    const File b("b.safetensors", tensor);
    std::filesystem::resize_file(b.path, std::filesystem::file_size(b.path) - cut);
    tensor::BlockBuffers buffers;
    const auto problem = problem_of([&] { (void)tensor::compare_tensors(a.tensor(), b.tensor(), buffers); });
    CHECK(problem.text().find("it shrank while it was read") != std::string::npos);
    // The thread is fit for the next comparison.
    CHECK(tensor::compare_tensors(a.tensor(), a.tensor(), buffers).equal());
  }
}

TEST_CASE("a file that shrinks while it is looked at ends the look, not the program", "[difference][mapped]") {
  const NamedBytes tensor = random_tensor(1'000'000);
  const File a("a.safetensors", tensor);
  const File b("b.safetensors", tensor);
  const tensor::FileStretch left{a.source.get(), 8, 3'000'000};
  const tensor::FileStretch right{b.source.get(), 8, 3'000'000};
  std::byte sum{};
  std::size_t looks = 0;
  const bool seen =
      tensor::look_at_mapped(left, right, [&](std::span<const std::byte> one, std::span<const std::byte> other) {
        ++looks;
        sum = one.back() ^ other.front();
        static_cast<void>(::truncate(b.path.c_str(), 4096));
        sum ^= other.back();
        ++looks;
      });
  CHECK_FALSE(seen);
  CHECK(looks == 1);
  CHECK(tensor::look_at_mapped(left, left, [&](std::span<const std::byte> one, std::span<const std::byte> other) {
    CHECK(one.data() != other.data());
  }));
  const core::MemorySource memory("m", std::string(100, 'x'));
  CHECK_FALSE(tensor::look_at_mapped({&memory, 0, 10}, left, [](auto, auto) { FAIL("nothing to look at"); }));
  CHECK_THROWS_AS(tensor::look_at_mapped(left, left, [](auto, auto) { throw core::UsageError("stop"); }),
                  core::UsageError);
}
