//! Questions whose answers show whether a network has learnt chess.

use std::ops::ControlFlow;

use chess_nnue::Network;
use chess_nnue::train::{Parameters, SampleError, Validator, sigmoid};
use chess_records::{
    Dataset, DatasetError, Labelled, Piece, PieceType, Placement, Position, Score,
};

/// How far a network in integers is from the one in floating point that it was made from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Agreement {
    /// How many positions were evaluated with both.
    pub positions: u64,
    /// The mean difference, in centipawns.
    pub mean_cp: f64,
    /// The largest difference, in centipawns.
    pub largest_cp: f64,
    /// The loss of the one in floating point.
    pub float_loss: f64,
    /// The loss of the one in integers.
    pub integer_loss: f64,
}

/// Evaluates every position of a dataset with both.
///
/// # Errors
///
/// When the samples cannot be fetched or their labels give no targets.
pub fn agreement<D, S>(
    validator: &Validator,
    parameters: &Parameters,
    network: &Network,
    dataset: &D,
) -> Result<Agreement, SampleError>
where
    D: Dataset<Batch = Vec<S>> + ?Sized,
    S: Labelled + Send + Sync,
{
    let eval_scale = f64::from(network.architecture().eval_scale());
    let mut found = Agreement::default();
    found.float_loss = validator.predict(parameters, dataset, |prediction| {
        let score_cp = f64::from(network.evaluate(prediction.sample));
        let difference = (score_cp - f64::from(prediction.output) * eval_scale).abs();
        let error = sigmoid(score_cp / eval_scale) - f64::from(prediction.target);
        found.positions += 1;
        found.mean_cp += difference;
        found.largest_cp = found.largest_cp.max(difference);
        found.integer_loss += error * error;
        ControlFlow::Continue(())
    })?;
    found.mean_cp /= found.positions as f64;
    found.integer_loss /= found.positions as f64;
    Ok(found)
}

/// What a network thinks a type of piece is worth.
#[derive(Clone, Copy, Debug)]
pub struct PieceValue {
    /// The type.
    pub piece_type: PieceType,
    /// How many pieces were taken off.
    pub pieces: u64,
    /// The mean loss of score when one is taken off, in centipawns.
    pub mean_cp: f64,
}

/// The value of each type but the king: how much worse the side to move stands when one of its
/// pieces is taken off a position that is balanced by its label (|score| ≤ 50 centipawns).
///
/// # Errors
///
/// When the samples cannot be fetched.
pub fn piece_values<D, S>(network: &Network, dataset: &D) -> Result<[PieceValue; 5], DatasetError>
where
    D: Dataset<Batch = Vec<S>> + ?Sized,
    S: Labelled,
{
    let mut values = std::array::from_fn(|index| PieceValue {
        piece_type: PieceType::ALL[index],
        pieces: 0,
        mean_cp: 0.0,
    });
    for_each(dataset, |sample| {
        let balanced = |score| matches!(score, Score::Centipawns(-50..=50));
        if !sample.label().score.is_some_and(balanced) {
            return;
        }
        for value in &mut values {
            let mover = sample.side_to_move();
            let piece = Piece::new(mover, value.piece_type);
            if let Some(without) = without_one(&sample.placement(), piece) {
                let cost =
                    network.evaluate(sample) - network.evaluate(&Position::new(without, mover));
                value.pieces += 1;
                value.mean_cp += f64::from(cost);
            }
        }
    })?;
    for value in &mut values {
        value.mean_cp /= value.pieces.max(1) as f64;
    }
    Ok(values)
}

/// The placement without one such piece, if there is one.
fn without_one(placement: &Placement, piece: Piece) -> Option<Placement> {
    let (_, square) = placement.pieces().find(|&(found, _)| found == piece)?;
    placement.after(&[(piece, square)], &[]).ok()
}

/// How many positions score differently when colours are exchanged and the board is turned round: a
/// network that sees both sides alike has none.
///
/// # Errors
///
/// When the samples cannot be fetched.
pub fn turned_round<D, S>(network: &Network, dataset: &D) -> Result<u64, DatasetError>
where
    D: Dataset<Batch = Vec<S>> + ?Sized,
    S: Labelled,
{
    let mut different = 0;
    for_each(dataset, |sample| {
        let mover = sample.side_to_move();
        let turned = Position::new(sample.placement().flipped(), mover.opponent());
        different += u64::from(network.evaluate(sample) != network.evaluate(&turned));
    })?;
    Ok(different)
}

/// The mean difference in centipawns when the files a–h are exchanged. Castling apart it should not
/// matter, so it tells how much the network has not yet learnt.
///
/// # Errors
///
/// When the samples cannot be fetched.
pub fn file_mirror_difference<D, S>(network: &Network, dataset: &D) -> Result<f64, DatasetError>
where
    D: Dataset<Batch = Vec<S>> + ?Sized,
    S: Labelled,
{
    let mut sum = 0.0;
    for_each(dataset, |sample| {
        let pieces = sample.placement().pieces();
        let mirrored = pieces.map(|(piece, square)| (piece, square.flip_file()));
        if let Ok(mirrored) = Placement::from_pieces(mirrored) {
            let mirrored = Position::new(mirrored, sample.side_to_move());
            let difference = network.evaluate(sample) - network.evaluate(&mirrored);
            sum += f64::from(difference.abs());
        }
    })?;
    Ok(sum / dataset.len() as f64)
}

