// The segments of each row summed up, in their order: an invocation for each row and column.

@group(0) @binding(0) var<uniform> work: Work;
// Where the segments of each row start, and where those of the last end.
@group(0) @binding(1) var<storage, read> row_starts: array<u32>;
@group(0) @binding(2) var<storage, read> segment_sums: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> gradient: array<vec4<f32>>;

@compute @workgroup_size(LANES)
fn rows(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = index_of(group, groups, lane);
    if index >= INPUTS * COLUMNS {
        return;
    }
    let row = index / COLUMNS;
    let column = index % COLUMNS;
    var sum = vec4(0.0);
    if work.fresh == 0u {
        sum = gradient[index];
    }
    let end = row_starts[row + 1u];
    for (var segment = row_starts[row]; segment < end; segment++) {
        sum += segment_sums[segment * COLUMNS + column];
    }
    gradient[index] = sum;
}
