"""Writes the viriformat golden files beside it; needs python-chess (pip install chess).

The games are random, with castling, en passant, promotions and captures preferred so that each is
common. What is expected of them is python-chess's own word: the FEN before every ply and after the
last. The encoder is written from the format's description.
"""

import json
import random
import struct
from pathlib import Path

import chess

HERE = Path(__file__).parent
PROMOTIONS = [chess.KNIGHT, chess.BISHOP, chess.ROOK, chess.QUEEN]


def record(board, score, result, extra):
    """The marlinformat record of a position."""
    occupied, codes = 0, 0
    for index, square in enumerate(sorted(board.piece_map())):
        piece = board.piece_at(square)
        code = piece.piece_type - 1
        if piece.piece_type == chess.ROOK and board.castling_rights >> square & 1:
            code = 6
        codes |= (code + (0 if piece.color else 8)) << 4 * index
        occupied |= 1 << square
    en_passant = 64 if board.ep_square is None else board.ep_square
    side = en_passant | (0 if board.turn else 0x80)
    head = struct.pack("<Q", occupied) + codes.to_bytes(16, "little")
    tail = (side, board.halfmove_clock, board.fullmove_number, score, result, extra)
    return head + struct.pack("<BBHhBB", *tail)


def move_bits(board, move):
    """viriformat's 16 bits of a move of a board in Chess960 mode (castling takes the rook)."""
    kind, promotion = 0, 0
    if board.is_castling(move):
        kind = 2
    elif board.is_en_passant(move):
        kind = 1
    elif move.promotion:
        kind, promotion = 3, PROMOTIONS.index(move.promotion)
    return move.from_square | move.to_square << 6 | promotion << 12 | kind << 14


def choose(board, rng):
    moves = sorted(board.legal_moves, key=chess.Move.uci)
    special = [m for m in moves if board.is_castling(m) or board.is_en_passant(m) or m.promotion]
    if special and rng.random() < 0.7:
        return rng.choice(special)
    pawns = [m for m in moves if board.piece_type_at(m.from_square) == chess.PAWN]
    if pawns and rng.random() < 0.3:
        return rng.choice(pawns)
    return rng.choice(moves)


def play(board, plies, rng, counts):
    """The bytes of a game and what is expected of it."""
    result, extra = rng.randrange(3), rng.randrange(256)
    game = record(board, 0, result, extra)
    expected = {"result": result, "fens": [board.fen(en_passant="fen")], "scores": []}
    for _ in range(plies):
        if not any(board.legal_moves):
            break
        move = choose(board, rng)
        score = rng.choice([rng.randrange(-300, 301), rng.randrange(-32768, 32768)])
        counts["castling"] += board.is_castling(move)
        counts["en passant"] += board.is_en_passant(move)
        counts["promotion"] += move.promotion is not None
        game += struct.pack("<Hh", move_bits(board, move), score)
        board.push(move)
        # The fields of a record stop at their greatest number.
        board.fullmove_number = min(board.fullmove_number, 65535)
        board.halfmove_clock = min(board.halfmove_clock, 255)
        expected["scores"].append(score)
        expected["fens"].append(board.fen(en_passant="fen"))
    return game + bytes(4), expected


STARTS = [
    "4k3/PPPPPPPP/8/8/8/8/pppppppp/4K3 w - - 0 1",
    "4k3/PPPPPPPP/8/8/8/8/pppppppp/4K3 b - - 7 300",
    "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq - 99 65534",
    "1r2k1r1/8/8/8/8/8/8/RR2K1RR w BGbg - 253 1",
    "4k3/8/8/8/3pPp2/8/8/3RK3 b - e3 0 9",
    "8/8/8/K2pP2r/8/8/6k1/8 w - d6 0 2",
]


def games(rng, counts):
    for number in range(60):
        yield play(chess.Board(chess960=True), 10 + number, rng, counts)
    for _ in range(50):
        board = chess.Board.from_chess960_pos(rng.randrange(960))
        yield play(board, 50, rng, counts)
    for fen in STARTS:
        yield play(chess.Board(fen, chess960=True), 30, rng, counts)
    yield play(chess.Board(), 0, rng, counts)


def write_valid():
    rng = random.Random(2718)
    counts = {"castling": 0, "en passant": 0, "promotion": 0}
    data, lines, offset = b"", [], 0
    for game, expected in games(rng, counts):
        lines.append(json.dumps({"byte_offset": offset, **expected}))
        data += game
        offset += len(game)
    (HERE / "valid/games.viri").write_bytes(data)
    (HERE / "valid/games.expected.jsonl").write_text("\n".join(lines) + "\n")
    print(len(lines), "games,", len(data), "bytes,", counts)


def write_invalid():
    """Two games of 1.e4 e5 2.Qh5 Ke7 3.Qxe5#, the second one broken."""
    start = record(chess.Board(), 0, 2, 0)
    moves = bytes.fromhex("0c070000 34090a00 c309f6ff 3c0d0100 2709ff7f".replace(" ", ""))
    sound = start + moves + bytes(4)
    at = len(sound)
    broken = {
        "cut-start": (start[:31], f"game 1 at byte {at}: the file ends 31 bytes into the start record, expected 32"),
        "cut-ply": (start + moves[:6], f"game 1 at byte {at}, ply 1 at byte {at + 36}: the file ends 2 bytes into the ply, expected 4"),
        "no-terminator": (start + moves, f"game 1 at byte {at}, ply 5 at byte {at + 52}: the file ends without the game's four zero bytes"),
        "bad-start": (start[:30] + b"\x03" + start[31:] + moves + bytes(4), f"game 1 at byte {at}: the result (offset 30) is 3, expected 0 Black won, 1 draw or 2 White won"),
        "illegal-move": (start + moves[:4] + b"\x0c\x07" + moves[6:] + bytes(4), f"game 1 at byte {at}, ply 1 at byte {at + 36}: e2e4 cannot be played: no Black piece stands on e2"),
        "bad-move": (start + moves[:4] + b"\x34\x19" + moves[6:] + bytes(4), f"game 1 at byte {at}, ply 1 at byte {at + 36}: bits 12-13 of move 0x1934 are 1, expected 0 in a move of kind 0"),
        "no-move": (start + moves[:4] + b"\x00\x00" + moves[6:] + bytes(4), f"game 1 at byte {at}, ply 1 at byte {at + 36}: move 0x0000 goes from a1 to a1"),
        "early-end": (start + moves[:4] + bytes(4) + moves[8:] + bytes(4), f"game 2 at byte {at + 40}: the file ends 16 bytes into the start record, expected 32"),
    }
    for name, (game, error) in broken.items():
        (HERE / f"invalid/{name}.viri").write_bytes(sound + game)
        (HERE / f"invalid/{name}.error.txt").write_text(error + "\n")


write_valid()
write_invalid()