fn for_each<D, S>(dataset: &D, mut each: impl FnMut(&S)) -> Result<(), DatasetError>
where
    D: Dataset<Batch = Vec<S>> + ?Sized,
{
    let mut batch = Vec::new();
    let mut start = 0;
    while start < dataset.len() {
        let end = dataset.len().min(start + 16_384);
        let indices: Vec<u64> = (start..end).collect();
        dataset.gather(&indices, &mut batch)?;
        batch.iter().for_each(&mut each);
        start = end;
    }
    Ok(())
}

/// A dozen positions that everybody knows, with their names.
///
/// # Panics
///
/// Never: the positions are tested.
#[must_use]
pub fn known_positions() -> [(&'static str, Position); 12] {
    [
        (
            "Start",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ),
        (
            "Ruy Lopez",
            "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4",
        ),
        (
            "Black lacks the queen",
            "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        ),
        (
            "White lacks a knight",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1",
        ),
        (
            "Fried Liver",
            "r1bqkb1r/ppp2ppp/2n5/3np1N1/2B5/8/PPPP1PPP/RNBQK2R w KQkq - 0 6",
        ),
        (
            "Opera game, move 15",
            "4kb1r/p2n1ppp/4q3/4p1B1/4P3/1Q6/PPP2PPP/2KR4 w k - 0 16",
        ),
        ("Lucena", "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1"),
        ("Philidor", "4k3/R7/8/3KP3/8/1r6/8/8 b - - 0 1"),
        (
            "Opposite bishops",
            "8/4k1p1/2b2p2/8/4B1P1/3K1P2/8/8 w - - 0 1",
        ),
        ("About to promote", "8/3P3k/8/8/8/8/8/3K4 w - - 0 1"),
        ("Queen against king", "8/8/8/4k3/8/8/8/3QK3 w - - 0 1"),
        ("Kings alone", "8/8/3k4/8/8/3K4/8/8 w - - 0 1"),
    ]
    .map(|(name, fen)| match Position::from_fen(fen) {
        Ok(position) => (name, position),
        Err(error) => panic!("{name}: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess_nnue::{Architecture, Weights, feature_index};
    use chess_records::{
        Color, GameResult, Label, LabelledPosition, MarlinRecord, RecordView, Square,
    };

    /// A network that counts one side's men at 1, 2, 3, 5 and 9 times 8 centipawns, and adds the
    /// number of the file for each of its pawns.
    fn counting() -> Network {
        let architecture = Architecture::new(16).unwrap();
        let mut weights = Weights::zero(&architecture);
        for piece in Piece::ALL
            .into_iter()
            .filter(|piece| piece.color == Color::White)
        {
            for square in Square::ALL {
                let input = feature_index(Color::White, piece, square);
                let value = [8, 16, 24, 40, 72, 0][piece.piece_type.index()];
                let file = if piece.piece_type == PieceType::Pawn {
                    i16::from(square.file())
                } else {
                    0
                };
                weights.feature_weights[input * 16 + piece.piece_type.index()] = value + file;
            }
        }
        for piece_type in 0..6 {
            weights.output_weights[piece_type] = 64;
        }
        let architecture = architecture.with_activation(chess_nnue::Activation::Crelu);
        let architecture = architecture.with_eval_scale(255).unwrap();
        Network::new(architecture, &weights).unwrap()
    }

    fn dataset(fen: &str, score_cp: i16) -> RecordView<MarlinRecord, Vec<u8>> {
        let labelled = LabelledPosition {
            position: fen.parse().unwrap(),
            label: Label::new(Some(Score::Centipawns(score_cp)), Some(GameResult::Draw)),
        };
        let record = MarlinRecord::encode(&labelled, 0).unwrap();
        RecordView::new(record.as_bytes().to_vec()).unwrap()
    }

    #[test]
    fn a_counting_network_is_worth_what_it_counts() {
        let data = dataset("4k3/8/8/8/8/8/P1N1B3/R2QK3 w - - 0 1", 50);
        let values = piece_values(&counting(), &data).unwrap();
        assert_eq!(
            values.map(|value| value.mean_cp),
            [8.0, 16.0, 24.0, 40.0, 72.0]
        );
        assert_eq!(values.map(|value| value.pieces), [1; 5]);
        let unbalanced = dataset("4k3/8/8/8/8/8/P1N1B3/R2QK3 w - - 0 1", 51);
        let values = piece_values(&counting(), &unbalanced).unwrap();
        assert_eq!(values.map(|value| value.pieces), [0; 5]);
    }

    #[test]
    fn turning_round_keeps_scores_and_mirroring_need_not() {
        let data = dataset("4k3/8/8/8/8/8/P1N1B3/R2QK3 w - - 0 1", 0);
        assert_eq!(turned_round(&counting(), &data).unwrap(), 0);
        assert_eq!(file_mirror_difference(&counting(), &data).unwrap(), 7.0);
    }

    #[test]
    fn there_are_a_dozen_known_positions() {
        let names = known_positions().map(|(name, _)| name);
        assert!(names.iter().all(|name| !name.is_empty()));
    }
}
