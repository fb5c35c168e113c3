# SPDX-License-Identifier: Apache-2.0
target_sources(rlverify_kernels PRIVATE src/cuda/no_cuda.cpp)
