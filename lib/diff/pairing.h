// SPDX-License-Identifier: Apache-2.0
// Which tensors stand against each other (internal to diff/model_diff.h).
#pragma once

#include "diff/model_diff.h"

namespace rlverify::diff {

/// Opens both sides and takes over what is wrong with them. Folders in which several files hold the same names (dumps,
/// not shards) are paired file by file. Throws core::InputError when nothing of a side can be read.
void open_models(ModelDiff& diff);

/// All names that the filter selects, in natural order, with what names, shapes and dtypes alone decide.
void pair_tensors(ModelDiff& diff, const NameFilter& filter);

}  // namespace rlverify::diff
