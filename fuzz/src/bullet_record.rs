//! bulletformat records.

use chess_records::{Board, BulletRecord, BulletView};

/// Takes the bytes for records. What decodes must encode to the same bytes but for the nibbles that
/// mean nothing.
pub fn bullet_record(data: &[u8]) {
    let whole = &data[..data.len() / BulletRecord::BYTES * BulletRecord::BYTES];
    assert_eq!(BulletView::new(data).is_ok(), whole.len() == data.len());
    let view = BulletView::new(whole).expect("whole records");
    let mut faults = view.verify().map(|fault| fault.index).peekable();
    for (index, record) in (0..).zip(view.records()) {
        let sound = faults.next_if_eq(&index).is_none();
        assert_eq!(record.decode().is_ok(), sound, "record {index}");
        survives(record);
    }
}

fn survives(record: &BulletRecord) {
    let Ok(decoded) = record.decode() else {
        return;
    };
    let again = BulletRecord::from_labelled_lossy(&decoded, record.extra());
    let again = again.expect("it came from one");
    assert_eq!(again.to_bytes(), record.canonical().to_bytes());
    let men = decoded.placement().men();
    assert_eq!(men, record.occupied().count_ones());
}
