//! The multiply-and-add-pairs instruction of x86-64, in vectors of 256 and 512 bits.
//!
//! `madd` multiplies 16-bit lanes and adds neighbouring products to 32 bits. Two products of a clipped
//! value and an `i16` fit: 2 · 32767 · 32768 < 2³¹.

// A value of one of these types is proof that the processor has the instructions.
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::{Instructions, Lanes};

/// AVX2.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

/// AVX-512 F and BW.
#[derive(Clone, Copy)]
pub(super) struct Avx512(());

/// AVX-512 F, BW and VNNI, which multiplies, adds pairs and adds to the sums at once.
#[derive(Clone, Copy)]
pub(super) struct Avx512Vnni(());

impl Avx2 {
    /// # Safety
    ///
    /// The processor has AVX2.
    pub(super) const unsafe fn new() -> Self {
        Self(())
    }

    #[inline(always)]
    fn halves(self, block: &Lanes<i16>) -> [__m256i; 2] {
        let start = (&raw const block.0).cast::<__m256i>();
        // SAFETY: the type is proof of AVX2; a block is 64 bytes, aligned to 64.
        unsafe { [_mm256_load_si256(start), _mm256_load_si256(start.add(1))] }
    }

    #[inline(always)]
    fn clipped(self, values: __m256i, qa: i16) -> __m256i {
        // SAFETY: the type is proof of AVX2.
        unsafe {
            let above = _mm256_max_epi16(values, _mm256_setzero_si256());
            _mm256_min_epi16(above, _mm256_set1_epi16(qa))
        }
    }

    /// clip · weight.
    #[inline(always)]
    fn product(self, values: __m256i, weights: __m256i, qa: i16) -> __m256i {
        // SAFETY: the type is proof of AVX2.
        unsafe { _mm256_mullo_epi16(self.clipped(values, qa), weights) }
    }

    #[inline(always)]
    fn add_half(self, sums: __m256i, factors: __m256i, clipped: __m256i) -> __m256i {
        // SAFETY: the type is proof of AVX2.
        unsafe { _mm256_add_epi32(sums, _mm256_madd_epi16(factors, clipped)) }
    }
}

impl Instructions for Avx2 {
    type Sums = [__m256i; 2];

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: the type is proof of AVX2.
        unsafe { [_mm256_setzero_si256(); 2] }
    }

    #[inline(always)]
    fn add_screlu(
        self,
        [first, second]: Self::Sums,
        values: &Lanes<i16>,
        weights: &Lanes<i16>,
        qa: i16,
    ) -> Self::Sums {
        let ([v, w], [x, y]) = (self.halves(values), self.halves(weights));
        [
            self.add_half(first, self.product(v, x, qa), self.clipped(v, qa)),
            self.add_half(second, self.product(w, y, qa), self.clipped(w, qa)),
        ]
    }

    #[inline(always)]
    fn add_crelu(
        self,
        [first, second]: Self::Sums,
        values: &Lanes<i16>,
        weights: &Lanes<i16>,
        qa: i16,
    ) -> Self::Sums {
        let ([v, w], [x, y]) = (self.halves(values), self.halves(weights));
        [
            self.add_half(first, x, self.clipped(v, qa)),
            self.add_half(second, y, self.clipped(w, qa)),
        ]
    }

    #[inline(always)]
    fn total(self, [[a, b], [c, d]]: [Self::Sums; 2]) -> i32 {
        // SAFETY: the type is proof of AVX2.
        unsafe {
            let sums = _mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d));
            let high = _mm256_extracti128_si256::<1>(sums);
            let sums = _mm_add_epi32(_mm256_castsi256_si128(sums), high);
            let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b01_00_11_10>(sums));
            let sums = _mm_add_epi32(sums, _mm_shuffle_epi32::<0b10_11_00_01>(sums));
            _mm_cvtsi128_si32(sums)
        }
    }
}

