// nvcc -arch=sm_87 -cubin -o chase.sm_87.cubin chase.cu
extern "C" __global__ void chase(const int *next, int *out, int n) {
    int p = threadIdx.x;
#pragma unroll 1
    for (int i = 0; i < n; i++) p = next[p];
    out[threadIdx.x] = p;
}
