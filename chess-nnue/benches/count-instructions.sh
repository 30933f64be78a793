#!/bin/sh
# Instructions a call, counted by callgrind. valgrind 3.19 knows no AVX-512, hence avx2.
set -eu
cd "$(dirname "$0")"
cargo build --release --quiet
export CHESS_NNUE_BACKEND="${CHESS_NNUE_BACKEND:-avx2}"
# Elsewhere than in target/ if CARGO_TARGET_DIR says so.
program="${CARGO_TARGET_DIR:-target}/release/instructions"
calls=10000

count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1 |
        awk '/Collected/ { print $NF }'
}

for what in push hand-push output hand-output refresh hand-refresh; do
    all=$(count "$what" "$calls")
    preparations=$(count "$what" 0)
    echo "$what: $(((all - preparations) / calls)) instructions a call"
done
