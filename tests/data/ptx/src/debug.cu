// Small, for -lineinfo and -G: inlined functions, local variables.
__device__ float square(float x) { return x * x; }

__device__ float norm(const float *v) { return square(v[0]) + square(v[1]); }

__global__ void norms(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v[2] = {in[2 * i], in[2 * i + 1]};
        out[i] = norm(v);
    }
}
