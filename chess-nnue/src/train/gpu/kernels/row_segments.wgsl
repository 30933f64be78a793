// The slopes of up to 256 entries of one row's list, summed up: an invocation for each segment and
// column. An entry is twice the sample's number, plus 1 for the opponent's view.

@group(0) @binding(0) var<uniform> work: Work;
@group(0) @binding(1) var<storage, read> parameters: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> samples: array<Sample>;
@group(0) @binding(3) var<storage, read> hidden: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> outcomes: array<Outcome>;
@group(0) @binding(5) var<storage, read> entries: array<u32>;
// Where each segment starts, and where the last ends.
@group(0) @binding(6) var<storage, read> segments: array<u32>;
@group(0) @binding(7) var<storage, read_write> segment_sums: array<vec4<f32>>;

@compute @workgroup_size(LANES)
fn row_segments(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = index_of(group, groups, lane);
    if index >= work.segments * COLUMNS {
        return;
    }
    let segment = index / COLUMNS;
    let column = index % COLUMNS;
    let end = segments[segment + 1u];
    var sum = vec4(0.0);
    for (var i = segments[segment]; i < end; i++) {
        let entry = entries[i];
        let number = entry / 2u;
        var row = entry % 2u;
        if OUTPUT_BUCKETS > 1u {
            row += 2u * samples[number].output_bucket;
        }
        let weights = parameters[OUTPUTS + row * COLUMNS + column];
        let clipped = hidden[entry * COLUMNS + column];
        sum += activation_slope(clipped) * (outcomes[number].slope * weights);
    }
    segment_sums[index] = sum;
}
