use super::*;
use proptest::prelude::*;

/// A header with this text.
fn with_text(version: [u8; 2], text: &str) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend(version);
    match version[0] {
        1 => bytes.extend((text.len() as u16).to_le_bytes()),
        _ => bytes.extend((text.len() as u32).to_le_bytes()),
    }
    bytes.extend(text.as_bytes());
    bytes
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8(bytes[10..].to_vec()).unwrap()
}

#[test]
fn every_version_is_read() {
    let numpy = NpyHeader::to_bytes(180);
    assert_eq!(numpy.len(), 384);
    let header = NpyHeader::parse(&numpy).unwrap();
    assert_eq!((header.rows(), header.data_offset()), (180, 384));
    assert_eq!(header.file_bytes(), 384 + 180 * 202);
    for version in [2, 3] {
        let bytes = with_text([version, 0], &text_of(&numpy));
        let header = NpyHeader::parse(&bytes).unwrap();
        assert_eq!((header.rows(), header.data_offset()), (180, 386));
        let read = NpyHeader::read(&bytes[..]).unwrap();
        assert_eq!(read, header);
    }
}

#[test]
fn reading_stops_at_the_first_row() {
    let mut bytes = NpyHeader::to_bytes(1);
    bytes.extend([7; 202]);
    let mut file = &bytes[..];
    assert_eq!(NpyHeader::read(&mut file).unwrap().rows(), 1);
    assert_eq!(file, [7; 202]);
}

#[test]
fn files_that_are_something_else() {
    let text = |bytes: &[u8]| {
        let error = NpyHeader::parse(bytes).unwrap_err();
        let read = NpyHeader::read(bytes).unwrap_err();
        assert_eq!(read.to_string(), error.to_string());
        error.to_string()
    };
    assert_eq!(
        text(b"\x93NUM"),
        "the file ends after 4 bytes, inside its header of 6"
    );
    assert_eq!(
        text(&NpyHeader::to_bytes(3)[..100]),
        "the file ends after 100 bytes, inside its header of 384"
    );
}

#[test]
fn arrays_of_something_else() {
    let numpy = text_of(&NpyHeader::to_bytes(9));
    let text = |from: &str, to: &str| {
        let changed = numpy.replace(from, to);
        assert_ne!(changed, numpy);
        NpyHeader::parse(&with_text([1, 0], &changed))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        text("('', '|V1'), ", ""),
        "the rows have 201 bytes, expected 202: the byte ('', '|V1') before 'move_number' is missing, \
         as numpy's concatenate drops padding; rebuild the file with the full dtype"
    );
    assert_eq!(
        text("<u2', (64,)", ">u2', (64,)"),
        "field 1 of the rows is ('legal_idx', '>u2', (64,)), expected ('legal_idx', '<u2', (64,))"
    );
    assert_eq!(
        text("('move_number', '<u2')", ""),
        "the rows have 10 fields, expected 11"
    );
    assert_eq!(
        text(
            "('move_number', '<u2')",
            "('move_number', '<u2'), ('x', '|u1')"
        ),
        "the rows have 12 fields, expected 11"
    );
    assert_eq!(
        text("False", "True"),
        "'fortran_order' is True, expected False"
    );
    assert_eq!(
        text("(9,)", "(9, 1)"),
        "the shape is (9, 1), expected one number of rows"
    );
    assert_eq!(
        text("(9,)", "()"),
        "the shape is (), expected one number of rows"
    );
    assert_eq!(
        text("(9,)", "(45661245907101354,)"),
        "45661245907101354 rows are more than a file can hold"
    );
    let plain = "{'descr': '|u1', 'fortran_order': False, 'shape': (9,), }";
    assert_eq!(
        NpyHeader::parse(&with_text([1, 0], plain))
            .unwrap_err()
            .to_string(),
        "the items are '|u1', expected rows of named fields"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(rows in 0..=45_661_245_907_101_351u64) {
        let bytes = NpyHeader::to_bytes(rows);
        prop_assert_eq!(bytes.len() % 64, 0);
        let header = NpyHeader::parse(&bytes).unwrap();
        prop_assert_eq!(header.rows(), rows);
        prop_assert_eq!(header.data_offset(), bytes.len() as u64);
    }
}
