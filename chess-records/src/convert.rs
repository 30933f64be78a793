//! What the formats hold, and what a conversion between two of them loses.

use core::fmt;

use thiserror::Error;

use crate::{
    BulletError, BulletRecord, CornerBishops, EncodeError, Fault, FixedRecord, LabelledPosition,
    MarlinError, MarlinMoveRecord, MarlinRecord, RecordView,
};

/// A format of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Format {
    /// marlinformat, [`MarlinRecord`].
    Marlin,
    /// marlinformat with a best move, [`MarlinMoveRecord`].
    MarlinMove,
    /// bulletformat, [`BulletRecord`].
    Bullet,
    /// viriformat: whole games.
    Viri,
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
    pub const ALL: [Self; 5] = [
        Self::Marlin,
        Self::MarlinMove,
        Self::Bullet,
        Self::Viri,
        Self::Text,
    ];

    /// What records of this format hold. Of viriformat: what its games tell of each position; the
    /// extra byte is a game's.
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
            Self::Text => "text",
        })
    }
}

impl Field {
    /// How many fields there are.
    pub const COUNT: usize = 12;
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

/// A position in marlinformat, extra byte 0. A halfmove clock that is unknown is written as 0; all
/// else fits.
impl TryFrom<&LabelledPosition> for MarlinRecord {
    type Error = EncodeError;

    fn try_from(labelled: &LabelledPosition) -> Result<Self, EncodeError> {
        Self::encode(labelled, 0)
    }
}

impl MarlinRecord {
    /// The same record without its best move; the fullmove number is unknown. Nothing is checked.
    #[must_use]
    pub fn from_move_record_lossy(record: &MarlinMoveRecord) -> Self {
        Self::from_bytes(&with_number_or_move(record.as_bytes(), 0))
    }

    /// The position of a bulletformat record, with the mover as White and the first extra byte; the
    /// other two are lost. Halfmove clock 0 and fullmove number 0 stand for the clocks that were
    /// never there.
    ///
    /// # Errors
    ///
    /// When the record is no position.
    pub fn from_bullet_lossy(record: &BulletRecord) -> Result<Self, ConvertError<BulletError>> {
        let decoded = record.decode().map_err(ConvertError::Decode)?;
        Ok(Self::encode(&decoded, record.extra()[0])?)
    }
}

impl MarlinMoveRecord {
    /// The same record with a move, whatever its packing, in the place of the fullmove number, which
    /// is lost. Nothing is checked.
    #[must_use]
    pub fn from_marlin_lossy(record: &MarlinRecord, move_bits: u16) -> Self {
        Self::from_bytes(&with_number_or_move(record.as_bytes(), move_bits))
    }
}

impl BulletRecord {
    /// The position of a marlinformat record as its mover sees it, with the extra byte as first of
    /// three. Side to move, castling rights, en passant square and clocks are lost. Unlike
    /// bulletformat 1.8.0's own conversion this leaves rooks that may castle rooks.
    ///
    /// # Errors
    ///
    /// When the record is no position.
    pub fn from_marlin_lossy(record: &MarlinRecord) -> Result<Self, ConvertError<MarlinError>> {
        let decoded = record.decode().map_err(ConvertError::Decode)?;
        let extra = [record.extra(), 0, 0];
        Ok(Self::from_labelled_lossy(&decoded, extra)?)
    }
}

/// The bytes of a marlinformat record with others at offset 26.
fn with_number_or_move(bytes: &[u8; 32], number_or_move: u16) -> [u8; 32] {
    let mut bytes = *bytes;
    bytes[26..28].copy_from_slice(&number_or_move.to_le_bytes());
    bytes
}

/// Why a record cannot be converted.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ConvertError<E: core::error::Error + 'static> {
    /// The record is no position.
    #[error(transparent)]
    Decode(E),
    /// The other format cannot hold it.
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// What a conversion has seen: what was really lost, and whether the source looks damaged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConversionReport {
    positions: u64,
    lost: [u64; Field::COUNT],
    corner_bishops: CornerBishops,
}

