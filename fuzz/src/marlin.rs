//! marlinformat records.

use chess_records::{MarlinMoveRecord, MarlinRecord, RecordView};

/// Takes the bytes for records of both kinds. What decodes must encode to the same bytes but for the
/// nibbles that mean nothing.
pub fn marlin(data: &[u8]) {
    let whole = &data[..data.len() / MarlinRecord::BYTES * MarlinRecord::BYTES];
    assert_eq!(
        RecordView::<MarlinRecord, _>::new(data).is_ok(),
        whole.len() == data.len()
    );
    records(whole);
    records_with_moves(whole);
}

fn records(data: &[u8]) {
    let view = RecordView::<MarlinRecord, _>::new(data).expect("whole records");
    let mut faults = view.verify().map(|fault| fault.index).peekable();
    for (index, record) in (0..).zip(view.records()) {
        let sound = faults.next_if_eq(&index).is_none();
        match record.decode() {
            Ok(decoded) => {
                assert!(sound, "record {index} decodes and is faulty");
                let again =
                    MarlinRecord::encode(&decoded, record.extra()).expect("it came from one");
                assert_eq!(again.to_bytes(), record.canonical().to_bytes());
            }
            Err(_) => assert!(!sound, "record {index} does not decode and is sound"),
        }
    }
}

fn records_with_moves(data: &[u8]) {
    let view = RecordView::<MarlinMoveRecord, _>::new(data).expect("whole records");
    for record in view.records() {
        if let Ok(decoded) = record.decode() {
            let again = MarlinMoveRecord::encode(&decoded, record.move_bits(), record.extra());
            let again = again.expect("it came from one");
            assert_eq!(again.to_bytes(), record.canonical().to_bytes());
        }
        if let Ok(best_move) = record.best_move() {
            assert_eq!(best_move.to_bits(), record.move_bits());
        }
    }
}
