"""What a loader of .zdat files does in numpy, the figure beside those of `zdat.rs`.

    python zdat_numpy.py [FILE]

Prints records/s (best of 5) of decompression alone, of decompression and `np.nonzero` on each
record's policy, and of these and unpacked planes. Needs numpy and zstandard.
"""

import pathlib
import struct
import sys
import time

import numpy as np
import zstandard

RECORD = np.dtype([("planes", "u1", (46, 8)), ("policy", "u1", 4096), ("scalars", "<f4", 18),
                   ("score", "<f4"), ("outcome", "<f4"), ("moves_to_go", "u1")])
assert RECORD.itemsize == 4545

here = pathlib.Path(__file__).resolve().parent
path = sys.argv[1] if sys.argv[1:] else here.parent / "tests/golden/zdat/valid/stoof.zdat"
data = open(path, "rb").read()
index = open(f"{path}.idx", "rb").read()
_, batch, _, dict_len = struct.unpack_from("<4I", data, 8)
offsets = np.frombuffer(index, "<u8", offset=16)
dictionary = zstandard.ZstdCompressionDict(data[24:24 + dict_len]) if dict_len else None
decompressor = zstandard.ZstdDecompressor(dict_data=dictionary)
# All groups but the last, which may be short, over and over.
frames = [data[a:b] for a, b in zip(offsets[:-2], offsets[1:-1])] * 20


def decompress(frame):
    return np.frombuffer(decompressor.decompress(frame), RECORD)


def sparse_policy(records):
    for policy in records["policy"]:
        moves = np.nonzero(policy)[0]
        yield moves, (policy[moves].astype(np.float32) - 1) / 254


def planes(records):
    return np.unpackbits(records["planes"], axis=-1).astype(np.float32)


def group(frame):
    decompress(frame)


def with_policy(frame):
    list(sparse_policy(decompress(frame)))


def with_planes(frame):
    records = decompress(frame)
    planes(records)
    list(sparse_policy(records))


for name, work in [("groups", group), ("sparse policy", with_policy),
                   ("planes and sparse policy", with_planes)]:
    best = float("inf")
    for _ in range(5):
        start = time.perf_counter()
        for frame in frames:
            work(frame)
        best = min(best, time.perf_counter() - start)
    print(f"{name}: {len(frames) * batch / best:,.0f} records/s")
