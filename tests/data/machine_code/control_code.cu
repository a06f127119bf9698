// Control flow for tests/lift/test_control_code.c. Remade by ./build.
#define SHAPE static __device__ __forceinline__
#define FUNCTION static __device__ __noinline__
#include "control_shapes.h"

#define KERNEL(name)                                                                              \
    extern "C" __global__ void name(const unsigned *in, unsigned *out) {                          \
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                 \
        out[i] = shape_##name(in[64 + i], in);                                                    \
    }

KERNEL(nest)
KERNEL(breaks)
KERNEL(exits_of_a_loop)
KERNEL(tables)
KERNEL(calls)

extern "C" __global__ void ends(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    shape_ends(in[64 + i], in, out + i);
}

// Parts of a warp exchange numbers after they were divided.
extern "C" __global__ void meetings(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    unsigned r = in[64 + i];
    if (r & 1)
        r = shape_breaks(r, in);
    else
        r = shape_nest(r, in);
    __syncwarp();
    r += __shfl_xor_sync(0xffffffff, r, 5);
    if (lane < 16) {
        r ^= __shfl_down_sync(0xffff, r, 3, 16);
        if (__any_sync(0xffff, r % 11 == 0)) r = step(r);
        __syncwarp(0xffff);
    } else if (__all_sync(0xffff0000, r != 0)) {
        r -= in[__popc(__ballot_sync(0xffff0000, r & 1))];
    }
    out[i] = r;
}

static __device__ __noinline__ void nothing() {
    asm volatile("");
}

// A function of one instruction, called twice.
extern "C" __global__ void twice(const unsigned *in, unsigned *out) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    nothing();
    out[i] = in[64 + i];
    nothing();
}
