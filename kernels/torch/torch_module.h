/* SPDX-License-Identifier: Apache-2.0
 * The C interface between rlverify and its torch module: plain data over a dlopen boundary, no C++ type, no exception.
 * kTorchModuleVersion changes whenever the struct does; a module of another version is refused.
 */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kTorchModuleVersion = 2 };

/* One computation on logits in host memory; sizes were checked by the caller. */
struct RlverifyTorchRequest {
  const char* contract; /* name in the registry */
  const void* logits;   /* [rows, row_stride] */
  int32_t storage;      /* StorageType of the logits */
  int64_t rows;
  int64_t row_stride; /* elements */
  int64_t real_vocab;
  int64_t padded_vocab;
  double temperature;
  const int64_t* targets; /* [rows] */
  int32_t ranks;
  int32_t collective; /* CollectiveOrder */
  int32_t max_channels;
  int64_t batch_rows;
  int64_t first_batch_row;
  int32_t threads;     /* 0: torch's own choice */
  int32_t device;      /* CUDA device, or -1 for the CPU */
  float* logp;         /* [rows] or null */
  double* logp_fp64;   /* [rows] or null */
  double microseconds; /* out: time of the operations */
};

/* 0 on success; else 1 and the reason in message (cut to message_bytes, zero-terminated). */
int rlverify_torch_run(struct RlverifyTorchRequest* request, char* message, int64_t message_bytes);

/* One ATen operation on [rows, columns] fp32 numbers in host memory, on CUDA device `device` or, where it is -1, on the
 * CPU: exp, log, divide_by_tensor, divide_by_scalar, log_softmax (rows * columns results), sum, max (rows results).
 * Returns as rlverify_torch_run does.
 */
int rlverify_torch_op(const char* name, int32_t device, const float* in, int64_t rows, int64_t columns, float scalar,
                      float* out, char* message, int64_t message_bytes);

/* Why CUDA device `device` can't be used by this libtorch; "" when it can. */
const char* rlverify_torch_gpu_reason(int32_t device);

/* "libtorch 1.13.1" */
const char* rlverify_torch_name(void);

/* kTorchModuleVersion of the module. */
int rlverify_torch_interface_version(void);

#ifdef __cplusplus
}
#endif
