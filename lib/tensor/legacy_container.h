// SPDX-License-Identifier: Apache-2.0
// The container of PyTorch before 1.6: five pickles (magic number, protocol 1001, system info, payload, list of storage
// keys), then the storages one after the other, each as an int64 number of elements and its raw bytes.
#pragma once

#include "core/byte_source.h"
#include "tensor/pt_reader.h"

namespace rlverify::tensor {

/// Reads such a file into `out`. Unsafe globals of any of its pickles count, since Python loads them all.
void read_legacy_container(const core::ByteSource& source, UnsafePolicy policy, PtFile& out);

}  // namespace rlverify::tensor
