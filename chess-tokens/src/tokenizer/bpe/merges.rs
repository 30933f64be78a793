//! Byte pair encoding: of all neighbours in a text, those that were merged first in training are
//! merged first, the left ones before the right ones, until no two can be.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasherDefault, Hasher};

/// What two tokens become, and when.
#[derive(Clone, Copy, Debug)]
struct Merge {
    /// How early the pair was merged in training.
    rank: u32,
    token: u16,
}

/// The merges of a vocabulary.
#[derive(Clone, Debug)]
pub(super) struct Merges {
    /// The token of each byte.
    bytes: [u16; 256],
    pairs: HashMap<u32, Merge, BuildHasherDefault<PairHasher>>,
}

/// What a text has been cut into. Symbols that have been merged into their left neighbour are gone.
struct Symbol {
    token: u16,
    gone: bool,
    previous: u32,
    next: u32,
}

/// In [`Symbol`]: there is none.
const NONE: u32 = u32::MAX;

const fn pair(left: u16, right: u16) -> u32 {
    (left as u32) << 16 | right as u32
}

impl Merges {
    /// Without merges, with a token for each byte.
    pub(super) fn new(bytes: [u16; 256]) -> Self {
        Self {
            bytes,
            pairs: HashMap::default(),
        }
    }

    /// Adds a merge, after all that are there. False if the pair has one already.
    pub(super) fn push(&mut self, left: u16, right: u16, token: u16) -> bool {
        let rank = self.pairs.len() as u32;
        let merge = Merge { rank, token };
        self.pairs.insert(pair(left, right), merge).is_none()
    }

    /// Appends the tokens of a text.
    ///
    /// # Panics
    ///
    /// When the text has 2³² - 1 bytes or more.
    pub(super) fn encode(&self, text: &[u8], tokens: &mut Vec<u16>) {
        assert!(text.len() < NONE as usize, "the text is too long");
        let mut word = Word::new(self, text);
        word.merge_all();
        word.append_to(tokens);
    }

    fn of(&self, left: u16, right: u16) -> Option<Merge> {
        self.pairs.get(&pair(left, right)).copied()
    }
}

/// A text on its way to tokens.
struct Word<'a> {
    merges: &'a Merges,
    symbols: Vec<Symbol>,
    /// Merges that could be done: the rank, then where the left symbol is. Some have become
    /// impossible since.
    queue: BinaryHeap<Reverse<u64>>,
}

impl<'a> Word<'a> {
    fn new(merges: &'a Merges, text: &[u8]) -> Self {
        let symbol = |(&byte, index): (&u8, u32)| Symbol {
            token: merges.bytes[usize::from(byte)],
            gone: false,
            previous: index.wrapping_sub(1),
            next: index + 1,
        };
        let mut symbols: Vec<_> = text.iter().zip(0..).map(symbol).collect();
        if let Some(last) = symbols.last_mut() {
            last.next = NONE;
        }
        let entry = |(two, index): (&[Symbol], u32)| {
            let merge = merges.of(two[0].token, two[1].token)?;
            Some(Reverse(u64::from(merge.rank) << 32 | u64::from(index)))
        };
        let queue: Vec<_> = symbols.windows(2).zip(0..).filter_map(entry).collect();
        Self {
            merges,
            symbols,
            queue: queue.into(),
        }
    }

    fn merge_all(&mut self) {
        while let Some(Reverse(entry)) = self.queue.pop() {
            let (rank, left) = ((entry >> 32) as u32, entry as u32);
            match self.merge_at(left) {
                Some(merge) if merge.rank == rank => self.merge(left, merge.token),
                // The pair has become another one since, which has its own entry.
                _ => {}
            }
        }
    }

    /// The merge of a symbol with the one that follows it.
    fn merge_at(&self, left: u32) -> Option<Merge> {
        let symbol = &self.symbols[left as usize];
        let right = self.symbols.get(symbol.next as usize)?;
        if symbol.gone {
            return None;
        }
        self.merges.of(symbol.token, right.token)
    }

    fn merge(&mut self, left: u32, token: u16) {
        let right = self.symbols[left as usize].next;
        let after = self.symbols[right as usize].next;
        self.symbols[right as usize].gone = true;
        if let Some(after) = self.symbols.get_mut(after as usize) {
            after.previous = left;
        }
        let merged = &mut self.symbols[left as usize];
        merged.token = token;
        merged.next = after;
        let before = merged.previous;
        self.queue_at(left);
        if before != NONE {
            self.queue_at(before);
        }
    }

    fn queue_at(&mut self, left: u32) {
        if let Some(merge) = self.merge_at(left) {
            let entry = u64::from(merge.rank) << 32 | u64::from(left);
            self.queue.push(Reverse(entry));
        }
    }

    fn append_to(self, tokens: &mut Vec<u16>) {
        let kept = self.symbols.iter().filter(|symbol| !symbol.gone);
        tokens.extend(kept.map(|symbol| symbol.token));
    }
}

/// Spreads pairs of tokens over 64 bits, so that those of one left token do not meet.
#[derive(Default)]
struct PairHasher(u64);

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(self.0 as u32 ^ u32::from(byte));
        }
    }

    fn write_u32(&mut self, pair: u32) {
        // The golden ratio's bits. The high half of the product depends on all of the pair.
        let product = u64::from(pair).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = product ^ product >> 32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens are the letters themselves, and 0 is unknown; merges make 256 and more.
    fn merges(pairs: &[(u16, u16)]) -> Merges {
        let mut bytes = [0; 256];
        for letter in b'a'..=b'z' {
            bytes[usize::from(letter)] = u16::from(letter);
        }
        let mut merges = Merges::new(bytes);
        for (&(left, right), token) in pairs.iter().zip(256..) {
            assert!(merges.push(left, right, token));
        }
        merges
    }

    fn encoded(merges: &Merges, text: &str) -> Vec<u16> {
        let mut tokens = vec![7];
        merges.encode(text.as_bytes(), &mut tokens);
        tokens.split_off(1)
    }

    #[test]
    fn earlier_merges_go_first_and_left_ones() {
        let [a, b, c] = [97, 98, 99];
        // ab, bc, aa, (ab)c.
        let merges = merges(&[(a, b), (b, c), (a, a), (256, c)]);
        assert_eq!(encoded(&merges, ""), [0; 0]);
        assert_eq!(encoded(&merges, "a"), [a]);
        assert_eq!(encoded(&merges, "ab"), [256]);
        assert_eq!(encoded(&merges, "abc"), [259]);
        assert_eq!(encoded(&merges, "bca"), [257, a]);
        assert_eq!(encoded(&merges, "aaa"), [258, a]);
        assert_eq!(encoded(&merges, "aaaa"), [258, 258]);
        assert_eq!(encoded(&merges, "aab"), [a, 256]);
        assert_eq!(encoded(&merges, "a!b"), [a, 0, b]);
    }

    #[test]
    fn a_merge_whose_pair_has_changed_waits_for_its_turn() {
        let [a, b, c, d] = [97, 98, 99, 100];
        // bc, ab, (bc)d, a(bc): once bc is there, ab is not, and (bc)d goes before a(bc).
        let merges = merges(&[(b, c), (a, b), (256, d), (a, 256)]);
        assert_eq!(encoded(&merges, "abcd"), [a, 258]);
        assert_eq!(encoded(&merges, "abc"), [259]);
    }

    #[test]
    fn a_pair_has_one_merge() {
        let mut merges = merges(&[(97, 98)]);
        assert!(!merges.push(97, 98, 300));
    }
}
