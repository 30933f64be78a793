//! What the formats hold, and what one loses in another.

use core::fmt;

/// A format of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// marlinformat, [`MarlinRecord`](crate::MarlinRecord).
    Marlin,
    /// marlinformat with a best move, [`MarlinMoveRecord`](crate::MarlinMoveRecord).
    MarlinMove,
    /// bulletformat, [`BulletRecord`](crate::BulletRecord).
    Bullet,
    /// viriformat: whole games.
    Viri,
    /// `.zdat`: positions with a policy, seen from the side to move.
    Zdat,
    /// Lines `FEN | score | result`.
    Text,
}

/// Something that a record may hold beside the men on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Field {
    /// Which side is to move: without it the mover is White.
    SideToMove,
    /// Castling rights.
    Castling,
    /// The en passant square.
    EnPassant,
    /// Plies since the last capture or pawn move.
    HalfmoveClock,
    /// The number of the move to be played.
    FullmoveNumber,
    /// The score.
    Score,
    /// The game's result.
    Result,
    /// The move that was played or thought best.
    BestMove,
    /// Which positions make a game.
    Games,
    /// A byte for any use.
    Extra,
    /// Two more bytes for any use.
    MoreExtra,
    /// How likely each move is.
    Policy,
    /// What an engine measured beside the score: evaluations, a fifty-move counter, repetition.
    Measures,
    /// How many plies it is to the end of the game.
    PliesToGo,
}

/// A set of [`Field`]s. Displays as a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fields(u16);

/// What a conversion loses, for a tool to print before it refuses or does it. Displays as a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loss {
    from: Format,
    into: Format,
    fields: Fields,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 6] = [
        Self::Marlin,
        Self::MarlinMove,
        Self::Bullet,
        Self::Viri,
        Self::Zdat,
        Self::Text,
    ];

    /// What records of this format hold. Of viriformat: what its games tell of each position; the
    /// extra byte is a game's. Of `.zdat`: its score has no unit, and what becomes of it is for the
    /// caller to say.
    #[must_use]
    pub const fn fields(self) -> Fields {
        use Field::*;
        const LABEL: Fields = Fields::of(&[Score, Result]);
        const RIGHTS: Fields = Fields::of(&[SideToMove, Castling, EnPassant, HalfmoveClock]);
        const POSITION: Fields = LABEL.with(RIGHTS).with(Fields::of(&[FullmoveNumber]));
        match self {
            Self::Marlin => POSITION.with(Fields::of(&[Extra])),
            Self::MarlinMove => LABEL.with(RIGHTS).with(Fields::of(&[BestMove, Extra])),
            Self::Bullet => LABEL.with(Fields::of(&[Extra, MoreExtra])),
            Self::Viri => POSITION.with(Fields::of(&[BestMove, Games, Extra])),
            Self::Zdat => LABEL.with(Fields::of(&[
                Castling, EnPassant, Policy, Measures, PliesToGo,
            ])),
            Self::Text => POSITION,
        }
    }

    /// What records of this format lose when they are written in another.
    #[must_use]
    pub const fn loss_into(self, into: Self) -> Loss {
        Loss {
            from: self,
            into,
            fields: self.fields().without(into.fields()),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Marlin => "marlinformat",
            Self::MarlinMove => "marlinformat with a best move",
            Self::Bullet => "bulletformat",
            Self::Viri => "viriformat",
            Self::Zdat => "zdat",
            Self::Text => "text",
        })
    }
}

