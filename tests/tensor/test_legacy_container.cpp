// SPDX-License-Identifier: Apache-2.0
// The container before PyTorch 1.6.
#include <catch2/catch.hpp>

#include "tensor/pt_builder.h"

using namespace rlverify;
using namespace rlverify::tensor::test;
using Catch::Matchers::Contains;

namespace {

const std::string kSix = raw<float>({0, 1, 2, 3, 4, 5});
std::string view(std::string_view key, std::int64_t first, std::int64_t elements) {
  return text(key) + integer(first) + integer(elements) + "\x87";
}
std::string six(std::string_view extra = "N") {
  return storage("FloatStorage", "77", 6, extra);
}

}  // namespace

TEST_CASE("storages follow the pickles in the order of their keys") {
  const std::string ints = raw<std::int64_t>({7, 8});
  const Loaded loaded = load(pt_legacy(
      "](" + tensor_v2(six(), 1, {2}, {1}) + tensor_v2(storage("LongStorage", "5", 2, "N"), 0, {2}, {1}) + "e",
      {{"5", 2, ints}, {"77", 6, kSix}}));
  CHECK(loaded.file.container == tensor::PtContainer::kLegacy);
  CHECK(loaded.elements<float>(loaded.root().at(0)) == std::vector<float>{1, 2});
  CHECK(loaded.elements<std::int64_t>(loaded.root().at(1)) == std::vector<std::int64_t>{7, 8});
}

TEST_CASE("a storage view is a part of its storage") {
  const Loaded loaded = load(pt_legacy("](" + tensor_v2(six(view("v1", 2, 3)), 0, {3}, {1}) +
                                           tensor_v2(six(view("v2", 4, 2)), 1, {1}, {1}) +
                                           tensor_v2(six(view("v1", 2, 3)), 1, {2}, {1}) + "e",
                                       {{"77", 6, kSix}}));
  CHECK(loaded.elements<float>(loaded.root().at(0)) == std::vector<float>{2, 3, 4});
  CHECK(loaded.elements<float>(loaded.root().at(1)) == std::vector<float>{5});
  CHECK(loaded.elements<float>(loaded.root().at(2)) == std::vector<float>{3, 4});
  CHECK(loaded.file.storages.size() == 2);
}

TEST_CASE("views that leave their storage or change are refused") {
  const auto refused = [](const std::string& body) { return refusal(pt_legacy(body, {{"77", 6, kSix}})); };
  CHECK_THAT(refused(tensor_v2(six(view("v", 4, 3)), 0, {1}, {1})), Contains("a view inside the 6 elements"));
  CHECK_THAT(refused(tensor_v2(six(view("v", 0, 3)), 0, {4}, {1})), Contains("inside the 3 elements"));
  CHECK_THAT(refused("](" + six(view("v", 0, 3)) + six(view("v", 1, 3)) + "e"), Contains("with one place and size"));
  CHECK_THAT(refused(six("K\x01")), Contains("a storage view (key, offset, size)"));
}

TEST_CASE("storages that are missing, unknown, doubled or of another size are refused") {
  const std::string body = tensor_v2(six(), 0, {6}, {1});
  CHECK(refusal(pt_legacy(body, {{"77", 6, kSix}})).empty());
  CHECK_THAT(refusal(pt_legacy(body)), Contains("the bytes of storage \"77\""));
  CHECK_THAT(refusal(pt_legacy(body, {{"77", 6, kSix}, {"78", 0, ""}})), Contains("a storage that the payload names"));
  CHECK_THAT(refusal(pt_legacy(body, {{"77", 6, kSix}, {"77", 6, kSix}})), Contains("once"));
  CHECK_THAT(refusal(pt_legacy(body, {{"77", 5, kSix}})), Contains("6 elements in storage \"77\", found 5"));
  CHECK_THAT(refusal(pt_legacy("](" + six() + storage("FloatStorage", "77", 5, "N") + "e", {{"77", 6, kSix}})),
             Contains("with one type and size"));
  CHECK_THAT(refusal(pt_legacy(storage("FloatStorage", "77", 1LL << 60, "N"), {{"77", 6, kSix}})), Contains("limit"));
}

TEST_CASE("every cut of a file, and bytes behind it, are refused") {
  const std::string whole = pt_legacy(tensor_v2(six(), 0, {6}, {1}), {{"77", 6, kSix}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK_FALSE(refusal(whole.substr(0, size)).empty());
  }
  CHECK_THAT(refusal(whole + "x"), Contains("1 more bytes"));
}

TEST_CASE("another magic number, protocol or byte order is refused") {
  std::string bytes = pt_legacy("N");
  CHECK_THAT(refusal(pickle("K\x01")), Contains("a pickle of something else"));
  const std::size_t protocol = bytes.find("M\xe9\x03");
  std::string other = bytes;
  other[protocol + 1] = 'x';
  CHECK_THAT(refusal(other), Contains("container protocol 1001"));
  other = bytes;
  other[other.find("\x88u.")] = '\x89';
  CHECK_THAT(refusal(other), Contains("a little-endian machine"));
}

TEST_CASE("an unsafe name in any of the pickles counts") {
  const std::string good = pt_legacy("N");
  const std::string evil = pickle(global("posix", "system") + text("id") + "\x85R");
  CHECK_THAT(refusal(evil + good), Contains("unsafe"));
  CHECK_THAT(refusal(good.substr(0, good.size() - pickle("](e").size()) + evil), Contains("unsafe"));
}

TEST_CASE("the old persistent id of a module with its source is its class") {
  const std::string body = "(" + text("module") + global("my.net", "Net") + text("net.py") + text("class Net: pass") +
                           "tQ)\x81}" + text("w") + tensor_v2(six(), 0, {6}, {1}) + "sb";
  const Loaded loaded = load(pt_legacy(body, {{"77", 6, kSix}}));
  REQUIRE(loaded.root().is(core::Kind::kOpaque));
  CHECK(loaded.file.opaques[loaded.root().index()].name == "Net");
}
