//! As much of Python's notation as headers are written in: strings without escapes, whole numbers,
//! `True` and `False`, tuples, lists and dictionaries.

use core::fmt;
use std::format;
use std::string::{String, ToString};
use std::vec::Vec;

use super::HeaderError;

/// How deep values may stand in each other; headers need three.
const MAX_DEPTH: usize = 8;

/// A value in Python's notation, as headers have them. It is shown as Python shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums)] // There is nothing else in a header.
pub enum Literal {
    /// `'<u2'`
    Text(String),
    /// `1024`
    Number(u64),
    /// `True` or `False`
    Bool(bool),
    /// `(1024,)`
    Tuple(Vec<Literal>),
    /// `[('from', '|u1'), ('to', '|u1')]`
    List(Vec<Literal>),
    /// `{'descr': '<u2'}`, in the order of the text
    Dict(Vec<(Literal, Literal)>),
}

impl From<&str> for Literal {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

/// Reads one value that is followed by white space alone. `offset` is where the text stands in its
/// file, for errors.
pub(super) fn parse(text: &str, offset: usize) -> Result<Literal, HeaderError> {
    let mut parser = Parser {
        text,
        at: 0,
        offset,
    };
    let value = parser.value(0)?;
    parser.skip_space();
    if parser.at == text.len() {
        Ok(value)
    } else {
        Err(parser.expected("the end"))
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    offset: usize,
}

impl Parser<'_> {
    fn expected(&self, expected: &'static str) -> HeaderError {
        HeaderError::Text {
            offset: self.offset + self.at,
            expected,
        }
    }

    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        let rest = self.rest();
        let space = rest.len() - rest.trim_ascii_start().len();
        self.at += space;
    }

    /// Goes past a sign, if it comes next after white space.
    fn take(&mut self, sign: &str) -> bool {
        self.skip_space();
        let found = self.rest().starts_with(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Result<Literal, HeaderError> {
        if depth == MAX_DEPTH {
            return Err(self.expected("nested so deeply"));
        }
        if self.take("{") {
            return self.dict(depth);
        }
        if self.take("(") {
            return self.parenthesis(depth);
        }
        if self.take("[") {
            return Ok(Literal::List(self.items("]", depth)?.0));
        }
        match self.rest().bytes().next() {
            Some(quote @ (b'\'' | b'"')) => self.text(char::from(quote)),
            Some(b'0'..=b'9') => self.number(),
            _ if self.take("True") => Ok(Literal::Bool(true)),
            _ if self.take("False") => Ok(Literal::Bool(false)),
            _ => Err(self.expected("a value in Python's notation")),
        }
    }

    fn text(&mut self, quote: char) -> Result<Literal, HeaderError> {
        self.at += 1;
        let end = self.rest().find([quote, '\\', '\n']);
        let Some(end) = end.filter(|&end| self.rest()[end..].starts_with(quote)) else {
            return Err(self.expected("a text in quotes without escapes"));
        };
        let text = Literal::from(&self.rest()[..end]);
        self.at += end + 1;
        Ok(text)
    }

    fn number(&mut self) -> Result<Literal, HeaderError> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit());
        let digits = &rest[..end.unwrap_or(rest.len())];
        let (number, len) = (digits.parse(), digits.len());
        let number = number.map_err(|_| self.expected("a number of 64 bits"))?;
        self.at += len;
        // As Python 2 wrote long numbers.
        self.take("L");
        Ok(Literal::Number(number))
    }

    /// The items up to a closing sign, and whether a comma stood before it.
    fn items(
        &mut self,
        close: &'static str,
        depth: usize,
    ) -> Result<(Vec<Literal>, bool), HeaderError> {
        let (mut items, mut comma) = (Vec::new(), true);
        while !self.take(close) {
            if !comma {
                return Err(self.expected("a comma or a closing bracket"));
            }
            items.push(self.value(depth + 1)?);
            comma = self.take(",");
        }
        Ok((items, comma))
    }

