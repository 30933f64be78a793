//! Flat shards: headers, descriptions and rows.

use chess_records::npy::{self, Header};
use chess_shards::{Action, FlatColumns, FlatRecord, Meta, NpyHeader, legal_actions};

/// Takes the bytes for the start of a `.npy` file. A header must be read alike from memory and from a
/// file, and what is written for as many rows must be read again.
pub fn npy_header(data: &[u8]) {
    any_array(data);
    shard(data);
}

fn any_array(data: &[u8]) {
    let parsed = Header::parse(data);
    let mut rest = data;
    match (parsed, Header::read(&mut rest)) {
        (Ok(header), Ok(read)) => {
            assert_eq!(read, header);
            assert_eq!((data.len() - rest.len()) as u64, header.data_offset());
            written_again(&header);
        }
        (Err(error), Err(read)) => assert_eq!(read.to_string(), error.to_string()),
        (parsed, read) => panic!("{parsed:?} from memory, {read:?} from a file"),
    }
}

/// What version 1.0 can say, and what needs no escapes.
fn written_again(header: &Header) {
    let descr = header.descr().to_string();
    if descr.is_ascii() && !descr.contains('\\') && data_fits(&descr, header.shape()) {
        let written = npy::to_bytes(header.descr(), header.shape());
        let again = Header::parse(&written).expect("it was written");
        assert_eq!(again.descr(), header.descr());
        assert_eq!(again.shape(), header.shape());
    }
}

fn data_fits(descr: &str, shape: &[u64]) -> bool {
    descr.len() + shape.len() * 22 < 65_000
}

fn shard(data: &[u8]) {
    let parsed = NpyHeader::parse(data);
    let mut rest = data;
    let read = NpyHeader::read(&mut rest);
    match parsed {
        Ok(header) => {
            assert_eq!(read.expect("it was parsed"), header);
            assert_eq!((data.len() - rest.len()) as u64, header.data_offset());
            assert!(header.file_bytes() >= header.data_offset());
            let written = NpyHeader::to_bytes(header.rows());
            let again = NpyHeader::parse(&written).expect("it was written");
            assert_eq!(again.rows(), header.rows());
        }
        Err(error) => {
            assert_eq!(
                read.expect_err("it was not parsed").to_string(),
                error.to_string()
            );
        }
    }
}

/// Takes the bytes for a `meta.json`. What is written for it must be read as the same.
pub fn flat_meta(data: &[u8]) {
    let Ok(meta) = Meta::from_json(data) else {
        return;
    };
    let text = meta.to_json();
    assert!(text.is_ascii());
    let again = Meta::from_json(&text).expect("it was written");
    assert_eq!(again, meta);
    assert_eq!(again.to_json(), text);
    let overlaps = meta.game_overlaps();
    assert!(overlaps.iter().all(|overlap| !overlap.games.is_empty()));
}

/// Takes the bytes for rows, the last one filled up with zeros. What is sound must be encoded to the
/// same bytes.
pub fn flat_row(data: &[u8]) {
    for bytes in data.chunks(FlatRecord::BYTES) {
        let mut filled = [0; FlatRecord::BYTES];
        filled[..bytes.len()].copy_from_slice(bytes);
        row(&FlatRecord::from_bytes(&filled));
    }
}

fn row(row: &FlatRecord) {
    let columns: FlatColumns = [*row].iter().collect();
    assert_eq!(columns.fields(0), row.fields());
    let listed: Vec<_> = row
        .legal_idx()
        .into_iter()
        .filter(|&number| number < Action::PAD)
        .collect();
    let bits = row.mask_bits();
    assert!(
        listed
            .iter()
            .all(|&number| bits[usize::from(number) / 64] >> (number % 64) & 1 == 1)
    );
    let decoded = match row.decode() {
        Ok(decoded) => decoded,
        Err(error) => {
            assert_eq!(
                row.verify().expect_err("no position").to_string(),
                error.to_string()
            );
            return;
        }
    };
    let mut legal = Vec::new();
    legal_actions(&decoded.position, &mut legal);
    for action in &legal {
        assert_eq!(
            Action::from_move(action.to_move(&chess_records::Board::placement(&decoded))),
            Ok(*action)
        );
    }
    if row.verify().is_ok() {
        let target = row.target().expect("it is sound");
        let result = decoded.label.result.expect("every row has one");
        let ply = row.move_number();
        let encoded = FlatRecord::encode(&decoded.position, target, legal, result, ply);
        assert_eq!(encoded.expect("it is sound").0, *row);
        assert!(row.to_marlin_lossy(0).is_ok());
    }
}
