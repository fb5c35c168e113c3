# SPDX-License-Identifier: Apache-2.0
# Compile options of our own targets, kept on one interface target so that dependencies never see them.
add_library(rlverify_options INTERFACE)
target_compile_options(rlverify_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wnull-dereference -Wimplicit-fallthrough
  # Bits are what this program is about: a contracted multiply-add would change them from one compiler to the next.
  -ffp-contract=off)
if(RLVERIFY_WERROR)
  target_compile_options(rlverify_options INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees dangling pointers and null dereferences inside libstdc++ that aren't there.
  target_compile_options(rlverify_options INTERFACE -Wno-null-dereference -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # clang-tidy's check for the same takes a fifth of its time.
  target_compile_options(rlverify_options INTERFACE -Wreserved-identifier)
endif()
if(RLVERIFY_SANITIZE)
  target_compile_options(rlverify_options INTERFACE -fsanitize=${RLVERIFY_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(rlverify_options INTERFACE -fsanitize=${RLVERIFY_SANITIZE})
endif()
if(RLVERIFY_FUZZ)
  target_compile_options(rlverify_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
