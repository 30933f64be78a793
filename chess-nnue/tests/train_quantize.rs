//! From floating point to integers.

#![cfg(feature = "train")]
#![allow(clippy::unwrap_used)]

mod train_common;

use chess_nnue::train::{FloatWeights, Parameters};
use chess_nnue::{Activation, Architecture, KingBuckets};
use train_common::random_positions;

fn random(activation: Activation) -> Parameters {
    let architecture = Architecture::new(64).unwrap().with_activation(activation);
    Parameters::random(&architecture, 5)
}

#[test]
fn integers_evaluate_like_floats() {
    for activation in [Activation::Crelu, Activation::Screlu] {
        let mut weights = random(activation).into_weights();
        let larger = |values: &mut Vec<f32>, factor| values.iter_mut().for_each(|v| *v *= factor);
        larger(&mut weights.feature_weights, 5.0);
        larger(&mut weights.output_weights, 5.0);
        let architecture = random(activation).architecture().clone();
        let parameters = Parameters::new(architecture, weights).unwrap();
        let quantized = parameters.quantize();
        assert_eq!(quantized.clipped, 0);
        let (mut smallest, mut largest) = (i32::MAX, i32::MIN);
        for sample in random_positions(200, 1).0 {
            let exact = parameters.evaluate(&sample) * 400.0;
            let found = quantized.network.evaluate(&sample);
            assert!((exact - found as f32).abs() < 25.0, "{exact}, {found}");
            (smallest, largest) = (smallest.min(found), largest.max(found));
        }
        assert!(
            largest - smallest > 200,
            "{smallest} to {largest} tests nothing"
        );
    }
}

fn constant(value: f32, output_bias: f32) -> Parameters {
    let architecture = Architecture::new(16).unwrap();
    let mut weights = FloatWeights::zero(&architecture);
    weights.feature_weights.fill(value);
    weights.feature_biases.fill(value);
    weights.output_weights.fill(value);
    weights.output_biases.fill(output_bias);
    Parameters::new(architecture, weights).unwrap()
}

#[test]
fn values_are_rounded_to_the_nearest_integer() {
    let quantized = constant(0.5 / 64.0, -0.501 / (255.0 * 64.0)).quantize();
    let weights = quantized.network.weights();
    assert_eq!(weights.feature_weights[5], 2, "1.99 rounds to 2");
    assert_eq!(weights.feature_biases[5], 2);
    assert_eq!(weights.output_weights[5], 1, "a half goes away from zero");
    assert_eq!(weights.output_biases, [-1]);
}

#[test]
fn weights_beyond_the_limit_are_clipped_and_counted() {
    let quantized = constant(-2.5, 7.0).quantize();
    assert_eq!(quantized.clipped, 768 * 16 + 16 + 32);
    let weights = quantized.network.weights();
    assert_eq!(weights.feature_weights[0], -505);
    assert_eq!(weights.output_weights[0], -127);
    assert_eq!(weights.output_biases, [7 * 255 * 64], "the bias is free");
    assert_eq!(constant(1.98, 0.0).quantize().clipped, 0);
}

#[test]
fn what_large_factors_clip_is_counted() {
    let quantized = |qa, qb, value, output_bias| {
        let parameters = constant(value, output_bias);
        let architecture = parameters.architecture().clone();
        let architecture = architecture.with_quantization(qa, qb).unwrap();
        let parameters = Parameters::new(architecture, parameters.into_weights()).unwrap();
        parameters.quantize()
    };
    let coarse = quantized(20_000, 1, 1.98, 0.0);
    assert_eq!(coarse.clipped, 768 * 16 + 16, "39,600 is no i16");
    assert_eq!(coarse.network.weights().feature_weights[0], 32_767);
    assert_eq!(coarse.network.weights().output_weights[0], 2);
    let fine = quantized(32_767, 32_767, 0.5, 1.9);
    assert_eq!(fine.clipped, 0);
    for (bias, saturated) in [(2.1, i32::MAX), (-2.1, i32::MIN)] {
        let fine = quantized(32_767, 32_767, 0.5, bias);
        assert_eq!(fine.clipped, 1);
        assert_eq!(fine.network.weights().output_biases, [saturated]);
    }
}

#[test]
fn a_factoriser_is_folded_into_every_bucket() {
    let mut map = [0; 64];
    map[60] = 1;
    let architecture = Architecture::new(16).unwrap();
    let architecture = architecture.with_king_buckets(KingBuckets::new(map, false).unwrap());
    let mut weights = FloatWeights::zero(&architecture);
    weights.feature_weights[5] = 0.5;
    weights.feature_weights[768 * 16 + 5] = -1.5;
    let parameters = Parameters::new(architecture, weights)
        .unwrap()
        .with_factoriser();
    let architecture = parameters.architecture().clone();
    let mut weights = parameters.into_weights();
    weights.factoriser[5] = -0.75;
    let parameters = Parameters::new(architecture.clone(), weights.clone()).unwrap();
    let quantized = parameters.quantize();
    let integers = quantized.network.weights().feature_weights;
    assert_eq!((integers[5], integers[768 * 16 + 5]), (-64, -505));
    assert_eq!(quantized.clipped, 1, "-2.25");
    weights.factoriser.pop();
    let error = Parameters::new(architecture, weights).unwrap_err();
    assert_eq!(
        error.to_string(),
        "factoriser has 12287 values, expected 12288"
    );
}

#[test]
fn weights_that_are_no_parameters_are_refused() {
    let plain = || random(Activation::Screlu).into_weights();
    let text = |weights| {
        let parameters = Parameters::new(Architecture::new(64).unwrap(), weights);
        parameters.unwrap_err().to_string()
    };
    let mut short = plain();
    short.output_weights.pop();
    assert_eq!(text(short), "output_weights has 127 values, expected 128");
    let mut nan = plain();
    nan.feature_biases[3] = f32::NAN;
    assert_eq!(text(nan), "value 3 of feature_biases is not finite");
    let mut infinite = plain();
    infinite.output_biases[0] = f32::INFINITY;
    assert_eq!(text(infinite), "value 0 of output_biases is not finite");
}

#[test]
fn random_parameters_follow_the_seed() {
    let architecture = Architecture::new(64).unwrap();
    let random = |seed| Parameters::random(&architecture, seed);
    assert_eq!(random(1), random(1));
    assert_ne!(random(1), random(2));
    let weights = random(1).into_weights();
    let largest = |values: &[f32]| values.iter().fold(0.0f32, |max, v| max.max(v.abs()));
    let limits = [768.0f32, 128.0].map(|fan_in| 1.0 / fan_in.sqrt());
    for (found, limit) in [
        (largest(&weights.feature_weights), limits[0]),
        (largest(&weights.output_weights), limits[1]),
    ] {
        assert!(found <= limit && found > 0.95 * limit);
    }
    let mean = weights.feature_weights.iter().sum::<f32>() / weights.feature_weights.len() as f32;
    assert!(mean.abs() < 1e-3);
}
