// Each thread reads a word and later its neighbour's: how often the second level is asked for it. Remade by
// nvcc -cubin -arch=sm_86 kept.cu -o kept.sm_86.cubin
#define KERNEL(name, load, between)                                                                          \
    extern "C" __global__ void name(float *in, float *out) {                                                 \
        float sum = load(in + threadIdx.x);                                                                  \
        between;                                                                                             \
        out[threadIdx.x] = sum + load(in + (threadIdx.x ^ 1));                                               \
    }

static __device__ float plain(const float *at) { return *at; }
static __device__ float readonly(const float *at) { return __ldg(at); }
static __device__ float last_level(const float *at) { return __ldcg(at); }
static __device__ float streaming(const float *at) { return __ldcs(at); }
static __device__ float last_use(const float *at) { return __ldlu(at); }
static __device__ float fresh(const float *at) { return __ldcv(at); }
static __device__ float as_volatile(const float *at) { return *(const volatile float *)at; }

KERNEL(plain_loads, plain, __syncwarp())
KERNEL(readonly_loads, readonly, __syncwarp())
KERNEL(behind_barrier, plain, __syncthreads())
KERNEL(last_level_loads, last_level, __syncwarp())
KERNEL(streaming_loads, streaming, __syncwarp())
KERNEL(last_use_loads, last_use, __syncwarp())
KERNEL(fresh_loads, fresh, __syncwarp())
KERNEL(volatile_loads, as_volatile, __syncwarp())
KERNEL(behind_fence, plain, __threadfence())
KERNEL(behind_store, plain, in[threadIdx.x + 32] = sum)
KERNEL(behind_store_to_line, plain, in[threadIdx.x] = -sum)
KERNEL(behind_atomic, plain, atomicAdd(in + threadIdx.x + 32, 1.0f))
KERNEL(behind_atomic_of_line, plain, atomicAdd(in + threadIdx.x, 1.0f))

// LD of local memory, which STL stores to between.
extern "C" __global__ void local_loads(float *in, float *out) {
    float own[8], sum = 0;
    const float *at = gridDim.y > 1 ? in : own;
    for (int i = 0; i < 8; i++)
        own[i] = i;
#pragma unroll 1
    for (int i = 0; i < 4; i++) {
        own[i] = sum;
        sum += at[i + 1] + at[i];
    }
    out[threadIdx.x] = sum;
}
