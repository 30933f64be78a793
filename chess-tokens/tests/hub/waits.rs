//! What is tried again, and after what time.

use std::error::Error;
use std::fs;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use chess_tokens::corpus::hub::{HubEvent, Watch};

use crate::hub_stand_in::Fault;
use crate::support::{Case, FOLDER, on, status, trouble};

#[test]
fn delays_double_and_end() {
    let case = Case::new();
    case.stand_in.fault("/tree/", 7, status(503, &[]));
    assert_eq!(case.list().len(), 3);
    // 0.5 + 1 + 2 + 4 + 8 + 16 + 32 s.
    assert_eq!(case.clock.waited(), Duration::from_millis(63_500));
    assert_eq!(case.stand_in.seen().len(), 8);
    case.stand_in.fault("/tree/", 8, status(429, &[]));
    let error = case.hub().list(FOLDER, &mut on).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("month%3D05: failed at attempt 8, without a token")
    );
    assert_eq!(
        error.source().unwrap().to_string(),
        "the server answers with status 429 and says \"come back later\""
    );
    assert_eq!(case.clock.waited(), Duration::from_millis(63_500));
}

#[test]
fn waits_that_the_server_asks_for() {
    let case = Case::new();
    for (name, value, seconds) in [
        ("Retry-After", "7", 7.0),
        ("Retry-After", "Sun, 06 Nov 1994 08:51:37 GMT", 120.0),
        ("Retry-After", "0", 0.5),
        ("Retry-After", "whenever", 0.5),
        ("RateLimit", "\"api\";r=0;t=213", 213.0),
        ("RateLimit", "\"api\";r=9;t=213", 0.5),
    ] {
        case.stand_in
            .fault("/tree/", 1, status(429, &[(name, value)]));
        case.list();
        assert_eq!(
            case.clock.waited(),
            Duration::from_secs_f64(seconds),
            "{name}: {value}"
        );
    }
    let both = [("Retry-After", "7"), ("RateLimit", "\"api\";r=0;t=9")];
    case.stand_in.fault("/tree/", 1, status(503, &both));
    case.list();
    assert_eq!(case.clock.waited(), Duration::from_secs(9));
    case.stand_in
        .fault("/tree/", 1, status(429, &[("Retry-After", "86400")]));
    let error = case.hub().list(FOLDER, &mut on).unwrap_err();
    assert_eq!(
        error.source().unwrap().to_string(),
        "the server answers with status 429, says \"come back later\" \
         and asks to wait 86400 s, which is longer than 3600 s"
    );
    assert_eq!(case.clock.waited(), Duration::ZERO);
}

#[test]
fn waiting_can_be_stopped() {
    let case = Case::new();
    case.stand_in
        .fault("/tree/", 9, status(429, &[("Retry-After", "300")]));
    let mut lefts = Vec::new();
    let mut watch = |event: &HubEvent<'_>| match event {
        HubEvent::Waiting {
            left,
            attempt,
            attempts,
            trouble,
        } => {
            assert_eq!((*attempt, *attempts), (1, 8));
            assert!(trouble.to_string().contains("429"));
            lefts.push(*left);
            match lefts.len() {
                5 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        }
        _ => ControlFlow::Continue(()),
    };
    let error = case
        .hub()
        .list(FOLDER, &mut watch as &mut Watch<'_>)
        .unwrap_err();
    assert_eq!(error.to_string(), "stopped on request");
    let expected = [300.0, 299.9, 299.8, 299.7, 299.6].map(Duration::from_secs_f64);
    assert_eq!(lefts, expected);
    assert_eq!(case.stand_in.seen().len(), 1);
}

#[test]
fn attempts_count_anew_after_progress() {
    let case = Case::new();
    case.stand_in.fault("/raw/", 7, Fault::DropAfter(0));
    case.stand_in.fault("/raw/", 1, Fault::DropAfter(2_000_000));
    case.stand_in.fault("/raw/", 6, Fault::DropAfter(1));
    case.download();
    assert_eq!(case.ranges().len(), 15);
    // And end without.
    fs::remove_file(&case.to).unwrap();
    case.stand_in.fault("/raw/", 8, Fault::DropAfter(10));
    let text = case.fail().to_string();
    let expected = "the connection failed after 80 bytes of 3000000: ";
    assert!(text.starts_with(expected), "{text}");
    assert_eq!(fs::metadata(case.partial()).unwrap().len(), 80);
}

#[test]
fn silence_is_a_failed_attempt() {
    let case = Case::new();
    case.stand_in
        .fault("/tree/", 1, Fault::Silence(Duration::from_secs(30)));
    let hub = case
        .builder()
        .timeout(Duration::from_millis(300))
        .build()
        .unwrap();
    let started = Instant::now();
    hub.list(FOLDER, &mut on).unwrap();
    assert!(started.elapsed() < Duration::from_secs(20));
    assert_eq!(case.clock.waited(), Duration::from_millis(500));
    let hub = case
        .builder()
        .attempts(1)
        .timeout(Duration::from_millis(300))
        .build()
        .unwrap();
    case.stand_in
        .fault("/tree/", 1, Fault::Silence(Duration::from_secs(30)));
    let text = trouble(hub.list(FOLDER, &mut on).unwrap_err()).to_string();
    assert!(text.starts_with("the connection failed: timeout"), "{text}");
}

#[test]
fn nobody_there() {
    let case = Case::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let hub = case.builder().endpoint(nobody).build().unwrap();
    let error = hub.list(FOLDER, &mut on).unwrap_err();
    assert!(error.to_string().contains("failed at attempt 8"), "{error}");
    let text = trouble(error).to_string();
    assert!(text.starts_with("the connection failed: "), "{text}");
}
