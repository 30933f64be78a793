//! Changes to bytes, drawn from a fixed stream.

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    /// The stream of input `number` of a check.
    pub(crate) fn new(check: &str, number: u64) -> Self {
        let hash = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let name = check.bytes().fold(0xcbf2_9ce4_8422_2325, hash);
        let mut random = Self(name ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number under `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.next()) * end as u128) >> 64) as usize
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// What lengths and text hinge on.
const BYTES: [u8; 20] = *b"\x00\x01\x02\x7f\x80\xfe\xff09/-| \n\"{}\xc3kK";
/// Long enough for what formats repeat, short enough for a million inputs.
const LONGEST_STRETCH: usize = 5_000;

/// A seed with one to four changes.
pub(crate) fn mutate(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut data = seeds[random.below(seeds.len())].clone();
    for _ in 0..=random.below(4) {
        match random.below(10) {
            0 | 1 => flip_a_bit(&mut data, random),
            2 | 3 => set_a_byte(&mut data, random),
            4 | 5 => set_a_number(&mut data, random),
            6 => data.truncate(random.below(data.len() + 1)),
            7 => repeat_or_remove(&mut data, random),
            8 => splice(&mut data, seeds, random),
            _ => append(&mut data, random),
        }
    }
    data
}

/// A place, near the start as often as anywhere: that is where lengths stand.
fn place(len: usize, random: &mut Random) -> Option<usize> {
    let end = if random.below(2) == 0 {
        len.min(64)
    } else {
        len
    };
    (end > 0).then(|| random.below(end))
}

fn flip_a_bit(data: &mut [u8], random: &mut Random) {
    if let Some(at) = place(data.len(), random) {
        data[at] ^= 1 << random.below(8);
    }
}

fn set_a_byte(data: &mut [u8], random: &mut Random) {
    if let Some(at) = place(data.len(), random) {
        data[at] = match random.below(3) {
            0 => random.next() as u8,
            1 => random.pick(&BYTES),
            _ => data[at].wrapping_add(random.pick(&[1, 0xff])),
        };
    }
}

/// A number of two, four or eight bytes at a multiple of its size: an extreme or near the length.
fn set_a_number(data: &mut [u8], random: &mut Random) {
    let size = random.pick(&[2, 4, 8]);
    let Some(at) = place(data.len() / size, random) else {
        return;
    };
    let (ones, len) = (u64::MAX >> (64 - 8 * size), data.len() as u64);
    let number = random.pick(&[
        0,
        1,
        ones,
        ones >> 1,
        (ones >> 1) + 1,
        ones - 1,
        len,
        len + 1,
    ]);
    data[at * size..][..size].copy_from_slice(&number.to_le_bytes()[..size]);
}

fn stretch(len: usize, random: &mut Random) -> std::ops::Range<usize> {
    let start = random.below(len + 1);
    start..start + random.below((len - start).min(LONGEST_STRETCH) + 1)
}

fn repeat_or_remove(data: &mut Vec<u8>, random: &mut Random) {
    let stretch = stretch(data.len(), random);
    if random.below(2) == 0 {
        data.drain(stretch);
    } else {
        let (at, copy) = (random.below(data.len() + 1), data[stretch].to_vec());
        data.splice(at..at, copy);
    }
}

/// The head of the bytes and the tail of a seed.
fn splice(data: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let tail = &seeds[random.below(seeds.len())];
    let at = random.below(data.len() + 1);
    // At the same place as often as at any other.
    let from = if random.below(2) == 0 {
        at.min(tail.len())
    } else {
        random.below(tail.len() + 1)
    };
    data.truncate(at);
    data.extend(&tail[from..]);
}

fn append(data: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(40) {
        data.push(random.next() as u8);
    }
}
