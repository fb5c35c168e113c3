// SPDX-License-Identifier: Apache-2.0
// Opcodes as Python's pickle protocol 2 has them; tensors as torch.save writes them (torch._utils._rebuild_tensor_v2
// over a persistent storage id). CRCs are 0 unless asked for, which PyTorch writes
// too when it is told not to compute them.
#include "support/pt_writer.h"

#include <algorithm>
#include <map>
#include <random>
#include <stdexcept>

#include "support/crc32.h"

namespace rlverify::test {
namespace {

void put_little(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    out += i < 8 ? static_cast<char>((value >> (8 * i)) & 0xFF) : '\0';
  }
}

std::int64_t element_bytes(const std::string& storage_class) {
  static const std::map<std::string, std::int64_t> kSizes = {
      {"FloatStorage", 4}, {"DoubleStorage", 8}, {"HalfStorage", 2},         {"BFloat16Storage", 2},
      {"LongStorage", 8},  {"IntStorage", 4},    {"ShortStorage", 2},        {"CharStorage", 1},
      {"ByteStorage", 1},  {"BoolStorage", 1},   {"ComplexFloatStorage", 8}, {"ComplexDoubleStorage", 16}};
  return kSizes.at(storage_class);
}

class Pickler {
 public:
  explicit Pickler(const PtStyle& style) : style_(style), random_(style.key_order) {}

  std::string dump(const PtValue& root) {
    out_ = "\x80";
    out_ += static_cast<char>(style_.protocol);
    if (style_.share_storages) {
      gather(root);
    }
    write(root);
    return out_ + '.';
  }
  [[nodiscard]] const std::vector<std::string>& storages() const { return storages_; }

 private:
  void text(std::string_view text) {
    if (style_.protocol >= 4 && text.size() < 256) {
      out_ += '\x8c';
      out_ += static_cast<char>(text.size());
      out_ += text;
      out_ += '\x94';
      return;
    }
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
    std::vector<const PtValue::Dict::value_type*> order;
    for (const auto& entry : entries) {
      order.push_back(&entry);
    }
    if (style_.key_order != 0) {
      std::shuffle(order.begin(), order.end(), random_);
    }
    out_ += "}(";
    for (const auto* entry : order) {
      text(entry->first);
      write(entry->second);
    }
    out_ += 'u';
  }
  void global(const std::string& module, const std::string& name) {
    if (style_.protocol >= 4) {
      text(module);
      text(name);
      out_ += '\x93';
      return;
    }
    out_ += 'c' + module + '\n' + name + '\n';
  }
  /// Appends every tensor's bytes to the storage of its class.
  void gather(const PtValue& value) {
    if (const auto* items = std::get_if<PtValue::List>(&value.variant())) {
      std::for_each(items->begin(), items->end(), [this](const PtValue& item) { gather(item); });
    } else if (const auto* tuple = std::get_if<PtValue::Tuple>(&value.variant())) {
      std::for_each(tuple->items.begin(), tuple->items.end(), [this](const PtValue& item) { gather(item); });
    } else if (const auto* entries = std::get_if<PtValue::Dict>(&value.variant())) {
      std::for_each(entries->begin(), entries->end(), [this](const auto& entry) { gather(entry.second); });
    } else if (const auto* tensor = std::get_if<PtTensor>(&value.variant())) {
      const auto [known, fresh] = shared_.emplace(tensor->storage_class, storages_.size());
      if (fresh) {
        storages_.emplace_back();
      }
      bases_[tensor] =
          static_cast<std::int64_t>(storages_[known->second].size()) / element_bytes(tensor->storage_class);
      storages_[known->second] += tensor->bytes;
    }
  }
  /// Number of the tensor's storage.
  std::size_t storage_of(const PtTensor& tensor) {
    if (style_.share_storages) {
      return shared_.at(tensor.storage_class);
    }
    storages_.push_back(tensor.bytes);
    return storages_.size() - 1;
  }
  void tensor(const PtTensor& tensor) {
    const std::size_t storage = storage_of(tensor);
    global("torch._utils", "_rebuild_tensor_v2");
    out_ += "((";
    text("storage");
    global("torch", tensor.storage_class);
    text(std::to_string(storage));
    text("cpu");
    integer(static_cast<std::int64_t>(storages_[storage].size()) / element_bytes(tensor.storage_class));
    out_ += "tQ";
    integer(tensor.storage_offset + (style_.share_storages ? bases_.at(&tensor) : 0));
    integers(tensor.shape);
    integers(tensor.strides.empty() ? contiguous(tensor.shape) : tensor.strides);
    out_ += '\x89';
    global("collections", "OrderedDict");
    out_ += ")RtR";
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

  PtStyle style_;
  std::mt19937 random_;
  std::string out_;
  std::vector<std::string> storages_;
  std::map<std::string, std::size_t> shared_;      // storage class -> number of its storage
  std::map<const PtTensor*, std::int64_t> bases_;  // first element of a tensor's bytes in the shared storage
};

struct Entry {
  std::string name;
  std::string bytes;
};

/// The fields that local header and directory share, from "version needed" to "extra field length".
std::string common_header(const Entry& entry, std::uint32_t crc) {
  std::string out;
  for (const unsigned field :
       {20U, 0U, 0U, 0U, 0x21U}) {  // version, flags, method (stored), time, date (1 January 1980)
    put_little(out, field, 2);
  }
  put_little(out, crc, 4);
  put_little(out, entry.bytes.size(), 4);
  put_little(out, entry.bytes.size(), 4);
  put_little(out, entry.name.size(), 2);
  put_little(out, 0, 2);
  return out;
}

std::string zip(const std::vector<Entry>& entries, bool with_crc) {
  std::string out;
  std::string directory;
  for (const Entry& entry : entries) {
    const std::uint32_t crc = with_crc ? crc32(entry.bytes) : 0;
    put_little(directory, 0x02014b50, 4);
    put_little(directory, 20, 2);
    directory += common_header(entry, crc);
    put_little(directory, 0, 10);
    put_little(directory, out.size(), 4);
    directory += entry.name;
    put_little(out, 0x04034b50, 4);
    out += common_header(entry, crc) + entry.name + entry.bytes;
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

std::string write_pt(const PtValue& root, const std::string& top, const PtStyle& style) {
  Pickler pickler(style);
  const std::string pickle = pickler.dump(root);
  std::vector<Entry> entries = {{top + "/data.pkl", pickle}, {top + "/byteorder", "little"}};
  for (std::size_t i = 0; i < pickler.storages().size(); ++i) {
    entries.push_back({top + "/data/" + std::to_string(i), pickler.storages()[i]});
  }
  entries.push_back({top + "/version", "3\n"});
  return zip(entries, style.with_crc);
}

}  // namespace rlverify::test
