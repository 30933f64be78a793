//! What each format holds beside a labelled position, and what is lost on the way to another.

use chess_records::ops::StreamRecord;
use chess_records::{Board, EncodeError, LabelledPosition, MarlinMoveRecord, MarlinRecord};

/// What a record may hold beside its position and label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extras {
    /// A byte for any use.
    pub(crate) extra: u8,
    /// The engine's own 16 bits of a best move.
    pub(crate) best_move: Option<u16>,
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
        Extras {
            extra: self.extra(),
            best_move: None,
        }
    }

    fn convert(labelled: &LabelledPosition, extras: Extras) -> Result<Self, EncodeError> {
        Self::encode(labelled, extras.extra)
    }
}

impl Unit for MarlinMoveRecord {
    fn extras(&self) -> Extras {
        Extras {
            extra: self.extra(),
            best_move: Some(self.move_bits()),
        }
    }

    fn convert(labelled: &LabelledPosition, extras: Extras) -> Result<Self, EncodeError> {
        Self::encode(labelled, extras.best_move.unwrap_or(0), extras.extra)
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

/// Something that a conversion did not keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Loss {
    Placement,
    Castling,
    EnPassant,
    HalfmoveClock,
    FullmoveNumber,
    Score,
    Result,
    Extra,
    BestMove,
}

impl Loss {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Placement => "the placement or side to move",
            Self::Castling => "castling rights",
            Self::EnPassant => "the en passant square",
            Self::HalfmoveClock => "the halfmove clock",
            Self::FullmoveNumber => "the fullmove number (or that it is unknown)",
            Self::Score => "the score",
            Self::Result => "the result",
            Self::Extra => "the extra byte",
            Self::BestMove => "the best move",
        }
    }
}

/// What of a record `before` is not, or not so, in its conversion `after`.
pub(crate) fn losses(
    before: (&LabelledPosition, Extras),
    after: (&LabelledPosition, Extras),
) -> impl Iterator<Item = Loss> {
    let (old, new) = (&before.0.position, &after.0.position);
    let (old_label, new_label) = (before.0.label, after.0.label);
    let same = [
        (
            Loss::Placement,
            (old.placement(), old.side_to_move()) == (new.placement(), new.side_to_move()),
        ),
        (Loss::Castling, old.castling() == new.castling()),
        (Loss::EnPassant, old.en_passant() == new.en_passant()),
        (
            Loss::HalfmoveClock,
            old.halfmove_clock() == new.halfmove_clock(),
        ),
        (
            Loss::FullmoveNumber,
            old.fullmove_number() == new.fullmove_number(),
        ),
        (Loss::Score, old_label.score == new_label.score),
        (Loss::Result, old_label.result == new_label.result),
        (Loss::Extra, before.1.extra == after.1.extra),
        (
            Loss::BestMove,
            before.1.best_move.unwrap_or(0) == after.1.best_move.unwrap_or(0),
        ),
    ];
    same.into_iter()
        .filter(|&(_, kept)| !kept)
        .map(|(loss, _)| loss)
}