    /// A tuple, or a value in parentheses.
    fn parenthesis(&mut self, depth: usize) -> Result<Literal, HeaderError> {
        let (mut items, comma) = self.items(")", depth)?;
        match items.pop() {
            Some(value) if items.is_empty() && !comma => Ok(value),
            last => {
                items.extend(last);
                Ok(Literal::Tuple(items))
            }
        }
    }

    fn dict(&mut self, depth: usize) -> Result<Literal, HeaderError> {
        let (mut items, mut comma) = (Vec::new(), true);
        while !self.take("}") {
            if !comma {
                return Err(self.expected("a comma or a closing bracket"));
            }
            let key = self.value(depth + 1)?;
            if !self.take(":") {
                return Err(self.expected("a colon"));
            }
            items.push((key, self.value(depth + 1)?));
            comma = self.take(",");
        }
        Ok(Literal::Dict(items))
    }
}

/// As Python writes it.
impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write_text(text, f),
            Self::Number(number) => write!(f, "{number}"),
            Self::Bool(true) => f.write_str("True"),
            Self::Bool(false) => f.write_str("False"),
            Self::Tuple(items) => {
                let comma = if items.len() == 1 { "," } else { "" };
                write!(f, "({}{comma})", joined(items))
            }
            Self::List(items) => write!(f, "[{}]", joined(items)),
            Self::Dict(items) => {
                let items = items.iter().map(|(key, value)| format!("{key}: {value}"));
                write!(f, "{{{}}}", items.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

/// In the quotes that need no escapes, if there are such.
fn write_text(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if text.contains('\'') && !text.contains(['"', '\\', '\n']) {
        write!(f, "\"{text}\"")
    } else {
        write!(f, "'{}'", text.escape_debug())
    }
}

fn joined(items: &[Literal]) -> String {
    let texts: Vec<_> = items.iter().map(Literal::to_string).collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_writes_comes_back() {
        for text in [
            "{'a': [('b', '|u1', (64,)), ()], 'c': True, 'd': False}",
            "{}",
            "[]",
            "((1, 2), (3,))",
            "18446744073709551615",
            "\"it's\"",
        ] {
            assert_eq!(parse(text, 0).unwrap().to_string(), text);
        }
        let loose = " { \"a\" :( 7 ) ,'b':[1,],\n} \n";
        assert_eq!(parse(loose, 0).unwrap().to_string(), "{'a': 7, 'b': [1]}");
        assert_eq!(parse("(12L,)", 0).unwrap().to_string(), "(12,)");
    }

    #[test]
    fn texts() {
        let text = |literal: &str| parse(literal, 10).unwrap_err().to_string();
        let value = "a value in Python's notation";
        assert_eq!(
            text(""),
            format!("the header's text at offset 10 is not {value}")
        );
        assert_eq!(
            text("[1, -2]"),
            format!("the header's text at offset 14 is not {value}")
        );
        assert_eq!(
            text("[,]"),
            format!("the header's text at offset 11 is not {value}")
        );
        assert_eq!(
            text("[1 2]"),
            "the header's text at offset 13 is not a comma or a closing bracket"
        );
        assert_eq!(
            text("{'a': 1 'b': 2}"),
            "the header's text at offset 18 is not a comma or a closing bracket"
        );
        assert_eq!(
            text("{'a' 1}"),
            "the header's text at offset 15 is not a colon"
        );
        assert_eq!(text("1 x"), "the header's text at offset 12 is not the end");
        for bad in ["'a", "'a\\n'", "'a\n'"] {
            assert_eq!(
                text(bad),
                "the header's text at offset 11 is not a text in quotes without escapes"
            );
        }
        assert_eq!(
            text("18446744073709551616"),
            "the header's text at offset 10 is not a number of 64 bits"
        );
        assert_eq!(
            text(&"[".repeat(1000)),
            "the header's text at offset 18 is not nested so deeply"
        );
    }
}
