//! One row, with its board.

use chess_records::{Board, Color, GameResult, LabelledPosition, Square};
use chess_shards::FlatRecord;
use serde_json::{Value, json};

use crate::failure::Failure;

/// A row and where it stands.
pub(crate) struct Shown {
    pub(crate) index: u64,
    pub(crate) file: String,
    pub(crate) row_in_file: u64,
    pub(crate) row: FlatRecord,
}

/// What a row says, in words.
struct Words {
    labelled: LabelledPosition,
    played: String,
    legal: Vec<String>,
}

impl Words {
    fn of(row: &FlatRecord) -> Result<Self, Failure> {
        let labelled = row.decode().map_err(Failure::data)?;
        let placement = labelled.position.placement();
        let target = row.target().map_err(Failure::data)?;
        let legal = row.legal_actions().map(|action| {
            let action = action.map_err(Failure::data)?;
            Ok(action.to_move(&placement).to_string())
        });
        Ok(Self {
            played: target.to_move(&placement).to_string(),
            legal: legal.collect::<Result<_, Failure>>()?,
            labelled,
        })
    }
}

impl Shown {
    fn at(&self, failure: Failure) -> Failure {
        match failure {
            Failure::Data(error) => Failure::data(format!(
                "{}: row {}: {}",
                self.file,
                self.row_in_file,
                crate::failure::chain(error.as_ref())
            )),
            failure => failure,
        }
    }

    /// The board from White's side, and what the row says.
    pub(crate) fn drawn(&self) -> Result<String, Failure> {
        let words = Words::of(&self.row).map_err(|failure| self.at(failure))?;
        let row = &self.row;
        let mut text = format!(
            "row {}, which is row {} of {}\n\n",
            self.index, self.row_in_file, self.file
        );
        text += &board(&words.labelled);
        text += &format!("\n{}\n", words.labelled.position.fen());
        let facts = [
            (
                "to move",
                words.labelled.position.side_to_move().to_string(),
            ),
            ("played", words.played.clone()),
            ("legal moves", self.legal_text(&words)),
            ("castling", castling(row.castling_rights())),
            ("en passant", en_passant(row.en_passant_file())),
            ("ply", row.move_number().to_string()),
            (
                "result",
                result(&words.labelled).unwrap_or("unknown").into(),
            ),
        ];
        Ok(text + &crate::report::facts(&facts))
    }

    fn legal_text(&self, words: &Words) -> String {
        let clipped = if words.legal.len() == FlatRecord::LEGAL_CAP {
            " (as many as fit)"
        } else {
            ""
        };
        format!("{}{clipped}: {}", words.legal.len(), words.legal.join(" "))
    }

    pub(crate) fn json(&self) -> Result<Value, Failure> {
        let words = Words::of(&self.row).map_err(|failure| self.at(failure))?;
        let row = &self.row;
        Ok(json!({
            "row": self.index,
            "file": self.file,
            "row_in_file": self.row_in_file,
            "fen": words.labelled.position.fen().to_string(),
            "played": words.played,
            "legal": words.legal,
            "legal_cnt": row.legal_cnt(),
            "from_square": row.from_square(),
            "action_plane": row.action_plane(),
            "castling_rights": row.castling_rights(),
            "en_passant_file": row.en_passant_file(),
            "is_white": words.labelled.position.side_to_move() == Color::White,
            "result": result(&words.labelled),
            "move_number": row.move_number(),
        }))
    }
}

fn board(labelled: &LabelledPosition) -> String {
    let placement = labelled.position.placement();
    let mut text = String::new();
    for rank in (0..8).rev() {
        text += &format!("  {}", rank + 1);
        for file in 0..8 {
            let piece = Square::at(file, rank).and_then(|square| placement.piece_at(square));
            text.push(' ');
            text.push(piece.map_or('.', |piece| piece.fen_letter()));
        }
        text.push('\n');
    }
    text + "    a b c d e f g h\n"
}

/// As in FEN. Only decoded rows are shown, so that there are no other bits.
fn castling(rights: u8) -> String {
    let letters = [(1, 'K'), (2, 'Q'), (4, 'k'), (8, 'q')];
    let held = letters.iter().filter(|(bit, _)| rights & bit != 0);
    let text: String = held.map(|&(_, letter)| letter).collect();
    if text.is_empty() { "none".into() } else { text }
}

fn en_passant(file: u8) -> String {
    match file {
        0..8 => format!("{}", char::from(b'a' + file)),
        _ => "none".into(),
    }
}

fn result(labelled: &LabelledPosition) -> Option<&'static str> {
    labelled.label.result.map(|result| match result {
        GameResult::WhiteWon => "1-0",
        GameResult::Draw => "1/2-1/2",
        GameResult::BlackWon => "0-1",
    })
}
