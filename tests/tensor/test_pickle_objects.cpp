// SPDX-License-Identifier: Apache-2.0
// Classes and functions by name: what becomes a value, what stays opaque, what makes a file unsafe.
#include <catch2/catch.hpp>

#include "core/python_value.h"
#include "tensor/pickle_globals.h"
#include "tensor/pt_builder.h"

using namespace rlverify;
using namespace rlverify::tensor::test;
using Catch::Matchers::Contains;
using core::Kind;
using tensor::classify_global;
using tensor::GlobalKind;
using tensor::UnsafePolicy;

namespace {

std::string shown(std::string_view body) {
  return core::python_repr(load_pickle(body).root());
}

const tensor::OpaqueObject& opaque_root(const Loaded& loaded) {
  REQUIRE(loaded.root().is(Kind::kOpaque));
  return loaded.file.opaques[loaded.root().index()];
}

std::string numpy_dtype(std::string_view code, std::string_view order = "<") {
  return global("numpy", "dtype") + text(code) + "\x89\x88\x87R(K\x03" + text(order) +
         "NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"s;
}
std::string bytes(std::string_view content) {
  return "C" + le(content.size(), 1) + std::string(content);
}
std::string numpy_array(std::string_view module, std::string_view shape, std::string_view dtype,
                        std::string_view data) {
  return global(module, "_reconstruct") + global("numpy", "ndarray") + "K\x00\x85"s + bytes("b") + "\x87R" +
         "q\x05(K\x01" + std::string(shape) + std::string(dtype) + "\x89" + bytes(data) + "tb";
}

}  // namespace

TEST_CASE("names that run code under Python are unsafe") {
  for (const char* module : {"os", "posix", "nt", "subprocess", "sys", "importlib", "runpy", "socket", "shutil",
                             "ctypes", "pickle", "_pickle", "os.path", "importlib.util"}) {
    CHECK(classify_global(module, "anything") == GlobalKind::kUnsafe);
  }
  for (const char* name : {"eval", "exec", "getattr", "__import__", "open", "compile", "print", "set.__init__"}) {
    CHECK(classify_global("builtins", name) == GlobalKind::kUnsafe);
    CHECK(classify_global("__builtin__", name) == GlobalKind::kUnsafe);
  }
  CHECK(classify_global("torch", "os.system") == GlobalKind::kUnsafe);
  CHECK(classify_global("torch", "serialization.os.system") == GlobalKind::kUnsafe);
}

TEST_CASE("harmless builtins and unknown classes are not") {
  for (const char* name : {"set", "frozenset", "complex", "bytearray", "slice", "range", "object"}) {
    CHECK(classify_global("builtins", name) != GlobalKind::kUnsafe);
    CHECK(classify_global("__builtin__", name) != GlobalKind::kUnsafe);
  }
  CHECK(classify_global("builtins", "bytes") == GlobalKind::kBytes);
  CHECK(classify_global("os_helpers", "Thing") == GlobalKind::kOther);
  CHECK(classify_global("vime.types", "Sample.Status") == GlobalKind::kOther);
  CHECK(classify_global("argparse", "Namespace") == GlobalKind::kOther);
}

TEST_CASE("an unsafe name refuses the file, with opcode, place and name") {
  const std::string by_line = global("posix", "system") + text("touch /tmp/x") + "\x85R";
  CHECK_THAT(pickle_refusal(by_line), Contains("unsafe: expected data only, found opcode GLOBAL naming posix.system"));
  CHECK_THAT(pickle_refusal(text("os") + text("system") + "\x93"), Contains("opcode STACK_GLOBAL naming os.system"));
  CHECK_THAT(pickle_refusal("(" + text("x") + "ios\nsystem\n"), Contains("opcode INST naming os.system"));
  CHECK_THAT(pickle_refusal("(" + global("builtins", "eval") + text("1") + "o"),
             Contains("opcode GLOBAL naming builtins.eval"));
}

TEST_CASE("for inspection the unsafe call is an opaque object and the rest is read") {
  const std::string body =
      "}(" + text("a") + "K\x01" + text("b") + global("posix", "system") + text("touch /tmp/x") + "\x85Ru";
  const std::string file = pt_zip(body);
  const Loaded loaded = load(file, UnsafePolicy::kReport);
  REQUIRE(loaded.file.unsafe_globals.size() == 1);
  const tensor::UnsafeGlobal& unsafe = loaded.file.unsafe_globals[0];
  CHECK(unsafe.global == "posix.system");
  CHECK(unsafe.opcode == "GLOBAL");
  CHECK(file.substr(unsafe.offset, 14) == "cposix\nsystem\n");
  CHECK(loaded.root().get("a").integer() == 1);
  CHECK(loaded.root().get("b").is(Kind::kOpaque));
}

