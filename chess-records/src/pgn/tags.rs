//! Tags: those that decide about a game, and all of them.

use core::fmt;
use std::borrow::Cow;
use std::string::String;

use super::lines::{TagLines, is_space};
use crate::{GameResult, LeftOut};

/// The tags of a game.
///
/// They are looked up in the text, which is short. Bytes that are not UTF-8 come as U+FFFD, and quotes
/// in values as they are written, with their backslashes. What is no tag, such as one without a closing
/// bracket, is passed over.
#[derive(Clone, Copy)]
pub struct PgnTags<'a> {
    text: &'a [u8],
}

impl<'a> PgnTags<'a> {
    pub(super) const fn new(text: &'a [u8]) -> Self {
        Self { text }
    }

    pub(super) const fn text(&self) -> &'a [u8] {
        self.text
    }

    /// The value of the tag with this name. Of a tag that is there twice the last one counts.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Cow<'a, str>> {
        let is_named = |line: &&[u8]| line[1..].starts_with(name.as_bytes());
        let tags = TagLines::new(self.text)
            .filter(is_named)
            .filter_map(owned_or_borrowed);
        let named = tags.filter(|(found, _)| found == name);
        named.last().map(|(_, value)| value)
    }

    /// All names and values in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> + use<'a> {
        TagLines::new(self.text).filter_map(owned_or_borrowed)
    }
}

impl fmt::Debug for PgnTags<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

fn owned_or_borrowed(line: &[u8]) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    match String::from_utf8_lossy(line) {
        Cow::Borrowed(line) => tag(line).map(|(name, value)| (name.into(), value.into())),
        Cow::Owned(line) => {
            let (name, value) = tag(&line)?;
            Some((String::from(name).into(), String::from(value).into()))
        }
    }
}

/// What the tags that decide about a game say. Of a tag that is there twice the last one counts.
#[derive(Default)]
pub(super) struct KnownTags {
    is_variant: bool,
    has_fen: bool,
    result: TaggedResult,
    pub(super) white_elo: Option<i32>,
    pub(super) black_elo: Option<i32>,
}

#[derive(Clone, Copy, Default)]
enum TaggedResult {
    /// `*`, or no tag at all.
    #[default]
    Open,
    Known(GameResult),
    Other,
}

impl KnownTags {
    /// Takes the tag of a line; what is no tag is passed over.
    pub(super) fn read(&mut self, line: &[u8]) {
        // Names in other encodings do no harm.
        let line = String::from_utf8_lossy(line);
        let Some((name, value)) = tag(&line) else {
            return;
        };
        match name {
            "Variant" => self.is_variant = value != "Standard",
            "FEN" => self.has_fen = true,
            "Result" if value == "*" => self.result = TaggedResult::Open,
            "Result" => {
                let known = GameResult::from_pgn(value.as_bytes()).map(TaggedResult::Known);
                self.result = known.unwrap_or(TaggedResult::Other);
            }
            "WhiteElo" => self.white_elo = elo(value),
            "BlackElo" => self.black_elo = elo(value),
            _ => {}
        }
    }

    /// Whether the game is standard chess from the usual start, and its result not one that leaves
    /// it out.
    pub(super) const fn check(&self) -> Result<(), LeftOut> {
        if self.is_variant {
            return Err(LeftOut::Variant);
        }
        if self.has_fen {
            return Err(LeftOut::Start);
        }
        match self.result {
            TaggedResult::Other => Err(LeftOut::Result),
            TaggedResult::Open | TaggedResult::Known(_) => Ok(()),
        }
    }

    /// The result, from the movetext if the tag leaves it open.
    pub(super) fn result(&self, in_movetext: Option<GameResult>) -> Option<GameResult> {
        match self.result {
            TaggedResult::Open => in_movetext,
            TaggedResult::Known(result) => Some(result),
            TaggedResult::Other => None,
        }
    }
}

/// `[Name "value"]`. Quotes in the value are as they are written, with their backslashes.
fn tag(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix('[')?;
    let (name, rest) = rest.split_at(rest.find(is_space)?);
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_+#=:-".contains(&byte);
    if !name.as_bytes().first()?.is_ascii_alphanumeric() || !name.bytes().all(is_name) {
        return None;
    }
    let value = rest.trim_matches(is_space);
    Some((name, value.strip_prefix('"')?.strip_suffix("\"]")?))
}

/// A whole number. What Lichess writes for players without a rating, `?`, is none.
fn elo(value: &str) -> Option<i32> {
    value.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(line: &str) -> Option<&str> {
        tag(line).map(|(_, value)| value)
    }

    #[test]
    fn values() {
        assert_eq!(value("[White \"A\"]"), Some("A"));
        assert_eq!(
            value("[White\t \"A \\\"B\\\" \\\\\"]  "),
            Some("A \\\"B\\\" \\\\")
        );
        assert_eq!(value("[White \"\"]"), Some(""));
        assert_eq!(value("[White\u{a0}\"A\"]\u{a0}\u{1c}"), Some("A"));
        assert_eq!(value("[a \"]\"] \"]"), Some("]\"] "));
        for none in [
            "[White \"A\"",
            "[White]",
            "[White \"]",
            "[ \"A\"]",
            "[W*e \"A\"]",
            "[_W \"A\"]",
            "[White A]",
            "[White \"A\" ]",
            "White \"A\"]",
            "[",
            "",
        ] {
            assert_eq!(value(none), None, "{none}");
        }
    }

    #[test]
    fn lookups() {
        let tags = PgnTags::new(
            b"\xef\xbb\xbf[A \"1\"]\r\n[Ab \"2\"]\n%[A \"x\"]\n[A x]\n\n[A \"\xe9\"]\n[\xe9A \"4\"]\n[",
        );
        assert_eq!(tags.get("A").as_deref(), Some("\u{fffd}"));
        assert_eq!(tags.get("Ab").as_deref(), Some("2"));
        for none in ["", "a", "x", "Abc", "A \"1\"]"] {
            assert_eq!(tags.get(none), None, "{none}");
        }
        assert_eq!(
            std::format!("{tags:?}"),
            "{\"A\": \"1\", \"Ab\": \"2\", \"A\": \"\u{fffd}\"}"
        );
    }

    #[test]
    fn ratings() {
        for (text, rating) in [
            ("1500", Some(1500)),
            (" +1500 ", Some(1500)),
            ("-5", Some(-5)),
            ("1500?", None),
            ("?", None),
            ("", None),
            ("99999999999", None),
        ] {
            assert_eq!(elo(text), rating, "{text}");
        }
    }

    #[test]
    fn what_is_left_out() {
        let check = |lines: &[&'static str]| {
            let mut tags = KnownTags::default();
            lines.iter().for_each(|line| tags.read(line.as_bytes()));
            tags.check()
        };
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&["[Variant \"Standard\"]", "[Result \"*\"]"]), Ok(()));
        assert_eq!(check(&["[Variant \"standard\"]"]), Err(LeftOut::Variant));
        assert_eq!(check(&["[FEN \"\"]"]), Err(LeftOut::Start));
        assert_eq!(check(&["[Result \"?\"]"]), Err(LeftOut::Result));
        assert_eq!(check(&["[Result \"?\"]", "[Result \"0-1\"]"]), Ok(()));
    }
}
