// Retries and waits for tests/analyze/test_waiting_loops.c. Remade by: nvcc -cubin -arch=sm_86 waiting_code.cu
extern "C" __global__ void add_float(float *out) {
    __shared__ float sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, 1.0f);
    __syncthreads();
    out[threadIdx.x] = sum;
}
extern "C" __global__ void flag(float *out) {
    __shared__ volatile int set;
    if (threadIdx.x == 0) set = 0;
    __syncthreads();
    if (threadIdx.x == 32) set = 1;
    if (threadIdx.x == 0) while (set == 0) {}
    out[threadIdx.x] = 1;
}
extern "C" __global__ void flag_late(float *out) {
    __shared__ volatile int set;
    if (threadIdx.x == 0) set = 0;
    __syncthreads();
    if (threadIdx.x == 0) set = 1;
    if (threadIdx.x == 32) while (set == 0) {}
    out[threadIdx.x] = 1;
}
extern "C" __global__ void lock(int *out) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&out[0], 0, 1) != 0) {}
        __threadfence();
        out[1] += 1;
        __threadfence();
        atomicExch(&out[0], 0);
    }
}
extern "C" __global__ void largest(int *out) {
    int old = out[0], assumed;
    do {
        assumed = old;
        old = atomicCAS(&out[0], assumed, assumed > (int)threadIdx.x ? assumed + 1 : (int)threadIdx.x);
    } while (assumed != old);
}
