// The gradient of a factoriser's row is the sum of those of its rows in every king bucket.

@group(0) @binding(0) var<storage, read_write> gradient: array<vec4<f32>>;

@compute @workgroup_size(LANES)
fn factoriser(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    let index = index_of(group, groups, lane);
    let stride = INPUTS_PER_BUCKET * COLUMNS;
    if index >= stride {
        return;
    }
    var sum = vec4(0.0);
    for (var i = index; i < INPUTS * COLUMNS; i += stride) {
        sum += gradient[i];
    }
    gradient[INPUTS * COLUMNS + index] = sum;
}
