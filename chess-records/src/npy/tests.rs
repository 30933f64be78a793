use std::format;
use std::string::{String, ToString};

use proptest::prelude::*;

use super::*;

/// A header with this text.
fn with_text(version: [u8; 2], text: &str) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
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

fn words() -> Vec<u8> {
    to_bytes(&"<u2".into(), &[1454])
}

#[test]
fn the_dump_of_the_docs() {
    let text = "{'descr': '<u2', 'fortran_order': False, 'shape': (1454,), }";
    let dump = format!("\u{1}\0v\0{text:117}\n");
    assert_eq!(words(), [&MAGIC[..], dump.as_bytes()].concat());
}

#[test]
fn padding_is_numpys() {
    // One name more makes a text that fits exactly, and numpy pads that all the same.
    let named = |len: usize| {
        let field = Literal::Tuple([Literal::Text("a".repeat(len)), "|u1".into()].into());
        to_bytes(&Literal::List([field].into()), &[5]).len()
    };
    assert_eq!(
        (named(1), named(31), named(32), named(79)),
        (128, 128, 192, 192)
    );
    let long = to_bytes(&"<i8".into(), &[u64::MAX]);
    assert_eq!(long.len(), words().len(), "there is room to grow");
    assert!(
        text_of(&to_bytes(&"<f4".into(), &[]))
            .starts_with("{'descr': '<f4', 'fortran_order': False, 'shape': (), }  ")
    );
    assert!(text_of(&to_bytes(&"<f4".into(), &[3, 4])).contains("'shape': (3, 4), }  "));
}

#[test]
#[should_panic(expected = "the header's text is not ASCII")]
fn texts_of_version_1_are_ascii() {
    let _ = to_bytes(&"\u{e9}".into(), &[1]);
}

#[test]
#[should_panic(expected = "the header's text has 70134 bytes")]
fn texts_of_version_1_are_short() {
    let _ = to_bytes(&Literal::Text("a".repeat(70_000)), &[1]);
}

#[test]
fn every_version_is_read() {
    let numpy = words();
    let header = Header::parse(&numpy).unwrap();
    assert_eq!(*header.descr(), Literal::from("<u2"));
    assert!(!header.fortran_order());
    assert_eq!((header.shape(), header.data_offset()), (&[1454][..], 128));
    assert_eq!(header.rows_of("<u2", 2), Ok(1454));
    for version in [2, 3] {
        let bytes = with_text([version, 0], &text_of(&numpy));
        let header = Header::parse(&bytes).unwrap();
        assert_eq!((header.shape(), header.data_offset()), (&[1454][..], 130));
        assert_eq!(Header::read(&bytes[..]).unwrap(), header);
    }
}

#[test]
fn reading_stops_at_the_first_item() {
    let mut bytes = words();
    bytes.extend([7; 2908]);
    let mut file = &bytes[..];
    assert_eq!(Header::read(&mut file).unwrap().shape(), [1454]);
    assert_eq!(file, [7; 2908]);
}

#[test]
fn files_that_are_something_else() {
    let text = |bytes: &[u8]| {
        let error = Header::parse(bytes).unwrap_err();
        let read = Header::read(bytes).unwrap_err();
        assert_eq!(read.to_string(), error.to_string());
        error.to_string()
    };
    assert_eq!(
        text(b"\x93NUM"),
        "the file ends after 4 bytes, inside its header of 6"
    );
    assert_eq!(
        text(b"\x28\xb5\x2f\xfd..."),
        "the file begins with 28 b5 2f fd 2e 2e, expected 93 4e 55 4d 50 59 (\\x93NUMPY)"
    );
    assert_eq!(
        text(b"\x93NUMPY\x01\x01.."),
        "npy version (offset 6) is 1.1, expected 1.0, 2.0 or 3.0"
    );
    assert_eq!(
        text(b"\x93NUMPY\x02\x00\x01\x00\x01\x00"),
        "the header's text (offset 8) has 65537 bytes, expected at most 65536"
    );
    assert_eq!(
        text(&words()[..100]),
        "the file ends after 100 bytes, inside its header of 128"
    );
    assert_eq!(
        text(&with_text([1, 0], "nothing")),
        "the header's text at offset 10 is not a value in Python's notation"
    );
    let mut latin = with_text([3, 0], "'ab'");
    latin[13] = 0xe9;
    assert_eq!(text(&latin), "the header's text at offset 13 is not UTF-8");
    latin[6] = 2;
    assert_eq!(
        text(&latin),
        "the header has the keys '\u{e9}b', expected 'descr', 'fortran_order' and 'shape'"
    );
}

