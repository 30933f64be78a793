#!/bin/sh
# Shuffles a file much larger than the memory allowed, beside a plain copy of it that is brought to
# the disk too, and says how they compare and how much memory the shuffle took.
#
#     benches/shuffle.sh [folder [megabytes [memory]]]
#
# The folder needs five times the space. Linux only: memory is read from /proc.
set -eu

folder=${1:-.}
megabytes=${2:-2048}
memory=${3:-256M}
crate=$(cd "$(dirname "$0")/.." && pwd)

cargo build --quiet --release --manifest-path "$crate/Cargo.toml" --features cli --bin chess-records
tool=$(cd "$crate/.." && pwd)/target/release/chess-records

work=$(mktemp -d "$folder/shuffle-bench.XXXXXX")
trap 'rm -r "$work"' EXIT
head -c "${megabytes}M" /dev/urandom > "$work/in.marlin"
sync

now() { date +%s%N; }

start=$(now)
dd if="$work/in.marlin" of="$work/copy" bs=1M conv=fsync status=none
copied=$(($(now) - start))
rm "$work/copy"

start=$(now)
"$tool" shuffle "$work/in.marlin" -o "$work/out.marlin" --memory "$memory" --seed 1 &
pid=$!
peak=0
while kill -0 "$pid" 2> /dev/null; do
    found=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$pid/status" 2> /dev/null || true)
    if [ "${found:-0}" -gt "$peak" ]; then peak=$found; fi
    sleep 0.05
done
wait "$pid"
shuffled=$(($(now) - start))

awk -v copied="$copied" -v shuffled="$shuffled" -v peak="$peak" 'BEGIN {
    printf "copy %.2f s, shuffle %.2f s: ratio %.2f; peak memory %.0f MiB\n",
        copied / 1e9, shuffled / 1e9, shuffled / copied, peak / 1024
}'
