// SPDX-License-Identifier: Apache-2.0
// One flipped bit anywhere in a weight is found and its place named exactly, in every container, split and order of
// both sides.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "compare/weights_snapshots.h"
#include "compare/weights_support.h"
#include "tensor/model.h"

using namespace rlverify;
using namespace compare::test;

namespace {

/// Tensors of several dtypes and shapes; one is longer than a block, so that places beyond the first block are hit.
std::vector<NamedBytes> make_tensors(std::mt19937& random) {
  std::vector<NamedBytes> tensors;
  const auto add = [&](const std::string& name, const std::string& dtype, const std::vector<std::uint64_t>& shape,
                       std::size_t bytes) {
    std::string data(bytes, '\0');
    for (char& byte : data) {
      byte = static_cast<char>(random());
    }
    tensors.push_back({name, dtype, shape, data});
  };
  add("big", "BF16", {3, 400, 700}, 2 * 3 * 400 * 700);
  add("layers.0.w", "F32", {17, 31}, 4 * 17 * 31);
  add("layers.1.w", "F32", {}, 4);
  add("ids", "I64", {101}, 808);
  return tensors;
}

struct Flip {
  std::size_t tensor;
  std::size_t byte;
  unsigned bit;
};

/// The index of the element that holds a byte, as text.
std::string expected_index(const NamedBytes& tensor, std::size_t byte) {
  const std::size_t size = tensor.dtype == "BF16" ? 2 : tensor.dtype == "F32" ? 4 : 8;
  return tensor::index_text(tensor.shape, byte / size);
}

/// A file of torch.save that states no CRC: with one, a flipped bit is damage and no difference.
std::string without_crc(std::string file) {
  const auto little = [&file](std::size_t at) {
    std::size_t number = 0;
    for (std::size_t i = 4; i-- > 0;) {
      number = number << 8U | static_cast<unsigned char>(file.at(at + i));
    }
    return number;
  };
  const std::size_t end = file.size() - 22;  // the end record states where the directory begins
  for (std::size_t at = little(end + 16); at < end; at = std::min(file.find("PK\x01\x02", at + 46), end)) {
    file.replace(at + 16, 4, 4, '\0');
  }
  return file;
}

}  // namespace

TEST_CASE("2,000 flipped bits are found and placed exactly", "[weights][property]") {
  std::mt19937 random(20260919);
  const std::vector<NamedBytes> tensors = make_tensors(random);
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.file("sharded"));
  const std::vector<NamedBytes> reordered = {tensors[3], tensors[1], tensors[2], tensors[0]};
  folder.write("reference.safetensors", tensor::test::safetensors(tensors));
  folder.write("candidate.pt", without_crc(tensor::test::state_dict(reordered)));
  folder.write("sharded/1.safetensors", tensor::test::safetensors({tensors[2], tensors[0]}));
  folder.write("sharded/2.safetensors", tensor::test::safetensors({tensors[3], tensors[1]}));

  core::ThreadPool pool(2);
  const tensor::Model reference = tensor::open_model(folder.file("reference.safetensors"));
  for (const std::string& candidate_path : {folder.file("candidate.pt"), folder.file("sharded")}) {
    const tensor::Model candidate = tensor::open_model(candidate_path);
    REQUIRE(candidate.problems().empty());
    for (const auto& pair : compare::compare_models(reference, candidate, pool, nullptr)) {
      REQUIRE_FALSE(pair.verdict.has_value());
    }
    for (int i = 0; i < 1000; ++i) {
      const std::size_t tensor = i % 4 == 0 ? 0 : random() % tensors.size();
      const Flip flip{tensor, random() % tensors[tensor].bytes.size(), static_cast<unsigned>(random() % 8)};
      const tensor::ModelTensor& target = *candidate.find(tensors[tensor].name);
      std::fstream file(candidate.files()[target.file].path, std::ios::in | std::ios::out | std::ios::binary);
      const auto offset = static_cast<std::streamoff>(target.ref.data_offset + flip.byte);
      const auto toggle = [&] {
        file.seekg(offset);
        const int byte = file.get() ^ (1 << flip.bit);
        file.seekp(offset);
        file.put(static_cast<char>(byte));
        file.flush();
      };
      toggle();
      // A new model: small files are read whole and would not see the change.
      const tensor::Model changed = tensor::open_model(candidate_path);
      std::size_t different = 0;
      for (const auto& pair : compare::compare_models(reference, changed, pool, nullptr)) {
        if (!pair.verdict) {
          continue;
        }
        ++different;
        REQUIRE(pair.name == tensors[tensor].name);
        REQUIRE(pair.verdict == compare::TensorVerdict::kDifferent);
        REQUIRE(pair.difference.different_elements == 1);
        REQUIRE(tensor::index_text(pair.reference->ref.shape, pair.difference.first->element_index) ==
                expected_index(tensors[tensor], flip.byte));
      }
      REQUIRE(different == 1);
      toggle();
    }
  }
}

TEST_CASE("the answer doesn't depend on the number of threads", "[weights][property]") {
  std::mt19937 random(5);
  std::vector<NamedBytes> tensors = make_tensors(random);
  const TemporaryFolder folder;
  folder.write("a.safetensors", tensor::test::safetensors(tensors));
  for (NamedBytes& tensor : tensors) {
    for (std::size_t i = 0; i < tensor.bytes.size(); i += 97) {
      tensor.bytes[i] = static_cast<char>(tensor.bytes[i] ^ 1);
    }
  }
  folder.write("b.safetensors", tensor::test::safetensors(tensors));
  const tensor::Model a = tensor::open_model(folder.file("a.safetensors"));
  const tensor::Model b = tensor::open_model(folder.file("b.safetensors"));
  core::ThreadPool one(1);
  core::ThreadPool four(4);
  const auto single = compare::compare_models(a, b, one, nullptr);
  const auto many = compare::compare_models(a, b, four, nullptr);
  REQUIRE(single.size() == many.size());
  for (std::size_t i = 0; i < single.size(); ++i) {
    CHECK(single[i].difference.different_elements == many[i].difference.different_elements);
    CHECK(std::bit_cast<std::uint64_t>(single[i].difference.sum_difference) ==
          std::bit_cast<std::uint64_t>(many[i].difference.sum_difference));
    CHECK(std::bit_cast<std::uint64_t>(single[i].difference.sum_abs_difference) ==
          std::bit_cast<std::uint64_t>(many[i].difference.sum_abs_difference));
    CHECK(single[i].difference.class_counts == many[i].difference.class_counts);
  }
}
