//! Asking for a record before it is needed.
#![allow(unsafe_code)]

use crate::FlatRecord;

/// Where the cache lines of a record are touched: with lines of 64 bytes, it lies in four or five.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
const OFFSETS: [usize; 5] = [0, 64, 128, 192, FlatRecord::BYTES - 1];

/// Begins to bring a record into the cache. Nothing changes but the time that the next look takes.
#[inline]
pub(super) fn prefetch(record: &FlatRecord) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    for offset in OFFSETS {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let at = std::ptr::from_ref(record).cast::<i8>().wrapping_add(offset);
        // SAFETY: every x86-64 has SSE, and a prefetch reads nothing that a program could see, of
        // whatever address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at) };
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    for offset in OFFSETS {
        let at = std::ptr::from_ref(record).cast::<u8>().wrapping_add(offset);
        // SAFETY: a prefetch reads nothing that a program could see, of whatever address; it leaves
        // registers, flags and stack alone.
        unsafe {
            std::arch::asm!(
                "prfm pldl1keep, [{at}]",
                at = in(reg) at,
                options(nostack, preserves_flags, readonly)
            );
        }
    }
    #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
    let _ = record;
}
