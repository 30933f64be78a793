//! Memory that will be wanted soon.

// The processor's hint has no safe name.
#![allow(unsafe_code)]

/// Tells the processor that `value` will be read, so that it fetches it while other work is done.
#[inline(always)]
pub(super) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = (&raw const *value).cast::<i8>();
        // SAFETY: all of x86-64 has the instruction, which changes no value and accepts any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address) }
    }
    // There is none on other machines that the compiler has made stable.
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
