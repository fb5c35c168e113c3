// SPDX-License-Identifier: Apache-2.0
// Round trip with libtorch: its C++ pickler differs from Python's (type tags, typed lists, APPEND), and its files must
// read the same.
#include <catch2/catch.hpp>

#include "core/python_value.h"
#include "libtorch_writer.h"
#include "tensor/pt_reader.h"

using namespace rlverify;
using namespace rlverify::tensor;

TEST_CASE("a file by libtorch is read back equal") {
  const test::WrittenFile written = test::write_with_libtorch();
  const core::MemorySource source("libtorch.pt", written.file);
  const PtFile file = read_pt(source);
  const core::Value tensors = file.root().get("tensors");
  REQUIRE(tensors.size() == written.tensors.size());
  for (std::size_t i = 0; i < written.tensors.size(); ++i) {
    const test::WrittenTensor& wanted = written.tensors[i];
    CAPTURE(wanted.key);
    CHECK(tensors.key_at(i).text() == wanted.key);
    const TensorRef& found = file.tensor(tensors.value_at(i));
    CHECK(torch_name(found.dtype) == "torch." + wanted.dtype);
    CHECK(std::vector<long>(found.shape.begin(), found.shape.end()) == wanted.shape);
    const std::vector<std::byte> bytes = read_elements(source, found);
    CHECK(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == wanted.bytes);
  }
  CHECK(file.root().get("one").size() == 1);
  CHECK(core::python_repr(file.root().get("many")) == "[1, 2, 300, 70000, -5, 5000000000]");
  CHECK(core::python_repr(file.root().get("one_int")) == "[7]");
  CHECK(core::python_repr(file.root().get("floats")) == "[0.5, -1e+300]");
  CHECK(core::python_repr(file.root().get("flags")) == "[True, False]");
  CHECK(core::python_repr(file.root().get("strings")) == "['a', 'b\xc3\xa9']");
  CHECK(core::python_repr(file.root().get("tuple")) == "(1, 'x', None)");
}
