#!/bin/sh
# Instructions a call, counted by callgrind, and with a network's file those a node of the search.
# valgrind 3.19 knows no AVX-512, hence avx2.
set -eu
cd "$(dirname "$0")"
cargo build --release --quiet
export CHESS_NNUE_BACKEND="${CHESS_NNUE_BACKEND:-avx2}"
# Elsewhere than in target/ if CARGO_TARGET_DIR says so.
program="${CARGO_TARGET_DIR:-target}/release/instructions"
calls=10000

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 | awk '/Collected/ { print $NF }'
}

for what in push hand-push output hand-output refresh hand-refresh; do
    all=$(count "$program" "$what" "$calls")
    preparations=$(count "$program" "$what" 0)
    echo "$what: $(((all - preparations) / calls)) instructions a call"
done

[ $# -eq 0 ] && exit
search="${CARGO_TARGET_DIR:-target}/release/search"
for name in hand-written network network-refreshed; do
    all=$(count "$search" "$1" once $name "$calls")
    preparations=$(count "$search" "$1" once $name 1)
    # On each of eight positions.
    echo "search, $name: $(((all - preparations) / (8 * calls))) instructions a node"
done
