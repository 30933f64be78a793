//! Records and positions as datasets, games, tensors.

use std::error::Error;
use std::sync::Arc;

use chess_records::zdat::{
    Layout, PLANE_ELEMENTS, POLICY_ELEMENTS, Plane, RankOrder, SparsePolicies, ZdatPositions,
    ZdatView, probability, unpack_moves_to_go, unpack_outcomes, unpack_planes, unpack_policy,
    unpack_scalars, unpack_scores,
};
use chess_records::{Board, Dataset, Score, ZdatFile, ZdatRecord};
use half::{bf16, f16};

use super::{bytes, changed, golden, records, view, written};

#[test]
fn batches_are_gathered_in_the_order_asked_for() {
    let file = ZdatFile::read(golden("stoof.zdat")).unwrap();
    let all = records(file.view());
    let mut batch = vec![ZdatRecord::zeroed(); 3];
    for indices in [&[678, 0, 31, 32, 0, 400, 31][..], &[5], &[]] {
        for cache in [0, 1 << 20] {
            file.view().set_cache_bytes(cache);
            file.gather(indices, &mut batch).unwrap();
            let expected: Vec<_> = indices.iter().map(|&index| all[index as usize]).collect();
            assert!(batch == expected);
        }
    }
    assert!(file.read_record(678).unwrap() == all[678]);
    let error = file.gather(&[0, 679], &mut batch).unwrap_err();
    assert_eq!(error.to_string(), file.path().display().to_string());
    let source = error.source().unwrap();
    assert_eq!(
        source.to_string(),
        "sample 679 asked for, the dataset holds 679"
    );
}

#[test]
fn blocks_are_groups() {
    let file = ZdatFile::read(golden("nodict.zdat")).unwrap();
    let blocks: Vec<_> = (0..file.block_count())
        .map(|block| file.block(block))
        .collect();
    assert_eq!(blocks, [0..7, 7..14, 14..21, 21..28, 28..35, 35..41]);
    assert_eq!(Dataset::len(&file), 41);
}

#[test]
fn groups_that_cannot_be_read() {
    let mut data = bytes("nodict.zdat");
    let index = bytes("nodict.zdat.idx");
    let offset = view("nodict").offsets()[2];
    data[offset as usize] = 0;
    let view = ZdatView::with_index(data, &index).unwrap();
    let mut batch = Vec::new();
    view.gather(&[0, 13, 40], &mut batch).unwrap();
    let error = view.gather(&[0, 16, 14], &mut batch).unwrap_err();
    assert_eq!(error.to_string(), format!("record 14 at byte {offset}"));
    let source = error.source().unwrap();
    assert_eq!(source.to_string(), format!("group 2 at byte {offset}"));
    assert_eq!(view.game_start(14), None);
    assert!(view.game_start(1).is_some());
}

#[test]
fn records_become_labelled_positions() {
    let view = Arc::new(view("edge"));
    let score = |record: &ZdatRecord| Some(Score::Expected(0.5 + record.score() / 2.0));
    let positions = ZdatPositions::new(Arc::clone(&view), Layout::default(), score);
    let all = records(&*view);
    let mut batch = Vec::new();
    let indices = [110, 3, 3, 17];
    positions.gather(&indices, &mut batch).unwrap();
    for (labelled, index) in batch.iter().zip(indices) {
        let record = all[index as usize];
        let decoded = record.decode(Layout::default()).unwrap();
        assert_eq!(*labelled, decoded.to_labelled_lossy(score(&record)));
        assert_eq!(labelled.placement(), decoded.placement());
    }
    assert_eq!(positions.len(), 112);
    assert_eq!((positions.block(1), positions.block_count()), (16..32, 7));
    assert_eq!(positions.game_start(0), Some(true));
    let damaged = changed(&all[0], 4540, &[9; 4]);
    let data = written(&[all[0], damaged], 1);
    let offset = ZdatView::new(&data[..]).unwrap().offsets()[1];
    let view = Arc::new(ZdatView::new(data).unwrap());
    let positions = ZdatPositions::new(view, Layout::default(), |_: &ZdatRecord| None);
    let error = positions.gather(&[0, 1], &mut batch).unwrap_err();
    assert_eq!(error.to_string(), format!("record 1 at byte {offset}"));
    assert!(
        error
            .source()
            .unwrap()
            .to_string()
            .starts_with("the outcome (offset 4540)")
    );
    let error = positions.gather(&[2], &mut batch).unwrap_err();
    assert_eq!(error.to_string(), "sample 2 asked for, the dataset holds 2");
}

