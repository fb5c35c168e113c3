# SPDX-License-Identifier: Apache-2.0
# The vector code of the CPU backend: one object per instruction set, chosen at run time by the processor at hand.
if(NOT RLVERIFY_HIGHWAY OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  return()
endif()
find_path(RLVERIFY_HIGHWAY_INCLUDE_DIR hwy/highway.h)
if(NOT RLVERIFY_HIGHWAY_INCLUDE_DIR)
  message(STATUS "rlverify kernels: Highway not found, the CPU backend is scalar")
  return()
endif()
target_sources(rlverify_kernels PRIVATE src/cpu/cpu_avx2.cpp src/cpu/cpu_avx512.cpp)
target_include_directories(rlverify_kernels SYSTEM PRIVATE ${RLVERIFY_HIGHWAY_INCLUDE_DIR})
target_compile_definitions(rlverify_kernels PRIVATE RLV_HAVE_VECTOR_LEVELS=1)
# Never instrumented: a sanitizer takes many minutes over these two, and cpu_scalar.cpp instantiates the same templates.
set_source_files_properties(src/cpu/cpu_avx2.cpp PROPERTIES COMPILE_OPTIONS "-O3;-fno-sanitize=all;-march=haswell;-maes")
set_source_files_properties(src/cpu/cpu_avx512.cpp PROPERTIES
  COMPILE_OPTIONS "-O3;-fno-sanitize=all;-march=skylake-avx512;-maes;-mprefer-vector-width=512")
