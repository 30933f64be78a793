//! Files, from their first byte to their hash.

use std::fs;
use std::ops::ControlFlow;
use std::time::Duration;

use chess_tokens::corpus::hub::{HubError, HubEvent, HubFile, Trouble};

use crate::hub_stand_in::Fault;
use crate::support::{Case, on, path, trouble};

#[test]
fn files_by_each_kind_of_redirect() {
    let case = Case::new();
    case.download();
    assert_eq!(case.ranges(), [None]);
    // It is there.
    case.stand_in.forget_seen();
    case.download();
    assert_eq!(case.ranges(), []);
    fs::remove_file(&case.to).unwrap();
    case.stand_in.relative_redirects();
    case.download();
    fs::remove_file(&case.to).unwrap();
    case.stand_in.no_redirects();
    case.download();
    assert_eq!(case.ranges(), []);
}

#[test]
fn downloads_can_be_stopped_and_gone_on_with() {
    let case = Case::new();
    let file = &case.list()[0];
    let mut stop = |event: &HubEvent<'_>| match event {
        HubEvent::Received {
            bytes: 1_000_000..,
            size: 3_000_000,
        } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let error = case.hub().download(file, &case.to, &mut stop).unwrap_err();
    assert!(matches!(error, HubError::Cancelled));
    let there = fs::metadata(case.partial()).unwrap().len();
    assert!((1_000_000..3_000_000).contains(&there), "{there}");
    case.download();
    assert_eq!(case.ranges(), [None, Some(format!("bytes={there}-"))]);
    // While it is compared too.
    fs::rename(&case.to, case.partial()).unwrap();
    let mut stop = |event: &HubEvent<'_>| match event {
        HubEvent::Checking { .. } => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let error = case.hub().download(file, &case.to, &mut stop).unwrap_err();
    assert!(matches!(error, HubError::Cancelled));
    case.download();
    assert_eq!(case.ranges().len(), 2);
}

#[test]
fn dropped_connections_go_on_where_they_were() {
    let case = Case::new();
    for bytes in [1_000_000, 500_000, 0] {
        case.stand_in.fault("/raw/", 1, Fault::DropAfter(bytes));
    }
    case.download();
    let expected = [
        None,
        Some("bytes=1000000-"),
        Some("bytes=1500000-"),
        Some("bytes=1500000-"),
    ];
    assert_eq!(case.ranges(), expected.map(|range| range.map(String::from)));
    assert_eq!(
        case.clock.waited(),
        Duration::from_millis(500 + 1000 + 2000)
    );
}

#[test]
fn files_of_another_length() {
    let case = Case::new();
    // A server that is wrong for once.
    case.stand_in.fault("/raw/", 2, Fault::Longer(5));
    case.download();
    assert_eq!(case.ranges(), [None, None, None]);
    fs::remove_file(&case.to).unwrap();
    case.stand_in.fault("/raw/", 8, Fault::Longer(5));
    let text = case.fail().to_string();
    assert_eq!(text, "the file has 3000005 bytes, 3000000 are listed");
    // It was listed otherwise.
    case.stand_in.forget_seen();
    let file = HubFile::new(path(0), 2_999_999, None);
    let error = case.hub().download(&file, &case.to, &mut on).unwrap_err();
    assert!(error.to_string().contains("failed at attempt 8"), "{error}");
    assert_eq!(
        trouble(error).to_string(),
        "the file has 3000000 bytes, 2999999 are listed"
    );
    // Nothing of it was asked for.
    assert_eq!(case.stand_in.seen_by(false).len(), 0);
}

#[test]
fn files_of_other_bytes() {
    let case = Case::new();
    case.stand_in.fault("/raw/", 1, Fault::WrongByte);
    case.download();
    assert_eq!(case.ranges(), [None, None]);
    fs::remove_file(&case.to).unwrap();
    case.stand_in.fault("/raw/", 2, Fault::WrongByte);
    assert!(matches!(case.fail(), Trouble::Hash { .. }));
    assert!(!case.partial().exists());
    // A part of something else from an earlier call.
    fs::write(case.partial(), vec![7; 1_000_000]).unwrap();
    case.stand_in.forget_seen();
    case.download();
    assert_eq!(case.ranges(), [Some("bytes=1000000-".into()), None]);
    // It is known to be another file before it comes.
    fs::remove_file(&case.to).unwrap();
    let other = &case.list()[1];
    let file = HubFile::new(path(0), 3_000_000, other.sha256);
    case.stand_in.forget_seen();
    let error = case.hub().download(&file, &case.to, &mut on).unwrap_err();
    assert!(matches!(trouble(error), Trouble::Hash { .. }));
    assert_eq!(case.ranges(), []);
}

#[test]
fn servers_without_parts() {
    let case = Case::new();
    fs::write(case.partial(), &case.files[0][..1_000_000]).unwrap();
    case.stand_in.fault("/raw/", 1, Fault::NoParts);
    case.download();
    assert_eq!(case.ranges(), [Some("bytes=1000000-".into())]);
    fs::remove_file(&case.to).unwrap();
    fs::write(case.partial(), &case.files[0][..1_000_000]).unwrap();
    case.stand_in.forget_seen();
    case.stand_in.fault("/raw/", 1, Fault::WrongPart);
    case.download();
    assert_eq!(case.ranges(), [Some("bytes=1000000-".into()), None]);
    // More than there is, and all there is.
    fs::remove_file(&case.to).unwrap();
    case.stand_in.forget_seen();
    fs::write(case.partial(), vec![0; 3_000_001]).unwrap();
    case.download();
    assert_eq!(case.ranges(), [None]);
    fs::rename(&case.to, case.partial()).unwrap();
    case.stand_in.forget_seen();
    case.download();
    assert_eq!(case.ranges(), []);
}

#[test]
fn redirects_end() {
    let case = Case::new();
    let around = format!("{}/raw/around?Signature=secret", case.stand_in.cdn());
    case.stand_in
        .fault("/resolve/", 1, Fault::Redirect(around.clone()));
    case.stand_in
        .fault("/raw/around", 9, Fault::Redirect(around));
    let text = case.fail().to_string();
    let shown = format!("{}/raw/around", case.stand_in.cdn());
    let expected = format!("a redirect to {shown:?} is not followed: there were 5 already");
    assert_eq!(text, expected);
    assert_eq!(case.stand_in.seen_by(false).len(), 5);
}