impl ConversionReport {
    /// Nothing converted yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            positions: 0,
            lost: [0; Field::COUNT],
            corner_bishops: CornerBishops::new(),
        }
    }

    /// Counts a position that is converted with this loss.
    pub fn add(&mut self, labelled: &LabelledPosition, loss: Loss) {
        self.positions += 1;
        self.corner_bishops.add(labelled);
        for field in loss.fields().iter() {
            self.lost[field as usize] += u64::from(holds(labelled, field));
        }
    }

    /// How many positions were converted.
    #[must_use]
    pub const fn positions(&self) -> u64 {
        self.positions
    }

    /// How many of them had something to lose in a field that was lost. Of fields that a position
    /// does not show (best move, games, extra bytes, policy) every position counts.
    #[must_use]
    pub const fn lost(&self, field: Field) -> u64 {
        self.lost[field as usize]
    }

    /// Whether the source's castling rooks look as if an earlier conversion had turned them into
    /// bishops, as bulletformat 1.8.0's does: then [`CornerBishops::looks_damaged`], and it displays
    /// as a warning.
    #[must_use]
    pub const fn corner_bishops(&self) -> CornerBishops {
        self.corner_bishops
    }
}

/// Whether dropping a field would change what the position says.
fn holds(labelled: &LabelledPosition, field: Field) -> bool {
    use crate::{Board, Color};
    let position = &labelled.position;
    match field {
        Field::SideToMove => position.side_to_move() == Color::Black,
        Field::Castling => position.castling().rooks() != 0,
        Field::EnPassant => position.en_passant().is_some(),
        Field::HalfmoveClock => position.halfmove_clock().is_some(),
        Field::FullmoveNumber => position.fullmove_number().is_some(),
        Field::Score => labelled.label.score.is_some(),
        Field::Result => labelled.label.result.is_some(),
        Field::BestMove | Field::Games | Field::Extra | Field::MoreExtra | Field::Policy => true,
    }
}

impl<R: FixedRecord, D: AsRef<[u8]>> RecordView<R, D> {
    /// Checks and decodes every record for a conversion, hands it with its raw record to `write`, and
    /// reports what was lost and whether the source looks damaged.
    ///
    /// ```
    /// use chess_records::{BulletRecord, Format, MarlinView};
    ///
    /// # let marlin_bytes = [];
    /// let loss = Format::Marlin.loss_into(Format::Bullet);
    /// // print `loss`: "marlinformat to bulletformat loses: side to move, castling rights, …"
    /// let mut out = Vec::new();
    /// let report = MarlinView::new(&marlin_bytes)?.convert(loss, |labelled, record| {
    ///     let extra = [record.extra(), 0, 0];
    ///     out.push(BulletRecord::from_labelled_lossy(labelled, extra)?);
    ///     Ok(())
    /// })?;
    /// if report.corner_bishops().looks_damaged() {
    ///     // print `report.corner_bishops()`
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first [`Fault`]: a record that is no position, or what `write` says of it.
    pub fn convert(
        &self,
        loss: Loss,
        mut write: impl FnMut(&LabelledPosition, &R) -> Result<(), EncodeError>,
    ) -> Result<ConversionReport, Fault<ConvertError<R::Error>>> {
        let mut report = ConversionReport::new();
        for (index, record) in (0..).zip(self.records()) {
            let converted = record
                .decode()
                .map_err(ConvertError::Decode)
                .and_then(|labelled| {
                    write(&labelled, record)?;
                    report.add(&labelled, loss);
                    Ok(())
                });
            converted.map_err(|error| Fault {
                index,
                byte_offset: index * R::BYTES as u64,
                error,
            })?;
        }
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BulletView, MarlinView};
    use std::string::ToString;
    use std::vec::Vec;

    fn marlin(line: &str) -> MarlinRecord {
        MarlinRecord::try_from(&LabelledPosition::from_text(line).unwrap()).unwrap()
    }