impl Avx512 {
    /// # Safety
    ///
    /// The processor has AVX-512 F and BW.
    pub(super) const unsafe fn new() -> Self {
        Self(())
    }

    #[inline(always)]
    fn load(self, block: &Lanes<i16>) -> __m512i {
        // SAFETY: the type is proof of AVX-512; a block is 64 bytes, aligned to 64.
        unsafe { _mm512_load_si512((&raw const block.0).cast()) }
    }

    #[inline(always)]
    fn clipped(self, values: &Lanes<i16>, qa: i16) -> __m512i {
        // SAFETY: the type is proof of AVX-512 F and BW.
        unsafe {
            let above = _mm512_max_epi16(self.load(values), _mm512_setzero_si512());
            _mm512_min_epi16(above, _mm512_set1_epi16(qa))
        }
    }

    /// clip · weight of a block and clip.
    #[inline(always)]
    fn product(self, values: &Lanes<i16>, weights: &Lanes<i16>, qa: i16) -> [__m512i; 2] {
        let clipped = self.clipped(values, qa);
        // SAFETY: the type is proof of AVX-512 F and BW.
        let product = unsafe { _mm512_mullo_epi16(clipped, self.load(weights)) };
        [product, clipped]
    }
}

impl Instructions for Avx512 {
    type Sums = __m512i;

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        // SAFETY: the type is proof of AVX-512.
        unsafe { _mm512_setzero_si512() }
    }

    #[inline(always)]
    fn add_screlu(
        self,
        sums: Self::Sums,
        values: &Lanes<i16>,
        weights: &Lanes<i16>,
        qa: i16,
    ) -> Self::Sums {
        let [product, clipped] = self.product(values, weights, qa);
        // SAFETY: the type is proof of AVX-512 F and BW.
        unsafe { _mm512_add_epi32(sums, _mm512_madd_epi16(product, clipped)) }
    }

    #[inline(always)]
    fn add_crelu(
        self,
        sums: Self::Sums,
        values: &Lanes<i16>,
        weights: &Lanes<i16>,
        qa: i16,
    ) -> Self::Sums {
        let (clipped, weights) = (self.clipped(values, qa), self.load(weights));
        // SAFETY: the type is proof of AVX-512 F and BW.
        unsafe { _mm512_add_epi32(sums, _mm512_madd_epi16(weights, clipped)) }
    }

    #[inline(always)]
    fn total(self, [a, b]: [Self::Sums; 2]) -> i32 {
        // SAFETY: the type is proof of AVX-512.
        unsafe { _mm512_reduce_add_epi32(_mm512_add_epi32(a, b)) }
    }
}

impl Avx512Vnni {
    /// # Safety
    ///
    /// The processor has AVX-512 F, BW and VNNI.
    pub(super) const unsafe fn new() -> Self {
        Self(())
    }
}

impl Instructions for Avx512Vnni {
    type Sums = __m512i;

    #[inline(always)]
    fn zero(self) -> Self::Sums {
        Avx512(()).zero()
    }

    #[inline(always)]
    fn add_screlu(
        self,
        sums: Self::Sums,
        values: &Lanes<i16>,
        weights: &Lanes<i16>,
        qa: i16,
    ) -> Self::Sums {
        let [product, clipped] = Avx512(()).product(values, weights, qa);
        // SAFETY: the type is proof of AVX-512 VNNI.
        unsafe { _mm512_dpwssd_epi32(sums, product, clipped) }
    }

    #[inline(always)]
    fn add_crelu(
        self,
        sums: Self::Sums,
        values: &Lanes<i16>,
        weights: &Lanes<i16>,
        qa: i16,
    ) -> Self::Sums {
        let base = Avx512(());
        // SAFETY: the type is proof of AVX-512 VNNI.
        unsafe { _mm512_dpwssd_epi32(sums, base.load(weights), base.clipped(values, qa)) }
    }

    #[inline(always)]
    fn total(self, sums: [Self::Sums; 2]) -> i32 {
        Avx512(()).total(sums)
    }
}
