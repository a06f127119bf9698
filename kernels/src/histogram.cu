// Counts bytes by their upper six bits: every block counts in shared memory with atomics, then adds its counts
// to those in global memory. Which address an atomic goes to depends on the data.
#define BINS 64

extern "C" __global__ void histogram(const unsigned char *data, unsigned *counts, int n) {
    __shared__ unsigned bins[BINS];
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) bins[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&bins[data[i] >> 2], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < BINS; i += blockDim.x) atomicAdd(&counts[i], bins[i]);
}
