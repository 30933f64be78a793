//! Files that are cut off, damaged or lying.

use std::fs;

use chess_records::zdat::{
    GroupFault, IndexSource, Layout, ZdatFaultKind, ZdatGroup, ZdatHeader, ZdatIndexError,
    ZdatView, ZdatViewError,
};
use chess_records::{ZdatFile, ZdatRecord};

use super::{bytes, chain, changed, golden, records, view, written};

/// Opens a file by walking it and reads everything.
fn read_all(data: &[u8]) -> Result<u64, String> {
    let view = ZdatView::new(data).map_err(|error| chain(&error))?;
    let mut group = ZdatGroup::new();
    for index in 0..view.group_count() {
        view.read_group(index, &mut group)
            .map_err(|error| chain(&error))?;
    }
    Ok(view.len())
}

#[test]
fn truncation_shows_at_every_byte() {
    let data = bytes("nodict.zdat");
    let index = bytes("nodict.zdat.idx");
    let offsets = view("nodict").offsets().to_vec();
    for cut in 0..data.len() {
        let cut_off = &data[..cut];
        // An index never fits.
        let error = ZdatView::with_index(cut_off, &index).unwrap_err();
        match offsets.iter().position(|&offset| offset == cut as u64) {
            // Between groups the file is whole, but shorter.
            Some(groups) => assert_eq!(read_all(cut_off), Ok(7 * groups as u64)),
            None if cut < 24 => assert_eq!(
                chain(&error),
                format!("the header is no .zdat header: {cut} bytes, expected a header of 24")
            ),
            None => {
                let group = offsets
                    .iter()
                    .rposition(|&offset| offset < cut as u64)
                    .unwrap();
                let start = offsets[group];
                let left = cut as u64 - start;
                assert_eq!(
                    read_all(cut_off).unwrap_err(),
                    format!(
                        "the groups do not follow each other as they should: group {group} at byte \
                         {start}: the frame is cut off after {left} bytes"
                    )
                );
            }
        }
        if cut >= 24 {
            assert!(matches!(
                error,
                ZdatViewError::Index(ZdatIndexError::End { .. })
            ));
        }
    }
}

#[test]
fn truncation_inside_the_dictionary() {
    let data = bytes("stoof.zdat");
    for cut in [24, 25, 9000, 16407] {
        let text = format!(
            "the header is no .zdat header: the dictionary's length (offset 20) is 16384, but {} \
             bytes follow",
            cut - 24
        );
        assert_eq!(read_all(&data[..cut]).unwrap_err(), text);
    }
    assert_eq!(read_all(&data[..16408]), Ok(0));
}

/// No damaged byte panics, and hardly one goes unnoticed: frames have no checksum.
#[test]
fn damage_at_every_byte() {
    let data = written(&records(&view("nodict"))[..6], 3);
    assert_eq!(read_all(&data), Ok(6));
    let mut refused = 0;
    for at in 0..data.len() {
        for damage in [0x01, 0x80, 0xff] {
            let mut damaged = data.clone();
            damaged[at] ^= damage;
            refused += usize::from(read_all(&damaged).is_err());
            if let Ok(view) = ZdatView::new(&damaged[..]) {
                for fault in view.verify(Some(Layout::default())) {
                    assert!(!chain(&fault).is_empty());
                }
            }
        }
    }
    assert!(refused > data.len() / 2, "{refused} of {}", 3 * data.len());
}

