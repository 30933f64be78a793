//! Groups decompressed by several threads.

use std::num::NonZeroUsize;
use std::sync::Arc;

use chess_records::ZdatRecord;
use chess_records::zdat::{ZdatGroup, ZdatStream, ZdatView};

use super::{chain, records, view, written};

fn threads(count: usize) -> NonZeroUsize {
    NonZeroUsize::new(count).unwrap()
}

#[test]
fn any_number_of_threads_gives_the_same_groups() {
    let stoof = Arc::new(view("stoof"));
    let expected = records(&*stoof);
    for count in [1, 2, 3, 8, 100] {
        let mut found = Vec::new();
        for (number, group) in
            ZdatStream::new(Arc::clone(&stoof), 0..22, threads(count)).enumerate()
        {
            let group = group.unwrap();
            assert_eq!(group.index(), number as u64);
            assert_eq!(group.byte_offset(), stoof.offsets()[number]);
            found.extend_from_slice(group.records());
        }
        assert!(found == expected, "{count} threads");
    }
}

#[test]
fn buffers_are_filled_again() {
    let stoof = Arc::new(view("stoof"));
    let mut stream = ZdatStream::new(Arc::clone(&stoof), 3..9, threads(2));
    let mut group = ZdatGroup::new();
    let mut found = Vec::new();
    while stream.fill(&mut group).unwrap() {
        found.extend_from_slice(group.records());
    }
    assert!(found == records(&*stoof)[3 * 32..9 * 32]);
    assert!(!stream.fill(&mut group).unwrap(), "the end stays the end");
    assert!(stream.next().is_none());
    assert_eq!(
        format!("{stream:?}"),
        "ZdatStream { groups: 3..9, threads: 1 }"
    );
}

#[test]
fn a_damaged_group_ends_the_stream() {
    // Several runs, the damage inside the second.
    // A record of pseudorandom bytes does not shrink: it is easy to hit.
    let mut state = 1u64;
    let mut noise = [0; 4545];
    for byte in &mut noise {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        *byte = (state >> 56) as u8;
    }
    let noise = *ZdatRecord::from_bytes(&noise);
    let mut data = written(&vec![noise; 700], 1);
    let offset = ZdatView::new(&data[..]).unwrap().offsets()[301];
    let index = index_of(&data);
    data[offset as usize] = 0;
    let view = Arc::new(ZdatView::with_index(data, &index).unwrap());
    for count in [1, 2, 5] {
        let mut stream = ZdatStream::new(Arc::clone(&view), 0..700, threads(count));
        for _ in 0..301 {
            assert!(stream.next().unwrap().is_ok());
        }
        let text = format!(
            "group 301 at byte {offset}: the magic (offset 0) is 0xfd2fb500, expected 0xfd2fb528 for a zstd frame"
        );
        assert_eq!(chain(&stream.next().unwrap().unwrap_err()), text);
        assert!(stream.next().is_none());
    }
}

fn index_of(data: &[u8]) -> Vec<u8> {
    let view = ZdatView::new(data).unwrap();
    let mut index = b"SJNGIDX1".to_vec();
    index.extend(view.group_count().to_le_bytes());
    index.extend(
        view.offsets()
            .iter()
            .flat_map(|offset| offset.to_le_bytes()),
    );
    index
}

#[test]
fn dropping_stops_the_threads() {
    let stoof = Arc::new(view("stoof"));
    for taken in [0, 1, 21, 22] {
        let mut stream = ZdatStream::new(Arc::clone(&stoof), 0..22, threads(3));
        for _ in 0..taken {
            stream.next().unwrap().unwrap();
        }
        drop(stream);
        // Threads hold the view while they run.
        assert_eq!(Arc::strong_count(&stoof), 1);
    }
}

#[test]
fn nothing_is_streamed_from_nothing() {
    let stoof = Arc::new(view("stoof"));
    assert!(ZdatStream::new(stoof, 5..5, threads(2)).next().is_none());
}

#[test]
#[should_panic(expected = "groups 0..23 of 22")]
fn groups_past_the_end() {
    let _ = ZdatStream::new(Arc::new(view("stoof")), 0..23, threads(1));
}

#[test]
#[should_panic(expected = "group 22 of 22")]
fn a_group_past_the_end() {
    let _ = view("stoof").read_group(22, &mut ZdatGroup::new());
}
