// SPDX-License-Identifier: Apache-2.0
// Opcodes as Python's pickle protocol 2 has them; tensors as torch.save writes them (torch._utils._rebuild_tensor_v2 over a persistent storage id).
// CRCs are 0, which PyTorch writes too when it is told not to compute them.
#include "support/pt_writer.h"

#include <map>
#include <stdexcept>

namespace rlverify::test {
namespace {

void put_little(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    out += static_cast<char>((value >> (8 * i)) & 0xFF);
  }
}

std::int64_t element_bytes(const std::string& storage_class) {
  static const std::map<std::string, std::int64_t> kSizes = {{"FloatStorage", 4},    {"DoubleStorage", 8}, {"HalfStorage", 2}, {"BFloat16Storage", 2}, {"LongStorage", 8}, {"IntStorage", 4},
                                                             {"ShortStorage", 2},    {"CharStorage", 1},   {"ByteStorage", 1}, {"BoolStorage", 1},     {"ComplexFloatStorage", 8},
                                                             {"ComplexDoubleStorage", 16}};
  return kSizes.at(storage_class);
}

class Pickler {
 public:
  std::string dump(const PtValue& root) {
    out_ = "\x80\x02";
    write(root);
    return out_ + '.';
  }
  [[nodiscard]] const std::vector<std::string>& storages() const { return storages_; }

 private:
  void text(std::string_view text) {
    out_ += 'X';
    put_little(out_, text.size(), 4);
    out_ += text;
  }
  void integer(std::int64_t value) {
    out_ += "\x8a\x08";
    put_little(out_, static_cast<std::uint64_t>(value), 8);
  }
  void real(double value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    out_ += 'G';
    for (int shift = 56; shift >= 0; shift -= 8) {
      out_ += static_cast<char>((bits >> shift) & 0xFF);
    }
  }
  void integers(const std::vector<std::int64_t>& values) {
    out_ += '(';
    for (const std::int64_t value : values) {
      integer(value);
    }
    out_ += 't';
  }
  void list(const PtValue::List& items, char open, char close) {
    if (open == ']') {
      out_ += "](";
    } else {
      out_ += '(';
    }
    for (const PtValue& item : items) {
      write(item);
    }
    out_ += close;
  }
  void dict(const PtValue::Dict& entries) {
    out_ += "}(";
    for (const auto& [key, value] : entries) {
      text(key);
      write(value);
    }
    out_ += 'u';
  }
  void tensor(const PtTensor& tensor) {
    out_ += "ctorch._utils\n_rebuild_tensor_v2\n((";
    text("storage");
    out_ += "ctorch\n" + tensor.storage_class + '\n';
    text(std::to_string(storages_.size()));
    text("cpu");
    integer(static_cast<std::int64_t>(tensor.bytes.size()) / element_bytes(tensor.storage_class));
    out_ += "tQ";
    storages_.push_back(tensor.bytes);
    integer(tensor.storage_offset);
    integers(tensor.shape);
    integers(tensor.strides.empty() ? contiguous(tensor.shape) : tensor.strides);
    out_ += "\x89" "ccollections\nOrderedDict\n)RtR";
  }
  static std::vector<std::int64_t> contiguous(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> strides(shape.size());
    std::int64_t stride = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
      strides[i] = stride;
      stride *= shape[i];
    }
    return strides;
  }
  void write(const PtValue& value) {
    const PtValue::Variant& variant = value.variant();
    if (const auto* flag = std::get_if<bool>(&variant)) {
      out_ += *flag ? '\x88' : '\x89';
    } else if (const auto* number = std::get_if<std::int64_t>(&variant)) {
      integer(*number);
    } else if (const auto* fraction = std::get_if<double>(&variant)) {
      real(*fraction);
    } else if (const auto* string = std::get_if<std::string>(&variant)) {
      text(*string);
    } else if (const auto* items = std::get_if<PtValue::List>(&variant)) {
      list(*items, ']', 'e');
    } else if (const auto* tuple = std::get_if<PtValue::Tuple>(&variant)) {
      list(tuple->items, '(', 't');
    } else if (const auto* entries = std::get_if<PtValue::Dict>(&variant)) {
      dict(*entries);
    } else if (const auto* numbers = std::get_if<PtTensor>(&variant)) {
      tensor(*numbers);
    } else {
      out_ += 'N';
    }
  }

  std::string out_;
  std::vector<std::string> storages_;
};

struct Entry {
  std::string name;
  std::string bytes;
};

/// The fields that local header and directory share, from "version needed" to "extra field length".
std::string common_header(const Entry& entry) {
  std::string out;
  for (const unsigned field : {20U, 0U, 0U, 0U, 0x21U}) {  // version, flags, method (stored), time, date (1 January 1980)
    put_little(out, field, 2);
  }
  put_little(out, 0, 4);
  put_little(out, entry.bytes.size(), 4);
  put_little(out, entry.bytes.size(), 4);
  put_little(out, entry.name.size(), 2);
  put_little(out, 0, 2);
  return out;
}

std::string zip(const std::vector<Entry>& entries) {
  std::string out;
  std::string directory;
  for (const Entry& entry : entries) {
    put_little(directory, 0x02014b50, 4);
    put_little(directory, 20, 2);
    directory += common_header(entry);
    put_little(directory, 0, 10);
    put_little(directory, out.size(), 4);
    directory += entry.name;
    put_little(out, 0x04034b50, 4);
    out += common_header(entry) + entry.name + entry.bytes;
  }
  const std::size_t offset = out.size();
  out += directory;
  put_little(out, 0x06054b50, 4);
  put_little(out, 0, 4);
  put_little(out, entries.size(), 2);
  put_little(out, entries.size(), 2);
  put_little(out, directory.size(), 4);
  put_little(out, offset, 4);
  put_little(out, 0, 2);
  return out;
}

}  // namespace

PtValue& PtValue::operator[](std::string_view key) {
  Dict& entries = std::get<Dict>(value_);
  for (auto& [name, value] : entries) {
    if (name == key) {
      return value;
    }
  }
  entries.emplace_back(key, PtValue());
  return entries.back().second;
}

void PtValue::erase(std::string_view key) {
  Dict& entries = std::get<Dict>(value_);
  for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
    if (entry->first == key) {
      entries.erase(entry);
      return;
    }
  }
  throw std::logic_error("no key " + std::string(key));
}

std::string write_pt(const PtValue& root, const std::string& top) {
  Pickler pickler;
  const std::string pickle = pickler.dump(root);
  std::vector<Entry> entries = {{top + "/data.pkl", pickle}, {top + "/byteorder", "little"}};
  for (std::size_t i = 0; i < pickler.storages().size(); ++i) {
    entries.push_back({top + "/data/" + std::to_string(i), pickler.storages()[i]});
  }
  entries.push_back({top + "/version", "3\n"});
  return zip(entries);
}

}  // namespace rlverify::test
