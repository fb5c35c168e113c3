// SPDX-License-Identifier: Apache-2.0
// The payload of a .pt file as a JSON document, so that the schemas of sidecars and kernel inputs can be held against
// it: a tensor is its dtype and shape, a tuple an array. Elements are not read.
#pragma once

#include "report/document.h"
#include "tensor/pt_reader.h"

namespace rlverify::report {

/// Containers below the third level, and what JSON has no form for, are described in words, since no schema looks at
/// them. Throws core::ArtifactError for more than 2,000,000 values (a pickled graph that shares its parts is larger as
/// a tree).
[[nodiscard]] Document payload_document(const tensor::PtFile& file);

}  // namespace rlverify::report
