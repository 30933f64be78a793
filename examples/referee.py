#!/usr/bin/env python3
"""A referee for UCI engines: plays games and believes nothing that it is told.

python-chess judges every move. These are failures, and end with exit code 1:

  - a move that is not legal, no move at all, an engine that dies or falls silent
  - a flag that falls, a move that takes longer than its time, a `stop` that is heard late
  - a line that is none of UCI's, a variation that cannot be played, a score that makes no sense,
    more nodes than were asked for (of ENGINE only: others look at that when they like)

Games come in pairs: one opening, each engine once with White. Openings are random moves after which
ENGINE sees neither side ahead. An engine alone plays itself. After a failure both engines are started
anew and the rest of the pair is not played. On a machine that is busy with other things any engine is late
now and then: that is no fault of the engine's.

examples:
  referee.py target/release/examples/engine
  referee.py engine /usr/games/stockfish --games 100 --control 2+0.02 --control nodes=5000 \\
      --chess960 25 --opponent-option UCI_LimitStrength=true --opponent-option UCI_Elo=1800

It needs python-chess (`pip install chess`), which is under the GPL. That is why this referee is
started by hand and nothing of the project depends on it.
"""

import argparse
import math
import queue
import random
import subprocess
import sys
import threading
import time
from collections import Counter

import chess
import chess.pgn

SILENCE = 20.0  # seconds after which an engine that owes an answer counts as dead
MAX_PLIES = 500  # a game so long is a draw
MOST_CP = 32_000


class Failure(Exception):
    """What an engine did wrong."""


class Control:
    """How long a move may take: `2+0.02` (seconds), `nodes=5000`, `movetime=50` or `depth=6`."""

    def __init__(self, text):
        self.text = text
        self.clock = self.limit = None
        try:
            if "=" in text:
                kind, number = text.split("=")
                self.limit = (kind, int(number))
            else:
                base, increment = text.split("+")
                self.clock = (float(base), float(increment))
        except ValueError:
            raise argparse.ArgumentTypeError(f"neither 2+0.02 nor nodes=5000: {text}") from None
        if self.limit and self.limit[0] not in ("nodes", "movetime", "depth"):
            raise argparse.ArgumentTypeError(f"neither nodes, movetime nor depth: {text}")

    def go(self, left):
        if self.limit:
            return "go {} {}".format(*self.limit)
        milliseconds = [max(1, int(1000 * side)) for side in (left[True], left[False])]
        increment = int(1000 * self.clock[1])
        return "go wtime {} btime {} winc {inc} binc {inc}".format(*milliseconds, inc=increment)


