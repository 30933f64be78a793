//! What the hub says: headers and lists of files.

use std::time::{Duration, UNIX_EPOCH};

use chess_tokens::corpus::hub::Listing;
use chess_tokens::corpus::hub::headers;

/// Takes the bytes for the value of each header that is read. What is found must be there.
pub fn hub_headers(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Some(link) = headers::next_link(&text) {
        assert!(text.contains(&format!("<{link}>")));
        let again = format!("<a>; rel=\"prev\", <{link}>; rel=\"next\"");
        assert_eq!(headers::next_link(&again), Some(link));
    }
    if let Some(date) = headers::http_date(text.trim()) {
        assert_eq!(headers::retry_after(&text, date), Some(Duration::ZERO));
        let since = date.duration_since(UNIX_EPOCH).expect("it is after 1970");
        assert_eq!(headers::retry_after(&text, UNIX_EPOCH), Some(since));
    } else if let Some(wait) = headers::retry_after(&text, UNIX_EPOCH) {
        assert_eq!(text.trim().parse(), Ok(wait.as_secs()));
    }
    if let Some(wait) = headers::rate_limit(&text) {
        let seconds = wait.as_secs();
        let again = format!("{text}, \"more\";r=1;t={}", seconds.saturating_add(1));
        assert_eq!(headers::rate_limit(&again), Some(wait));
    }
    if let Some((start, Some(whole))) = headers::content_range(&text) {
        assert!(start < whole);
        let again = format!("bytes {start}-{}/{whole}", whole - 1);
        assert_eq!(headers::content_range(&again), Some((start, Some(whole))));
    }
    assert!(text.contains(headers::etag(&text)));
}

/// Takes the bytes for a page of a list. Its files must be below the folder, each there once and in
/// order, and a page of these must be read as the same.
pub fn hub_listing(data: &[u8]) {
    let read = |page: &[u8]| {
        let mut listing = Listing::new("data");
        listing.add_page(page).and_then(|()| listing.finish())
    };
    let Ok(files) = read(data) else {
        return;
    };
    assert!(files.windows(2).all(|pair| pair[0].path < pair[1].path));
    let below = |path: &str| path.starts_with("data/") && !path.split('/').any(|part| part == "..");
    assert!(files.iter().all(|file| below(&file.path)));
    let items = files.iter().map(|file| {
        let mut item = serde_json::json!({
            "type": "file", "path": file.path, "size": file.size,
        });
        if let Some(sha256) = file.sha256 {
            item["lfs"] = serde_json::json!({ "oid": sha256.to_string(), "size": file.size });
        }
        item
    });
    let page = serde_json::Value::from_iter(items).to_string();
    assert_eq!(read(page.as_bytes()).expect("it was read before"), files);
}
