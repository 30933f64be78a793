//! `.zdat`: files, indices, records.

use chess_records::zdat::{
    IndexSource, Layout, PolicyMove, SparsePolicies, ZdatGroup, ZdatRecord, ZdatTargets, ZdatView,
    policy_cell, probability,
};

/// The most records of a file that are decompressed: what a few bytes stand for may take seconds.
const MOST_RECORDS: u64 = 4096;

/// Takes the bytes for a file. Its groups must be found again by the index they make, and every
/// group that decompresses must hold whole records.
pub fn zdat(data: &[u8]) {
    let Ok(view) = ZdatView::new(data) else {
        return;
    };
    let indexed = ZdatView::with_index(data, &index_of(view.offsets()));
    let indexed = indexed.expect("an index of the groups found");
    assert_eq!(indexed.offsets(), view.offsets());
    assert_eq!(indexed.len(), view.len());
    let groups = 0..view.group_count();
    let records: u64 = groups.map(|group| count(&view, group)).sum();
    assert_eq!(records, view.len());
    if records <= MOST_RECORDS {
        decompresses(&view);
    }
}

fn count(view: &ZdatView<&[u8]>, group: u64) -> u64 {
    let records = view.group_records(group);
    let count = records.end - records.start;
    assert!((1..=u64::from(view.header().batch())).contains(&count));
    count
}

fn index_of(offsets: &[u64]) -> Vec<u8> {
    let count = offsets.len() as u64 - 1;
    let numbers = std::iter::once(&count).chain(offsets);
    let bytes = numbers.flat_map(|number| number.to_le_bytes());
    b"SJNGIDX1".iter().copied().chain(bytes).collect()
}

fn decompresses(view: &ZdatView<&[u8]>) {
    let mut faulty = view
        .verify(Some(Layout::default()))
        .filter(|fault| fault.record.is_none())
        .map(|fault| fault.group)
        .peekable();
    let mut buffer = ZdatGroup::new();
    for group in 0..view.group_count() {
        let read = view.read_group(group, &mut buffer);
        assert_eq!(read.is_err(), faulty.next_if_eq(&group).is_some());
        if read.is_err() {
            assert!(buffer.records().is_empty());
            continue;
        }
        assert_eq!(buffer.records().len() as u64, count(view, group));
        let first = view.group_records(group).start;
        let record = view.read_record(first).expect("its group decompresses");
        assert_eq!(record, buffer.records()[0]);
    }
}

/// Takes the bytes for an index beside a file that has nothing wrong. The index must be refused, or
/// must not say more than there is.
pub fn zdat_index(data: &[u8]) {
    const FILE: &[u8] = include_bytes!("../seeds/zdat/nodict");
    let walked = ZdatView::new(FILE).expect("a sound file");
    let (opened, source) = ZdatView::open(FILE, Some(data)).expect("a sound file");
    match ZdatView::with_index(FILE, data) {
        Ok(indexed) => {
            assert_eq!(source, IndexSource::Read);
            assert_eq!(opened.offsets(), indexed.offsets());
            assert!(indexed.offsets().is_sorted());
            assert_eq!(indexed.offsets().last(), Some(&(FILE.len() as u64)));
            // Group by group; an offset inside a frame is found when that is read.
            assert!(indexed.verify(None).count() as u64 <= indexed.len());
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert!(matches!(source, IndexSource::Damaged(_)));
            assert_eq!(opened.offsets(), walked.offsets());
        }
    }
}

/// Takes the bytes for records, the last one filled up with zeros. What decodes in a layout must
/// encode to a record that decodes to the same.
pub fn zdat_record(data: &[u8]) {
    for bytes in data.chunks(ZdatRecord::BYTES) {
        let mut filled = [0; ZdatRecord::BYTES];
        filled[..bytes.len()].copy_from_slice(bytes);
        let record = ZdatRecord::from_bytes(&filled);
        for layout in Layout::ALL {
            survives(record, layout);
        }
    }
}

fn survives(record: &ZdatRecord, layout: Layout) {
    let faults = record.faults(Some(layout));
    assert!(record.faults(None).len() <= faults.len());
    let mut policies = SparsePolicies::new();
    policies.fill(std::slice::from_ref(record), layout);
    assert_eq!(policies.moves().len(), record.policy(layout).count());
    let decoded = match record.decode(layout) {
        Ok(decoded) => decoded,
        Err(error) => {
            assert!(!faults.is_empty(), "{error}");
            return;
        }
    };
    let moves: Vec<_> = moves(record, layout);
    let targets = ZdatTargets {
        static_eval: record.static_eval(),
        quiescence: record.quiescence(),
        repeated: decoded.repeated,
        score: decoded.score,
        moves_to_go: record.moves_to_go(),
    };
    let again = ZdatRecord::encode(&decoded.position, &moves, decoded.result, &targets, layout);
    let again = again.expect("moves of a policy");
    assert_eq!(again.policy_cells(), record.policy_cells());
    let decoded_again = again.decode(layout).expect("it was encoded");
    let position = decoded.position.normalize_en_passant();
    assert_eq!(decoded_again.position, position);
    assert_eq!(decoded_again.result, decoded.result);
    assert_eq!(decoded_again.score, decoded.score);
    assert_eq!(decoded_again.moves_to_go, decoded.moves_to_go);
    assert_eq!(decoded_again.repeated, decoded.repeated);
}

fn moves(record: &ZdatRecord, layout: Layout) -> Vec<PolicyMove> {
    let of = |entry: chess_records::zdat::PolicyEntry| {
        assert_eq!(policy_cell(probability(entry.value)), entry.value);
        PolicyMove {
            from: entry.from,
            to: entry.to,
            probability: entry.probability(),
        }
    };
    record.policy(layout).map(of).collect()
}
