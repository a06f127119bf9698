// Which buffer each load and store is to: one, or one of two by block, warp, lane, round or data. Remade by
// nvcc -cubin -arch=sm_86 buffers.cu -o buffers.sm_86.cubin
#define KERNEL(name, from)                                                                                   \
    extern "C" __global__ void name(const float *a, const float *b, const int *index, float *out) {          \
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                            \
        out[i] = (from)[i];                                                                                  \
    }

KERNEL(one, a)
KERNEL(by_block, blockIdx.x & 1 ? b : a)
KERNEL(by_warp, threadIdx.x & 32 ? b : a)
KERNEL(by_lane, threadIdx.x & 1 ? b : a)
KERNEL(by_data, index[i] > 0 ? b : a)

extern "C" __global__ void by_round(const float *a, const float *b, const int *index, float *out) {
    float sum = 0;
#pragma unroll 1
    for (int round = 0; round < 4; round++) {
        sum += a[threadIdx.x];
        const float *other = a;
        a = b, b = other;
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void gather(const float *a, const float *b, const int *index, float *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[index[i]];
}

extern "C" __global__ void changed(float *a, float *b, int *index, float *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = a[i] + 1;
    atomicAdd(index + i, 1);
}

struct parts {
    const float *in;
    float *out;
};

extern "C" __global__ void fields(parts p) { p.out[threadIdx.x] = p.in[threadIdx.x]; }

// Unrolled, as the last block has fewer elements than threads: its lanes go beyond the buffer.
extern "C" __global__ void last_block(const float *a, const float *b, const int *index, float *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 100) out[i] = a[i];
}