#[test]
fn headers_that_lie() {
    let data = bytes("nodict.zdat");
    let with = |offset: usize, bytes: [u8; 4]| {
        let mut changed = data.clone();
        changed[offset..offset + 4].copy_from_slice(&bytes);
        read_all(&changed).unwrap_err()
    };
    let header = "the header is no .zdat header: ";
    let lie = u32::MAX.to_le_bytes();
    assert_eq!(
        with(20, lie),
        format!(
            "{header}the dictionary's length (offset 20) is 4294967295, expected at most 33554432"
        )
    );
    assert_eq!(
        with(20, ZdatHeader::MAX_DICTIONARY_BYTES.to_le_bytes()),
        format!(
            "{header}the dictionary's length (offset 20) is 33554432, but {} bytes follow",
            data.len() - 24
        )
    );
    assert_eq!(
        with(12, lie),
        format!("{header}the records per group (offset 12) are 4294967295, expected 1 to 65536")
    );
    assert_eq!(
        with(8, lie),
        format!("{header}the record size (offset 8) is 4294967295, expected 4545")
    );
    let groups = "the groups do not follow each other as they should: group 0 at byte 24: ";
    assert_eq!(
        with(12, ZdatHeader::MAX_BATCH.to_le_bytes()),
        format!("{groups}7 records, expected 65536")
    );
    assert_eq!(
        with(12, 6u32.to_le_bytes()),
        format!("{groups}31815 bytes decompressed, expected 1 to 6 records of 4545 bytes each")
    );
    // A dictionary that begins as one and goes on otherwise.
    let mut bytes = data[..24].to_vec();
    bytes[20] = 8;
    bytes.extend([0x37, 0xa4, 0x30, 0xec, 1, 2, 3, 4]);
    assert_eq!(
        read_all(&bytes).unwrap_err(),
        format!("{header}the dictionary (offset 24) is damaged")
    );
}

#[test]
fn frames_that_lie() {
    let record = ZdatRecord::zeroed();
    let mut data = written(&[record; 3], 3);
    // The content size: a single segment, two bytes after the descriptor.
    assert_eq!(data[28] >> 5, 0b011);
    let size = 3 * 4545 - 256;
    assert_eq!(data[29..31], u16::to_le_bytes(size));
    data[29] -= 1;
    let groups = "the groups do not follow each other as they should: group 0 at byte 24: ";
    assert_eq!(
        read_all(&data).unwrap_err(),
        format!("{groups}13634 bytes decompressed, expected a multiple of 4545")
    );
    // Fewer records than there are.
    data[29..31].copy_from_slice(&u16::to_le_bytes(size - 4545));
    let error = read_all(&data).unwrap_err();
    assert!(
        error.starts_with("group 0 at byte 24: the frame is damaged: "),
        "{error}"
    );
}

#[test]
fn a_short_group_before_the_end() {
    let record = ZdatRecord::zeroed();
    let one = written(&[record], 3);
    let data = [&one[..], &one[24..]].concat();
    assert_eq!(
        read_all(&data).unwrap_err(),
        "the groups do not follow each other as they should: group 0 at byte 24: 1 records, expected 3"
    );
    // By an index that fits, it shows when it is read.
    let mut index = b"SJNGIDX1".to_vec();
    for number in [2, 24, one.len(), data.len()] {
        index.extend((number as u64).to_le_bytes());
    }
    let view = ZdatView::with_index(&data[..], &index).unwrap();
    assert_eq!(view.len(), 4);
    let error = view.read_group(0, &mut ZdatGroup::new()).unwrap_err();
    assert_eq!(chain(&error), "group 0 at byte 24: 1 records, expected 3");
    let faults: Vec<_> = view.verify(None).map(|fault| chain(&fault)).collect();
    assert!(faults[0].starts_with("group 0 at byte 24: 1 records, expected 3"));
}

#[test]
fn frames_of_another_dictionary() {
    let mut data = bytes("stoof.zdat");
    // The number of the file's dictionary, not that of its frames.
    data[28] ^= 1;
    let error = read_all(&data).unwrap_err();
    let start = "the groups do not follow each other as they should: group 0 at byte 16408: the frame needs dictionary 600067807, the file has dictionary ";
    assert!(error.starts_with(start), "{error}");
    // Without any dictionary.
    let mut without = data[..24].to_vec();
    without[20..24].fill(0);
    without.extend_from_slice(&data[16408..]);
    let error = read_all(&without).unwrap_err();
    assert!(
        error.ends_with("the frame needs dictionary 600067807, the file has none with a number")
    );
}

