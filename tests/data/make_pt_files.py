#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/data/pt/*.pt and the fuzzers' seeds in tests/fuzz/corpus/{zip,pickle}: files laid out as a current PyTorch lays them out, and hostile ones. Needs no PyTorch: the pickles
name its functions through stand-ins, and the zip archive is written by hand with the zeros, flag bit 3, data descriptors and
64-byte alignment of the real one. Run it again after a change and commit what it writes; it writes the same bytes every time."""

import binascii
import collections
import io
import pathlib
import pickle
import struct
import sys
import types

OUT = pathlib.Path(__file__).parent / "pt"
SEEDS = pathlib.Path(__file__).parent.parent / "fuzz" / "corpus"


def stand_in(module, name, value=None):
    """A function or class that pickles as module.name."""
    parent = sys.modules.setdefault(module, types.ModuleType(module))
    if value is None:
        value = types.FunctionType((lambda *args: None).__code__, {"__name__": module}, name)
        value.__qualname__ = name
    value.__module__ = module
    setattr(parent, name, value)
    return value


REBUILD_V2 = stand_in("torch._utils", "_rebuild_tensor_v2")
REBUILD_V3 = stand_in("torch._utils", "_rebuild_tensor_v3")
REBUILD_PARAMETER = stand_in("torch._utils", "_rebuild_parameter")
SIZE = stand_in("torch", "Size")
DEVICE = stand_in("torch", "device")
SYSTEM = stand_in("posix_stand_in", "system")
SYSTEM.__module__ = "posix"


def cls(module, name):
    known = getattr(sys.modules.get(module), name, None)
    return known or stand_in(module, name, type(name, (), {}))


class Call:
    """Pickles as function(*args)."""

    def __init__(self, function, *args):
        self.call = (function, args)

    def __reduce__(self):
        return self.call


class Storage:
    def __init__(self, key, kind, elements, data, module="torch"):
        self.id = ("storage", cls(module, kind), key, "cpu", elements)
        self.key, self.data = key, data


class Dtype:
    """Pickles as the global torch.<name>."""

    def __init__(self, name):
        self.name = name

    def __reduce__(self):
        return "torch." + self.name


class Pickler(pickle._Pickler):  # the Python one: its save_global can be told what a name is
    def persistent_id(self, value):
        return value.id if isinstance(value, Storage) else None

    def save(self, value, save_persistent_id=True):
        if isinstance(value, Dtype):
            if self.proto >= 4:
                super().save("torch")
                super().save(value.name)
                self.write(pickle.STACK_GLOBAL)
            else:
                self.write(pickle.GLOBAL + b"torch\n" + value.name.encode() + b"\n")
            return
        if value is SYSTEM:
            self.write(pickle.GLOBAL + b"posix\nsystem\n")
            return
        super().save(value, save_persistent_id)


def dumps(value, protocol=2):
    out = io.BytesIO()
    Pickler(out, protocol).dump(value)
    return out.getvalue()


def archive(top, payload, storages, byteorder=b"little"):
    """The entries of torch.save in their order, every record's data at a multiple of 64."""
    entries = [("data.pkl", payload), (".format_version", b"1"), (".storage_alignment", b"64"), ("byteorder", byteorder)]
    entries += [("data/" + storage.key, storage.data) for storage in storages]
    entries += [("version", b"3\n"), (".data/serialization_id", b"0636067083149024600600010203040506070809")]
    out, directory = b"", b""
    for name, data in entries:
        full = (top + "/" + name).encode()
        offset = len(out)
        padding = -(offset + 30 + len(full) + 4) % 64
        extra = b"FB" + struct.pack("<H", padding) + b"Z" * padding
        crc = binascii.crc32(data)
        out += struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 0, 0x0808, 0, 0, 0, 0, 0, 0, len(full), len(extra)) + full + extra
        out += data + struct.pack("<4sIII", b"PK\7\10", crc, len(data), len(data))
        directory += struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 0, 0, 0x0808, 0, 0, 0, crc, len(data), len(data), len(full), 0, 0, 0, 0, 0, offset) + full
    count = len(entries)
    end64 = len(out) + len(directory)
    end = struct.pack("<4sQHHIIQQQQ", b"PK\6\6", 44, 0, 0, 0, 0, count, count, len(directory), len(out))
    end += struct.pack("<4sIQI", b"PK\6\7", 0, end64, 1)
    end += struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, len(directory), len(out), 0)
    return out + directory + end


