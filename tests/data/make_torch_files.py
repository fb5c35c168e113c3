#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes files with the real PyTorch into the folder given, and beside each NAME.pt a NAME.txt of what a reader must find: one line per tensor
("tensor PATH DTYPE SHAPE HEX", bytes of the logical elements in C order) and one per value ("value PATH REPR"). Exits with 77 where PyTorch is missing."""

import collections
import pathlib
import sys
import warnings

try:
    import numpy
    import torch
except ImportError:
    sys.exit(77)

warnings.filterwarnings("ignore")
NAMES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128 uint16 uint32 uint64 float8_e4m3fn float8_e5m2"
DTYPES = [getattr(torch, name) for name in NAMES.split() if hasattr(torch, name)]


def content(tensor):
    flat = tensor.detach().resolve_conj().resolve_neg().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes() if flat.numel() else b""


def tensors(value, path=""):
    """(path, tensor) in file order, with paths as the reader spells them."""
    if isinstance(value, torch.Tensor):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            part = key if isinstance(key, str) else "[%r]" % (key,)
            yield from tensors(item, path + ("." if path and isinstance(key, str) else "") + part)
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from tensors(item, "%s[%d]" % (path, i))


def save(folder, name, value, plain, **options):
    torch.save(value, str(folder / (name + ".pt")), **options)
    lines = []
    for path, tensor in tensors(value):
        shape = ",".join(map(str, tensor.shape)) or "-"
        lines.append("tensor %s %s %s %s" % (path, tensor.dtype, shape, content(tensor).hex() or "-"))
    lines += ["value %s %r" % (key, item) for key, item in plain.items()]
    (folder / (name + ".txt")).write_text("\n".join(lines) + "\n")


def all_dtypes():
    generator = torch.Generator().manual_seed(7)
    return {str(dtype): torch.randint(0, 200, (3, 5), generator=generator).to(dtype) for dtype in DTYPES}


def views():
    base = torch.arange(60, dtype=torch.float32)
    matrix = base.view(5, 12)
    lazy = {}
    if int(torch.__version__.split(".")[0]) >= 2:  # 1.13 forgets to write that a view is conjugated
        lazy = {"conjugate": torch.tensor([1 + 2j, 3 - 4j]).conj(), "negative": torch.tensor([5 + 6j, 7 - 8j]).conj().imag}
    return {
        "slice": base[7:20], "step": base[3:50:5], "transposed": matrix.t(), "block": matrix[1:4, 2:9], "expanded": base[:3].expand(4, 3),
        "permuted": base.view(3, 4, 5).permute(2, 0, 1), "scalar": base[13], "empty": base[5:5], "empty_matrix": torch.empty(0, 7), "zero_d": torch.tensor(2.5),
        **lazy, "other_type": base.view(torch.int32)[4:6].clone(), "channels_last": torch.arange(24.0).view(1, 2, 3, 4).contiguous(memory_format=torch.channels_last),
    }


def structures():
    torch.manual_seed(1)
    net = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    tied = torch.ones(3)
    plain = {
        "numbers": [0, 255, 256, 65535, 65536, -1, 2**31 - 1, 2**31, -(2**63), 2**63, 2**200, -(2**200), 0.1, -0.0, 1e300, True, False, None, 1.5 - 2j],
        "texts": ["", "plain", "h\u00e9llo \u4e16 \U0001f600", "quote's", "x" * 1000], "bytes": [b"", b"\x00\xff\x80", b"z" * 300], "one": [7], "empty": [[], (), {}],
        "tuples": (1, (2, 3), (4, 5, 6), (7, 8, 9, 10)), "keys": {1: "a", "b": 2, (3, 4): 5, None: 6, 2.5: 7}, "set": {3}, "frozen": frozenset([4]), "long": list(range(3000)),
    }
    value = {
        "model": net.state_dict(), "optimizer": optimizer.state_dict(), "parameter": torch.nn.Parameter(torch.ones(2)), "tied": [tied, tied, tied[1:]],
        "ordered": collections.OrderedDict([("x", torch.zeros(1)), ("y", [torch.ones(1)])]), "one_tensor": [torch.ones(2, dtype=torch.int64)], "nested": {"a": [{"b": (torch.ones(1),)}]},
        "numpy_scalar": numpy.float64(2.5), "numpy_int": numpy.int32(-7), "numpy_bool": numpy.bool_(True), "numpy_array": numpy.arange(4, dtype=numpy.float32), "dtype": torch.bfloat16,
        "size": torch.Size([2, 3]), "device": torch.device("cuda:1"), **plain,
    }
    shown = dict(plain, numpy_scalar=2.5, numpy_int=-7, numpy_bool=True, numpy_array=[0.0, 1.0, 2.0, 3.0], size=(2, 3), device="cuda:1")
    del shown["keys"]
    return value, shown


def main():
    folder = pathlib.Path(sys.argv[1])
    value, plain = structures()
    for protocol in (2, 3, 4, 5):
        for container, new in (("zip", True), ("legacy", False)):
            options = {"pickle_protocol": protocol, "_use_new_zipfile_serialization": new}
            name = "%s_p%d" % (container, protocol)
            save(folder, "dtypes_" + name, all_dtypes(), {}, **options)
            save(folder, "views_" + name, views(), {}, **options)
            save(folder, "structures_" + name, value, plain, **options)
    save(folder, "bare_tensor", torch.arange(3), {})
    save(folder, "large", {"w": torch.arange(400000, dtype=torch.float32), "t": torch.arange(600000, dtype=torch.int32).view(600, 1000).t()}, {})
    save(folder, "large_legacy", {"w": torch.arange(400000, dtype=torch.float32), "x": torch.ones(5)}, {}, _use_new_zipfile_serialization=False)


if __name__ == "__main__":
    main()
