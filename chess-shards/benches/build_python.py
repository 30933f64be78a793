"""How much faster a build is than one in Python, of the same games, in the same run, on one core.

    python build_python.py BUILDER.py GAMES.pgn BUILD_PGN

BUILDER.py is a builder with the options `GAMES.pgn OUT -k K --shards N --seed S`, BUILD_PGN the example
of that name, compiled with --release. The shards of both are compared first. The core is the one that
this process may use: `taskset -c 1 python build_python.py …`. Times are of the processor, which other
programs disturb less than those of a clock; the imports of Python are not counted.

6,135 games, 24,540 samples, on a busy machine with two cores: Python 21.05 s, Rust 0.242 s, 87 times as
fast.
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile

K, SHARDS, SEED = 4, 4, 0


def seconds(command: list[str], **environment: str) -> float:
    """Processor time of a command, of all its threads."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, **environment})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    builder, games, build_pgn = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        theirs, ours = root / "python", root / "rust"
        empty = root / "empty.pgn"
        empty.write_text('[Result "1-0"]\n[WhiteElo "1"]\n[BlackElo "1"]\n\n1. e4 e5 1-0\n' * 4)
        options = ["-k", str(K), "--shards", str(SHARDS), "--seed", str(SEED)]
        imports = seconds([sys.executable, builder, str(empty), str(root / "none"), *options])
        python = seconds([sys.executable, builder, games, str(theirs), *options]) - imports
        command = [build_pgn, games, str(ours), str(K), str(SHARDS), str(SEED)]
        rust = min(seconds(command, WORKERS="1") for _ in range(5))
        shards = sorted(path.name for path in theirs.glob("shard_*.npy"))
        assert len(shards) == SHARDS
        for name in shards:
            assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name
        samples = sum((theirs / name).stat().st_size - 384 for name in shards) // 202
        print(f"{samples} samples; Python {python:.2f} s, {samples / python:.0f} a second; "
              f"Rust {rust:.3f} s, {samples / rust:.0f} a second; {python / rust:.0f} times as fast")


main()
