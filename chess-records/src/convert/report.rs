//! What a conversion has really lost.

use super::{ConvertError, Field, Loss};
use crate::{CornerBishops, EncodeError, Fault, FixedRecord, LabelledPosition, RecordView};

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
    /// does not show (best move, games, extra bytes, policy and what else an engine adds) every position counts.
    #[must_use]
    pub const fn lost(&self, field: Field) -> u64 {
        self.lost[field as usize]
    }

    /// Whether the source's castling rooks look as if an earlier conversion had turned them into
    /// bishops, as bulletformat 1.8.0's does: then [`CornerBishops::looks_damaged`], and it displays
    /// as a warning. Chess960 games that begin with bishops in corners look the same.
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
        Field::BestMove
        | Field::Games
        | Field::Extra
        | Field::MoreExtra
        | Field::Policy
        | Field::Measures
        | Field::PliesToGo => true,
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
    use crate::{BulletRecord, BulletView, Format, MarlinRecord, MarlinView};
    use std::string::ToString;
    use std::vec::Vec;

    fn marlin(line: &str) -> MarlinRecord {
        MarlinRecord::try_from(&LabelledPosition::from_text(line).unwrap()).unwrap()
    }

    const E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1 | 17 | 1.0";

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
