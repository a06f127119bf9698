// Lanes that exchange values, and barriers of every kind.
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__global__ void exchange(int *out, unsigned *bits) {
    int lane = threadIdx.x & 31;
    int value = out[threadIdx.x];
    for (int delta = 16; delta > 0; delta /= 2)
        value += __shfl_xor_sync(0xffffffff, value, delta);
    value += __shfl_up_sync(0xffffffff, value, 1) + __shfl_down_sync(0xffffffff, value, 2);
    int predicate;
    bits[0] = __match_any_sync(0xffffffff, value);
    bits[1] = __match_all_sync(0xffffffff, value, &predicate);
    bits[2] = __ballot_sync(0xffffffff, value > 3) + __activemask();
    bits[3] = __any_sync(0xffffffff, lane == 3) + __all_sync(0xffffffff, predicate);
    bits[4] = __reduce_add_sync(0xffffffff, value) + __reduce_xor_sync(0xffffffff, bits[5]);
    __syncwarp();
    out[threadIdx.x] = value + __shfl_sync(0xffffffff, value, 7, 16);
}

__global__ void barriers(int *out) {
    int count = __syncthreads_count(out[threadIdx.x] > 0);
    int any = __syncthreads_or(out[threadIdx.x] == 7);
    int all = __syncthreads_and(out[threadIdx.x] != 9);
    asm volatile("bar.arrive 1, 128;");
    asm volatile("bar.sync 1, 128;");
    asm volatile("barrier.sync 2;");
    __threadfence_block();
    __threadfence();
    __threadfence_system();
    out[threadIdx.x] = count + 2 * any + 4 * all;
}

__global__ void atomics(int *a, unsigned long long *b, float *c, double *d) {
    __shared__ int shared[32];
    shared[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&shared[a[threadIdx.x] & 31], 1);
    atomicMax(a, 5);
    a[1] = atomicCAS(a + 2, 3, 4) + atomicExch(a + 3, 9) + atomicXor(a + 4, 1);
    b[1] = atomicCAS(b, 3ull, 4ull) + atomicMin(b + 2, 7ull);
    atomicInc((unsigned *)a + 5, 10);
    atomicAdd(c, 1.0f);
    atomicAdd(d, 1.0);
    atomicAdd_block(a + 7, 1);
    a[8] = atomicAdd(a + 9, shared[threadIdx.x]);
}

__global__ void halves(__half2 *x, __nv_bfloat162 *y, float *z) {
    x[0] = __hfma2(x[1], x[2], __hadd2(x[3], x[0]));
    y[0] = __hmul2(y[1], y[2]);
    z[0] = __half2float(__low2half(x[4])) + __bfloat162float(__high2bfloat16(y[3]));
    z[1] = __fdividef(z[2], z[3]) + __sinf(z[4]) + rsqrtf(z[5]) + __fmaf_rz(z[6], z[7], z[8]);
    z[2] = sqrt((double)z[9]) + floorf(z[10]) + __float2int_rn(z[11]) + copysignf(z[12], z[13]);
}

__global__ void bits(unsigned *x, unsigned long long *y) {
    x[0] = __popc(x[1]) + __clz(x[2]) + __brev(x[3]) + __byte_perm(x[4], x[5], 0x5410) + __ffs(x[6]);
    x[1] = __funnelshift_l(x[7], x[8], x[9]) + __dp4a((int)x[1], (int)x[2], (int)x[3]) + __sad(x[2], 3, 4);
    y[0] = y[1] * y[2] + __umul64hi(y[3], y[4]) + (y[5] >> (x[5] & 63)) / (y[6] | 1);
    x[2] = (x[3] & x[4]) | (~x[5] ^ x[6]);
    asm("{ .reg .u32 lo, hi; add.cc.u32 lo, %2, %3; addc.u32 hi, %4, 0; mov.b64 %0, {lo, hi}; "
        "bfe.u32 %1, %2, 3, 5; }"
        : "=l"(y[7]), "=r"(x[10])
        : "r"(x[11]), "r"(x[12]), "r"(x[13]));
}
