//! Lines of text, one by one and as a stream.

use chess_records::{LabelledPosition, TextReader};

/// Takes the bytes for a file of text records. The reader must stop at the first fault, and what it
/// accepts must survive being written and read again.
pub fn text(data: &[u8]) {
    let mut failed = false;
    for record in TextReader::new(data) {
        assert!(!failed, "a reader stops after an error");
        match record {
            Ok(record) => survives(&record),
            Err(_) => failed = true,
        }
    }
}

fn survives(record: &LabelledPosition) {
    let written = record.text().expect("what was read can be written");
    let written = written.to_string();
    let again = LabelledPosition::from_text(&written).expect("what is written is read");
    assert_eq!(again.label, record.label);
    assert_eq!(
        again.text().expect("written once more").to_string(),
        written
    );
}
