// What all kernels share. Values lie in fours; a "column" is four hidden values side by side.
// The layout of parameters, gradients and moments is that of `layout.rs`.

const LANES: u32 = 64u;
const INPUTS_PER_BUCKET: u32 = 768u;

// Columns of a view.
override COLUMNS: u32;
// Inputs, those of the factoriser not counted.
override INPUTS: u32;
// 1 or 0: whether there are rows that are added to those of every king bucket.
override FACTORISER: u32;
override OUTPUT_BUCKETS: u32;
// 1 or 0: SCReLU or CReLU.
override SCRELU: u32;
// Where biases, output weights and output biases start, in fours.
override BIASES: u32;
override OUTPUTS: u32;
override OUTPUT_BIASES: u32;

// What is to be done: see `Work` in `work.rs`.
struct Work {
    samples: u32,
    segments: u32,
    chunks: u32,
    // 1 if the gradient there is is to be forgotten.
    fresh: u32,
    // One over the number of samples that the loss is the mean of.
    slope_factor: f32,
    loss_power: f32,
    // Where the loss goes.
    slot: u32,
    // The bits of a NaN, which WGSL has no constant for.
    nan: u32,
}

struct Sample {
    first_man: u32,
    end_of_men: u32,
    output_bucket: u32,
    target_points: f32,
}

struct Outcome {
    // How much the batch's loss rises with the output.
    slope: f32,
    loss: f32,
    output: f32,
    unused: f32,
}

// The number of a workgroup. Those of a long list lie in a rectangle, as the sides are limited.
fn number_of(group: vec3<u32>, groups: vec3<u32>) -> u32 {
    return group.y * groups.x + group.x;
}

// The number of an invocation.
fn index_of(group: vec3<u32>, groups: vec3<u32>, lane: u32) -> u32 {
    return number_of(group, groups) * LANES + lane;
}

fn activated(clipped: vec4<f32>) -> vec4<f32> {
    if SCRELU == 1u {
        return clipped * clipped;
    }
    return clipped;
}

// How much the activation rises with the hidden sum. On both corners of the clip it is 0.
fn activation_slope(clipped: vec4<f32>) -> vec4<f32> {
    let inside = (clipped > vec4(0.0)) & (clipped < vec4(1.0));
    if SCRELU == 1u {
        return select(vec4(0.0), clipped + clipped, inside);
    }
    return select(vec4(0.0), vec4(1.0), inside);
}
