// OpenCL by clang: no cvta, labels without $, floats as bytes.
__constant float factors[3] = {1.5f, -2.0f, 0.125f};

__kernel void scale(__global float *out, __global const float *in, __local float *tile, int n) {
    int i = get_global_id(0);
    tile[get_local_id(0)] = i < n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0.0f;
    for (int k = 0; k < n; k += get_local_size(0))
        sum = mad(tile[(get_local_id(0) + k) % 64], factors[k % 3], sum);
    if (i < n) out[i] = sum;
}

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void gather(__global int4 *out, __global const int4 *in,
                                                                    __global const short *where) {
    int i = get_global_id(0);
    out[i] = in[where[i]] + (int4)(1, 2, 3, 4);
}
