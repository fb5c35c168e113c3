# SPDX-License-Identifier: Apache-2.0
# The CUDA backend, where nvcc works. Device code for sm_80 and sm_90, and PTX for what comes after. Warnings are errors, and a
# register spill is a warning of ptxas.
set(RLVERIFY_HAVE_CUDA OFF)
if(NOT RLVERIFY_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc AND NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} /usr/local/cuda/bin/nvcc)
  endif()
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    # The toolkit is found by its shared runtime, also where the rest looks for archives alone (a portable program).
    set(suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
    list(APPEND CMAKE_FIND_LIBRARY_SUFFIXES .so)
    find_package(CUDAToolkit REQUIRED GLOBAL)  # the programs that link this live in other folders
    set(CMAKE_FIND_LIBRARY_SUFFIXES ${suffixes})
    set(RLVERIFY_HAVE_CUDA ON)
  elseif(RLVERIFY_CUDA STREQUAL "ON")
    message(FATAL_ERROR "RLVERIFY_CUDA is ON and no CUDA compiler works")
  endif()
endif()

if(NOT RLVERIFY_HAVE_CUDA)
  target_sources(rlverify_kernels PRIVATE src/cuda/no_cuda.cpp)
  return()
endif()
# CMake 3.25 does not know nvcc's option for C++20.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
endif()
# A target of its own: the C++ options of the rest are not nvcc's.
add_library(rlverify_kernels_cuda OBJECT src/cuda/cuda_backend.cu)
set_target_properties(rlverify_kernels_cuda PROPERTIES
  CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}" POSITION_INDEPENDENT_CODE ON)
target_include_directories(rlverify_kernels_cuda PRIVATE include src)
target_compile_options(rlverify_kernels_cuda PRIVATE -O3 -fmad=false -Werror=all-warnings -Xptxas=--warn-on-spills
  -Xcompiler=-Wall,-Wextra,-Werror,-ffp-contract=off)
target_sources(rlverify_kernels PRIVATE src/cuda/cuda_facts.cpp $<TARGET_OBJECTS:rlverify_kernels_cuda>)
target_link_libraries(rlverify_kernels PRIVATE CUDA::cudart_static)