def tensor_v2(storage, offset, size, stride, *metadata):
    return Call(REBUILD_V2, storage, offset, size, stride, False, collections.OrderedDict(), *metadata)


def tensor_v3(storage, offset, size, stride, dtype):
    return Call(REBUILD_V3, storage, offset, size, stride, False, collections.OrderedDict(), Dtype(dtype))


def untyped(key, data):
    return Storage(key, "UntypedStorage", len(data), data, "torch.storage")


def write(name, value, storages=(), protocol=2, byteorder=b"little"):
    payload = dumps(value, protocol)
    (OUT / (name + ".pt")).write_bytes(archive(name, payload, storages, byteorder))
    (SEEDS / "zip" / (name + ".pt")).write_bytes(archive(name, payload, storages, byteorder))
    (SEEDS / "pickle" / (name + ".pkl")).write_bytes(payload)


def legacy(value, storages, protocol=2):
    """The container before PyTorch 1.6: persistent ids have a sixth item there."""
    for storage in storages:
        storage.id = storage.id[:5] + (None,)
    info = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}
    parts = [0x1950A86A20F9469CFC6C, 1001, info, value, [storage.key for storage in storages]]
    data = b"".join(struct.pack("<q", storage.id[4]) + storage.data for storage in storages)
    return b"".join(dumps(part, protocol) for part in parts) + data


def nested(storage):
    return {
        "model": collections.OrderedDict([("layers.0.weight", tensor_v2(storage, 0, (2, 3), (3, 1))), ("layers.0.transposed", tensor_v2(storage, 0, (3, 2), (1, 3)))]),
        "numbers": [0, 255, 65536, -1, 2**31, -(2**63), 2**64, -(2**70), 1.5, True, None, 2 + 3j],
        "one": [7],
        "texts": ("", "a", "h\u00e9 \U0001f600", b"", b"\x00\xff", bytearray(b"xy")),
        "sets": {"set": {1}, "frozen": frozenset([2])},
        "types": [Dtype("bfloat16"), Call(SIZE, (2, 3)), Call(DEVICE, "cuda", 0)],
        "long": list(range(1200)),
        "text": "x" * 300,
    }


def main():
    for folder in (OUT, SEEDS / "zip", SEEDS / "pickle"):
        folder.mkdir(parents=True, exist_ok=True)
    six = Storage("0", "FloatStorage", 6, struct.pack("<6f", 0, 1, 2, 3, 4, 5))
    for protocol in (2, 3, 4, 5):
        write("nested_p%d" % protocol, nested(six), [six], protocol)
    wide = untyped("0", struct.pack("<4H", 1, 2, 65535, 4))
    eight = untyped("1", bytes([0x38, 0x40, 0x7E]))
    write("rebuild_v3", {"u16": tensor_v3(wide, 1, (3,), (1,), "uint16"), "f8": tensor_v3(eight, 0, (3,), (1,), "float8_e4m3fn")}, [wide, eight])
    write("parameter", Call(REBUILD_PARAMETER, tensor_v2(six, 0, (6,), (1,)), True, collections.OrderedDict()), [six])
    pair = Storage("0", "ComplexFloatStorage", 1, struct.pack("<2f", 1, 2))
    write("conjugate", tensor_v2(pair, 0, (1,), (1,), {"conj": True}), [pair])
    write("big_endian", {"w": tensor_v2(six, 0, (6,), (1,))}, [six], byteorder=b"big")
    write("unsafe", {"w": tensor_v2(six, 0, (6,), (1,)), "x": Call(SYSTEM, "touch was-run")}, [six])
    one = Storage("0", "FloatStorage", 1, struct.pack("<f", 1))
    write("exploding_strides", tensor_v2(one, 0, (10**6, 10**6), (0, 0)), [one])
    level = 1
    for _ in range(60):
        level = [level, level]
    write("exploding_nesting", level)
    itself = []
    itself.append(itself)
    write("contains_itself", itself)
    old = Storage("94038", "FloatStorage", 6, struct.pack("<6f", 0, 1, 2, 3, 4, 5))
    old_file = legacy({"w": tensor_v2(old, 1, (2, 2), (3, 1))}, [old])
    for path in (OUT / "legacy.pt", SEEDS / "zip" / "legacy.pt"):
        path.write_bytes(old_file)


if __name__ == "__main__":
    main()
