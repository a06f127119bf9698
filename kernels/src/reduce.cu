// Sum of a vector, one partial sum a block: a grid-stride loop per thread, then a tree in shared memory with a
// barrier per level. blockDim.x is a power of two, at most 256.
#define THREADS_MAX 256

extern "C" __global__ void reduce(const float *in, float *out, int n) {
    __shared__ float partial[THREADS_MAX];
    int tid = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + tid; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    partial[tid] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (tid < half) partial[tid] += partial[tid + half];
        __syncthreads();
    }
    if (tid == 0) out[blockIdx.x] = partial[0];
}
