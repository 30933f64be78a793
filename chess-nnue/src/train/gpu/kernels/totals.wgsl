// The chunks summed up, in their order: an invocation for each bias, each output weight, each output
// bias, and one for the loss.

@group(0) @binding(0) var<uniform> work: Work;
// Where the chunks of each output bucket start, and where those of the last end.
@group(0) @binding(1) var<storage, read> bucket_starts: array<u32>;
@group(0) @binding(2) var<storage, read> chunk_sums: array<f32>;
@group(0) @binding(3) var<storage, read_write> gradient: array<f32>;
@group(0) @binding(4) var<storage, read_write> losses: array<f32>;

@compute @workgroup_size(LANES)
fn totals(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let hidden = 4u * COLUMNS;
    let biases = hidden;
    let weights = biases + 2u * hidden * OUTPUT_BUCKETS;
    let output_biases = weights + OUTPUT_BUCKETS;
    let index = index_of(group, groups, lane);
    if index < biases {
        add(4u * BIASES + index, sum_chunks(0u, work.chunks, 2u * hidden + index));
    } else if index < weights {
        let weight = index - biases;
        let bucket = weight / (2u * hidden);
        add(4u * OUTPUTS + weight, sum_bucket(bucket, weight % (2u * hidden)));
    } else if index < output_biases {
        let bucket = index - weights;
        add(4u * OUTPUT_BIASES + bucket, sum_bucket(bucket, 3u * hidden));
    } else if index == output_biases {
        losses[work.slot] = sum_chunks(0u, work.chunks, 3u * hidden + 1u);
    }
}

fn add(place: u32, sum: f32) {
    if work.fresh == 1u {
        gradient[place] = sum;
    } else {
        gradient[place] += sum;
    }
}

fn sum_bucket(bucket: u32, column: u32) -> f32 {
    return sum_chunks(bucket_starts[bucket], bucket_starts[bucket + 1u], column);
}

fn sum_chunks(start: u32, end: u32, column: u32) -> f32 {
    var sum = 0.0;
    for (var chunk = start; chunk < end; chunk++) {
        sum += chunk_sums[chunk * 4u * (3u * COLUMNS + 1u) + column];
    }
    return sum;
}