#[test]
fn indices_that_do_not_fit_are_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.zdat");
    let index_path = folder.path().join("some.zdat.idx");
    fs::copy(golden("nodict.zdat"), &path).unwrap();
    let sound = bytes("nodict.zdat.idx");
    let source = |index: Option<&[u8]>| {
        let _ = fs::remove_file(&index_path);
        if let Some(index) = index {
            fs::write(&index_path, index).unwrap();
        }
        let file = ZdatFile::read(&path).unwrap();
        assert_eq!(file.len(), 41);
        assert_eq!(file.view().offsets(), view("nodict").offsets());
        file.index_source()
    };
    assert_eq!(source(Some(&sound)), IndexSource::Read);
    assert_eq!(source(None), IndexSource::Missing);
    for cut in 0..sound.len() {
        assert!(
            matches!(source(Some(&sound[..cut])), IndexSource::Damaged(_)),
            "{cut}"
        );
    }
    for at in 0..sound.len() {
        let mut damaged = sound.clone();
        damaged[at] ^= 0x80;
        // Offsets of groups in the middle are looked at when the groups are.
        if (24..sound.len() - 16).contains(&at) && at % 8 == 0 {
            continue;
        }
        assert!(
            matches!(source(Some(&damaged)), IndexSource::Damaged(_)),
            "{at}"
        );
    }
    let mut lying = sound.clone();
    for count in [0, 5, 7, 35, 43, 1 << 32, u64::MAX - 6, u64::MAX] {
        lying[8..16].copy_from_slice(&u64::to_le_bytes(count));
        let IndexSource::Damaged(error) = source(Some(&lying)) else {
            panic!("{count}");
        };
        assert!(matches!(error, ZdatIndexError::Count { .. }), "{count}");
    }
    for count in [36, 40, 42] {
        lying[8..16].copy_from_slice(&u64::to_le_bytes(count));
        let found = ZdatIndexError::Records { count, found: 41 };
        assert_eq!(source(Some(&lying)), IndexSource::Damaged(found));
    }
}

#[test]
fn an_offset_inside_a_frame() {
    let data = bytes("nodict.zdat");
    let mut index = bytes("nodict.zdat.idx");
    index[24] += 1; // where group 1 starts
    let view = ZdatView::with_index(&data[..], &index).unwrap();
    let faults: Vec<_> = view.verify(None).collect();
    assert_eq!(faults.len(), 2);
    assert_eq!(
        chain(&faults[0]),
        "group 0 at byte 24: 1 trailing bytes after a frame of 1211 bytes"
    );
    assert!(matches!(
        faults[1].error,
        ZdatFaultKind::Group(GroupFault::Frame(_))
    ));
    assert_eq!((faults[1].group, faults[1].record), (1, None));
    // The last group's start is looked at on opening.
    let mut index = bytes("nodict.zdat.idx");
    index[56] += 1;
    let error = ZdatView::with_index(&data[..], &index).unwrap_err();
    let text = chain(&error);
    assert!(
        text.starts_with(
            "the index does not fit the data: the last group is not where the index says: \
             group 5 at byte 6025: the magic (offset 0) is 0x"
        ),
        "{text}"
    );
}

#[test]
fn files_that_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("some.zdat");
    let error = |path| chain(&ZdatFile::read(path).unwrap_err());
    assert!(error(path.clone()).starts_with(&format!("{}: no such file", path.display())));
    fs::write(&path, b"SJNGDAT2, and so on, for a while").unwrap();
    assert_eq!(
        error(path.clone()),
        format!(
            "{}: is no .zdat file: the header is no .zdat header: the magic (offset 0) is \
             \"SJNGDAT2\", expected \"SJNGDAT1\"",
            path.display()
        )
    );
    fs::create_dir(folder.path().join("some.zdat.idx")).unwrap();
    assert!(error(path).ends_with("some.zdat.idx: is a folder, expected a file"));
}

