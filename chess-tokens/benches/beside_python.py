"""The golden games as tokens, by Python and by this crate, in one run.

    python benches/beside_python.py

Needs numpy, chess, tokenizers and cargo. The crate's half measures the time that passes: on a busy
machine build it first and give it a processor, as `chrt -f 50 taskset -c 1` does. Prints plies per
second (median of 7 runs, one thread) and the ratios:

- uci: a dict of tokens, from a list of moves as text; this crate from parsed moves;
- uci text: the same from one text with spaces between;
- san: python-chess from UCI's moves to the text and its characters; this crate from parsed moves;
- movetext: moves in UCI's notation as one text of a PGN's movetext with its comments, numbers and
  result, by a regular expression and python-chess;
- bpe: the Python package tokenizers from the joined moves; this crate, by the same library in Rust, from
  parsed moves.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import time

import chess
import numpy as np

# No threads of the library's: one game at a time.
os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer  # noqa: E402

CRATE = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = CRATE / "tests" / "golden"
VOCAB = json.loads((GOLDEN / "vocab.json").read_text())["tokens"]
IDS = {token: number for number, token in enumerate(VOCAB)}
SAN_IDS = {symbol: number for number, symbol in enumerate(" #+-.0123456789=BKNOQRabcdefghx/", 3)}
BPE = Tokenizer.from_file(str(GOLDEN / "bpe.json"))
RESULTS = {"<1-0>": "1-0", "<0-1>": "0-1", "<1/2>": "1/2-1/2"}


def pack(name):
    tokens, starts = (np.load(GOLDEN / name / f"{part}.npy") for part in ("tokens", "starts"))
    return [part.tolist() for part in np.split(tokens, starts[1:])]


def uci(moves, white, black, result):
    head = [1, IDS[f"<w{white // 100 * 100:04d}>"], IDS[f"<b{black // 100 * 100:04d}>"]]
    return head + [IDS.get(move, 4) for move in moves] + [IDS[result], 2]


def san(moves, result):
    words, board = [], chess.Board()
    for text in moves:
        move = chess.Move.from_uci(text)
        words.append((f"{board.fullmove_number}." if board.turn else "") + board.san(move))
        board.push(move)
    return [1, *(SAN_IDS[symbol] for symbol in " ".join(words) + f" {RESULTS[result]}"), 2]


# What is no move: comments, numbers and results.
NO_MOVE = re.compile(r"\{[^}]*\}|\d+\.+|1-0|0-1|1/2-1/2")


def movetexts():
    parts = (GOLDEN / "games.pgn").read_text().strip().split("\n\n")
    return [part for part in parts if not part.startswith("[")]


def from_movetext(text):
    words, board = [], chess.Board()
    for san in NO_MOVE.sub(" ", text).split():
        words.append(board.push_san(san).uci())
    return " ".join(words)


def bpe(moves, result):
    return [1, *BPE.encode("".join(moves)).ids, IDS[result], 2]


def rate(plies, repeats, encode):
    figures = []
    for _ in range(8):
        start = time.process_time()
        for _ in range(repeats):
            encode()
        figures.append(plies * repeats / (time.process_time() - start))
    return statistics.median(figures[1:])


def main():
    ours = subprocess.run(
        ["cargo", "bench", "--quiet", "--manifest-path", str(CRATE / "Cargo.toml"),
         "--features", "bpe,pgn", "--bench", "beside_python"],
        check=True, capture_output=True, text=True)
    ours = dict(line.split("\t") for line in ours.stdout.splitlines() if "\t" in line)

    games = []
    for head in pack("uci"):
        _, white, black, *moves, result, _ = (VOCAB[token] for token in head)
        games.append((moves, int(white[2:6]), int(black[2:6]), result))
    assert [uci(*game) for game in games] == pack("uci")
    assert [san(game[0], game[3]) for game in games] == pack("san")
    assert [bpe(game[0], game[3]) for game in games] == pack("bpe")
    texts = [(" ".join(moves), *rest) for moves, *rest in games]

    pgn = movetexts()
    assert [from_movetext(text) for text in pgn] == [moves for moves, *_ in texts]

    plies = sum(len(game[0]) for game in games)
    theirs = {
        "uci": rate(plies, 30, lambda: [uci(*game) for game in games]),
        "uci text": rate(plies, 30, lambda: [uci(text.split(), *rest) for text, *rest in texts]),
        "san": rate(plies, 1, lambda: [san(game[0], game[3]) for game in games]),
        "movetext": rate(plies, 1, lambda: [from_movetext(text) for text in pgn]),
        "bpe": rate(plies, 10, lambda: [bpe(game[0], game[3]) for game in games]),
    }
    print(f"{len(games)} games, {plies} plies; plies per second")
    for name, figure in theirs.items():
        print(f"{name:9s} Python {figure:13,.0f}   this crate {float(ours[name]):13,.0f}"
              f"   {float(ours[name]) / figure:6.1f} x")


if __name__ == "__main__":
    main()
