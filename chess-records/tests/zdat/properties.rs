//! What holds for any bytes and for any records.

use std::num::NonZeroUsize;
use std::sync::Arc;

use chess_records::zdat::{
    Layout, LayoutEvidence, RankOrder, SparsePolicies, ZdatHeader, ZdatStream, ZdatView,
};
use chess_records::{Dataset, ZdatRecord};
use proptest::prelude::*;
use proptest::sample::Index;

use super::{bytes, records, view, written};

/// A golden record with some bytes replaced.
fn record() -> impl Strategy<Value = ZdatRecord> {
    let golden = records(&view("edge"));
    let damage = prop::collection::vec((0..4545usize, any::<u8>()), 0..4);
    (any::<Index>(), damage).prop_map(move |(index, damage)| {
        let mut bytes = *index.get(&golden).as_bytes();
        for (at, byte) in damage {
            bytes[at] = byte;
        }
        *ZdatRecord::from_bytes(&bytes)
    })
}

fn layout() -> impl Strategy<Value = Layout> {
    (0..4usize).prop_map(|index| Layout::ALL[index])
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Whatever was written is read, by groups, by threads and by gathers in any order.
    #[test]
    fn records_come_back(
        all in prop::collection::vec(record(), 0..20),
        batch in 1..8u32,
        threads in 1..4usize,
        picks in prop::collection::vec(any::<Index>(), 0..20),
    ) {
        let view = Arc::new(ZdatView::new(written(&all, batch)).unwrap());
        prop_assert!(records(&*view) == all);
        let threads = NonZeroUsize::new(threads).unwrap();
        let stream = ZdatStream::new(Arc::clone(&view), 0..view.group_count(), threads);
        let streamed: Vec<_> = stream.flat_map(|group| group.unwrap().records().to_vec()).collect();
        prop_assert!(streamed == all);
        if !all.is_empty() {
            view.set_cache_bytes(2 * 4545 * batch as usize);
            let indices: Vec<u64> = picks.iter().map(|pick| pick.index(all.len()) as u64).collect();
            let expected: Vec<_> = indices.iter().map(|&index| all[index as usize]).collect();
            let mut gathered = Vec::new();
            view.gather(&indices, &mut gathered).unwrap();
            prop_assert!(gathered == expected);
        }
    }

    /// Any record either decodes and has no fault that decoding looks for, or says what is wrong.
    #[test]
    fn decoding_and_faults_agree(record in record(), layout in layout()) {
        let faults = record.faults(Some(layout));
        match record.decode(layout) {
            Ok(decoded) => prop_assert!(decoded.score.is_finite()),
            Err(error) => {
                let texts: Vec<_> = faults.iter().map(ToString::to_string).collect();
                prop_assert!(texts.contains(&error.to_string()), "{error} is not in {texts:?}");
            }
        }
    }

    /// The board is the same whichever way its ranks are written.
    #[test]
    fn orders_are_each_others_mirror(record in record()) {
        let [one, eight] = RankOrder::ALL.map(|rows| record.placement(rows));
        prop_assert_eq!(one.is_ok(), eight.is_ok());
        if let (Ok(one), Ok(eight)) = (one, eight) {
            prop_assert_eq!(one.occupied(), eight.occupied().swap_bytes());
        }
    }

    /// Noise is no file, and says so.
    #[test]
    fn noise_is_refused(noise in prop::collection::vec(any::<u8>(), 0..200), batch in any::<u32>()) {
        prop_assert!(ZdatView::new(&noise[..]).is_err());
        let mut with_header = bytes("nodict.zdat")[..24].to_vec();
        with_header[12..16].copy_from_slice(&batch.to_le_bytes());
        with_header.extend(&noise);
        let good_batch = (1..=ZdatHeader::MAX_BATCH).contains(&batch);
        prop_assert_eq!(ZdatView::new(&with_header[..]).is_ok(), good_batch && noise.is_empty());
        let mut index = b"SJNGIDX1".to_vec();
        index.extend(&noise);
        prop_assert!(ZdatView::with_index(&bytes("nodict.zdat")[..], &index).is_err());
    }

    /// Records of noise are records; nothing that looks at them panics.
    #[test]
    fn noise_in_records(noise in prop::collection::vec(any::<u8>(), 4545), layout in layout()) {
        let record = ZdatRecord::from_bytes(noise.first_chunk().unwrap());
        prop_assert!(!record.faults(Some(layout)).is_empty());
        prop_assert!(record.decode(layout).is_err());
        let evidence: LayoutEvidence = [record].into_iter().collect();
        let _ = (evidence.layout(), record.halfmove_clock(), format!("{record:?}"));
        let mut sparse = SparsePolicies::new();
        sparse.fill(std::slice::from_ref(record), layout);
        let filled = noise[368..368 + 4096].iter().filter(|&&cell| cell != 0).count();
        prop_assert_eq!(sparse.moves().len(), filled);
    }
}