/// Games of every position: a new one begins where the start position stands.
#[test]
fn games_begin_where_plies_to_the_end_do_not_fall() {
    let start = "Placement(rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR)";
    for (name, games) in [("edge", 11), ("stoof", 0), ("nodict", 0)] {
        let view = view(name);
        let mut begun = 0;
        for (index, record) in (0..).zip(records(&view)) {
            let placement = record.placement(RankOrder::Rank1First).unwrap();
            let expected = format!("{placement:?}") == start;
            assert_eq!(
                view.game_start(index),
                Some(expected),
                "{name}, record {index}"
            );
            begun += u32::from(expected);
        }
        assert!(begun > 1);
        if games > 0 {
            assert_eq!(begun, games);
        }
    }
}

fn of_game(plies_left: u8, outcome: f32) -> ZdatRecord {
    let record = changed(&ZdatRecord::zeroed(), 4544, &[plies_left]);
    changed(&record, 4540, &outcome.to_le_bytes())
}

fn starts(records: &[ZdatRecord]) -> Vec<Option<bool>> {
    let view = ZdatView::new(written(records, 4)).unwrap();
    (0..view.len())
        .map(|index| view.game_start(index))
        .collect()
}

#[test]
fn unknown_and_saturated_plies() {
    let (yes, no) = (Some(true), Some(false));
    let plies = [255, 255, 254, 253, 253, 2, 1, 255, 0, 9, 8];
    let records = plies.map(|plies| of_game(plies, if plies % 2 == 0 { 1.0 } else { -1.0 }));
    assert_eq!(
        starts(&records),
        [yes, no, no, no, yes, no, no, yes, None, None, no]
    );
    assert_eq!(starts(&[of_game(0, 0.0); 3]), [None; 3]);
    assert_eq!(starts(&[of_game(0, 0.0)]), [yes]);
}

#[test]
fn shuffled_files_tell_no_games() {
    let all = records(&view("stoof"));
    let order = chess_records::Permutation::new(all.len() as u64, 3);
    let shuffled: Vec<_> = order.iter().map(|index| all[index as usize]).collect();
    assert!(starts(&shuffled).iter().all(Option::is_none));
    // Outcomes that do not change sides as movers do.
    let wrong: Vec<_> = (1..40).rev().map(|plies| of_game(plies, 1.0)).collect();
    assert!(starts(&wrong).iter().all(Option::is_none));
    // Men that come back.
    let mut grows = vec![of_game(9, 0.0), of_game(8, 0.0)];
    grows[1] = changed(&grows[1], 0, &[1]);
    assert_eq!(starts(&grows), [None, None]);
}

#[test]
fn long_files_are_judged_by_stretches() {
    let game = |length: u8| (1..=length).rev().map(|plies| of_game(plies, 0.0));
    let ordered: Vec<_> = (0..60).flat_map(|_| game(100)).collect();
    assert_eq!(
        starts(&ordered)[..100]
            .iter()
            .flatten()
            .filter(|start| **start)
            .count(),
        1
    );
    let mixed: Vec<_> = (0..60)
        .flat_map(|number| game(100).map(move |record| (number, record)))
        .map(|(number, record)| {
            if number % 2 == 0 {
                record
            } else {
                of_game(record.moves_to_go(), 1.0)
            }
        })
        .collect();
    assert_eq!(starts(&mixed)[0], None);
}

/// Planes, bit by bit, from the description.
fn plane_element(record: &ZdatRecord, layout: Layout, index: usize) -> bool {
    let (plane, rank, file) = (index / 64, index / 8 % 8, index % 8);
    let row = match layout.rows {
        RankOrder::Rank1First => rank,
        RankOrder::Rank8First => 7 - rank,
    };
    let rows = record.plane_rows(Plane::new(plane as u8).unwrap());
    rows[row] >> (7 - file) & 1 == 1
}

