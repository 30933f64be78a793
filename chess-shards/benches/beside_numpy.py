"""Random rows of shards, gathered by numpy and by this crate, in one run.

    python benches/beside_numpy.py [rows per shard] [shards] [batch]

Needs numpy and cargo. The crate's half measures the time that passes: on a busy machine build it first
and give it a processor, as `chrt -f 50 taskset -c 1` does. Makes shards of random bytes in a temporary folder and prints rows per second
(median of 7 runs of 200 batches, one thread) of three ways in numpy and of this crate's, and the ratios:

- recipe: what loaders of such shards do for a batch: find each row's shard, sort the rows of each
  shard, gather them from its map, and copy every field to an array of its own;
- structured: one fancy index of a structured array of all rows;
- opaque: the same of items of 202 bytes without fields.
"""

import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

RECORD = np.dtype(
    {
        "names": ["position", "legal_idx", "legal_cnt", "from_square", "action_plane",
                  "castling_rights", "en_passant_file", "is_white", "result", "move_number"],
        "formats": [("u1", 64), ("<u2", 64), "u1", "u1", "u1", "u1", "u1", "u1", "i1", "<u2"],
        "offsets": [0, 64, 192, 193, 194, 195, 196, 197, 198, 200],
        "itemsize": 202,
    }
)


def recipe(maps, starts, picks):
    shard = np.searchsorted(starts, picks, side="right") - 1
    row = picks - starts[shard]
    batch = np.empty(len(picks), dtype=RECORD)
    for one in np.unique(shard):
        slots = np.flatnonzero(shard == one)
        slots = slots[np.argsort(row[slots], kind="stable")]
        batch[slots] = maps[one][row[slots]]
    return {name: np.ascontiguousarray(batch[name]) for name in RECORD.names}


def rate(rng, rows, batch, gather):
    figures = []
    for _ in range(8):
        picks = [rng.integers(0, rows, batch) for _ in range(200)]
        start = time.process_time()
        for pick in picks:
            gather(pick)
        figures.append(200 * batch / (time.process_time() - start))
    return statistics.median(figures[1:])


def main():
    given = [int(argument) for argument in sys.argv[1:]]
    rows, shards, batch = given + [100_000, 16, 512][len(given):]
    rng = np.random.default_rng(0)
    crate = pathlib.Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        maps = []
        for shard in range(shards):
            path = f"{folder}/shard_{shard:04d}.npy"
            data = rng.integers(0, 256, rows * 202, dtype=np.uint8).view(RECORD)
            data.view(np.uint8).reshape(rows, 202)[:, 199] = 0
            np.save(path, data)
            maps.append(np.load(path, mmap_mode="r"))
        ours = subprocess.run(
            ["cargo", "bench", "--quiet", "--manifest-path", str(crate / "Cargo.toml"),
             "--features", "mmap", "--bench", "beside_numpy", "--", folder, str(batch)],
            check=True, capture_output=True, text=True)
        ours = dict(line.split("\t") for line in ours.stdout.splitlines() if "\t" in line)

        starts = np.arange(0, (shards + 1) * rows, rows)
        numpy = {"recipe": rate(rng, rows * shards, batch, lambda p: recipe(maps, starts, p))}
        whole = np.empty(rows * shards, dtype=RECORD)
        for shard, mapped in enumerate(maps):
            whole[shard * rows:(shard + 1) * rows] = mapped
        numpy["structured"] = rate(rng, rows * shards, batch, lambda p: whole[p])
        opaque = whole.view("V202")
        numpy["opaque"] = rate(rng, rows * shards, batch, lambda p: opaque[p])

    print(f"{rows * shards} rows, {rows * shards * 202 / 1e6:.0f} MB, batches of {batch}")
    for name, figure in numpy.items():
        print(f"numpy, {name:22s} {figure:14,.0f} rows/s")
    # Sets that are not to be copied have none.
    plain = float(ours.get("plain loop in memory", "nan"))
    for name, figure in ours.items():
        figure = float(figure)
        ratios = ", ".join(f"{figure / other:.2f} x {way}" for way, other in numpy.items())
        beside = "" if plain != plain else f", {figure / plain:.2f} x plain loop"
        print(f"{name:29s} {figure:14,.0f} rows/s: {ratios}{beside}")


if __name__ == "__main__":
    main()
