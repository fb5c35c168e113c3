# SPDX-License-Identifier: Apache-2.0
# A portable program takes the archives of the libraries, not the shared ones.
if(RLVERIFY_PORTABLE)
  set(OPENSSL_USE_STATIC_LIBS ON)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()
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

find_path(LIBDEFLATE_INCLUDE_DIR libdeflate.h REQUIRED)
find_library(LIBDEFLATE_LIBRARY deflate REQUIRED)
add_library(rlverify_deflate INTERFACE)
target_include_directories(rlverify_deflate SYSTEM INTERFACE ${LIBDEFLATE_INCLUDE_DIR})
target_link_libraries(rlverify_deflate INTERFACE ${LIBDEFLATE_LIBRARY})

# valijson is headers only, but its Debian package depends on 43 others for adapters that are not used here:
# where it isn't installed, scripts/install-deps unpacks the headers into build/third_party.
find_path(VALIJSON_INCLUDE_DIR valijson/validator.hpp REQUIRED
  HINTS ${CMAKE_SOURCE_DIR}/build/third_party/usr/include)
add_library(rlverify_valijson INTERFACE)
target_include_directories(rlverify_valijson SYSTEM INTERFACE ${VALIJSON_INCLUDE_DIR})
target_compile_definitions(rlverify_valijson INTERFACE VALIJSON_USE_EXCEPTIONS=1)

# Debian has no archive of fmt: a portable program makes its own from the headers.
if(RLVERIFY_PORTABLE)
  add_library(rlverify_fmt STATIC ${CMAKE_SOURCE_DIR}/cmake/fmt_static.cpp)
  target_compile_definitions(rlverify_fmt PUBLIC FMT_SHARED)
else()
  add_library(rlverify_fmt INTERFACE)
  target_link_libraries(rlverify_fmt INTERFACE fmt::fmt)
endif()

# One file logs, and it takes spdlog's headers with Debian's fmt.
find_path(SPDLOG_INCLUDE_DIR spdlog/spdlog.h REQUIRED)
add_library(rlverify_spdlog INTERFACE)
target_include_directories(rlverify_spdlog SYSTEM INTERFACE ${SPDLOG_INCLUDE_DIR})
target_compile_definitions(rlverify_spdlog INTERFACE SPDLOG_FMT_EXTERNAL)
