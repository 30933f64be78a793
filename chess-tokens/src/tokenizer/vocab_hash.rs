//! The hash of a vocabulary.

use std::fmt::Write;

use sha2::{Digest, Sha256};

/// SHA-256 as hexadecimal digits.
pub(super) fn sha256(text: &str) -> String {
    let mut digits = String::with_capacity(64);
    for byte in Sha256::digest(text) {
        let _ = write!(digits, "{byte:02x}"); // A `String` takes everything.
    }
    digits
}

/// The hash of a list of names: SHA-256 of the JSON array as Python's `json.dumps` writes it.
///
/// The names must be ASCII without control characters, quotation marks and backslashes, which
/// are written otherwise.
pub(super) fn hash_of_names<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<_> = names.map(|name| format!("\"{name}\"")).collect();
    sha256(&format!("[{}]", quoted.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes() {
        // The example of FIPS 180.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256("abc"), abc);
        assert_eq!(
            hash_of_names(["<pad>", " "].into_iter()),
            sha256("[\"<pad>\", \" \"]")
        );
    }
}
