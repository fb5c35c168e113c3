# SPDX-License-Identifier: Apache-2.0
# Compile options of the kernels' own code. Inside rlverify its options are used (sanitizers included), alone these.
add_library(rlverify_kernels_options INTERFACE)
if(TARGET rlverify_options)
  target_link_libraries(rlverify_kernels_options INTERFACE $<BUILD_INTERFACE:rlverify_options>)
else()
  target_compile_options(rlverify_kernels_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
    -Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wsign-conversion;-Wold-style-cast;-Werror>)
endif()
# A contracted multiply-add would change bits from one compiler to the next; every fma is written out.
target_compile_options(rlverify_kernels_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC notes that the ABI of vector arguments changed once; no vector crosses a function boundary here.
  target_compile_options(rlverify_kernels_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-psabi>)
endif()
