"""Decompresses a .zdat file by its index: read.py FILE OUT."""

import struct
import sys

import zstandard

data = open(sys.argv[1], "rb").read()
index = open(sys.argv[1] + ".idx", "rb").read()
assert data[:8] == b"SJNGDAT1" and index[:8] == b"SJNGIDX1"
size, batch, level, dict_len = struct.unpack_from("<4I", data, 8)
(count,) = struct.unpack_from("<Q", index, 8)
offsets = struct.unpack_from(f"<{count + 1}Q", index, 16)
assert size == 4545 and len(index) == 24 + 8 * count
assert offsets[0] == 24 + dict_len and offsets[-1] == len(data)
dictionary = zstandard.ZstdCompressionDict(data[24:24 + dict_len]) if dict_len else None
decompressor = zstandard.ZstdDecompressor(dict_data=dictionary)
with open(sys.argv[2], "wb") as out:
    for number, (start, end) in enumerate(zip(offsets, offsets[1:])):
        group = decompressor.decompress(data[start:end])
        full = number + 1 < count
        assert len(group) == batch * size if full else 0 < len(group) <= batch * size
        out.write(group)
