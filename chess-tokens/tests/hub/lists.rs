//! Lists of files, and the commit at which they are.

use std::error::Error;
use std::time::Duration;

use chess_tokens::corpus::hub::{HubFile, Trouble};

use crate::hub_stand_in::{COMMIT, Fault, REPO};
use crate::support::{Case, FOLDER, on, path, status, trouble};

#[test]
fn lists_of_one_page_and_of_several() {
    let case = Case::new();
    let files = case.list();
    let paths: Vec<_> = files.iter().map(|file| file.path.clone()).collect();
    assert_eq!(paths, [0, 1, 2].map(path));
    let sizes: Vec<_> = files.iter().map(|file| file.size).collect();
    assert_eq!(sizes, [3_000_000, 3_000_001, 3_000_002]);
    assert!(files.iter().all(|file| file.sha256.is_some()));
    assert_eq!(case.stand_in.seen().len(), 1);
    case.stand_in.forget_seen();
    case.stand_in.page_items(1);
    assert_eq!(case.list(), files);
    // The fourth is a folder.
    assert_eq!(case.stand_in.seen().len(), 4);
    // A page that fails is asked for again, and not those before it.
    case.stand_in.forget_seen();
    case.stand_in.fault("cursor=2", 2, status(503, &[]));
    assert_eq!(case.list(), files);
    assert_eq!(case.stand_in.seen().len(), 6);
}

#[test]
fn what_the_hub_does_not_have() {
    let case = Case::new();
    let hub = case.builder().revision("refs/pr/7").build().unwrap();
    let error = hub.list(FOLDER, &mut on).unwrap_err();
    let address = case.stand_in.endpoint();
    assert_eq!(
        error.to_string(),
        format!(
            "{address}/api/datasets/{REPO}/tree/refs%2Fpr%2F7/data/year%3D2025/month%3D05: \
             failed at attempt 1, without a token"
        )
    );
    assert_eq!(
        error.source().unwrap().to_string(),
        "the server answers with status 404 and says \"Invalid rev id: refs\""
    );
    let error = case.hub().list("data/year=2031", &mut on).unwrap_err();
    assert_eq!(
        error.source().unwrap().to_string(),
        "the server answers with status 404 and says \
         \"data/year=2031 does not exist on \\\"main\\\"\""
    );
    let missing = HubFile::new("data/none", 5, None);
    let error = case
        .hub()
        .download(&missing, &case.to, &mut on)
        .unwrap_err();
    assert!(matches!(
        trouble(error),
        Trouble::Status { status: 404, .. }
    ));
    assert!(!case.partial().exists());
    assert_eq!(case.clock.waited(), Duration::ZERO);
}

#[test]
fn lists_that_are_none() {
    let case = Case::new();
    let fail = |body: &[u8]| {
        case.stand_in.fault("/tree/", 1, Fault::Body(body.to_vec()));
        let error = case.hub().list(FOLDER, &mut on).unwrap_err();
        error.source().unwrap().source().unwrap().to_string()
    };
    assert_eq!(fail(b"<html>"), "a page of it is no list of files");
    let elsewhere = br#"[{"type":"file","size":1,"path":"../../etc/passwd"}]"#;
    assert!(fail(elsewhere).starts_with("it has the file \"../../etc/passwd\""));
    assert_eq!(
        fail(&vec![b' '; (16 << 20) + 1]),
        "a page of it is longer than 16777216 bytes"
    );
    assert_eq!(case.clock.waited(), Duration::ZERO);
}

#[test]
fn the_commit_is_pinned() {
    let case = Case::new();
    let hub = case.hub();
    assert_eq!(hub.commit(), None);
    let files = hub.list(FOLDER, &mut on).unwrap();
    assert_eq!(hub.commit(), None);
    assert_eq!(
        hub.pin(&files[0].path, &mut on).unwrap().as_deref(),
        Some(COMMIT)
    );
    assert!(case.stand_in.seen_by(false).is_empty());
    case.stand_in.forget_seen();
    hub.list(FOLDER, &mut on).unwrap();
    hub.download(&files[0], &case.to, &mut on).unwrap();
    for request in case.stand_in.seen_by(true) {
        assert!(request.target.contains(COMMIT), "{}", request.target);
    }
    // Lists may name it too.
    case.stand_in.name_the_commit(true, true);
    let hub = case.hub();
    hub.list(FOLDER, &mut on).unwrap();
    assert_eq!(hub.commit().as_deref(), Some(COMMIT));
    let unpinned = hub.pinned_to(None);
    assert_eq!(unpinned.commit(), None);
    // Or nobody.
    case.stand_in.name_the_commit(false, false);
    assert_eq!(unpinned.pin(&files[0].path, &mut on).unwrap(), None);
    unpinned.download(&files[0], &case.to, &mut on).unwrap();
}

#[test]
fn another_commit_is_refused() {
    let case = Case::new();
    let other = "76543210abcdef0123456789abcdef0123456789";
    let files = case.list();
    let hub = case.hub().pinned_to(Some(COMMIT));
    case.stand_in.fault("/resolve/", 1, Fault::Commit(other));
    let error = hub.download(&files[0], &case.to, &mut on).unwrap_err();
    let expected = format!("the dataset is now at commit {other}, expected {COMMIT}");
    assert_eq!(trouble(error).to_string(), expected);
    case.stand_in
        .fault("/resolve/", 1, Fault::Commit("../../x"));
    let error = case
        .hub()
        .download(&files[0], &case.to, &mut on)
        .unwrap_err();
    let expected = "the answer names the commit \"../../x\", expected hexadecimal digits";
    assert_eq!(trouble(error).to_string(), expected);
}
