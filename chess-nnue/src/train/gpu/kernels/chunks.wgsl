// Sums over up to 128 samples of one output bucket: an invocation for each chunk and column gives
// the gradients of the output weights of both views and of the biases; one more for each chunk sums
// the slopes and the losses.

@group(0) @binding(0) var<uniform> work: Work;
@group(0) @binding(1) var<storage, read> parameters: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> samples: array<Sample>;
@group(0) @binding(3) var<storage, read> hidden: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> outcomes: array<Outcome>;
// The samples' numbers, by output bucket.
@group(0) @binding(5) var<storage, read> order: array<u32>;
// Where each chunk starts, and where the last ends.
@group(0) @binding(6) var<storage, read> chunk_starts: array<u32>;
// Of each chunk three rows, then slope and loss.
@group(0) @binding(7) var<storage, read_write> chunk_sums: array<vec4<f32>>;

@compute @workgroup_size(LANES)
fn chunks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = index_of(group, groups, lane);
    let chunk = index / (COLUMNS + 1u);
    let column = index % (COLUMNS + 1u);
    if chunk >= work.chunks {
        return;
    }
    let place = chunk * (3u * COLUMNS + 1u);
    if column == COLUMNS {
        chunk_sums[place + 3u * COLUMNS] = scalars(chunk);
    } else {
        sum_column(chunk, column, place);
    }
}

fn sum_column(chunk: u32, column: u32, place: u32) {
    let start = chunk_starts[chunk];
    let end = chunk_starts[chunk + 1u];
    let row = OUTPUTS + 2u * samples[order[start]].output_bucket * COLUMNS + column;
    let mover_weights = parameters[row];
    let opponent_weights = parameters[row + COLUMNS];
    var mover = vec4(0.0);
    var opponent = vec4(0.0);
    var bias = vec4(0.0);
    for (var i = start; i < end; i++) {
        let number = order[i];
        let slope = outcomes[number].slope;
        let first = hidden[2u * number * COLUMNS + column];
        let second = hidden[(2u * number + 1u) * COLUMNS + column];
        mover += slope * activated(first);
        opponent += slope * activated(second);
        bias += activation_slope(first) * (slope * mover_weights);
        bias += activation_slope(second) * (slope * opponent_weights);
    }
    chunk_sums[place + column] = mover;
    chunk_sums[place + COLUMNS + column] = opponent;
    chunk_sums[place + 2u * COLUMNS + column] = bias;
}

fn scalars(chunk: u32) -> vec4<f32> {
    var sum = vec2(0.0);
    for (var i = chunk_starts[chunk]; i < chunk_starts[chunk + 1u]; i++) {
        let outcome = outcomes[order[i]];
        sum += vec2(outcome.slope, outcome.loss);
    }
    return vec4(sum, 0.0, 0.0);
}
