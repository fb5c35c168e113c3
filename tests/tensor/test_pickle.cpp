// SPDX-License-Identifier: Apache-2.0
// The machine itself: opcodes, memo, marks, frames, and its limits.
#include <catch2/catch.hpp>

#include "core/python_value.h"
#include "tensor/pt_builder.h"

using namespace rlverify;
using namespace rlverify::tensor::test;
using Catch::Matchers::Contains;
using core::Kind;

namespace {

/// repr() of the value of a pickle body.
std::string shown(std::string_view body) {
  return core::python_repr(load_pickle(body).root());
}

}  // namespace

TEST_CASE("numbers of every opcode") {
  CHECK(shown("K\x07") == "7");
  CHECK(shown("M\x01\x02"s) == "513");
  CHECK(shown("J\xff\xff\xff\xff"s) == "-1");
  CHECK(shown("I-12\n") == "-12");
  CHECK(shown("I01\n") == "True");
  CHECK(shown("I00\n") == "False");
  CHECK(shown("L123456789012345678901L\n") == "123456789012345678901");
  CHECK(shown("L-0007L\n") == "-7");
  CHECK(shown("\x8a\x00"s) == "0");
  CHECK(shown("\x8a\x01\x80"s) == "-128");
  CHECK(shown("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01"s) == "18446744073709551616");
  CHECK(shown("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xff"s) == "-18446744073709551616");
  CHECK(shown("\x8b\x02\x00\x00\x00\x39\x30"s) == "12345");
  CHECK(shown("F1.5e3\n") == "1500.0");
  CHECK(shown("G\x3f\xf8\x00\x00\x00\x00\x00\x00"s) == "1.5");
  CHECK(shown("N") == "None");
  CHECK(shown("\x88") == "True");
}

TEST_CASE("a nine-byte integer that fits 64 bits is a plain one") {
  CHECK(load_pickle("\x8a\x09\x05\x00\x00\x00\x00\x00\x00\x00\x00"s).root().is(Kind::kInteger));
}

TEST_CASE("bad numbers are refused") {
  CHECK_THAT(pickle_refusal("I1x\n"), Contains("an integer"));
  CHECK_THAT(pickle_refusal("I\n"), Contains("an integer"));
  CHECK_THAT(pickle_refusal("Fabc\n"), Contains("a float"));
  CHECK_THAT(pickle_refusal("\x8b\x00\x00\x10\x00"s), Contains("limit: expected an integer of at most 1024 bytes"));
  CHECK_THAT(pickle_refusal("I" + std::string(4301, '1') + "\n"), Contains("4300 digits"));
}

TEST_CASE("texts and bytes of every opcode") {
  CHECK(shown(text("h\xc3\xa9")) == "'h\xc3\xa9'");
  CHECK(shown("\x8c\x02hi") == "'hi'");
  CHECK(shown("\x8d\x02\x00\x00\x00\x00\x00\x00\x00hi"s) == "'hi'");
  CHECK(shown("U\x02hi") == "'hi'");
  CHECK(shown("T\x02\x00\x00\x00hi"s) == "'hi'");
  CHECK(shown("Vh\\u00e9\n") == "'h\xc3\xa9'");
  CHECK(shown("S'a\\x41\\n'\n") == "'aA\\n'");
  CHECK(shown("C\x02\x00\xff"s) == "b'\\x00\\xff'");
  CHECK(shown("B\x01\x00\x00\x00z"s) == "b'z'");
  CHECK(shown("\x8e\x01\x00\x00\x00\x00\x00\x00\x00z"s) == "b'z'");
  CHECK(load_pickle("\x96\x01\x00\x00\x00\x00\x00\x00\x00z"s).root().text() == "z");
}

