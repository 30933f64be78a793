//! The types that tokens are gathered as.

mod sealed {
    pub trait Sealed {}
}

/// A type that tokens are gathered as: u16, as they stand in a pack, or i32 or i64, as libraries that
/// train networks want them.
pub trait TokenElement: sealed::Sealed + Copy + Default + Send + Sync + 'static {
    /// A token.
    fn from_token(token: u16) -> Self;

    /// Tokens, as many as there is room for.
    ///
    /// # Panics
    ///
    /// When there are not as many tokens as elements.
    fn from_tokens(tokens: &[u16], elements: &mut [Self]) {
        assert_eq!(tokens.len(), elements.len(), "as many tokens as elements");
        for (element, &token) in elements.iter_mut().zip(tokens) {
            *element = Self::from_token(token);
        }
    }
}

impl sealed::Sealed for u16 {}
impl sealed::Sealed for i32 {}
impl sealed::Sealed for i64 {}

impl TokenElement for u16 {
    #[inline]
    fn from_token(token: u16) -> Self {
        token
    }

    #[inline]
    fn from_tokens(tokens: &[u16], elements: &mut [Self]) {
        elements.copy_from_slice(tokens);
    }
}

impl TokenElement for i32 {
    #[inline]
    fn from_token(token: u16) -> Self {
        token.into()
    }
}

impl TokenElement for i64 {
    #[inline]
    fn from_token(token: u16) -> Self {
        token.into()
    }
}
