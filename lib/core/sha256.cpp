// SPDX-License-Identifier: Apache-2.0
// OpenSSL's provider interface: the algorithm is fetched once per object, since a fetch costs more than hashing a small
// tensor.
#include "core/sha256.h"

#include <openssl/evp.h>

#include "core/errors.h"

namespace rlverify::core {

namespace {

void require(bool succeeded) {
  if (!succeeded) {
    throw Error(ExitCode::kInternal, "OpenSSL can't compute SHA-256");
  }
}

struct FreeMd {
  void operator()(EVP_MD* md) const { EVP_MD_free(md); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

struct Sha256::Context {
  std::unique_ptr<EVP_MD, FreeMd> md{EVP_MD_fetch(nullptr, "SHA256", nullptr)};
  std::unique_ptr<EVP_MD_CTX, FreeContext> state{EVP_MD_CTX_new()};

  void start() { require(md && state && EVP_DigestInit_ex2(state.get(), md.get(), nullptr) == 1); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  context_->start();
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(context_->state.get(), bytes.data(), bytes.size()) == 1);
}

void Sha256::update(std::string_view bytes) {
  update(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

Sha256Digest Sha256::finish() {
  Sha256Digest digest{};
  unsigned int size = 0;
  require(EVP_DigestFinal_ex(context_->state.get(), reinterpret_cast<unsigned char*>(digest.data()), &size) == 1 &&
          size == digest.size());
  context_->start();
  return digest;
}

Sha256Digest sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string hex(const Sha256Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * digest.size());
  for (const std::byte byte : digest) {
    text += kDigits[std::to_integer<std::size_t>(byte >> 4)];
    text += kDigits[std::to_integer<std::size_t>(byte & std::byte{15})];
  }
  return text;
}

}  // namespace rlverify::core
