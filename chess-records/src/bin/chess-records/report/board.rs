//! One record, with its board.

use serde_json::{Value, json};

use chess_records::{Board, LabelledPosition, Score, Square};

/// The board from White's side, and what the record says.
pub(crate) fn drawn(index: u64, labelled: &LabelledPosition) -> String {
    let placement = labelled.position.placement();
    let mut text = format!("record {index}\n\n");
    for rank in (0..8).rev() {
        text += &format!("  {}", rank + 1);
        for file in 0..8 {
            let piece = Square::at(file, rank).and_then(|square| placement.piece_at(square));
            text.push(' ');
            text.push(piece.map_or('.', |piece| piece.fen_letter()));
        }
        text.push('\n');
    }
    text + &format!(
        "    a b c d e f g h\n\n{}\nscore   {} (White's side)\nresult  {}\n",
        labelled.position.fen(),
        score(labelled),
        result(labelled).unwrap_or("unknown"),
    )
}

pub(crate) fn json(index: u64, labelled: &LabelledPosition) -> Value {
    let score_cp = match labelled.label.score {
        Some(Score::Centipawns(score_cp)) => Some(score_cp),
        _ => None,
    };
    json!({
        "record": index,
        "fen": labelled.position.fen().to_string(),
        "halfmove_clock": labelled.position.halfmove_clock(),
        "fullmove_number": labelled.position.fullmove_number(),
        "score_cp": score_cp,
        "result": result(labelled),
    })
}

fn score(labelled: &LabelledPosition) -> String {
    match labelled.label.score {
        Some(Score::Centipawns(score_cp)) => format!("{score_cp} centipawns"),
        Some(Score::Expected(points)) => format!("{points} expected points"),
        _ => "unknown".into(),
    }
}

fn result(labelled: &LabelledPosition) -> Option<&'static str> {
    labelled.label.result.map(|result| match u8::from(result) {
        0 => "0-1",
        1 => "1/2-1/2",
        _ => "1-0",
    })
}
