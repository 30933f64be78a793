// One workgroup passes one sample through the network: hidden values, output, loss and slope.

@group(0) @binding(0) var<uniform> work: Work;
@group(0) @binding(1) var<storage, read> parameters: array<vec4<f32>>;
// The mover's input in the lower half, the opponent's in the upper.
@group(0) @binding(2) var<storage, read> men: array<u32>;
@group(0) @binding(3) var<storage, read> samples: array<Sample>;
// Clipped: of each sample the mover's view, then the opponent's.
@group(0) @binding(4) var<storage, read_write> hidden: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read_write> outcomes: array<Outcome>;

var<workgroup> sums: array<f32, LANES>;

@compute @workgroup_size(LANES)
fn forward(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let number = number_of(group, groups);
    if number >= work.samples {
        return;
    }
    let sample = samples[number];
    var sum = 0.0;
    for (var item = lane; item < 2u * COLUMNS; item += LANES) {
        sum += pass_column(sample, 2u * number, item / COLUMNS, item % COLUMNS);
    }
    sums[lane] = sum;
    // A tree of halves, so that the order is always the same.
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        workgroupBarrier();
        if lane < half {
            sums[lane] += sums[lane + half];
        }
    }
    if lane == 0u {
        let bucket = sample.output_bucket;
        let bias = parameters[OUTPUT_BIASES + bucket / 4u][bucket % 4u];
        outcomes[number] = compare(sums[0] + bias, sample.target_points);
    }
}

// What four hidden values of a view add to the output.
fn pass_column(sample: Sample, first_view: u32, view: u32, column: u32) -> f32 {
    var sum = parameters[BIASES + column];
    for (var man = sample.first_man; man < sample.end_of_men; man++) {
        let input = (men[man] >> (16u * view)) & 0xffffu;
        var row = parameters[input * COLUMNS + column];
        if FACTORISER == 1u {
            row += parameters[(INPUTS + input % INPUTS_PER_BUCKET) * COLUMNS + column];
        }
        sum += row;
    }
    let clipped = clamp(sum, vec4(0.0), vec4(1.0));
    hidden[(first_view + view) * COLUMNS + column] = clipped;
    if has_nan(sum) {
        return bitcast<f32>(work.nan);
    }
    let weights = OUTPUTS + (2u * sample.output_bucket + view) * COLUMNS + column;
    return dot(activated(clipped), parameters[weights]);
}

// Told from the bits: a compiler may take for granted that no value is NaN.
fn has_nan(values: vec4<f32>) -> bool {
    return any((bitcast<vec4<u32>>(values) & vec4(0x7fffffffu)) > vec4(0x7f800000u));
}

fn compare(output: f32, target_points: f32) -> Outcome {
    if has_nan(vec4(output)) {
        let nan = bitcast<f32>(work.nan);
        return Outcome(nan, nan, nan, 0.0);
    }
    // From e^-|y|, which neither overflows nor makes small differences of large numbers.
    let small = exp(-min(abs(output), 80.0));
    let likelier = 1.0 / (1.0 + small);
    let expected = select(small * likelier, likelier, output >= 0.0);
    let miss = expected - target_points;
    let rise = small * likelier * likelier * work.slope_factor;
    if work.loss_power == 2.0 {
        return Outcome(2.0 * miss * rise, miss * miss, output, 0.0);
    }
    // Not 0, whose logarithm a power is made of.
    let size = max(abs(miss), 1e-30);
    let steepness = work.loss_power * pow(size, work.loss_power - 1.0) * sign(miss);
    return Outcome(steepness * rise, pow(size, work.loss_power), output, 0.0);
}
