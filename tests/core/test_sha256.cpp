// SPDX-License-Identifier: Apache-2.0
// The vectors of FIPS 180-4 (NIST's examples), in one piece and in many.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/sha256.h"

using namespace rlverify::core;

namespace {

const std::vector<std::pair<std::string, std::string>>& vectors() {
  static const std::vector<std::pair<std::string, std::string>> kVectors = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  return kVectors;
}

}  // namespace

TEST_CASE("SHA-256 of the published vectors") {
  for (const auto& [text, digest] : vectors()) {
    CHECK(hex(sha256(std::as_bytes(std::span(text.data(), text.size())))) == digest);
  }
}

TEST_CASE("pieces give the digest of the whole, and finish() starts anew") {
  Sha256 hash;
  for (const auto& [text, digest] : vectors()) {
    for (const std::size_t piece : {1U, 63U, 64U, 65U, 100'000U}) {
      if (piece == 1 && text.size() > 100) {
        continue;
      }
      for (std::size_t at = 0; at < text.size(); at += piece) {
        hash.update(std::string_view(text).substr(at, piece));
      }
      CHECK(hex(hash.finish()) == digest);
    }
  }
}

TEST_CASE("a moved hash goes on where it was") {
  Sha256 first;
  first.update("ab");
  Sha256 second = std::move(first);
  second.update("c");
  CHECK(hex(second.finish()) == vectors()[1].second);
}
