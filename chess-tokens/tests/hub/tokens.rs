//! Who is told the token: nobody but the hub.

use std::error::Error;
use std::fs;

use crate::hub_stand_in::Fault;
use crate::support::{Case, FOLDER, on};

#[test]
fn the_token_is_for_the_hub_alone() {
    let case = Case::new();
    let hub = || {
        case.builder()
            .token(Some("hf_secret".into()))
            .build()
            .unwrap()
    };
    case.stand_in.ask_for_token("hf_secret");
    let files = hub().list(FOLDER, &mut on).unwrap();
    hub().download(&files[0], &case.to, &mut on).unwrap();
    assert_eq!(case.stand_in.seen_by(false).len(), 1);
    case.stand_in.assert_no_token_leaked();
    for request in case.stand_in.seen_by(true) {
        assert_eq!(request.header("authorization"), Some("Bearer hf_secret"));
    }
    // To its own server it goes with a redirect too.
    fs::remove_file(&case.to).unwrap();
    case.stand_in.relative_redirects();
    hub().download(&files[0], &case.to, &mut on).unwrap();
    let last = case.stand_in.seen().pop().unwrap();
    assert_eq!(last.header("authorization"), Some("Bearer hf_secret"));
    assert!(last.target.starts_with("/raw/"));
    // A list that goes on elsewhere gets none either.
    let to = format!("{}/raw/x", case.stand_in.cdn());
    case.stand_in.fault("/tree/", 1, Fault::Redirect(to));
    assert!(hub().list(FOLDER, &mut on).is_err());
    case.stand_in.assert_no_token_leaked();
}

#[test]
fn errors_do_not_show_the_token() {
    let case = Case::new();
    case.stand_in.ask_for_token("another");
    let hub = case
        .builder()
        .token(Some("hf_secret".into()))
        .build()
        .unwrap();
    let error = hub.list(FOLDER, &mut on).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("failed at attempt 1, with the token that was given")
    );
    assert_eq!(
        error.source().unwrap().to_string(),
        "the server answers with status 401 and says \"Invalid credentials: Bearer …\""
    );
    assert!(!format!("{hub:?}{error:?}").contains("hf_secret"));
    let error = case.hub().list(FOLDER, &mut on).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("failed at attempt 1, without a token")
    );
}
