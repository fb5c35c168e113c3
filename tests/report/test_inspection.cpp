// SPDX-License-Identifier: Apache-2.0
// What inspect collects, and how little it reads for it.
#include <algorithm>
#include <catch2/catch.hpp>

#include "report/inspection.h"
#include "report/schema_check.h"
#include "tensor/pt_builder.h"

using namespace rlverify;
using namespace rlverify::tensor::test;
using Catch::Matchers::Contains;
using report::InspectedRow;
using report::Inspection;

namespace {

const std::string kSix = raw<float>({0, 1, 2, 3, 4, 5});
std::string six(std::int64_t offset, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
  return tensor_v2(storage("FloatStorage", "0", 6), offset, shape, strides);
}

Inspection inspected(const std::string& body, const report::InspectOptions& options = {}) {
  const Loaded loaded = load(pt_zip(body, {{"0", kSix}}), tensor::UnsafePolicy::kReport);
  return report::inspect(*loaded.source, loaded.file, options);
}

const InspectedRow& row(const Inspection& inspection, std::string_view path) {
  const auto found = std::find_if(inspection.rows.begin(), inspection.rows.end(),
                                  [&](const InspectedRow& candidate) { return candidate.path == path; });
  REQUIRE(found != inspection.rows.end());
  return *found;
}

/// Notes which bytes are read.
class WatchedSource final : public core::ByteSource {
 public:
  explicit WatchedSource(std::string bytes)
      : core::ByteSource("watched.pt", bytes.size()), bytes_(std::move(bytes)), read_(bytes_.size(), false) {}
  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    REQUIRE(offset + out.size() <= bytes_.size());
    std::copy_n(reinterpret_cast<const std::byte*>(bytes_.data()) + offset, out.size(), out.begin());
    std::fill_n(read_.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), true);
  }
  [[nodiscard]] bool was_read(std::uint64_t offset) const { return read_[offset]; }

 private:
  std::string bytes_;
  mutable std::vector<bool> read_;
};

}  // namespace

TEST_CASE("rows tell kinds, sizes and shared storages") {
  const Inspection inspection = inspected(
      "}(" + text("a") + six(0, {2, 3}, {3, 1}) + text("b") + six(3, {3}, {1}) + text("n") + "K\x07" + text("l") +
      "](K\x01K\x02" + "e" + text("o") + global("my.net", "Net") + ")R" + text("t") + global("torch", "float32") + "u");
  CHECK(row(inspection, "").content == "6 entries");
  CHECK(row(inspection, "a").tensor->tensors_in_storage == 2);
  CHECK(row(inspection, "b").tensor->reference.storage_offset == 3);
  CHECK(row(inspection, "n").content == "7");
  CHECK(row(inspection, "l").content == "2 items: 1, 2");
  CHECK(row(inspection, "o").content == "my.net.Net");
  CHECK(row(inspection, "t").content == "torch.float32");
  CHECK(inspection.tensor_count == 2);
  CHECK(inspection.tensor_bytes == 36);
  CHECK(inspection.storage_bytes == 24);
  CHECK(inspection.object_count == 1);
}

TEST_CASE("a selection shows tensors only, and values when asked for") {
  report::InspectOptions options;
  options.selects = [](std::string_view path) { return path == "b"; };
  options.values = true;
  const Inspection inspection =
      inspected("}(" + text("a") + six(0, {6}, {1}) + text("b") + six(4, {2}, {1}) + text("n") + "K\x07u", options);
  REQUIRE(inspection.rows.size() == 1);
  CHECK(inspection.rows[0].tensor->values == std::vector<std::string>{"4.0", "5.0"});
}

TEST_CASE("elements that are not shown are not read") {
  const std::string ones = raw<float>({1, 1});
  const WatchedSource source(pt_zip(
      "}(" + text("a") + six(0, {6}, {1}) + text("b") + tensor_v2(storage("FloatStorage", "1", 2), 0, {2}, {1}) + "u",
      {{"0", kSix}, {"1", ones}}));
  const tensor::PtFile file = tensor::read_pt(source);
  const auto first_byte = [&](const char* name) { return file.tensor(file.root().get(name)).data_offset; };
  static_cast<void>(report::inspect(source, file, {}));
  CHECK_FALSE(source.was_read(first_byte("a")));
  CHECK_FALSE(source.was_read(first_byte("b")));
  report::InspectOptions options;
  options.values = true;
  options.selects = [](std::string_view path) { return path == "b"; };
  static_cast<void>(report::inspect(source, file, options));
  CHECK_FALSE(source.was_read(first_byte("a")));
  CHECK(source.was_read(first_byte("b")));
}

TEST_CASE("a part that is met again refers to its first place") {
  const Inspection inspection =
      inspected("}(" + text("a") + "}" + text("w") + six(0, {6}, {1}) + "sq\x05" + text("b") + "h\x05u");
  CHECK(row(inspection, "b").same_as == "a");
  CHECK(inspection.shares_parts);
  CHECK_THAT(report::inspection_text(inspection), Contains("(the same object as a)"));
}

TEST_CASE("long texts are cut and control characters escaped in the text") {
  const Inspection inspection =
      inspected("}(" + text("k\x1b[1m") + text(std::string(500, 'x')) + text("u") + text("a\x1b") + "u");
  CHECK_THAT(row(inspection, "k\x1b[1m").content, Contains("(500 bytes)"));
  const std::string shown = report::inspection_text(inspection);
  CHECK(shown.find('\x1b') == std::string::npos);
  CHECK_THAT(shown, Contains("k\\x1b[1m"));
}

TEST_CASE("the document follows its schema") {
  report::InspectOptions options;
  options.values = true;
  for (const std::string& body :
       {six(0, {6}, {1}), "]q\x01h\x01" + std::string("a"), global("posix", "system") + text("x") + "\x85R",
        six(0, {1000000, 1000000}, {0, 0})}) {
    const Inspection inspection = inspected(body, options);
    const report::Document document = report::inspection_document(inspection);
    CHECK(report::check_schema(document.root(), report::schema_text("inspection")).empty());
    CHECK(document.root().get("safe").is_true() == inspection.unsafe_globals.empty());
  }
}
