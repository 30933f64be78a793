use super::*;
use crate::{FlatFields, legal_actions};
use chess_records::{GameResult, Position};

/// The row of a position from which move `played` of the list was played.
fn row(fen: &str, played: usize, ply: u16) -> FlatFields {
    let position = Position::from_fen(fen).unwrap();
    let mut legal = Vec::new();
    legal_actions(&position, &mut legal);
    let target = legal[played];
    let encoded = FlatRecord::encode(&position, target, legal, GameResult::Draw, ply);
    encoded.unwrap().0.fields()
}

fn verify(fields: &FlatFields) -> Result<(), RowFault> {
    FlatRecord::from_fields(fields).verify()
}

const MIDDLE: &str = "r3k2r/pp3ppp/2n5/3pP3/8/8/PPP2PPP/R3K2R w KQkq d6 0 1";
/// Nine queens, none of which gives check: 218 moves, the most there are known to be.
const MANY: &str = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";

#[test]
fn sound_rows() {
    assert_eq!(verify(&row(MIDDLE, 0, 20)), Ok(()));
    assert_eq!(verify(&row(MIDDLE, 9, 20)), Ok(()));
    for played in [0, 62, 63, 64, 217] {
        let fields = row(MANY, played, 20);
        assert_eq!(fields.legal_cnt, 64);
        assert_eq!(verify(&fields), Ok(()), "{played}");
    }
}

#[test]
fn men_and_state() {
    let text = |fen: &str, change: &dyn Fn(&mut FlatFields)| {
        let mut fields = row(fen, 0, 20);
        change(&mut fields);
        verify(&fields).unwrap_err().to_string()
    };
    let kings = "4k3/8/8/8/8/8/8/4K3 w - - 0 1";
    assert_eq!(
        text(kings, &|row| row.position[3] = 13),
        "the man on d1 (offset 3) is 13, expected 0-12"
    );
    assert_eq!(
        text(kings, &|row| row.position[63] = 1),
        "a pawn stands on h8 (offset 63)"
    );
    assert_eq!(
        text(kings, &|row| row.position[16..32].fill(8)),
        "Black has 17 men, expected at most 16"
    );
    assert_eq!(
        text(kings, &|row| row.position[16..25].fill(1)),
        "White has 9 pawns, expected at most 8"
    );
    assert_eq!(
        text(kings, &|row| {
            row.position[40..47].fill(7);
            row.position[16..20].fill(8);
        }),
        "Black has 2 promoted pieces and 7 pawns, expected at most 8 together"
    );
    assert_eq!(
        text(kings, &|row| row.position[52] = 4),
        "Black is in check but it is not Black's move"
    );
    // The pawn that could take is pinned.
    assert_eq!(
        text("3k4/8/8/8/3pP3/8/8/3RK3 b - - 0 1", &|row| {
            (row.en_passant_file, row.move_number) = (4, 21);
        }),
        "the en passant file (offset 196) is 4, but no such capture is legal"
    );
    assert_eq!(
        text(kings, &|row| row.move_number = 21),
        "the ply (offset 200) is 21, but White is to move"
    );
    let mut bytes = FlatRecord::from_fields(&row(kings, 0, 0)).to_bytes();
    bytes[199] = 3;
    assert_eq!(
        FlatRecord::from_bytes(&bytes)
            .verify()
            .unwrap_err()
            .to_string(),
        "the pad byte (offset 199) is 3, expected 0"
    );
}

#[test]
fn lists() {
    let text = |played, change: &dyn Fn(&mut FlatFields)| {
        let mut fields = row(MIDDLE, played, 20);
        change(&mut fields);
        verify(&fields).unwrap_err().to_string()
    };
    let count = usize::from(row(MIDDLE, 0, 20).legal_cnt);
    for found in [0, 65] {
        assert_eq!(
            text(0, &|row| row.legal_cnt = found),
            format!("the number of legal actions (offset 192) is {found}, expected 1-64")
        );
    }
    assert_eq!(
        text(0, &|row| row.legal_cnt += 1),
        format!(
            "legal action {count} (offset {}) is none: action 4672 is over 4671",
            64 + 2 * count
        )
    );
    assert_eq!(
        text(0, &|row| row.legal_idx[63] = 5),
        "legal action 63 (offset 190) is 5, expected 4672 after the last"
    );
    assert_eq!(
        text(0, &|row| row.from_square = 64),
        "the move played is none"
    );
    assert_eq!(
        text(0, &|row| row.legal_idx.swap(0, 1)),
        "the first legal action (offset 64) is h1f1, expected the move played, h1g1"
    );
    assert_eq!(
        text(0, &|row| row.legal_idx[2] = 0),
        "a1a2 is listed but not legal"
    );
    assert_eq!(
        text(0, &|row| row.legal_idx.swap(3, 4)),
        "legal action 3 (offset 70) is e1f1, expected e1d2 by the order of moves"
    );
    // One left out: in the middle, at the end; one twice.
    assert_eq!(
        text(0, &|row| {
            row.legal_idx.copy_within(2..count, 1);
            row.legal_idx[count - 1] = 4672;
            row.legal_cnt -= 1;
        }),
        "h1f1 is legal but not listed"
    );
    assert_eq!(
        text(0, &|row| {
            row.legal_idx[count - 1] = 4672;
            row.legal_cnt -= 1;
        }),
        "e5d6 is legal but not listed"
    );
    assert_eq!(
        text(0, &|row| {
            row.legal_idx[count] = row.legal_idx[1];
            row.legal_cnt += 1;
        }),
        "h1f1 is listed but not legal"
    );
    assert_eq!(
        text(0, &|row| row.legal_idx[2] = row.legal_idx[1]),
        "legal action 2 (offset 68) is h1f1, expected e1e2 by the order of moves"
    );
}

#[test]
fn clipped_lists() {
    let mut fields = row(MANY, 100, 20);
    fields.legal_idx[63] = row(MANY, 64, 20).legal_idx[0];
    let text = verify(&fields).unwrap_err().to_string();
    assert!(
        text.starts_with("legal action 63 (offset 190) is "),
        "{text}"
    );
    let mut fields = row(MANY, 100, 20);
    (fields.legal_idx[63], fields.legal_cnt) = (4672, 63);
    let text = verify(&fields).unwrap_err().to_string();
    assert!(text.ends_with(" is legal but not listed"), "{text}");
}
