// One step of every parameter, an invocation for four. See `step_words` in `work.rs`.

struct Step {
    // Rate over the correction of the mean.
    rate: f32,
    // One over the root of the correction of the mean square.
    root_correction: f32,
    // What the decay leaves of a weight.
    keep: f32,
    // What weights are clipped to.
    limit: f32,
    // How much of the mean of gradients is kept, and what the gradient gives to it.
    keep_mean: f32,
    take_mean: f32,
    // The same of the mean of squares.
    keep_square: f32,
    take_square: f32,
    // Added to the root of the mean square.
    epsilon: f32,
    // What rows that add up with others are clipped to.
    row_limit: f32,
    unused_1: u32,
    unused_2: u32,
}

@group(0) @binding(0) var<uniform> step_options: Step;
@group(0) @binding(1) var<storage, read> gradient: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> parameters: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> means: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> squares: array<vec4<f32>>;

@compute @workgroup_size(LANES)
fn step_parameters(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = index_of(group, groups, lane);
    if index >= arrayLength(&parameters) {
        return;
    }
    let slope = gradient[index];
    let mean = step_options.keep_mean * means[index] + step_options.take_mean * slope;
    let square = step_options.keep_square * squares[index] + step_options.take_square * (slope * slope);
    means[index] = mean;
    squares[index] = square;
    let root = sqrt(square) * step_options.root_correction + step_options.epsilon;
    let change = step_options.rate * mean / root;
    let value = parameters[index];
    if index >= OUTPUT_BIASES {
        // Output biases neither decay nor are clipped.
        parameters[index] = value - change;
    } else {
        let limit = vec4(select(step_options.limit, step_options.row_limit, index < BIASES));
        parameters[index] = clamp(value * step_options.keep - change, -limit, limit);
    }
}
