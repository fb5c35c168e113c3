// SPDX-License-Identifier: Apache-2.0
// SHA-256 through OpenSSL, fed in pieces.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace rlverify::core {

using Sha256Digest = std::array<std::byte, 32>;

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void update(std::span<const std::byte> bytes);
  void update(std::string_view bytes);
  /// The digest of everything fed so far; the object then starts anew.
  [[nodiscard]] Sha256Digest finish();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

[[nodiscard]] Sha256Digest sha256(std::span<const std::byte> bytes);
/// 64 lower-case hex digits.
[[nodiscard]] std::string hex(const Sha256Digest& digest);

}  // namespace rlverify::core
