//! The tags that the builder asks for.

use chess_records::GameResult;

use super::lines::is_space;
use super::{LeftOut, result_of};

/// What tags say. Of a tag that is there twice the last one counts.
#[derive(Default)]
pub(super) struct Tags {
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

impl Tags {
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
                let known = result_of(value.as_bytes()).map(TaggedResult::Known);
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

    pub(super) fn elos(&self) -> Option<(i32, i32)> {
        self.white_elo.zip(self.black_elo)
    }

    /// The result, from the movetext if the tag leaves it open.
    pub(super) fn result(&self, in_movetext: Option<&[u8]>) -> Option<GameResult> {
        match self.result {
            TaggedResult::Open => result_of(in_movetext?),
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
            let mut tags = Tags::default();
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
