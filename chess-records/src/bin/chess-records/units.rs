//! What each format holds beside a labelled position, and what is lost on the way to another.

use chess_records::ops::StreamRecord;
use chess_records::{
    Board, BulletRecord, EncodeError, Field, Fields, Label, LabelledPosition, Loss,
    MarlinMoveRecord, MarlinRecord,
};

/// What a record may hold beside its position and label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extras {
    /// Bytes for any use; formats with one have the first.
    pub(crate) extra: [u8; 3],
    /// 16 bits of a best move, packed as the format or its engine does.
    pub(crate) best_move: Option<u16>,
}

impl Extras {
    pub(crate) const fn byte(extra: u8) -> Self {
        Self {
            extra: [extra, 0, 0],
            best_move: None,
        }
    }
}

/// A record of a format that can be converted from and to.
pub(crate) trait Unit: StreamRecord {
    /// What the record holds beside position and label.
    fn extras(&self) -> Extras;

    /// The record of this format that holds as much as it can.
    fn convert(labelled: &LabelledPosition, extras: Extras) -> Result<Self, EncodeError>;
}

impl Unit for MarlinRecord {
    fn extras(&self) -> Extras {
        Extras::byte(self.extra())
    }

    fn convert(labelled: &LabelledPosition, extras: Extras) -> Result<Self, EncodeError> {
        Self::encode(labelled, extras.extra[0])
    }
}

impl Unit for MarlinMoveRecord {
    fn extras(&self) -> Extras {
        Extras {
            best_move: Some(self.move_bits()),
            ..Extras::byte(self.extra())
        }
    }

    fn convert(labelled: &LabelledPosition, extras: Extras) -> Result<Self, EncodeError> {
        Self::encode(labelled, extras.best_move.unwrap_or(0), extras.extra[0])
    }
}

impl Unit for BulletRecord {
    fn extras(&self) -> Extras {
        Extras {
            extra: self.extra(),
            best_move: None,
        }
    }

    fn convert(labelled: &LabelledPosition, extras: Extras) -> Result<Self, EncodeError> {
        Self::from_labelled_lossy(labelled, extras.extra)
    }
}

impl Unit for LabelledPosition {
    fn extras(&self) -> Extras {
        Extras::default()
    }

    fn convert(labelled: &LabelledPosition, _: Extras) -> Result<Self, EncodeError> {
        // Read back what the line would say: unknown clocks are written as 0 and 1.
        let line = labelled.text()?.to_string();
        Ok(Self::from_text(&line).unwrap_or(*labelled))
    }
}

/// What a loss is called.
pub(crate) fn name(field: Field) -> String {
    match field {
        Field::FullmoveNumber => "the fullmove number (or that it is unknown)".into(),
        Field::Games => "the game it belongs to".into(),
        field => format!("the {field}"),
    }
}

/// What of a record `before` is not, or not so, in its conversion `after`, beside what records do not
/// show and is declared to be lost.
pub(crate) fn lost(
    before: (&LabelledPosition, Extras),
    after: (&LabelledPosition, Extras),
    declared: Loss,
) -> impl Iterator<Item = Field> {
    const UNSEEN: Fields = Fields::of(&[
        Field::Games,
        Field::Policy,
        Field::Measures,
        Field::PliesToGo,
    ]);
    let (old, new) = (&before.0.position, &after.0.position);
    let turned = old.side_to_move() != new.side_to_move();
    let (old_label, new_label) = (before.0.label, seen_from(after.0.label, turned));
    let (old_clock, new_clock) = (old.halfmove_clock(), new.halfmove_clock());
    let (old_extra, new_extra) = (before.1.extra, after.1.extra);
    let (old_move, new_move) = (before.1.best_move, after.1.best_move);
    let kept = move |field| match field {
        Field::SideToMove => !turned,
        Field::Castling => old.castling() == new.castling(),
        Field::EnPassant => old.en_passant() == new.en_passant(),
        // Every format writes an unknown clock as 0.
        Field::HalfmoveClock => old_clock.is_none() || old_clock == new_clock,
        Field::FullmoveNumber => old.fullmove_number() == new.fullmove_number(),
        Field::Score => old_label.score == new_label.score,
        Field::Result => old_label.result == new_label.result,
        Field::Extra => old_extra[0] == new_extra[0],
        Field::MoreExtra => old_extra[1..] == new_extra[1..],
        Field::BestMove => old_move.unwrap_or(0) == new_move.unwrap_or(0),
        unseen => !(UNSEEN.contains(unseen) && declared.fields().contains(unseen)),
    };
    Field::ALL.into_iter().filter(move |&field| !kept(field))
}

/// The label from White's side, if the board was turned for Black.
fn seen_from(label: Label, turned: bool) -> Label {
    if !turned {
        return label;
    }
    Label::new(
        label.score.map(|score| score.flipped()),
        label.result.map(|result| result.flipped()),
    )
}
