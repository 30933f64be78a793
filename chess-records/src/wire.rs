//! What marlinformat's and bulletformat's records have in common: 32 bytes that begin with the occupied
//! squares and a nibble for each.

/// The nibble of the `index`-th man; `None` from index 32 on.
pub(crate) const fn nibble(nibbles: u128, index: usize) -> Option<u8> {
    if index < 32 {
        Some((nibbles >> (4 * index) & 0xf) as u8)
    } else {
        None
    }
}

/// The nibbles with those past the last man set to 0.
pub(crate) const fn used_nibbles(nibbles: u128, occupied: u64) -> u128 {
    match occupied.count_ones() {
        men @ 0..32 => nibbles & !(u128::MAX << (4 * men)),
        _ => nibbles,
    }
}

/// The bytes of a record that has a method `canonical`, and what is done with them.
macro_rules! record_bytes {
    ($record:ident) => {
        impl $record {
            /// The size of a record.
            pub const BYTES: usize = 32;

            /// The record with these bytes. Any bytes will do; `decode` says whether they mean
            /// something.
            #[must_use]
            pub const fn from_bytes(bytes: &[u8; Self::BYTES]) -> Self {
                zerocopy::transmute!(*bytes)
            }

            /// The bytes, borrowed.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
                zerocopy::transmute_ref!(self)
            }

            /// The bytes, copied.
            #[must_use]
            pub const fn to_bytes(self) -> [u8; Self::BYTES] {
                zerocopy::transmute!(self)
            }
        }

        /// Records are equal when they say the same: nibbles past the last man do not count.
        impl PartialEq for $record {
            fn eq(&self, other: &Self) -> bool {
                self.canonical().as_bytes() == other.canonical().as_bytes()
            }
        }

        impl Eq for $record {}

        impl core::hash::Hash for $record {
            fn hash<H: core::hash::Hasher>(&self, state: &mut H) {
                self.canonical().as_bytes().hash(state);
            }
        }

        /// The bytes in hexadecimal.
        impl core::fmt::Debug for $record {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, "{}({:02x?})", stringify!($record), self.as_bytes())
            }
        }
    };
}
pub(crate) use record_bytes;