    const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1 | 17 | 1.0";

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
        assert_eq!(names.last().unwrap(), "policy");
        assert_eq!(Fields::of(&Field::ALL).to_string(), names.join(", "));
        assert_eq!(Fields::NONE.to_string(), "");
    }

    #[test]
    fn marlin_with_and_without_a_move() {
        let record = marlin(E4);
        let with_move = MarlinMoveRecord::from_marlin_lossy(&record, 0x070c);
        assert_eq!(with_move.move_bits(), 0x070c);
        let back = MarlinRecord::from_move_record_lossy(&with_move);
        assert_eq!(back.fullmove_number(), 0);
        assert_eq!(back.as_bytes()[..26], record.as_bytes()[..26]);
        assert_eq!(back.as_bytes()[28..], record.as_bytes()[28..]);
    }

    #[test]
    fn marlin_and_bullet() {
        let mut bytes = marlin(E4).to_bytes();
        bytes[31] = 9;
        let bullet = BulletRecord::from_marlin_lossy(&MarlinRecord::from_bytes(&bytes)).unwrap();
        assert_eq!((bullet.score_cp(), bullet.result()), (-17, 0));
        assert_eq!(bullet.extra(), [9, 0, 0]);
        let back = MarlinRecord::from_bullet_lossy(&bullet).unwrap();
        assert_eq!(back.extra(), 9);
        assert_eq!(
            back.decode().unwrap().text().unwrap().to_string(),
            "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w - - 0 1 | -17 | 0.0"
        );
    }

    #[test]
    fn records_that_are_no_positions() {
        let bad = MarlinRecord::from_bytes(&[0; 32]);
        let error = BulletRecord::from_marlin_lossy(&bad).unwrap_err();
        assert_eq!(error.to_string(), "White has 0 kings, expected 1");
        let bad = BulletRecord::from_bytes(&[0; 32]);
        let error = MarlinRecord::from_bullet_lossy(&bad).unwrap_err();
        assert_eq!(error.to_string(), "White has 0 kings, expected 1");
    }

    #[test]
    fn reports_count_what_was_really_lost() {
        let quiet = "4k3/8/8/8/8/8/8/4K3 w - - 0 1 | 1 | 0.5";
        let bytes = [marlin(E4).to_bytes(), marlin(quiet).to_bytes()];
        let view = MarlinView::new(bytes.as_flattened()).unwrap();
        let loss = Format::Marlin.loss_into(Format::Bullet);
        let mut written = Vec::new();
        let report = view.convert(loss, |labelled, record| {
            let extra = [record.extra(), 0, 0];
            written.extend(BulletRecord::from_labelled_lossy(labelled, extra)?.to_bytes());
            Ok(())
        });
        let report = report.unwrap();
        assert_eq!(BulletView::new(written).unwrap().verify().count(), 0);
        assert_eq!(report.positions(), 2);
        assert_eq!(report.lost(Field::SideToMove), 1);
        assert_eq!(report.lost(Field::Castling), 1);
        assert_eq!(report.lost(Field::EnPassant), 1);
        assert_eq!(report.lost(Field::HalfmoveClock), 2);
        assert_eq!(report.lost(Field::Score), 0);
        assert!(!report.corner_bishops().looks_damaged());
    }

    #[test]
    fn damaged_sources_are_noticed() {
        let line = "bnbqkbnb/pppppppp/8/8/8/8/PPPPPPPP/BNBQKBNB w - - 0 1 | 1 | 0.5";
        let labelled = LabelledPosition::from_text(line).unwrap();
        let bullet = BulletRecord::from_labelled_lossy(&labelled, [0; 3]).unwrap();
        let view = BulletView::new(bullet.to_bytes()).unwrap();
        let loss = Format::Bullet.loss_into(Format::Marlin);
        let report = view.convert(loss, |_, _| Ok(())).unwrap();
        assert!(report.corner_bishops().looks_damaged());
    }

    #[test]
    fn faults_end_a_conversion() {
        let bytes = [marlin(E4).to_bytes(), [0; 32]];
        let view = MarlinView::new(bytes.as_flattened()).unwrap();
        let loss = Format::Marlin.loss_into(Format::Text);
        let fault = view.convert(loss, |_, _| Ok(())).unwrap_err();
        assert_eq!(fault.to_string(), "record 1 at byte 32");
        assert_eq!(fault.error.to_string(), "White has 0 kings, expected 1");
        let refused = view.convert(loss, |_, _| Err(EncodeError::NoResult));
        assert_eq!(refused.unwrap_err().index, 0);
    }
}