TEST_CASE("a bare pickle that is unsafe is called unsafe, not just unreadable") {
  const std::string attack = "cposix\nsystem\n(S'id'\ntR.";
  CHECK_THAT(refusal(attack), Contains("unsafe"));
  try {
    static_cast<void>(load(attack, UnsafePolicy::kReport));
    FAIL("read");
  } catch (const core::ArtifactError& error) {
    CHECK(error.problem().kind == core::ProblemKind::kUnsafe);
    CHECK_THAT(error.problem().found, Contains("posix.system"));
  }
}

TEST_CASE("OrderedDict, with items and attributes") {
  const Loaded loaded =
      load_pickle(global("collections", "OrderedDict") + ")R(" + text("w") + "K\x01u}" + text("_metadata") + "}sb");
  CHECK(loaded.root().get("w").integer() == 1);
  REQUIRE(loaded.file.attributes.size() == 1);
  CHECK(loaded.file.attributes[0].object == loaded.root().id());
  CHECK(shown(global("collections", "OrderedDict") + "](](" + text("a") + "K\x01" + "e](" + text("b") + "K\x02" +
              "ee\x85R") == "{'a': 1, 'b': 2}");
}

TEST_CASE("bytes as protocols below 3 write them") {
  CHECK(shown(global("_codecs", "encode") +
              text("\xc3\xbf"
                   "a") +
              text("latin1") + "\x86R") == "b'\\xffa'");
  CHECK(shown(global("__builtin__", "bytes") + ")R") == "b''");
  CHECK(load_pickle(global("__builtin__", "bytearray") + text("ab") + text("latin-1") + "\x86R").root().text() == "ab");
  CHECK(load_pickle(global("builtins", "bytearray") + bytes("ab") + "\x85R").root().text() == "ab");
  CHECK_THAT(pickle_refusal(global("_codecs", "encode") + text("\xe2\x82\xac") + text("latin1") + "\x86R"),
             Contains("above U+00FF"));
}

TEST_CASE("complex numbers, sizes, devices, layouts and dtypes are values") {
  const std::string one_and_half = "G\x3f\xf8\x00\x00\x00\x00\x00\x00"s;
  CHECK(
      load_pickle(global("__builtin__", "complex") + one_and_half + one_and_half + "\x86R").root().is(Kind::kComplex));
  CHECK(shown(global("torch", "Size") + "K\x02K\x03\x86\x85R") == "(2, 3)");
  CHECK(shown(global("torch", "device") + text("cuda") + "K\x01\x86R") == "'cuda:1'");
  CHECK(shown(global("torch", "device") + text("cpu") + "\x85R") == "'cpu'");
  CHECK(load_pickle(global("torch.serialization", "_get_layout") + text("torch.strided") + "\x85R").root().text() ==
        "torch.strided");
  const Loaded dtype = load_pickle(global("torch", "bfloat16"));
  CHECK(dtype.root().is(Kind::kType));
  CHECK(dtype.root().text() == "torch.bfloat16");
}

TEST_CASE("any other class is an opaque object with arguments and state") {
  const Loaded loaded = load_pickle(global("argparse", "Namespace") + ")\x81}(" + text("lr") + "K\x05ub");
  const tensor::OpaqueObject& object = opaque_root(loaded);
  CHECK(object.module == "argparse");
  CHECK(object.name == "Namespace");
  CHECK(core::Value(loaded.file.values, object.state).get("lr").integer() == 5);
  CHECK(opaque_root(load_pickle(global("copyreg", "_reconstructor") + global("a", "B") + global("builtins", "object") +
                                "N\x87R"))
            .name == "B");
  CHECK(opaque_root(load_pickle(global("builtins", "slice") + "K\x01K\x02N\x87R")).name == "slice");
  CHECK(opaque_root(load_pickle(global("a", "B") + ")}\x92")).name == "B");
  CHECK(opaque_root(load_pickle("(K\x01K\x02ia\nB\n")).name == "B");
}

TEST_CASE("list and dict subclasses keep their items") {
  const Loaded counter = load_pickle(global("collections", "Counter") + "}\x85R(" + text("x") + "K\x02u");
  CHECK(core::Value(counter.file.values, opaque_root(counter).state).get("x").integer() == 2);
  const Loaded deque = load_pickle(global("collections", "deque") +
                                   ")R(K\x01K\x02"
                                   "e}b");
  const core::Value state(deque.file.values, opaque_root(deque).state);
  REQUIRE(state.is(Kind::kTuple));
  CHECK(state.at(0).size() == 2);
}

