//! Asking for tokens before they are needed. They are brought into the second level of caches, which has more room for
//! lines on their way than the first.
#![allow(unsafe_code)]

/// The size of a cache line, on most machines.
const LINE_BYTES: usize = 64;
/// After so many lines in a row, the processor has seen where this leads.
const MOST_LINES: usize = 8;

/// Begins to bring the first tokens from a place on into the cache. Nothing changes but the time that
/// the next look takes.
#[inline]
pub(super) fn prefetch(tokens: &[u16], origin: usize, count: usize) {
    let bytes = (count * size_of::<u16>()).min(MOST_LINES * LINE_BYTES);
    let start = tokens.as_ptr().wrapping_add(origin).cast::<u8>();
    for offset in (0..bytes).step_by(LINE_BYTES) {
        prefetch_line(start.wrapping_add(offset));
    }
}

/// Begins to bring one element into the cache, as [`prefetch`] does.
#[inline]
pub(super) fn prefetch_one<T>(elements: &[T], index: u64) {
    prefetch_line(elements.as_ptr().wrapping_add(index as usize).cast());
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
fn prefetch_line(address: *const u8) {
    use std::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
    // SAFETY: every x86-64 has SSE, and a prefetch reads nothing that a program could see, of whatever
    // address.
    unsafe { _mm_prefetch::<_MM_HINT_T1>(address.cast()) };
}

#[cfg(all(target_arch = "aarch64", not(miri)))]
#[inline]
fn prefetch_line(address: *const u8) {
    // SAFETY: a prefetch reads nothing that a program could see, of whatever address; it leaves
    // registers, flags and stack alone.
    unsafe {
        std::arch::asm!(
            "prfm pldl2keep, [{address}]",
            address = in(reg) address,
            options(nostack, preserves_flags, readonly)
        );
    }
}

#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
#[inline]
fn prefetch_line(_: *const u8) {}
