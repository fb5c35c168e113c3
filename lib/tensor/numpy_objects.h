// SPDX-License-Identifier: Apache-2.0
// NumPy's constructions inside pickles: dtypes, scalars and one-dimensional arrays of plain numbers become values, all
// else stays opaque.
#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "tensor/dtype.h"
#include "tensor/pickle_context.h"

namespace rlverify::tensor {

class NumpyObjects {
 public:
  explicit NumpyObjects(PickleContext& context) : context_(context) {}

  /// numpy.dtype(text, align, copy).
  [[nodiscard]] core::NodeId make_dtype(core::NodeId arguments);
  /// numpy.core.multiarray.scalar(dtype, bytes).
  [[nodiscard]] core::NodeId make_scalar(const Global& global, core::NodeId arguments);
  /// numpy.core.multiarray._reconstruct(ndarray, shape, kind): an array that its state completes.
  [[nodiscard]] core::NodeId begin_array(core::NodeId arguments);
  /// numpy.core.numeric._frombuffer(bytes, dtype, shape, order), as protocol 5 writes arrays.
  [[nodiscard]] core::NodeId array_from_buffer(const Global& global, core::NodeId arguments);

  [[nodiscard]] bool is_dtype(core::NodeId id) const { return dtypes_.count(id) != 0; }
  [[nodiscard]] bool is_open_array(core::NodeId id) const {
    return !open_arrays_.empty() && open_arrays_.count(id) != 0;
  }
  /// State of a dtype: (version, byte order, ...).
  void set_dtype_state(core::NodeId dtype, core::NodeId state);
  /// State of an array (version, shape, dtype, Fortran order, data): the list that takes its place, or the opaque array
  /// itself.
  [[nodiscard]] core::NodeId finish_array(core::NodeId array, core::NodeId state);

 private:
  struct NumpyDtype {
    std::optional<DType> element;  // nothing for types that aren't plain numbers
    bool big_endian = false;
  };
  [[nodiscard]] const NumpyDtype* plain_dtype(core::NodeId id) const;
  core::NodeId add_number(const NumpyDtype& dtype, std::string_view bytes);
  core::NodeId make_list(core::NodeId shape, core::NodeId dtype, core::NodeId data);

  PickleContext& context_;
  std::unordered_map<core::NodeId, NumpyDtype> dtypes_;
  std::unordered_set<core::NodeId> open_arrays_;
};

}  // namespace rlverify::tensor