TEST_CASE("bad texts are refused") {
  CHECK_THAT(pickle_refusal(text("\xff")), Contains("UTF-8"));
  CHECK_THAT(pickle_refusal(text("\xc0\x80")), Contains("UTF-8"));
  CHECK_THAT(pickle_refusal("V\\u12\n"), Contains("an escaped string"));
  CHECK_THAT(pickle_refusal("Sabc\n"), Contains("an escaped string"));
  CHECK_THAT(pickle_refusal("X\xff\xff\xff\x7f"), Contains("2147483647 more bytes"));
  CHECK_THAT(pickle_refusal("\x8e\xff\xff\xff\xff\xff\xff\xff\xff"), Contains("more bytes"));
}

TEST_CASE("lone surrogates are kept in their three-byte form") {
  CHECK(load_pickle(text("\xed\xa0\x80")).root().text() == "\xed\xa0\x80");
}

TEST_CASE("lists, with the opcode for one item too") {
  CHECK(shown("]K\x01"s + "a") == "[1]");
  CHECK(shown("](K\x01K\x02"
              "e") == "[1, 2]");
  CHECK(shown("(K\x01K\x02"
              "l") == "[1, 2]");
  CHECK(shown("]") == "[]");
}

TEST_CASE("tuples") {
  CHECK(shown(")") == "()");
  CHECK(shown("K\x01\x85") == "(1,)");
  CHECK(shown("K\x01K\x02\x86") == "(1, 2)");
  CHECK(shown("K\x01K\x02K\x03\x87") == "(1, 2, 3)");
  CHECK(shown("(K\x01K\x02K\x03K\x04t") == "(1, 2, 3, 4)");
}

TEST_CASE("dicts keep order and one entry per key") {
  CHECK(shown("}" + text("b") + "K\x01s" + text("a") + "K\x02s" + text("b") + "K\x03s") == "{'b': 3, 'a': 2}");
  CHECK(shown("(K\x01N\x88Kad"s) == "{1: 97}");  // True is the key 1 again: 1 -> None, then True -> 97
  CHECK(shown("}(K\x01K\x05G\x3f\xf0\x00\x00\x00\x00\x00\x00K\x06u"s) == "{1: 6}");
  CHECK(shown("}(K\x01K\x02\x86K\x05K\x01K\x02\x86K\x06u"s) == "{(1, 2): 6}");
}

TEST_CASE("keys that Python can't hash are refused") {
  CHECK_THAT(pickle_refusal("}]K\x01s"), Contains("a key that Python can hash, found a list"));
  CHECK_THAT(pickle_refusal("}}\x85K\x01s"), Contains("found a dict"));
  CHECK_THAT(pickle_refusal("}(K\x01u"), Contains("a key without a value"));
}

TEST_CASE("sets drop equal items") {
  CHECK(shown("\x8f(K\x01K\x02K\x01\x90"s) == "{1, 2}");
  CHECK(load_pickle("(K\x01K\x01\x91"s).root().size() == 1);
  CHECK(load_pickle("(K\x01K\x01\x91"s).root().is(Kind::kFrozenSet));
  CHECK(load_pickle(global("__builtin__", "set") + "](K\x01K\x02"
                                                   "e\x85R")
            .root()
            .size() == 2);
  CHECK(load_pickle(global("builtins", "frozenset") + ")R").root().is(Kind::kFrozenSet));
}

TEST_CASE("the memo, in all its opcodes") {
  CHECK(shown("K\x07q\x01"
              "0h\x01") == "7");
  CHECK(shown("K\x07p12\n0g12\n") == "7");
  CHECK(shown("K\x07r\xff\xff\xff\x7f"
              "0j\xff\xff\xff\x7f") == "7");
  CHECK(shown("K\x07\x94"
              "0K\x08\x94"
              "0h\x00"s) == "7");
  CHECK_THAT(pickle_refusal("h\x05"), Contains("memo"));
  CHECK_THAT(pickle_refusal("gabc\n"), Contains("memo number"));
}

TEST_CASE("the same object twice is one node") {
  const Loaded loaded = load_pickle(
      "](]q\x01h\x01"
      "e");
  CHECK(loaded.root().at(0).id() == loaded.root().at(1).id());
}

