//! Audits of networks whose answers are known.

use std::string::{String, ToString};
use std::vec::Vec;

use chess_records::{Color, GameResult, Label, LabelledPosition, Piece, PieceType, Score, Square};

use super::*;
use crate::train::train_common::{Positions, random_positions};
use crate::{Activation, Architecture, Weights, feature_index};

/// A network that counts the men of the side to move at 1, 2, 3, 5 and 9 times 8 centipawns, and
/// adds the number of the file for each of its pawns.
fn counting() -> Network {
    let architecture = Architecture::new(16).unwrap();
    let architecture = architecture.with_activation(Activation::Crelu);
    let architecture = architecture.with_eval_scale(255).unwrap();
    let mut weights = Weights::zero(&architecture);
    for piece_type in PieceType::ALL {
        let piece = Piece::new(Color::White, piece_type);
        for square in Square::ALL {
            let value = [8, 16, 24, 40, 72, 0][piece_type.index()];
            let is_pawn = piece_type == PieceType::Pawn;
            let file = if is_pawn { i16::from(square.file()) } else { 0 };
            let input = feature_index(Color::White, piece, square);
            weights.feature_weights[input * 16 + piece_type.index()] = value + file;
        }
        weights.output_weights[piece_type.index()] = 64;
    }
    Network::new(architecture, &weights).unwrap()
}

fn labelled(fen: &str, score: Score) -> Positions {
    let label = Label::new(Some(score), Some(GameResult::Draw));
    let position = fen.parse().unwrap();
    Positions(std::vec![LabelledPosition { position, label }])
}

const ONE_OF_EACH: &str = "4k3/8/8/8/8/8/P1N1B3/R2QK3 w - - 0 1";

fn audit(score: Score) -> Audit {
    let targets = Targets::new(255, 0.0).unwrap();
    Audit::of_network(&counting(), &targets, &labelled(ONE_OF_EACH, score)).unwrap()
}

#[test]
fn a_counting_network_is_worth_what_it_counts() {
    for balanced in [Score::Centipawns(50), Score::Expected(0.4)] {
        let values = audit(balanced).piece_values;
        let means = values.map(|value| value.mean_cp);
        assert_eq!(means, [8.0, 16.0, 24.0, 40.0, 72.0]);
        assert_eq!(values.map(|value| value.pieces), [1; 5]);
    }
    for decided in [Score::Centipawns(-51), Score::Expected(0.61)] {
        let values = audit(decided).piece_values;
        assert_eq!(values.map(|value| value.pieces), [0; 5]);
        assert_eq!(values.map(|value| value.mean_cp), [0.0; 5]);
    }
}

#[test]
fn turning_round_keeps_scores_and_exchanging_files_need_not() {
    let audit = audit(Score::Centipawns(0));
    assert_eq!((audit.positions, audit.turned_round), (1, 0));
    assert_eq!(audit.file_mirror_cp, 7.0);
}

#[test]
fn the_loss_is_that_of_the_integers() {
    // The network counts 160, and the label says 0.
    let error = sigmoid(160.0 / 255.0) - 0.5;
    let audit = audit(Score::Centipawns(0));
    assert!((audit.integer_loss - error * error).abs() < 1e-12);
    assert_eq!(audit.quantization, None);
}

fn parameters() -> Parameters {
    let architecture = Architecture::new(64).unwrap();
    let mut weights = Parameters::random(&architecture, 3).into_weights();
    let values = weights.feature_weights.iter_mut();
    values.for_each(|value| *value *= 8.0);
    Parameters::new(architecture, weights).unwrap()
}

fn validator() -> Validator {
    Validator::new(Targets::new(400, 0.25).unwrap(), None).unwrap()
}

#[test]
fn integers_are_held_against_every_float() {
    let (parameters, data) = (parameters(), random_positions(2000, 1));
    let network = parameters.quantize().network;
    let audit = Audit::of_dataset(&validator(), &parameters, &network, &data).unwrap();
    let found = audit.quantization.unwrap();
    let differences: Vec<f64> = data
        .0
        .iter()
        .map(|sample| {
            let float_cp = f64::from(parameters.evaluate(sample)) * 400.0;
            (f64::from(network.evaluate(sample)) - float_cp).abs()
        })
        .collect();
    let mean = differences.iter().sum::<f64>() / 2000.0;
    assert!((found.mean_cp - mean).abs() < 1e-3, "{found:?}, {mean}");
    let largest = differences.iter().fold(0.0, |a: f64, &b| a.max(b));
    assert!((found.largest.cp() - largest).abs() < 1e-3);
    let index = found.largest.index as usize;
    assert!((differences[index] - largest).abs() < 1e-3);
    let position: Position = found.largest.fen.parse().unwrap();
    assert_eq!(position.placement(), data.0[index].placement());
    assert_eq!(position.side_to_move(), data.0[index].side_to_move());
    let loss = validator().loss(&parameters, &data).unwrap();
    assert!((found.float_loss - loss).abs() < 1e-9);
    assert!(found.is_of_parameters && found.clipped == 0);
}

