"""Windows of tokens, gathered by numpy's fancy indexing and by this crate, in one run.

    python benches/beside_numpy.py [games] [batch] [block]

Needs numpy and cargo. The crate's half measures the time that passes: on a busy machine build it first
and give it a processor, as `chrt -f 50 taskset -c 1` does. Makes a pack in a temporary folder and prints
tokens per second (of x; y is made as well; median of 7 runs, one thread) of numpy and of this crate:

- fancy: `tokens[origins[:, None] + arange(block)]` for x, the same one further for y;
- once: one fancy index of block + 1 tokens, copied apart into x and y;
- sliding: a fancy index of rows of `sliding_window_view`, copied apart.

numpy's windows are inside the pack, so that it need not look for the end.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np


def fancy(tokens, origins, block, dtype):
    at = origins[:, None] + np.arange(block)
    x, y = tokens[at].astype(dtype, copy=False), tokens[at + 1].astype(dtype, copy=False)
    y[:, -1] = 0
    return x, y


def once(tokens, origins, block, dtype):
    both = tokens[origins[:, None] + np.arange(block + 1)]
    x, y = both[:, :-1].astype(dtype), both[:, 1:].astype(dtype)
    y[:, -1] = 0
    return x, y


def sliding(tokens, origins, block, dtype):
    both = np.lib.stride_tricks.sliding_window_view(tokens, block + 1)[origins]
    x, y = both[:, :-1].astype(dtype), both[:, 1:].astype(dtype)
    y[:, -1] = 0
    return x, y


def rate(rng, tokens, starts, batch, block, gather, dtype, batches=10):
    starts = starts[starts < len(tokens) - block - 1]
    figures = []
    for _ in range(8):
        picks = [starts[rng.integers(0, len(starts), batch)] for _ in range(batches)]
        start = time.process_time()
        for pick in picks:
            gather(tokens, pick, block, dtype)
        figures.append(batches * batch * block / (time.process_time() - start))
    return statistics.median(figures[1:])


def write_pack(folder, rng, games):
    lengths = rng.integers(20, 140, games)
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int64)
    tokens = rng.integers(62, 2030, int(lengths.sum()), dtype=np.uint16)
    tokens[starts], tokens[np.cumsum(lengths) - 1] = 1, 2
    np.save(folder / "tokens.npy", tokens)
    np.save(folder / "starts.npy", starts)
    meta = {"n_games": games, "n_tokens": len(tokens), "scheme": "uci", "vocab_size": 2030,
            "vocab_hash": "0" * 64, "source": "bench"}
    (folder / "meta.json").write_text(json.dumps(meta, indent=2) + "\n")


def main():
    given = [int(argument) for argument in sys.argv[1:]]
    games, batch, block = given + [1_000_000, 512, 200][len(given):]
    rng = np.random.default_rng(0)
    crate = pathlib.Path(__file__).resolve().parent.parent
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_pack(folder, rng, games)
        ours = subprocess.run(
            ["cargo", "bench", "--quiet", "--manifest-path", str(crate / "Cargo.toml"),
             "--features", "mmap", "--bench", "beside_numpy", "--", str(folder), str(batch), str(block)],
            check=True, capture_output=True, text=True)
        ours = dict(line.split("\t") for line in ours.stdout.splitlines() if "\t" in line)
        tokens = np.load(folder / "tokens.npy", mmap_mode="r")
        starts = np.load(folder / "starts.npy", mmap_mode="r")
        numpy = {}
        for name, dtype in (("u16", np.uint16), ("i32", np.int32), ("i64", np.int64)):
            for gather in (fancy, once, sliding):
                figure = rate(rng, np.asarray(tokens), np.asarray(starts), batch, block, gather, dtype)
                numpy[name, gather.__name__] = figure
    print(f"{games} games, {len(tokens) * 2 / 1e6:.0f} MB, batches of {batch} windows of {block}")
    for (name, way), figure in numpy.items():
        print(f"numpy, {name} {way:10s} {figure:16,.0f} tokens/s")
    for name, figure in ours.items():
        of_type = {way: other for (dtype, way), other in numpy.items() if name.startswith(dtype)}
        ratios = ", ".join(f"{float(figure) / other:.1f} x {way}" for way, other in of_type.items())
        print(f"{name:18s} {float(figure):16,.0f} tokens/s: {ratios}")


if __name__ == "__main__":
    main()
