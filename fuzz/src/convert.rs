//! Conversions lose what they say and nothing else.

use chess_records::{
    Board, BulletRecord, Color, Field, Fields, Format, GameResult, Label, Labelled,
    LabelledPosition, MarlinMoveRecord, MarlinRecord, Placement, Score,
};

/// Takes the bytes for records of marlinformat and of bulletformat, and sends each through the other
/// formats and back.
pub fn convert(data: &[u8]) {
    let (records, _) = data.as_chunks::<{ MarlinRecord::BYTES }>();
    for bytes in records {
        marlin(&MarlinRecord::from_bytes(bytes));
        bullet(&BulletRecord::from_bytes(bytes));
    }
}

fn marlin(record: &MarlinRecord) {
    let decoded = record.decode();
    let bullet = BulletRecord::from_marlin_lossy(record);
    assert_eq!(decoded.is_ok(), bullet.is_ok());
    let (Ok(decoded), Ok(bullet)) = (decoded, bullet) else {
        return;
    };
    let back = MarlinRecord::from_bullet_lossy(&bullet).expect("it came from one");
    assert_eq!(back.extra(), record.extra());
    let back = back.decode().expect("it was encoded");
    assert_eq!(by_mover(&back), by_mover(&decoded));
    loses_the_fields(Format::Marlin, Format::Bullet, &decoded, &back);

    let line = decoded.text().expect("a whole label").to_string();
    let back = LabelledPosition::from_text(&line).expect("what is written is read");
    assert_eq!(by_mover(&back), by_mover(&decoded));
    loses_the_fields(Format::Marlin, Format::Text, &decoded, &back);

    with_a_move(record, &decoded);
}

fn with_a_move(record: &MarlinRecord, decoded: &LabelledPosition) {
    let with_move = MarlinMoveRecord::from_marlin_lossy(record, 0x070c);
    let back = MarlinRecord::from_move_record_lossy(&with_move);
    assert_eq!(back.extra(), record.extra());
    let back = back.decode().expect("the number was not looked at");
    assert_eq!(by_mover(&back), by_mover(decoded));
    loses_the_fields(Format::Marlin, Format::MarlinMove, decoded, &back);
}

fn bullet(record: &BulletRecord) {
    let decoded = record.decode();
    let marlin = MarlinRecord::from_bullet_lossy(record);
    assert_eq!(decoded.is_ok(), marlin.is_ok());
    let Ok(marlin) = marlin else {
        return;
    };
    let back = BulletRecord::from_marlin_lossy(&marlin).expect("it came from one");
    let [extra, ..] = record.extra();
    assert_eq!(back.extra(), [extra, 0, 0]);
    let mut expected = record.canonical().to_bytes();
    expected[30..].fill(0);
    assert_eq!(back.to_bytes(), expected);
}

/// What every format holds, as the mover sees it. A score of `i16::MIN` has no opposite.
fn by_mover(labelled: &LabelledPosition) -> (Placement, Label) {
    let (placement, mut label) = match labelled.side_to_move() {
        Color::White => (labelled.placement(), labelled.label()),
        Color::Black => (labelled.placement().flipped(), flipped(labelled.label())),
    };
    if label.score == Some(Score::Centipawns(i16::MIN)) {
        label.score = Some(Score::Centipawns(-i16::MAX));
    }
    (placement, label)
}

fn flipped(label: Label) -> Label {
    let score = label.score.map(Score::flipped);
    Label::new(score, label.result.map(GameResult::flipped))
}

/// A field that has changed must be among those that the conversion loses.
fn loses_the_fields(
    from: Format,
    into: Format,
    before: &LabelledPosition,
    after: &LabelledPosition,
) {
    let loss = from.loss_into(into);
    assert_eq!(loss.is_nothing(), loss.fields() == Fields::NONE);
    let (old, new) = (&before.position, &after.position);
    let kept = [
        (Field::SideToMove, old.side_to_move() == new.side_to_move()),
        (Field::Castling, old.castling() == new.castling()),
        (Field::EnPassant, old.en_passant() == new.en_passant()),
        (
            Field::HalfmoveClock,
            old.halfmove_clock() == new.halfmove_clock(),
        ),
        (
            Field::FullmoveNumber,
            // Number 0, which is unknown, is written as 1 where there is no sign for that.
            old.fullmove_number() == new.fullmove_number() || old.fullmove_number().is_none(),
        ),
    ];
    for (field, kept) in kept {
        let told = loss.fields().contains(field);
        assert!(kept || told, "{loss}, but {field} is lost");
    }
}