TEST_CASE("a list may contain itself") {
  const Loaded loaded = load_pickle(
      "]q\x01h\x01"
      "a");
  CHECK(loaded.root().at(0).id() == loaded.root().id());
}

TEST_CASE("stack opcodes") {
  CHECK(shown("K\x01K\x02"
              "0") == "1");
  CHECK(shown("K\x01(K\x02K\x03"
              "1") == "1");
  CHECK(shown("K\x01\x32\x86") == "(1, 1)");
}

TEST_CASE("a stack that is empty, or used below a mark, is refused") {
  CHECK_THAT(pickle_refusal(""), Contains("a value on the pickle's stack"));
  CHECK_THAT(pickle_refusal("K\x01(\x85"), Contains("1 values on the pickle's stack"));
  CHECK_THAT(pickle_refusal("K\x01(0"
                            "0"
                            "0"),
             Contains("a value on the pickle's stack"));
  CHECK_THAT(pickle_refusal("t"), Contains("a mark"));
  CHECK_THAT(pickle_refusal("K\x01K\x02"), Contains("one value at the end"));
  CHECK_THAT(pickle_refusal("(K\x01"), Contains("one value at the end"));
  CHECK_THAT(pickle_refusal(std::string(70000, '(')), Contains("limit: expected at most 65536 open marks"));
}

TEST_CASE("frames hold their opcodes and end where they say") {
  CHECK(shown("\x95\x03\x00\x00\x00\x00\x00\x00\x00K\x07."s.substr(0, 11)) == "7");
  CHECK_THAT(pickle_refusal("\x95\x02\x00\x00\x00\x00\x00\x00\x00M\x07\x00"s), Contains("in the pickle's frame"));
  CHECK_THAT(pickle_refusal("\x95\xff\xff\x00\x00\x00\x00\x00\x00K\x07"s), Contains("a frame of 65535 bytes"));
  CHECK_THAT(pickle_refusal("\x95\x0b\x00\x00\x00\x00\x00\x00\x00\x95\x01\x00\x00\x00\x00\x00\x00\x00K\x07"s),
             Contains("a frame inside a frame"));
}

TEST_CASE("what no file of torch.save has is refused by name") {
  CHECK_THAT(pickle_refusal("\xfe"), Contains("byte 0xfe"));
  CHECK_THAT(pickle_refusal("\x80\x06"), Contains("protocol 6"));
  CHECK_THAT(pickle_refusal("\x82\x01"), Contains("extension registry"));
  CHECK_THAT(pickle_refusal("\x97"), Contains("out-of-band buffer"));
  CHECK_THAT(pickle_refusal("Pabc\n"), Contains("PERSID"));
  CHECK_THAT(refusal(zip({{"t/data.pkl", pickle("N") + "N."}})), Contains("2 more bytes"));
}

TEST_CASE("every cut of a pickle is refused") {
  const std::string whole = pickle("}(" + text("key") +
                                   "](K\x01M\x01\x02"
                                   "e" +
                                   text("other") + global("collections", "OrderedDict") + ")Ru");
  CHECK(refusal(zip({{"t/data.pkl", whole}})).empty());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK_FALSE(refusal(zip({{"t/data.pkl", whole.substr(0, size)}})).empty());
  }
}

TEST_CASE("data that a pickle makes without holding it is bounded") {
  // A memoised text decoded again and again.
  std::string body = text(std::string(60000, 'x')) + "q\x01" + "0" + global("_codecs", "encode") + "q\x02" + "0" +
                     text("latin1") + "q\x03" + "0](";
  for (int i = 0; i < 1000; ++i) {
    body += "h\x02h\x01h\x03\x86R";
  }
  CHECK_THAT(pickle_refusal(body + "e"),
             Contains("limit: expected a pickle that makes about as much data as it holds"));
}