class Engine:
    """A UCI engine and the lines it says, each with the time it was heard."""

    def __init__(self, path, options, is_judged):
        self.path, self.is_judged = path, is_judged
        self.process = subprocess.Popen(
            path, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.heard = queue.Queue()
        threading.Thread(target=self.listen, daemon=True).start()
        self.send("uci")
        lines = self.until("uciok")
        self.name = next((line[8:] for line in lines if line.startswith("id name ")), path)
        for option in options:
            name, _, value = option.partition("=")
            self.send(f"setoption name {name} value {value}")

    def listen(self):
        for line in self.process.stdout:
            self.heard.put((time.monotonic(), line.strip()))
        self.heard.put((time.monotonic(), None))

    def send(self, line):
        try:
            self.process.stdin.write(line + "\n")
        except (BrokenPipeError, ValueError):
            raise Failure(f"{self.name}: is gone, could not be told {line!r}") from None

    def hear(self, patience=SILENCE):
        try:
            when, line = self.heard.get(timeout=patience)
        except queue.Empty:
            raise Failure(f"{self.name}: silent for {patience:.0f} s") from None
        if line is None:
            raise Failure(f"{self.name}: died with code {self.process.wait()}")
        return when, line

    def until(self, word):
        lines = []
        while not lines or lines[-1] != word:
            lines.append(self.hear()[1])
        return lines

    def prepare(self, is_chess960):
        self.send(f"setoption name UCI_Chess960 value {str(is_chess960).lower()}")
        self.send("ucinewgame")
        self.send("isready")
        self.until("readyok")

    def search(self, go, patience=SILENCE):
        """The move that `go` brings, the lines before it, and the seconds it took."""
        begun = time.monotonic()
        self.send(go)
        return self.answer(begun, patience)

    def answer(self, begun, patience=SILENCE):
        lines = []
        while True:
            when, line = self.hear(patience)
            if line.startswith("bestmove"):
                return line, lines, when - begun
            lines.append(line)

    def quit(self):
        try:
            self.send("quit")
            self.process.wait(5)
        except (Failure, subprocess.TimeoutExpired):
            self.process.kill()


NUMBERS = {"depth", "seldepth", "nodes", "nps", "time", "hashfull", "multipv", "tbhits", "currmovenumber"}


def check_info(engine, board, line):
    """A line between `go` and `bestmove`; its score and nodes if it has them."""
    words = line.split()
    if not words or words[0] != "info":
        raise Failure(f"{engine.name}: not a line of a search: {line!r}")
    found, words = {}, words[1:]
    try:
        while words:
            key = words.pop(0)
            if key == "string":
                return found
            if key in NUMBERS:
                found[key] = int(words.pop(0))
            elif key == "score":
                found["score"] = (words.pop(0), int(words.pop(0)))
                if words and words[0] in ("lowerbound", "upperbound"):
                    words.pop(0)
            elif key == "currmove":
                board.parse_uci(words.pop(0))
            elif key == "pv":
                line_of_play = board.copy(stack=False)
                while words:
                    line_of_play.push(line_of_play.parse_uci(words.pop(0)))
            else:
                raise ValueError(f"unknown word {key!r}")
    except (ValueError, IndexError) as error:
        raise Failure(f"{engine.name}: {error} in {line!r} at {board.fen()}") from None
    kind, number = found.get("score", ("cp", 0))
    if (kind == "cp" and abs(number) > MOST_CP) or (kind == "mate" and not 0 < abs(number) <= 200):
        raise Failure(f"{engine.name}: an impossible score in {line!r} at {board.fen()}")
    if kind not in ("cp", "mate"):
        raise Failure(f"{engine.name}: neither cp nor mate in {line!r}")
    return found


def check_answer(engine, board, best, lines, control=None):
    """The legal move of an answer that holds in every respect."""
    infos = [check_info(engine, board, line) for line in lines]
    nodes = [info["nodes"] for info in infos if "nodes" in info]
    if nodes != sorted(nodes):
        raise Failure(f"{engine.name}: nodes become fewer: {nodes}")
    limit = control and control.limit
    if engine.is_judged and limit and limit[0] == "nodes" and nodes and nodes[-1] > limit[1]:
        raise Failure(f"{engine.name}: {nodes[-1]} nodes, asked for {limit[1]}")
    words = best.split()
    if len(words) not in (2, 4) or (len(words) == 4 and words[2] != "ponder"):
        raise Failure(f"{engine.name}: not a move: {best!r}")
    try:
        move = board.parse_uci(words[1])
    except ValueError:
        move = None
    if not move:  # the null move, 0000, says that there is none
        why = [line for line in lines if line.startswith("info string")]
        raise Failure(f"{engine.name}: illegal move {best!r} at {board.fen()} {why}")
    return move


def position(board):
    """The command that tells a game: from its start, so that repetitions are seen."""
    root = board.root()
    fen = root.fen(en_passant="fen", shredder=random.random() < 0.5)
    moves = " ".join(move.uci() for move in board.move_stack)
    start = "startpos" if root.fen() == chess.STARTING_FEN else f"fen {fen}"
    return f"position {start}" + (f" moves {moves}" if moves else "")


def score_of(lines, engine, board):
    scores = [info["score"] for info in (check_info(engine, board, line) for line in lines) if "score" in info]
    kind, number = scores[-1] if scores else ("cp", 0)
    return number if kind == "cp" else math.copysign(MOST_CP, number)


def opening(engine, rng, is_chess960):
    """Random moves after which the engine sees neither side ahead."""
    engine.prepare(is_chess960)
    while True:
        board = chess.Board.from_chess960_pos(rng.randrange(960)) if is_chess960 else chess.Board()
        for _ in range(rng.choice((4, 5)) if is_chess960 else rng.choice((8, 9))):
            moves = list(board.legal_moves)
            if moves:
                board.push(rng.choice(moves))
        if board.is_game_over():
            continue
        engine.send(position(board))
        best, lines, _ = engine.search("go nodes 3000")
        check_answer(engine, board, best, lines)
        if abs(score_of(lines, engine, board)) < 70:
            return board


def disturb(engine, board, tolerance):
    """`go infinite` in mid-game: it answers `isready`, says nothing rash, and hears `stop`."""
    engine.send(position(board))
    engine.send("go infinite")
    engine.send("isready")
    lines, line = [], None
    while line != "readyok":
        _, line = engine.hear()
        lines.append(line)
    lines.remove("readyok")
    time.sleep(random.choice((0.0, 0.02, 0.1)))
    begun = time.monotonic()
    engine.send("stop")
    best, more, seconds = engine.answer(begun)
    check_answer(engine, board, best, lines + more)
    if seconds > 0.05 + tolerance:
        raise Failure(f"{engine.name}: heard `stop` after {1000 * seconds:.0f} ms")


def ended(board):
    """Why a game is over: its termination and the winner, if any."""
    outcome = board.outcome()
    if outcome:
        return outcome.termination.name.lower(), outcome.winner
    if board.is_repetition(3):
        return "threefold_repetition", None
    if board.halfmove_clock >= 100:
        return "fifty_moves", None
    return ("too_long", None) if board.ply() >= MAX_PLIES else None


class Slowest:
    """The worst of what was measured, told at the end even if nothing failed."""

    overrun_ms = 0.0
    least_left_ms = math.inf


def play_move(engine, board, control, left, tolerance):
    engine.send(position(board))
    mover = board.turn
    best, lines, seconds = engine.search(control.go(left))
    move = check_answer(engine, board, best, lines, control)
    if control.clock:
        left[mover] -= seconds
        if engine.is_judged:
            Slowest.least_left_ms = min(Slowest.least_left_ms, 1000 * left[mover])
        if left[mover] < -tolerance:
            raise Failure(f"{engine.name}: lost on time by {-1000 * left[mover]:.0f} ms at {board.fen()}")
        left[mover] = max(0.0, left[mover]) + control.clock[1]
    elif control.limit[0] == "movetime":
        overrun = seconds - control.limit[1] / 1000
        if engine.is_judged:
            Slowest.overrun_ms = max(Slowest.overrun_ms, 1000 * overrun)
        if overrun > tolerance:
            raise Failure(f"{engine.name}: {1000 * overrun:.0f} ms late at {board.fen()}")
    board.push(move)


def play_game(white, black, start, control, tolerance, disturbances):
    """A game from an opening: how it ended, who won, and the board."""
    board = start.copy()
    players = {chess.WHITE: white, chess.BLACK: black}
    left = dict.fromkeys((True, False), control.clock[0] if control.clock else 0)
    for engine in set(players.values()):
        engine.prepare(board.chess960)
    while not (end := ended(board)):
        engine = players[board.turn]
        if engine.is_judged and random.random() < disturbances:
            disturb(engine, board, tolerance)
        play_move(engine, board, control, left, tolerance)
    return *end, board


def elo(wins, draws, losses):
    """The difference that the points stand for, with its 95 % interval."""
    games = wins + draws + losses
    mean = (wins + draws / 2) / games
    variance = (wins * (1 - mean) ** 2 + draws * (0.5 - mean) ** 2 + losses * mean**2) / games
    margin = 1.96 * math.sqrt(variance / games)
    bounds = [min(max(share, 1e-3), 1 - 1e-3) for share in (mean - margin, mean, mean + margin)]
    return [400 * math.log10(share / (1 - share)) for share in bounds]


def write_pgn(path, board, white, black, result, control):
    game = chess.pgn.Game.from_board(board)
    game.headers.update(White=white.name, Black=black.name, Result=result, TimeControl=control.text)
    with open(path, "a", encoding="utf-8") as file:
        print(game, end="\n\n", file=file)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("engine", metavar="ENGINE", help="the engine that is judged")
    parser.add_argument("opponent", metavar="OPPONENT", nargs="?", help="another one [default: ENGINE]")
    parser.add_argument("--games", type=int, default=20, help="rounded up to pairs [20]")
    parser.add_argument("--control", type=Control, action="append", metavar="CONTROL",
                        help=Control.__doc__ + " Several take turns [2+0.02]")
    parser.add_argument("--chess960", type=int, default=0, metavar="PERCENT", help="of the pairs [0]")
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of ENGINE")
    parser.add_argument("--opponent-option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--tolerance", type=int, default=50, metavar="MS",
                        help="milliseconds lost on the way that are forgiven [50]")
    parser.add_argument("--disturb", type=int, default=2, metavar="PERCENT",
                        help="moves before which ENGINE is asked for `go infinite` and stopped [2]")
    parser.add_argument("--seed", type=int, default=0, help="of openings [0]")
    parser.add_argument("--pgn", metavar="FILE", help="games are added to it")
    return parser.parse_args()


def main():
    asked = arguments()
    controls = asked.control or [Control("2+0.02")]
    other_options = asked.opponent_option if asked.opponent else asked.option
    start_engines = lambda: (
        Engine(asked.engine, asked.option, True),
        Engine(asked.opponent or asked.engine, other_options, not asked.opponent),
    )
    rng = random.Random(asked.seed)
    counts, terminations, failures = Counter(), Counter(), []
    engines = start_engines()
    for pair in range((asked.games + 1) // 2):
        control = controls[pair % len(controls)]
        is_chess960 = rng.random() * 100 < asked.chess960
        try:
            start = opening(engines[0], rng, is_chess960)
            for first_is_white in (True, False):
                white, black = engines if first_is_white else engines[::-1]
                termination, winner, board = play_game(
                    white, black, start, control, asked.tolerance / 1000, asked.disturb / 100
                )
                result = {None: "1/2-1/2", True: "1-0", False: "0-1"}[winner]
                counts["draw" if winner is None else "win" if winner == first_is_white else "loss"] += 1
                terminations[termination] += 1
                if asked.pgn:
                    write_pgn(asked.pgn, board, white, black, result, control)
                variant = "Chess960" if is_chess960 else "chess"
                print(f"{sum(counts.values())}: {control.text}, {variant}, {result}, {termination}, "
                      f"{board.ply()} plies", flush=True)
        except Failure as failure:
            failures.append(str(failure))
            print(f"FAILURE in pair {pair} ({control.text}): {failure}", flush=True)
            for engine in engines:
                engine.process.kill()
            engines = start_engines()
    for engine in engines:
        engine.quit()
    report(counts, terminations, failures)
    sys.exit(1 if failures else 0)


def report(counts, terminations, failures):
    results = counts["win"], counts["draw"], counts["loss"]
    print("\nwins {} draws {} losses {}".format(*results))
    if sum(results):
        low, middle, high = elo(*results)
        print(f"Elo of ENGINE's lead: {middle:+.0f} ({low:+.0f} to {high:+.0f})")
    print("terminations:", ", ".join(f"{name} {count}" for name, count in terminations.most_common()))
    if Slowest.least_left_ms < math.inf:
        print(f"ENGINE's clock never below {Slowest.least_left_ms:.0f} ms")
    if Slowest.overrun_ms > 0:
        print(f"ENGINE's moves at most {Slowest.overrun_ms:.0f} ms over their time")
    print(f"{len(failures)} failures")


if __name__ == "__main__":
    main()
