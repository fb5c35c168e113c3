#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes unicode_tables.inc: what Python 3.11 (Unicode 14) thinks of each code point. Run it with that version."""
import pathlib
import sys
import unicodedata


def ranges(predicate):
    """The ranges [first, last] of code points from 0x80 on for which predicate holds."""
    found = []
    for code_point in range(0x80, 0x110000):
        if not predicate(chr(code_point)):
            continue
        if found and found[-1][1] == code_point - 1:
            found[-1][1] = code_point
        else:
            found.append([code_point, code_point])
    return found


def rows(items, per_row):
    """The lines of a table, several items each."""
    return [",".join(items[i:i + per_row]) + "," for i in range(0, len(items), per_row)]


def main():
    if unicodedata.unidata_version != "14.0.0":
        sys.exit("needs a Python with Unicode 14.0.0 (3.11)")
    zeros = [c for c in range(0x80, 0x110000) if unicodedata.decimal(chr(c), None) == 0]
    for zero in zeros:
        assert [unicodedata.decimal(chr(zero + i)) for i in range(10)] == list(range(10))
    assert sum(unicodedata.decimal(chr(c), None) is not None for c in range(0x80, 0x110000)) == 10 * len(zeros)
    lines = ["// SPDX-License-Identifier: Apache-2.0", "// Written by make_unicode_tables.py from Unicode 14.0.0; don't edit.",
             "// clang-format off", "", "constexpr Range kNonPrintable[] = {"]
    pairs = [f"{{{first:#x},{last:#x}}}" for first, last in ranges(lambda c: not c.isprintable())]
    lines += rows(pairs, 7)
    lines += ["};", "", "constexpr Range kSpaces[] = {"]
    lines += rows([f"{{{first:#x},{last:#x}}}" for first, last in ranges(str.isspace)], 7)
    lines += ["};", "", "// The zero of every run of ten decimal digits.", "constexpr char32_t kDecimalZeros[] = {"]
    lines += rows([f"{zero:#x}" for zero in zeros], 14)
    lines += ["};"]
    pathlib.Path(__file__).with_name("unicode_tables.inc").write_text("\n".join(lines) + "\n")


main()
