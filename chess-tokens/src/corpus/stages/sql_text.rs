//! Values and names as SQL writes them.

/// A text in quotes.
pub(super) fn text(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

/// Texts in quotes, in brackets.
pub(super) fn list<S: AsRef<str>>(values: &[S]) -> String {
    let values: Vec<_> = values.iter().map(|value| text(value.as_ref())).collect();
    format!("({})", values.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_doubled() {
        assert_eq!(text("Normal"), "'Normal'");
        assert_eq!(text("'; DROP"), "'''; DROP'");
        assert_eq!(list(&["a", "b'c"]), "('a', 'b''c')");
    }
}
