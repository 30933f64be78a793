//! `.zdat` files: golden ones, damaged ones, and those that the crate writes itself.
#![cfg(feature = "zdat")]
// Helpers of tests fail by panicking, as tests do.
#![allow(clippy::unwrap_used)]

mod damage;
mod dataset;
mod golden;
mod properties;
mod stream;
mod write;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use chess_records::ZdatRecord;
use chess_records::zdat::{ZdatGroup, ZdatView};

/// The golden files.
const NAMES: [&str; 4] = ["edge", "nodict", "rank8", "stoof"];

fn golden(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    tests.join("golden/zdat/valid").join(name)
}

fn bytes(name: &str) -> Vec<u8> {
    fs::read(golden(name)).unwrap()
}

fn view(name: &str) -> ZdatView<Vec<u8>> {
    let index = bytes(&format!("{name}.zdat.idx"));
    ZdatView::with_index(bytes(&format!("{name}.zdat")), &index).unwrap()
}

fn records<D: AsRef<[u8]>>(view: &ZdatView<D>) -> Vec<ZdatRecord> {
    let mut decoder = view.decoder();
    let mut group = ZdatGroup::new();
    let mut records = Vec::new();
    for index in 0..view.group_count() {
        decoder.read_group(index, &mut group).unwrap();
        assert_eq!(group.first_record(), records.len() as u64);
        records.extend_from_slice(group.records());
    }
    records
}

fn chain(error: &dyn Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}

/// A file of these records, written by the crate.
fn written(records: &[ZdatRecord], batch: u32) -> Vec<u8> {
    use chess_records::ZdatWriter;
    use chess_records::zdat::ZdatWriterOptions;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.zdat");
    let options = ZdatWriterOptions::new().batch(batch).level(1);
    let mut writer = ZdatWriter::create(&path, &options).unwrap();
    writer.extend(records).unwrap();
    writer.finish().unwrap();
    fs::read(path).unwrap()
}

/// A record with these bytes replaced.
fn changed(record: &ZdatRecord, offset: usize, bytes: &[u8]) -> ZdatRecord {
    let mut all = *record.as_bytes();
    all[offset..offset + bytes.len()].copy_from_slice(bytes);
    *ZdatRecord::from_bytes(&all)
}
