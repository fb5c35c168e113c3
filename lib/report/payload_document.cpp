// SPDX-License-Identifier: Apache-2.0
// A walk with a depth and a budget: a payload may share its parts and contain itself.
#include "report/payload_document.h"

#include <fmt/format.h>

#include "core/errors.h"
#include "core/python_value.h"
#include "run/number_vector.h"

namespace rlverify::report {

namespace {

using core::Kind;
using core::NodeId;
using core::Value;

constexpr std::uint32_t kMaxDepth = 3;  // the payload, its lists, their vectors of numbers
constexpr std::uint64_t kMaxValues = 2'000'000;

class PayloadCopy {
 public:
  PayloadCopy(const tensor::PtFile& file, Document& document) : file_(file), document_(document) {}

  NodeId copy(Value value, std::uint32_t depth) {
    if (++values_ > kMaxValues) {
      core::Problem problem;
      problem.kind = core::ProblemKind::kLimit;
      problem.expected = fmt::format("a payload of at most {} values", kMaxValues);
      problem.found = "more";
      throw core::ArtifactError(std::move(problem));
    }
    switch (value.kind()) {
      case Kind::kTensor:
        return tensor(file_.tensor(value));
      case Kind::kDict:
        return depth < kMaxDepth ? dict(value, depth) : described(value);
      case Kind::kList:
      case Kind::kTuple:
        return depth < kMaxDepth ? sequence(value, depth) : described(value);
      case Kind::kNull:
      case Kind::kBoolean:
      case Kind::kInteger:
      case Kind::kBigInteger:
      case Kind::kReal:
      case Kind::kString:
        return document_.copy(value);
      default:
        return described(value);
    }
  }

 private:
  NodeId described(Value value) { return document_.string(run::describe(file_, value)); }

  NodeId tensor(const tensor::TensorRef& tensor) {
    const NodeId shape = document_.array();
    for (const std::uint64_t size : tensor.shape) {
      document_.append(shape, document_.unsigned_integer(size));
    }
    return document_.object({{"dtype", document_.string(tensor::torch_name(tensor.dtype))}, {"shape", shape}});
  }

  NodeId sequence(Value value, std::uint32_t depth) {
    const NodeId out = document_.array();
    for (std::size_t i = 0; i < value.size(); ++i) {
      document_.append(out, copy(value.at(i), depth + 1));
    }
    return out;
  }

  NodeId dict(Value value, std::uint32_t depth) {
    const NodeId out = document_.object();
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Value key = value.key_at(i);
      const std::string name = key.is_string() ? std::string(key.text()) : core::python_repr(key);
      document_.put(out, name, copy(value.value_at(i), depth + 1));
    }
    return out;
  }

  const tensor::PtFile& file_;
  Document& document_;
  std::uint64_t values_ = 0;
};

}  // namespace

Document payload_document(const tensor::PtFile& file) {
  Document document;
  document.set_root(PayloadCopy(file, document).copy(file.root(), 0));
  return document;
}

}  // namespace rlverify::report