#[test]
fn verify_says_everything() {
    let sound = records(&view("nodict"));
    let base = sound[0];
    let with = |offset: usize, bytes: &[u8]| changed(&base, offset, bytes);
    let float = |number: f32| number.to_le_bytes();
    let nan = float(f32::NAN);
    let cases: [(ZdatRecord, &[&str]); 17] = [
        (
            with(4464, &nan),
            &["the static evaluation (offset 4464) is NaN, expected a finite number"],
        ),
        (
            with(4532, &float(f32::INFINITY)),
            &["an internal scalar (offset 4532) is inf, expected a finite number"],
        ),
        (
            with(4536, &nan),
            &["the score (offset 4536) is NaN, expected a finite number"],
        ),
        (
            with(4540, &nan),
            &["the outcome (offset 4540) is NaN, expected -1 lost, 0 draw or 1 won"],
        ),
        (
            with(4540, &float(0.5)),
            &["the outcome (offset 4540) is 0.5, expected -1 lost, 0 draw or 1 won"],
        ),
        (
            with(4468, &float(-1.5)),
            &["the quiescence score (offset 4468) is -1.5, expected -1 to 1"],
        ),
        (
            with(4492, &float(1.25)),
            &["the fifty-move counter (offset 4492) is 1.25, expected 0 to 1"],
        ),
        (
            with(4472, &float(0.5)),
            &["the mover's kingside castling right (offset 4472) is 0.5, expected 0 or 1"],
        ),
        (
            with(4484, &float(2.0)),
            &["the opponent's queenside castling right (offset 4484) is 2, expected 0 or 1"],
        ),
        (
            with(4488, &float(-1.0)),
            &["repeated before (offset 4488) is -1, expected 0 or 1"],
        ),
        // A knight on a1, an enemy pawn on a1, no king, no rooks.
        (with(8, &[0xc2]), &["a1 holds two types of piece"]),
        (with(48, &[0x80]), &["a1 holds men of both colours"]),
        (with(40, &[0]), &["White has 0 kings, expected 1"]),
        (
            with(24, &[0]),
            &["White may castle on a wing without a rook on its home rank (Kingside)"],
        ),
        (
            with(352, &[0, 0, 0, 0, 0, 0xc0]),
            &["2 en passant squares (offset 352), expected at most 1"],
        ),
        (
            with(352, &[0, 0, 0, 0, 0, 0x80]),
            &["no pawn can have just passed over the en passant square a6"],
        ),
        (
            with(368 + 20 * 64 + 28, &[1, 1]),
            &[
                "the policy moves from e3 to e4, but no own man stands on e3",
                "the policy moves from e3 to f4, but no own man stands on e3",
            ],
        ),
    ];
    for (record, texts) in &cases {
        let found: Vec<_> = record
            .faults(Some(Layout::default()))
            .iter()
            .map(chain_of)
            .collect();
        assert_eq!(found, *texts);
    }
    let onto = with(368, &[0, 1]);
    let found = onto.faults(Some(Layout::default()));
    assert_eq!(
        chain(&found[0]),
        "the policy moves from a1 to b1, onto an own man"
    );
    assert_eq!(
        onto.faults(None),
        [],
        "without a layout policies are not looked at"
    );
    let castling = with(368 + 4 * 64 + 7, &[1]);
    assert_eq!(castling.faults(Some(Layout::default())), []);
    // In a file: what, and where.
    let data = written(&[base, base, base, cases[0].0, base, cases[16].0], 4);
    let view = ZdatView::new(&data[..]).unwrap();
    let faults: Vec<_> = view.verify(Some(Layout::default())).collect();
    let places: Vec<_> = faults.iter().map(ToString::to_string).collect();
    let second = view.offsets()[1];
    assert_eq!(places[0], "record 3 in group 0 at byte 24");
    assert_eq!(places[1], format!("record 5 in group 1 at byte {second}"));
    assert_eq!(faults.len(), 3);
    assert_eq!(view.verify(None).count(), 1);
}

fn chain_of(error: &chess_records::zdat::ZdatRecordError) -> String {
    chain(error)
}

#[test]
fn decoding_says_the_first_thing() {
    let base = records(&view("nodict"))[0];
    let decode = |offset, bytes: [u8; 4]| {
        let error = changed(&base, offset, &bytes)
            .decode(Layout::default())
            .unwrap_err();
        error.to_string()
    };
    let half = 0.5f32.to_le_bytes();
    assert!(decode(4536, f32::NAN.to_le_bytes()).starts_with("the score"));
    assert!(decode(4540, half).starts_with("the outcome"));
    assert!(decode(4472, half).starts_with("the mover's kingside castling right"));
    assert!(decode(4488, half).starts_with("repeated before"));
}