#[test]
fn texts_that_are_no_header() {
    let numpy = text_of(&words());
    let text = |from: &str, to: &str| {
        let changed = numpy.replace(from, to);
        assert_ne!(changed, numpy);
        Header::parse(&with_text([1, 0], &changed))
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        text("'shape'", "'form'"),
        "the header has the keys 'descr', 'fortran_order', 'form', \
         expected 'descr', 'fortran_order' and 'shape'"
    );
    assert_eq!(
        text(", }", ", 'x': 1}"),
        "the header has the keys 'descr', 'fortran_order', 'shape', 'x', \
         expected 'descr', 'fortran_order' and 'shape'"
    );
    assert_eq!(
        text("False", "0"),
        "'fortran_order' is 0, expected True or False"
    );
    assert_eq!(
        text("(1454,)", "(1454)"),
        "the shape is 1454, expected a tuple of numbers"
    );
    assert_eq!(
        text("(1454,)", "(1, 'a')"),
        "the shape is (1, 'a'), expected a tuple of numbers"
    );
}

#[test]
fn arrays_of_something_else() {
    let numpy = text_of(&words());
    let text = |from: &str, to: &str| {
        let changed = with_text([1, 0], &numpy.replace(from, to));
        let header = Header::parse(&changed).unwrap();
        header.rows_of("<u2", 2).unwrap_err().to_string()
    };
    assert_eq!(text("<u2", ">u2"), "the items are '>u2', expected '<u2'");
    assert_eq!(
        text("'<u2'", "[('a', '<u2')]"),
        "the items are [('a', '<u2')], expected '<u2'"
    );
    assert_eq!(
        text("False", "True"),
        "'fortran_order' is True, expected False"
    );
    assert_eq!(
        text("(1454,)", "(1454, 1)"),
        "the shape is (1454, 1), expected one number of rows"
    );
    assert_eq!(
        text("(1454,)", "()"),
        "the shape is (), expected one number of rows"
    );
    // 2^63 bytes without the header; and some fewer.
    assert_eq!(
        text("(1454,)", "(4611686018427387840,)"),
        "4611686018427387840 rows are more than a file can hold"
    );
    let fits = numpy.replace("(1454,)", "(4611686018427387800,)");
    assert!(
        Header::parse(&with_text([1, 0], &fits))
            .unwrap()
            .rows(2)
            .is_ok()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(shape in prop::collection::vec(any::<u64>(), 0..4)) {
        let bytes = to_bytes(&"<i8".into(), &shape);
        prop_assert_eq!(bytes.len() % 64, 0);
        let header = Header::parse(&bytes).unwrap();
        prop_assert_eq!(header.shape(), &shape[..]);
        prop_assert_eq!(header.data_offset(), bytes.len() as u64);
    }

    #[test]
    fn any_bytes_are_read_alike(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        for version in 1..4 {
            let mut bytes = [MAGIC, &[version, 0][..], &bytes].concat();
            let parsed = Header::parse(&bytes);
            prop_assert_eq!(Header::read(&bytes[..]).is_ok(), parsed.is_ok());
            bytes.truncate(7);
            prop_assert!(Header::parse(&bytes).is_err());
        }
    }
}
