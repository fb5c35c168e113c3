// SPDX-License-Identifier: Apache-2.0
// An Inspection for people: what the file is, what makes it unsafe, then one line per value under its path.
#include <fmt/format.h>

#include <cmath>

#include "report/finding_text.h"
#include "report/inspection.h"
#include "report/text_layout.h"
#include "report/utf8.h"

namespace rlverify::report {
namespace {

constexpr std::size_t kMaxPathColumns = 60;

std::string plural(std::uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

std::string tensor_text(const InspectedTensor& inspected) {
  const tensor::TensorRef& tensor = inspected.reference;
  std::string text =
      fmt::format("{} [{}], strides [{}], {}", tensor::torch_name(tensor.dtype), fmt::join(tensor.shape, ", "),
                  fmt::join(tensor.strides, ", "), plural(tensor.logical_bytes(), "byte"));
  text +=
      fmt::format(", storage {} of {}", printable(inspected.storage_key, false), plural(tensor.storage_bytes, "byte"));
  if (tensor.storage_offset != 0) {
    text += fmt::format(" from element {}", tensor.storage_offset);
  }
  if (inspected.tensors_in_storage > 1) {
    text += fmt::format(" ({} tensors)", grouped(inspected.tensors_in_storage));
  }
  text += tensor.is_parameter ? ", parameter" : "";
  text += tensor.conjugate ? ", conjugated" : "";
  text += tensor.negative ? ", negated" : "";
  if (tensor.explodes()) {
    text += "; its strides unfold to more than 64 times its storage, so it is never walked";
  }
  return text;
}

std::string row_text(const InspectedRow& row) {
  if (row.tensor) {
    return tensor_text(*row.tensor);
  }
  const bool is_container =
      row.type == "list" || row.type == "tuple" || row.type == "dict" || row.type == "set" || row.type == "frozenset";
  std::string text = row.type;
  if (row.content != row.type) {
    text += (is_container ? " of " : " ") + printable(row.content, false);
  }
  if (row.is_repeated) {
    const std::string same = row.same_as.empty() ? "the whole value" : printable(row.same_as, false);
    text += row.contains_itself ? fmt::format(" (contains itself: this is {} again)", same)
                                : fmt::format(" (the same object as {})", same);
  }
  return text;
}

std::string values_text(const InspectedTensor& tensor) {
  const std::vector<std::string>& values = *tensor.values;
  std::string text = fmt::format("[{}", fmt::join(values, ", "));
  if (values.size() < tensor.reference.element_count) {
    text += fmt::format(", ... {} more", grouped(tensor.reference.element_count - values.size()));
  }
  return text + "]";
}

std::string unfolded_text(double values) {
  return std::isinf(values) ? "unfolded it would never end" : fmt::format("unfolded it would be {:.3g} values", values);
}

}  // namespace

std::string inspection_text(const Inspection& inspection) {
  std::string text =
      fmt::format("{}: torch.save file ({}), pickle protocol {}, {}\n", printable(inspection.file, false),
                  inspection.container == "zip" ? "zip" : "container before PyTorch 1.6", inspection.pickle_protocol,
                  plural(inspection.file_bytes, "byte"));
  text += fmt::format("{} of {}, in {} of {}; {} of other classes\n", plural(inspection.tensor_count, "tensor"),
                      plural(inspection.tensor_bytes, "byte"), plural(inspection.storage_count, "storage"),
                      plural(inspection.storage_bytes, "byte"), plural(inspection.object_count, "object"));
  for (const tensor::UnsafeGlobal& unsafe : inspection.unsafe_globals) {
    text += fmt::format(
        "UNSAFE: opcode {} at byte {} names {}, which would run code if Python loaded this file; nothing was run "
        "here\n",
        unsafe.opcode, unsafe.offset, printable(unsafe.global, false));
  }
  if (inspection.shares_parts) {
    text += fmt::format("Parts are shared: each is listed once; {}\n", unfolded_text(inspection.unfolded_values));
  }
  std::size_t width = 0;
  for (const InspectedRow& row : inspection.rows) {
    width = std::max(width, std::min(display_width(printable(row.path, false)), kMaxPathColumns));
  }
  text += "\n";
  for (const InspectedRow& row : inspection.rows) {
    const std::string path = row.path.empty() ? "." : printable(row.path, false);
    text += fmt::format("{}  {}\n", padded(path, width), row_text(row));
    if (row.tensor && row.tensor->values) {
      text += fmt::format("    {}\n", values_text(*row.tensor));
    }
  }
  if (!inspection.stopped.empty()) {
    text += fmt::format("The listing stops here: {}.\n", inspection.stopped);
  }
  return text;
}

}  // namespace rlverify::report