#[test]
fn what_speaks_against_a_network_is_said() {
    let (parameters, data) = (parameters(), random_positions(2000, 1));
    let targets = *validator().targets();
    let network = parameters.quantize().network;
    let baselines = Baselines::of_datasets(&data, &data, &targets).unwrap();
    let audit = |network: &Network| {
        let audit = Audit::of_dataset(&validator(), &parameters, network, &data);
        audit.unwrap().with_baselines(baselines)
    };
    let texts = |audit: &Audit| -> Vec<String> {
        let warnings = audit.warnings().into_iter();
        warnings.map(|warning| warning.to_string()).collect()
    };
    // Random parameters know nothing.
    let untrained = audit(&network);
    assert_eq!(untrained.beats_baselines(), Some(false));
    assert_eq!(untrained.material_is_in_order(), Some(false));
    let found = texts(&untrained);
    assert!(found[0].starts_with("the loss of 0."), "{found:?}");
    assert!(found[0].contains(" is not below the better baseline's 0."));
    let order = "the pieces' values are not in the order P < N <= B < R < Q";
    assert_eq!(found[1..], [order]);

    let mut weights = network.weights();
    weights.output_biases[0] += 100 * 255 * 64;
    let architecture = network.architecture().clone();
    let mut other = audit(&Network::new(architecture, &weights).unwrap());
    other.turned_round = 2;
    other.hidden_values.dead = (0..17).collect();
    if let Some(quantization) = &mut other.quantization {
        quantization.clipped = 3;
    }
    let found = texts(&other);
    assert_eq!(found[1], "3 weights do not fit their integers");
    assert!(found[2].starts_with("integers lose 0."), "{found:?}");
    let said = "the network is not what the parameters quantize to";
    assert_eq!(found[3], said);
    assert_eq!(found[4], "17 of 64 hidden values are never above 0 here");
    assert_eq!(found[5], "2 positions score differently turned round");
    assert_eq!(found[6], order);
    let table = other.to_string();
    assert!(table.contains("WARNING: 2 positions score differently turned round.\n"));
    assert!(table.contains("  3 weights clipped\n"), "{table}");
}

#[test]
fn the_order_of_the_pieces() {
    let order = |values: [f64; 5]| {
        let mut audit = audit(Score::Centipawns(0));
        for (value, mean_cp) in audit.piece_values.iter_mut().zip(values) {
            (value.mean_cp, value.pieces) = (mean_cp, 20);
        }
        audit.material_is_in_order()
    };
    assert_eq!(order([50.0, 150.0, 160.0, 220.0, 400.0]), Some(true));
    assert_eq!(order([50.0, 160.0, 150.0, 220.0, 400.0]), Some(true));
    assert_eq!(order([50.0, 160.0, 140.0, 220.0, 400.0]), Some(false));
    assert_eq!(order([-1.0, 160.0, 160.0, 220.0, 400.0]), Some(false));
    assert_eq!(order([50.0, 49.0, 160.0, 220.0, 400.0]), Some(false));
    assert_eq!(order([50.0, 150.0, 230.0, 220.0, 400.0]), Some(false));
    assert_eq!(order([50.0, 150.0, 160.0, 420.0, 400.0]), Some(false));
    let few = audit(Score::Centipawns(0));
    assert_eq!(few.material_is_in_order(), None, "one of each is too few");
}

#[test]
fn audits_that_make_no_sense_are_refused() {
    let (parameters, network) = (parameters(), counting());
    let refused = Audit::of_dataset(&validator(), &parameters, &network, &Positions(Vec::new()));
    let error = refused.unwrap_err().to_string();
    let expected = "the network is of another architecture than the parameters";
    assert_eq!(error, expected);
    let targets = Targets::new(255, 0.0).unwrap();
    let empty = Audit::of_network(&network, &targets, &Positions(Vec::new())).unwrap_err();
    assert_eq!(empty.to_string(), "samples held out");
    assert!(matches!(empty, AuditError::Samples(SampleError::Empty)));
}

#[test]
fn the_table_reads_like_this() {
    let mut audit = audit(Score::Centipawns(0));
    audit.baselines = Some(Baselines {
        constant_loss: 0.0561,
        material_loss: 0.0447,
    });
    let expected = "\
Mean loss over 1 positions:
  integers            0.02308
  counting the men    0.04470
  always the mean     0.05610

Hidden values:
  of 16, 11 are never above 0 and 0 never below the limit

What a piece is worth, by taking it off balanced positions:
  pawn        8 centipawns  (1 taken off)
  knight     16 centipawns  (1 taken off)
  bishop     24 centipawns  (1 taken off)
  rook       40 centipawns  (1 taken off)
  queen      72 centipawns  (1 taken off)

Symmetry:
  turned round with colours exchanged, 0 positions score differently
  with the files a-h exchanged, scores differ by 7.0 centipawns in the mean

WARNING: 11 of 16 hidden values are never above 0 here.
";
    assert_eq!(audit.to_string(), expected);
}

#[cfg(feature = "serde")]
#[test]
fn audits_are_objects_for_other_programs() {
    let json = serde_json::to_value(audit(Score::Centipawns(0))).unwrap();
    assert_eq!(json["piece_values"][4]["piece_type"], "queen");
    assert_eq!(json["piece_values"][4]["mean_cp"], 72.0);
    assert_eq!(json["hidden_values"]["dead"].as_array().unwrap().len(), 11);
    assert!(json["quantization"].is_null());
}
