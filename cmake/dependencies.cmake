# SPDX-License-Identifier: Apache-2.0
# Everything here is a Debian 12 package (scripts/install-deps installs what is missing).
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)

find_path(RE2_INCLUDE_DIR re2/re2.h REQUIRED)
find_library(RE2_LIBRARY re2 REQUIRED)
add_library(rlverify_re2 INTERFACE)
target_include_directories(rlverify_re2 SYSTEM INTERFACE ${RE2_INCLUDE_DIR})
target_link_libraries(rlverify_re2 INTERFACE ${RE2_LIBRARY})

# valijson is headers only, but its Debian package depends on 43 others for adapters that are not used here:
# where it isn't installed, scripts/install-deps unpacks the headers into build/third_party.
find_path(VALIJSON_INCLUDE_DIR valijson/validator.hpp REQUIRED
  HINTS ${CMAKE_SOURCE_DIR}/build/third_party/usr/include)
add_library(rlverify_valijson INTERFACE)
target_include_directories(rlverify_valijson SYSTEM INTERFACE ${VALIJSON_INCLUDE_DIR})
target_compile_definitions(rlverify_valijson INTERFACE VALIJSON_USE_EXCEPTIONS=1)
