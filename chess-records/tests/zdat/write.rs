//! What the crate writes, and who reads it.

use std::fs;
use std::path::Path;
use std::process::Command;

use chess_records::zdat::{
    IndexSource, ZdatView, ZdatWriteError, ZdatWriterOptions, train_dictionary,
};
use chess_records::{ZdatFile, ZdatRecord, ZdatWriter};

use super::{NAMES, bytes, chain, records, view};

fn write(path: &Path, records: &[ZdatRecord], options: &ZdatWriterOptions) {
    let mut writer = ZdatWriter::create(path, options).unwrap();
    writer.extend(records).unwrap();
    assert_eq!(writer.records(), records.len() as u64);
    assert_eq!(writer.path(), path);
    writer.finish().unwrap();
}

#[test]
fn what_is_written_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.zdat");
    for name in NAMES {
        let all = records(&view(name));
        for (batch, level) in [(1, 1), (7, 3), (1000, 9)] {
            let options = ZdatWriterOptions::new().batch(batch).level(level);
            write(&path, &all, &options);
            let file = ZdatFile::read(&path).unwrap();
            assert_eq!(file.index_source(), IndexSource::Read);
            assert_eq!(file.view().header().batch(), batch);
            assert_eq!(file.view().header().level(), level);
            assert!(records(file.view()) == all, "{name}");
        }
    }
    let names = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(names, 2, "no temporary file is left");
}

#[test]
fn dictionaries_are_trained_and_used() {
    let all = records(&view("stoof"));
    let dictionary = train_dictionary(&all, 16384).unwrap();
    assert!((1000..=16384).contains(&dictionary.len()));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.zdat");
    let plain = ZdatWriterOptions::new();
    write(&path, &all, &plain);
    let without = fs::metadata(&path).unwrap().len();
    write(&path, &all, &plain.dictionary(dictionary.clone()));
    let file = ZdatFile::read(&path).unwrap();
    let with = fs::metadata(&path).unwrap().len();
    assert_eq!(file.view().dictionary(), dictionary);
    assert!(file.view().dictionary_id().is_some());
    assert!(records(file.view()) == all);
    assert!(
        with - (dictionary.len() as u64) < without,
        "{with} bytes with, {without} without"
    );
    // As small as what the reference writes with the same options.
    let reference = bytes("stoof.zdat").len() as u64;
    assert!(
        with < reference + reference / 20,
        "{with} bytes, the reference has {reference}"
    );
}

#[test]
fn content_serves_as_a_dictionary_too() {
    let all = records(&view("nodict"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.zdat");
    let options = ZdatWriterOptions::new().dictionary(all[0].as_bytes().to_vec());
    write(&path, &all, &options);
    let file = ZdatFile::read(&path).unwrap();
    assert_eq!(file.view().dictionary_id(), None);
    assert!(records(file.view()) == all);
}

#[test]
fn files_without_records() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.zdat");
    write(&path, &[], &ZdatWriterOptions::new());
    let file = ZdatFile::read(&path).unwrap();
    assert_eq!(file.index_source(), IndexSource::Read);
    assert!(file.is_empty());
    assert_eq!(file.view().group_count(), 0);
    assert_eq!(ZdatView::new(fs::read(&path).unwrap()).unwrap().len(), 0);
    assert_eq!(file.view().verify(None).count(), 0);
}

#[test]
fn an_unfinished_file_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.zdat");
    let all = records(&view("nodict"));
    write(&path, &all, &ZdatWriterOptions::new());
    let before = fs::read(&path).unwrap();
    let mut writer = ZdatWriter::create(&path, &ZdatWriterOptions::new()).unwrap();
    writer.extend(&all[..40]).unwrap();
    assert!(format!("{writer:?}").contains("records: 40"));
    drop(writer);
    assert_eq!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
}

#[test]
fn options_out_of_range() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.zdat");
    let error =
        |options: ZdatWriterOptions| chain(&ZdatWriter::create(&path, &options).unwrap_err());
    let options = ZdatWriterOptions::new;
    assert_eq!(
        error(options().level(0)),
        "the zstd level is 0, expected 1 to 22"
    );
    assert_eq!(
        error(options().level(23)),
        "the zstd level is 23, expected 1 to 22"
    );
    assert_eq!(
        error(options().batch(0)),
        "the options fit no header: the records per group (offset 12) are 0, expected 1 to 65536"
    );
    let damaged = vec![0x37, 0xa4, 0x30, 0xec, 1, 2, 3, 4, 5];
    assert_eq!(
        error(options().dictionary(damaged)),
        "the options fit no header: the dictionary (offset 24) is damaged"
    );
    let long = vec![0; (32 << 20) + 1];
    assert_eq!(
        error(options().dictionary(long)),
        "the options fit no header: the dictionary's length (offset 20) is 33554433, expected at most 33554432"
    );
    assert!(!path.exists());
    assert_eq!(
        chain(&ZdatWriter::create(folder.path(), &options()).unwrap_err()),
        format!(
            "{}: is a folder, a file cannot take its place",
            folder.path().display()
        )
    );
    fs::create_dir(folder.path().join("some.zdat.idx")).unwrap();
    assert!(error(options()).ends_with("some.zdat.idx: is a folder, a file cannot take its place"));
    let _: ZdatWriteError = ZdatWriter::create(&path, &options()).unwrap_err();
}

#[test]
fn training_needs_records() {
    let error = train_dictionary(&[ZdatRecord::zeroed()], 1000).unwrap_err();
    assert_eq!(
        error.to_string(),
        "no dictionary of 1000 bytes can be made of 1 records: Src size is incorrect"
    );
}

/// An independent reader agrees. Skipped where Python with `zstandard` is not there; the
/// environment variable `PYTHON` names another interpreter.
#[test]
fn python_reads_what_is_written() {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let found = Command::new(&python)
        .args(["-c", "import zstandard"])
        .output();
    if !found.is_ok_and(|output| output.status.success()) {
        println!("skipped: {python} with the package zstandard is not there");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/zdat/read.py");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.zdat");
    let raw = folder.path().join("raw");
    for name in NAMES {
        let all = records(&view(name));
        let dictionary = train_dictionary(&all, 4096).unwrap_or_default();
        for options in [
            ZdatWriterOptions::new().batch(7).level(19),
            ZdatWriterOptions::new().dictionary(dictionary),
        ] {
            write(&path, &all, &options);
            let run = Command::new(&python)
                .args([&script, &path, &raw])
                .output()
                .unwrap();
            assert!(
                run.status.success(),
                "{}",
                String::from_utf8_lossy(&run.stderr)
            );
            let read = fs::read(&raw).unwrap();
            assert!(
                read.iter()
                    .eq(all.iter().flat_map(|record| record.as_bytes())),
                "{name}"
            );
        }
    }
}