impl Field {
    /// How many fields there are.
    pub const COUNT: usize = 14;
    /// Every field.
    pub const ALL: [Self; Self::COUNT] = [
        Self::SideToMove,
        Self::Castling,
        Self::EnPassant,
        Self::HalfmoveClock,
        Self::FullmoveNumber,
        Self::Score,
        Self::Result,
        Self::BestMove,
        Self::Games,
        Self::Extra,
        Self::MoreExtra,
        Self::Policy,
        Self::Measures,
        Self::PliesToGo,
    ];
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::SideToMove => "side to move",
            Self::Castling => "castling rights",
            Self::EnPassant => "en passant square",
            Self::HalfmoveClock => "halfmove clock",
            Self::FullmoveNumber => "fullmove number",
            Self::Score => "score",
            Self::Result => "result",
            Self::BestMove => "best move",
            Self::Games => "games",
            Self::Extra => "extra byte",
            Self::MoreExtra => "second and third extra byte",
            Self::Policy => "policy",
            Self::Measures => "evaluations, fifty-move counter and repetition",
            Self::PliesToGo => "plies to the end of the game",
        })
    }
}

impl Fields {
    /// No fields.
    pub const NONE: Self = Self(0);

    /// These fields.
    #[must_use]
    pub const fn of(fields: &[Field]) -> Self {
        let (mut bits, mut index) = (0, 0);
        while index < fields.len() {
            bits |= 1 << fields[index] as u16;
            index += 1;
        }
        Self(bits)
    }

    /// The fields of either set.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The fields that are not in the other set.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether a field is among them.
    #[must_use]
    pub const fn contains(self, field: Field) -> bool {
        self.0 & 1 << field as u16 != 0
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The fields, in the order of [`Field::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Field> {
        Field::ALL
            .into_iter()
            .filter(move |&field| self.contains(field))
    }
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, field) in self.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            write!(f, "{separator}{field}")?;
        }
        Ok(())
    }
}

impl Loss {
    /// The format converted from.
    #[must_use]
    pub const fn from(self) -> Format {
        self.from
    }

    /// The format converted into.
    #[must_use]
    pub const fn into(self) -> Format {
        self.into
    }

    /// What is lost.
    #[must_use]
    pub const fn fields(self) -> Fields {
        self.fields
    }

    /// Whether nothing is lost.
    #[must_use]
    pub const fn is_nothing(self) -> bool {
        self.fields.is_empty()
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { from, into, fields } = self;
        if fields.is_empty() {
            write!(f, "{from} to {into} loses nothing")
        } else {
            write!(f, "{from} to {into} loses: {fields}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    use std::vec::Vec;

    #[test]
    fn losses_are_sentences() {
        let text = |from: Format, into| from.loss_into(into).to_string();
        assert_eq!(
            text(Format::Marlin, Format::Bullet),
            "marlinformat to bulletformat loses: side to move, castling rights, en passant square, \
             halfmove clock, fullmove number"
        );
        assert_eq!(
            text(Format::Text, Format::Marlin),
            "text to marlinformat loses nothing"
        );
        assert_eq!(
            text(Format::MarlinMove, Format::Text),
            "marlinformat with a best move to text loses: best move, extra byte"
        );
        assert_eq!(
            text(Format::Viri, Format::Marlin),
            "viriformat to marlinformat loses: best move, games"
        );
        assert_eq!(
            text(Format::Bullet, Format::Marlin),
            "bulletformat to marlinformat loses: second and third extra byte"
        );
        assert_eq!(
            text(Format::Zdat, Format::Bullet),
            "zdat to bulletformat loses: castling rights, en passant square, policy, evaluations, \
             fifty-move counter and repetition, plies to the end of the game"
        );
        for format in Format::ALL {
            let loss = format.loss_into(format);
            assert!(loss.is_nothing());
            assert_eq!((loss.from(), loss.into()), (format, format));
        }
    }

    #[test]
    fn sets_of_fields() {
        let mut names = Vec::new();
        for (index, field) in Field::ALL.into_iter().enumerate() {
            assert_eq!(field as usize, index);
            assert_eq!(Fields::of(&[field]).iter().collect::<Vec<_>>(), [field]);
            names.push(field.to_string());
        }
        names.dedup();
        assert_eq!(names.len(), Field::COUNT);
        assert_eq!(names[Field::Policy as usize], "policy");
        assert_eq!(Fields::of(&Field::ALL).to_string(), names.join(", "));
        assert_eq!(Fields::NONE.to_string(), "");
    }
}