TEST_CASE("the call of an object that is not a name stays opaque too") {
  const Loaded loaded = load_pickle(global("operator", "attrgetter") + text("x") + "\x85RK\x01\x85R");
  CHECK(opaque_root(loaded).name == "<call of an object>");
}

TEST_CASE("a state for what can't have one, or arguments that are no tuple, are refused") {
  CHECK_THAT(pickle_refusal("]}b"), Contains("an object that can take a state, found a list"));
  CHECK_THAT(pickle_refusal(global("a", "B") + "]R"), Contains("a tuple of arguments, found a list"));
  CHECK_THAT(pickle_refusal("K\x01K\x02"
                            "a"),
             Contains("a list to append to, found an int"));
  CHECK_THAT(pickle_refusal("]K\x01K\x02s"), Contains("a dict to set items of, found a list"));
  CHECK_THAT(pickle_refusal("](K\x01\x90"s), Contains("a set to add to, found a list"));
}

TEST_CASE("numpy scalars become numbers, in both spellings of the module") {
  for (const char* module : {"numpy.core.multiarray", "numpy._core.multiarray"}) {
    CHECK(shown(global(module, "scalar") + numpy_dtype("f8") + bytes("\x00\x00\x00\x00\x00\x00\xf8\x3f"s) + "\x86R") ==
          "1.5");
  }
  const std::string scalar = global("numpy.core.multiarray", "scalar");
  CHECK(shown(scalar + numpy_dtype("f8", ">") + bytes("\x3f\xf8\x00\x00\x00\x00\x00\x00"s) + "\x86R") == "1.5");
  CHECK(shown(scalar + numpy_dtype("i4") + bytes("\xfe\xff\xff\xff") + "\x86R") == "-2");
  CHECK(shown(scalar + numpy_dtype("u8") + bytes("\xff\xff\xff\xff\xff\xff\xff\xff") + "\x86R") ==
        "18446744073709551615");
  CHECK(shown(scalar + numpy_dtype("b1", "|") + bytes("\x01") + "\x86R") == "True");
  CHECK(shown(scalar + numpy_dtype("f2") + bytes("\x00\x3e"s) + "\x86R") == "1.5");
  CHECK_THAT(pickle_refusal(scalar + numpy_dtype("f8") + bytes("abc") + "\x86R"), Contains("8 bytes, found 3 bytes"));
  CHECK(opaque_root(load_pickle(scalar + numpy_dtype("U1") + bytes("a\0\0\0"s) + "\x86R")).name == "scalar");
}

TEST_CASE("one-dimensional numpy arrays become lists, also where the pickle refers to them again") {
  const std::string shape = "K\x03\x85";
  const std::string data = "\x01\x00\x02\x00\xff\xff"s;
  CHECK(shown(numpy_array("numpy.core.multiarray", shape, numpy_dtype("i2"), data)) == "[1, 2, -1]");
  CHECK(shown("](" + numpy_array("numpy._core.multiarray", shape, numpy_dtype("i2", ">"), "\x00\x01\x00\x02\x00\x03"s) +
              "h\x05"
              "e") == "[[1, 2, 3], [1, 2, 3]]");
  CHECK(shown(global("numpy.core.numeric", "_frombuffer") + "(" + bytes(data) + numpy_dtype("i2") + shape + text("C") +
              "tR") == "[1, 2, -1]");
  CHECK_THAT(pickle_refusal(numpy_array("numpy.core.multiarray", "K\x04\x85", numpy_dtype("i2"), data)),
             Contains("4 elements of 2 bytes"));
}

TEST_CASE("other numpy arrays stay opaque with their state") {
  const Loaded loaded = load_pickle(
      numpy_array("numpy.core.multiarray", "K\x01K\x03\x86", numpy_dtype("i2"), "\x01\x00\x02\x00\xff\xff"s));
  CHECK(opaque_root(loaded).name == "ndarray");
  CHECK(core::Value(loaded.file.values, opaque_root(loaded).state).size() == 5);
}

TEST_CASE("libtorch's type tags stand for the value they are put on") {
  CHECK(shown(global("torch.jit._pickle", "restore_type_tag") + "](K\x01K\x02" + "e" + text("List[int]") + "\x86R") ==
        "[1, 2]");
  CHECK(shown(global("torch.jit._pickle", "build_intlist") + "]K\x07" + "a\x85R") == "[7]");
  CHECK(opaque_root(load_pickle(global("torch.jit._pickle", "build_intlist") + ")R")).name == "build_intlist");
}