#[test]
fn tensors_hold_what_the_records_do() {
    for (name, layout) in [
        ("nodict", Layout::default()),
        (
            "rank8",
            Layout::new(RankOrder::Rank8First, RankOrder::Rank8First),
        ),
    ] {
        let records = &records(&view(name))[..9];
        let mut planes = vec![7.0f32; 9 * PLANE_ELEMENTS];
        unpack_planes(records, layout.rows, &mut planes);
        for (index, &found) in planes.iter().enumerate() {
            let record = &records[index / PLANE_ELEMENTS];
            let expected = plane_element(record, layout, index % PLANE_ELEMENTS);
            assert_eq!(found, f32::from(u8::from(expected)), "{index}");
        }
        let mut policy = vec![7.0f32; 9 * POLICY_ELEMENTS];
        unpack_policy(records, layout, -1.0, &mut policy);
        for (record, found) in records.iter().zip(policy.chunks(POLICY_ELEMENTS)) {
            let mut expected = vec![-1.0; POLICY_ELEMENTS];
            for entry in record.policy(layout) {
                expected[entry.from.index() * 64 + entry.to.index()] = probability(entry.value);
            }
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn sparse_and_dense_policies_agree() {
    let layout = Layout::default();
    let records = records(&view("stoof"));
    let mut sparse = SparsePolicies::new();
    assert!(sparse.is_empty());
    sparse.fill(&records[..9], layout);
    sparse.fill(&records, layout);
    assert_eq!(sparse.len(), records.len());
    assert_eq!(sparse.starts().len(), records.len() + 1);
    let mut dense = vec![0.0f32; POLICY_ELEMENTS];
    for (number, record) in records.iter().enumerate() {
        unpack_policy(std::slice::from_ref(record), layout, -1.0, &mut dense);
        let legal = dense
            .iter()
            .enumerate()
            .filter(|(_, probability)| **probability >= 0.0);
        let range = sparse.range(number);
        let moves = sparse.moves()[range.clone()]
            .iter()
            .map(|&cell| usize::from(cell));
        let listed = moves.zip(&sparse.probabilities()[range]);
        assert!(legal.eq(listed), "record {number}");
    }
}

#[test]
fn every_element_type_holds_the_same() {
    let records = &records(&view("nodict"))[..5];
    let layout = Layout::default();
    let mut full = vec![0.0f32; 5 * POLICY_ELEMENTS];
    let mut half = vec![f16::ONE; 5 * POLICY_ELEMENTS];
    let mut brain = vec![bf16::ONE; 5 * POLICY_ELEMENTS];
    unpack_policy(records, layout, 0.0, &mut full);
    unpack_policy(records, layout, f16::ZERO, &mut half);
    unpack_policy(records, layout, bf16::ZERO, &mut brain);
    for ((full, half), brain) in full.iter().zip(&half).zip(&brain) {
        assert_eq!(*half, f16::from_f32(*full));
        assert_eq!(*brain, bf16::from_f32(*full));
    }
    let mut planes = vec![0.0f32; 5 * PLANE_ELEMENTS];
    let mut half = vec![f16::NAN; 5 * PLANE_ELEMENTS];
    let mut brain = vec![bf16::NAN; 5 * PLANE_ELEMENTS];
    unpack_planes(records, layout.rows, &mut planes);
    unpack_planes(records, layout.rows, &mut half);
    unpack_planes(records, layout.rows, &mut brain);
    assert!(
        half.iter()
            .map(|half| half.to_f32())
            .eq(planes.iter().copied())
    );
    assert!(
        brain
            .iter()
            .map(|brain| brain.to_f32())
            .eq(planes.iter().copied())
    );
}

#[test]
fn targets_and_scalars() {
    let records = &records(&view("nodict"))[..];
    let mut numbers = vec![0.0f32; records.len()];
    unpack_scores(records, &mut numbers);
    assert!(
        numbers
            .iter()
            .copied()
            .eq(records.iter().map(ZdatRecord::score))
    );
    unpack_outcomes(records, &mut numbers);
    assert!(
        numbers
            .iter()
            .copied()
            .eq(records.iter().map(ZdatRecord::outcome))
    );
    unpack_moves_to_go(records, &mut numbers);
    assert!(
        numbers
            .iter()
            .copied()
            .eq(records.iter().map(|r| f32::from(r.moves_to_go())))
    );
    let mut scalars = vec![0.0f32; records.len() * 18];
    unpack_scalars(records, &mut scalars);
    assert!(
        scalars
            .iter()
            .copied()
            .eq(records.iter().flat_map(|r| r.scalars()))
    );
    let all: Vec<_> = (0..=255).map(|plies| of_game(plies, 0.0)).collect();
    let mut brain = vec![bf16::ZERO; 256];
    unpack_moves_to_go(&all, &mut brain);
    assert!(
        brain
            .iter()
            .map(|plies| plies.to_f32())
            .eq((0..=255).map(|plies: u8| f32::from(plies)))
    );
}

#[test]
#[should_panic(expected = "1 elements for 2 records, expected 8192")]
fn buffers_that_do_not_fit() {
    unpack_policy(
        &[ZdatRecord::zeroed(); 2],
        Layout::default(),
        0.0,
        &mut [0.0f32],
    );
}

#[test]
#[should_panic(expected = "record 41 of 41")]
fn a_game_start_past_the_end() {
    view("nodict").game_start(41);
}

#[test]
#[should_panic(expected = "record 41 of 41")]
fn a_record_past_the_end() {
    let _ = view("nodict").read_record(41);
}
