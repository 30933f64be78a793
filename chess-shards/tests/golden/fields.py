"""Writes beside each set what numpy reads from some of its rows, and the lengths of the games.

    python fields.py GAMES.pgn

Every row of the small sets, every seventh of the others. Needs numpy, zstandard and chess.
"""

import io
import json
import pathlib
import sys

import chess.pgn
import numpy as np
import zstandard

here = pathlib.Path(__file__).parent
for folder in sorted(path for path in here.iterdir() if path.is_dir()):
    meta = json.loads((folder / "meta.json").read_text())
    shards = []
    for shard in meta["shards"]:
        path = folder / shard["path"]
        if path.exists():
            shards.append(np.load(path))
        else:
            packed = path.with_name(path.name + ".zst").read_bytes()
            plain = zstandard.ZstdDecompressor().decompressobj().decompress(packed)
            shards.append(np.load(io.BytesIO(plain)))
    rows = [row for shard in shards for row in shard]
    step = 7 if len(rows) > 150 else 1
    with open(here / f"{folder.name}.fields.jsonl", "w") as out:
        for number in range(0, len(rows), step):
            fields = {name: rows[number][name].tolist() for name in rows[number].dtype.names if name}
            out.write(json.dumps({"row": number, **fields}, separators=(",", ":")) + "\n")

with open(sys.argv[1]) as pgn:
    lengths = []
    while game := chess.pgn.read_game(pgn):
        lengths.append(sum(1 for _ in game.mainline_moves()))
(here / "games.lengths.txt").write_text(" ".join(map(str, lengths)) + "\n")
