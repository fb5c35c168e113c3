// SPDX-License-Identifier: Apache-2.0
// The opcodes of pickle protocols 0 to 5, named as in CPython's Lib/pickletools.py.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace rlverify::tensor::opcode {

inline constexpr std::uint8_t kMark = '(', kStop = '.', kPop = '0', kPopMark = '1', kDup = '2', kFloat = 'F',
                              kInt = 'I', kBinInt = 'J', kBinInt1 = 'K', kLong = 'L', kBinInt2 = 'M', kNone = 'N',
                              kPersistentId = 'P', kBinPersistentId = 'Q', kReduce = 'R', kString = 'S',
                              kBinString = 'T', kShortBinString = 'U', kUnicode = 'V', kBinUnicode = 'X', kAppend = 'a',
                              kBuild = 'b', kGlobal = 'c', kDict = 'd', kEmptyDict = '}', kAppends = 'e', kGet = 'g',
                              kBinGet = 'h', kInst = 'i', kLongBinGet = 'j', kList = 'l', kEmptyList = ']', kObj = 'o',
                              kPut = 'p', kBinPut = 'q', kLongBinPut = 'r', kSetItem = 's', kTuple = 't',
                              kEmptyTuple = ')', kSetItems = 'u', kBinFloat = 'G';
inline constexpr std::uint8_t kProto = 0x80, kNewObj = 0x81, kExt1 = 0x82, kExt2 = 0x83, kExt4 = 0x84, kTuple1 = 0x85,
                              kTuple2 = 0x86, kTuple3 = 0x87, kNewTrue = 0x88, kNewFalse = 0x89, kLong1 = 0x8a,
                              kLong4 = 0x8b;
inline constexpr std::uint8_t kBinBytes = 'B', kShortBinBytes = 'C';
inline constexpr std::uint8_t kShortBinUnicode = 0x8c, kBinUnicode8 = 0x8d, kBinBytes8 = 0x8e, kEmptySet = 0x8f,
                              kAddItems = 0x90, kFrozenSet = 0x91, kNewObjEx = 0x92, kStackGlobal = 0x93,
                              kMemoize = 0x94, kFrame = 0x95;
inline constexpr std::uint8_t kByteArray8 = 0x96, kNextBuffer = 0x97, kReadonlyBuffer = 0x98;

/// Which part of the machine carries an opcode out.
enum class Group : std::uint8_t { kUnknown, kMemo, kStack, kNumber, kText, kContainer, kObject, kFraming, kEnd };

// One case for each opcode: a table would be no shorter.
// NOLINTNEXTLINE(readability-function-size)
constexpr Group group_of(std::uint8_t code) {
  switch (code) {
    case kGet:
    case kBinGet:
    case kLongBinGet:
    case kPut:
    case kBinPut:
    case kLongBinPut:
    case kMemoize:
      return Group::kMemo;
    case kMark:
    case kPop:
    case kPopMark:
    case kDup:
      return Group::kStack;
    case kNone:
    case kNewTrue:
    case kNewFalse:
    case kBinInt:
    case kBinInt1:
    case kBinInt2:
    case kInt:
    case kLong:
    case kLong1:
    case kLong4:
    case kFloat:
    case kBinFloat:
      return Group::kNumber;
    case kString:
    case kBinString:
    case kShortBinString:
    case kUnicode:
    case kBinUnicode:
    case kShortBinUnicode:
    case kBinUnicode8:
    case kBinBytes:
    case kShortBinBytes:
    case kBinBytes8:
    case kByteArray8:
      return Group::kText;
    case kEmptyList:
    case kEmptyTuple:
    case kEmptyDict:
    case kEmptySet:
    case kTuple:
    case kTuple1:
    case kTuple2:
    case kTuple3:
    case kList:
    case kDict:
    case kFrozenSet:
    case kAppend:
    case kAppends:
    case kSetItem:
    case kSetItems:
    case kAddItems:
      return Group::kContainer;
    case kGlobal:
    case kStackGlobal:
    case kReduce:
    case kNewObj:
    case kNewObjEx:
    case kInst:
    case kObj:
    case kBuild:
    case kPersistentId:
    case kBinPersistentId:
    case kExt1:
    case kExt2:
    case kExt4:
      return Group::kObject;
    case kProto:
    case kFrame:
    case kNextBuffer:
    case kReadonlyBuffer:
      return Group::kFraming;
    case kStop:
      return Group::kEnd;
    default:
      return Group::kUnknown;
  }
}

constexpr std::array<Group, 256> make_groups() {
  std::array<Group, 256> groups{};
  for (std::size_t code = 0; code < groups.size(); ++code) {
    groups[code] = group_of(static_cast<std::uint8_t>(code));
  }
  return groups;
}
inline constexpr std::array<Group, 256> kGroups = make_groups();

}  // namespace rlverify::tensor::opcode
