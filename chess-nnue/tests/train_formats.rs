//! The same data in every format.

#![cfg(feature = "train")]
#![allow(clippy::unwrap_used)]

mod train_common;

use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;

use chess_nnue::Architecture;
use chess_nnue::train::{Outcome, TrainConfig, Trainer};
use chess_records::zdat::{
    Layout, ZdatPositions, ZdatTargets, ZdatView, ZdatWriter, ZdatWriterOptions,
};
use chess_records::{
    Board, BulletRecord, BulletView, Color, Dataset, Label, LabelledPosition, MarlinRecord,
    MarlinView, Score, TextReader, ViriGames, ZdatRecord,
};
use train_common::{Positions, random_positions};

/// The first 27 of the random games that chess-records tests its viriformat with.
const GAMES: &[u8] = include_bytes!("train_data/games.viri");

type Labelled = Arc<dyn Dataset<Batch = Vec<LabelledPosition>>>;

fn train(data: &Labelled) -> Outcome {
    let architecture = Architecture::new(32).unwrap();
    let mut config = TrainConfig::new(architecture.with_eval_scale(200).unwrap());
    (config.batch_size, config.epochs) = (128, 4);
    config.threads = NonZeroUsize::new(2);
    // Too few games for their scores to say anything.
    config.check_scores = false;
    let mut trainer = Trainer::new(config).unwrap();
    let validation = random_positions(100, 7);
    let outcome = trainer.run(Arc::clone(data), &validation, |_| ControlFlow::Continue(()));
    outcome.unwrap()
}

fn all(data: &Labelled) -> Vec<LabelledPosition> {
    let indices: Vec<u64> = (0..data.len()).collect();
    let mut batch = Vec::new();
    data.gather(&indices, &mut batch).unwrap();
    batch
}

fn score_cp(labelled: &LabelledPosition) -> i16 {
    match labelled.label.score {
        Some(Score::Centipawns(score_cp)) => score_cp,
        other => panic!("{other:?}"),
    }
}

fn marlin(positions: &[LabelledPosition]) -> Labelled {
    let records = positions
        .iter()
        .map(|labelled| MarlinRecord::encode(labelled, 0).unwrap());
    let bytes: Vec<u8> = records.flat_map(|record| *record.as_bytes()).collect();
    Arc::new(MarlinView::new(bytes).unwrap())
}

fn bullet(positions: &[LabelledPosition]) -> Labelled {
    let record = |labelled| BulletRecord::from_labelled_lossy(labelled, [0; 3]).unwrap();
    let bytes: Vec<u8> = positions
        .iter()
        .map(record)
        .flat_map(|record| *record.as_bytes())
        .collect();
    Arc::new(BulletView::new(bytes).unwrap())
}

fn text(positions: &[LabelledPosition]) -> Labelled {
    let lines = positions
        .iter()
        .map(|labelled| format!("{}\n", labelled.text().unwrap()));
    let lines: String = lines.collect();
    let read = TextReader::new(lines.as_bytes());
    Arc::new(Positions(read.map(Result::unwrap).collect()))
}

/// The format gives its score no unit: here it is centipawns of the side to move.
fn zdat(positions: &[LabelledPosition]) -> Labelled {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.zdat");
    let options = ZdatWriterOptions::new().batch(100);
    let mut writer = ZdatWriter::create(&path, &options).unwrap();
    for labelled in positions {
        let of_mover = Score::Centipawns(score_cp(labelled)).seen_by(labelled.side_to_move());
        let Score::Centipawns(of_mover) = of_mover else {
            panic!("{of_mover:?}");
        };
        let targets = ZdatTargets {
            score: of_mover.into(),
            ..ZdatTargets::default()
        };
        let result = labelled.label.result.unwrap();
        let layout = Layout::default();
        let record = ZdatRecord::encode(&labelled.position, &[], result, &targets, layout);
        writer.push(&record.unwrap()).unwrap();
    }
    writer.finish().unwrap();
    let index = std::fs::read(folder.path().join("some.zdat.idx")).unwrap();
    let view = ZdatView::with_index(std::fs::read(&path).unwrap(), &index).unwrap();
    let score = |record: &ZdatRecord| Some(Score::Centipawns(record.score() as i16));
    Arc::new(ZdatPositions::new(Arc::new(view), Layout::default(), score))
}

/// What those formats hold that know positions by the side to move alone.
fn by_mover(labelled: &LabelledPosition) -> (chess_records::Placement, Label) {
    let (placement, label) = (labelled.placement(), labelled.label);
    match labelled.side_to_move() {
        Color::White => (placement, label),
        Color::Black => (
            placement.flipped(),
            Label::new(
                label.score.map(Score::flipped),
                label.result.map(chess_records::GameResult::flipped),
            ),
        ),
    }
}

#[test]
fn every_format_trains_the_same_network() {
    let viri: Labelled = Arc::new(ViriGames::new(GAMES).unwrap());
    let positions = all(&viri);
    assert!(
        (300..3000).contains(&positions.len()),
        "{}",
        positions.len()
    );
    let expected = train(&viri);
    for exact in [marlin(&positions), text(&positions)] {
        let found = train(&exact);
        assert_eq!(found.parameters, expected.parameters);
        assert_eq!(found.validation_loss, expected.validation_loss);
    }
    // With Black's positions turned round, the men come in another order and sums are rounded
    // otherwise.
    let by_view = [bullet(&positions), zdat(&positions)].map(|data| {
        for (found, expected) in all(&data).iter().zip(&positions) {
            assert_eq!(by_mover(found), by_mover(expected));
        }
        train(&data)
    });
    assert_eq!(by_view[0].parameters, by_view[1].parameters);
    let losses = [&by_view[0], &expected].map(|outcome| outcome.validation_loss.unwrap());
    assert!((losses[0] / losses[1] - 1.0).abs() < 1e-3, "{losses:?}");
}
