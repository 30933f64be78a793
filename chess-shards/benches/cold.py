"""Random rows of shards that are not in memory, by this crate, beside what the disk can do.

    python benches/cold.py FOLDER [batch]

Linux only, needs cargo. Drops the shards in FOLDER, which are only read, from the page cache before
each measurement and prints rows per second of: `cold` (a map, one thread), `pread` (32 threads) and
`raw`, 4 KiB reads by 32 threads, which is the disk's own rate at queue depth 32.
"""

import os
import pathlib
import subprocess
import sys

crate = pathlib.Path(__file__).resolve().parent.parent
folder, batch = sys.argv[1], (sys.argv[2:] or ["512"])[0]
command = ["cargo", "bench", "--quiet", "--manifest-path", str(crate / "Cargo.toml"), "--features", "mmap",
           "--bench", "beside_numpy", "--"]


def drop():
    for path in pathlib.Path(folder).glob("*.npy"):
        file = os.open(path, os.O_RDONLY)
        os.fsync(file)
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(file)


subprocess.run(command, check=True, capture_output=True)
for way in ["raw", "cold", "pread"] * 3:
    drop()
    run = subprocess.run([*command, folder, batch, way], check=True, capture_output=True, text=True)
    print(*[line for line in run.stdout.splitlines() if "\t" in line])
