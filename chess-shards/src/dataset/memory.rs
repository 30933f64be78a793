//! Rows in memory.

use std::io;
use std::ops::Deref;

/// Bytes in memory. With the feature `mmap`, large ones are in large pages where the system gives any:
/// a row that lies anywhere is then found without a walk through page tables.
#[derive(Debug)]
pub(super) struct Memory(Kind);

#[derive(Debug)]
enum Kind {
    Heap(Vec<u8>),
    #[cfg(feature = "mmap")]
    Pages(memmap2::MmapMut),
}

/// So many bytes are worth pages of their own: two of the large ones.
#[cfg(feature = "mmap")]
const LARGE: usize = 4 << 20;

impl Memory {
    /// So many bytes, which `fill` gives their values.
    pub(super) fn filled<E>(
        len: u64,
        error: impl FnOnce(io::Error) -> E,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut memory = Self(Kind::zeroed(len).map_err(error)?);
        fill(memory.0.bytes_mut())?;
        Ok(memory)
    }
}

impl Kind {
    fn zeroed(len: u64) -> io::Result<Self> {
        let len = usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?;
        #[cfg(feature = "mmap")]
        if len >= LARGE {
            let pages = memmap2::MmapMut::map_anon(len)?;
            #[cfg(target_os = "linux")]
            {
                // Slower without it, but no less right.
                let _ = pages.advise(memmap2::Advice::HugePage);
            }
            return Ok(Self::Pages(pages));
        }
        let mut bytes = Vec::new();
        let room = bytes.try_reserve_exact(len);
        room.map_err(|_| io::ErrorKind::OutOfMemory)?;
        bytes.resize(len, 0);
        Ok(Self::Heap(bytes))
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Heap(bytes) => bytes,
            #[cfg(feature = "mmap")]
            Self::Pages(pages) => pages,
        }
    }
}

impl Deref for Memory {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Kind::Heap(bytes) => bytes,
            #[cfg(feature = "mmap")]
            Kind::Pages(pages) => pages,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_length() {
        for len in [0, 1, 202, (4 << 20) - 1, 4 << 20, 9_000_001] {
            let fill = |bytes: &mut [u8]| {
                assert_eq!(bytes.len() as u64, len);
                bytes
                    .iter_mut()
                    .zip(0..)
                    .for_each(|(byte, place): (_, u32)| *byte = place as u8);
                Ok(())
            };
            let memory = Memory::filled(len, |error| error, fill).unwrap();
            assert_eq!(memory.len() as u64, len);
            assert!(
                memory
                    .iter()
                    .zip(0..)
                    .all(|(&byte, place): (_, u32)| byte == place as u8)
            );
        }
        let too_long = Memory::filled(u64::MAX, |error| error, |_| Ok(()));
        assert!(too_long.is_err());
    }

    #[test]
    fn what_filling_fails_of() {
        let failed = Memory::filled(9, |_| "no memory", |_| Err("no bytes"));
        assert_eq!(failed.err(), Some("no bytes"));
    }
}
