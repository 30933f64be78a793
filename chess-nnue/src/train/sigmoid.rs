//! The logistic function from plain arithmetic.
//!
//! The standard library's `exp` is the system's, and systems round it differently. Training repeats
//! itself bit by bit, so this one uses nothing but additions, multiplications and a division.

/// The expected points for an output: 1 / (1 + e^−y), rising from 0 to 1 through ½ at 0.
///
/// Within 10⁻¹⁵ of the exact value, and the same on every machine. NaN gives NaN.
#[must_use]
#[inline]
pub fn sigmoid(y: f64) -> f64 {
    1.0 / (1.0 + exp(-y))
}

/// 1/k! for k from 13 down to 0.
const COEFFICIENTS: [f64; 14] = {
    let mut coefficients = [1.0; 14];
    let mut k = 1;
    let mut factorial = 1.0;
    while k < 14 {
        factorial *= k as f64;
        coefficients[13 - k] = 1.0 / factorial;
        k += 1;
    }
    coefficients
};

/// ln 2 in two parts; the first has 21 zero bits at its end, so that its products with exponents
/// are exact.
const LN_2: [f64; 2] = [
    f64::from_bits(0x3fe6_2e42_fee0_0000),
    1.908_214_929_270_587_7e-10,
];

/// 2^52 and half of it: a number added to it is rounded to an integer, which then stands in the lowest
/// bits of the sum.
const ROUNDING: f64 = 6_755_399_441_055_744.0;

/// e^x for x clamped to ±708: x = k ln 2 + r, a Taylor series in r, and k put in the exponent.
#[inline(always)]
fn exp(x: f64) -> f64 {
    let x = x.clamp(-708.0, 708.0);
    let shifted = x * core::f64::consts::LOG2_E + ROUNDING;
    let k = shifted - ROUNDING;
    let r = (x - k * LN_2[0]) - k * LN_2[1];
    let mut series = 0.0;
    for coefficient in COEFFICIENTS {
        series = series * r + coefficient;
    }
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    series * power
}

/// `base` to the power of `exponent`, for a base of 0 or more; NaN stays NaN.
pub(super) fn power(base: f64, exponent: f64) -> f64 {
    if exponent == 0.0 && !base.is_nan() {
        1.0
    } else if base > 0.0 {
        exp(exponent * ln(base))
    } else {
        base
    }
}

/// The natural logarithm of a normal number over 0: x = 2^k · f with f around 1, and
/// ln f = 2 artanh((f − 1) / (f + 1)) by its series.
fn ln(x: f64) -> f64 {
    const FRACTION: u64 = (1 << 52) - 1;
    let mut k = (x.to_bits() >> 52) as i64 - 1023;
    let mut f = f64::from_bits(x.to_bits() & FRACTION | 1023 << 52);
    if f > core::f64::consts::SQRT_2 {
        (k, f) = (k + 1, f / 2.0);
    }
    let s = (f - 1.0) / (f + 1.0);
    let mut series = 0.0;
    for term in (0..12).rev() {
        series = series * (s * s) + 1.0 / f64::from(2 * term + 1);
    }
    let k = k as f64;
    k * LN_2[0] + (k * LN_2[1] + 2.0 * s * series)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_systems_logarithms_and_powers() {
        for step in 1..=3000 {
            let x = f64::from(step) / 1000.0;
            assert!(
                (ln(x) - x.ln()).abs() < 1e-15 * x.ln().abs().max(0.5),
                "ln {x}"
            );
            let relative = power(x, 1.6) / x.powf(1.6) - 1.0;
            assert!(relative.abs() < 1e-14, "{x}: off by {relative}");
        }
        assert_eq!(
            (power(0.0, 1.6), power(0.0, 0.0), power(7.0, 0.0)),
            (0.0, 1.0, 1.0)
        );
        assert!(power(f64::NAN, 0.0).is_nan() && power(f64::NAN, 1.6).is_nan());
    }

    #[test]
    fn agrees_with_the_systems_exp() {
        for step in -7000..=7000 {
            let x = f64::from(step) / 10.0;
            let relative = exp(x) / x.exp() - 1.0;
            assert!(relative.abs() < 1e-15, "e^{x}: off by {relative}");
        }
    }

    #[test]
    fn ends_middle_and_nan() {
        assert_eq!(sigmoid(0.0), 0.5);
        assert_eq!(sigmoid(f64::INFINITY), 1.0);
        assert!(sigmoid(f64::NEG_INFINITY) < 1e-300);
        assert!(sigmoid(f64::NAN).is_nan());
        assert!((sigmoid(1.0) - 0.731_058_578_630_004_9).abs() < 1e-15);
    }
}
