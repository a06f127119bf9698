// The two matrix products of table 4 of ECRTS 2025 (published.h names the paper), for blocks of 4, 8, 16 and 32
// warps: a block of 32 x WARPS threads makes a tile of C of that shape, one element a thread.
// C = A * B, row-major: A is m x k, B is k x n; m is a multiple of WARPS, n and k are multiples of 32.
// sgemm.ptx is made from this file by
//     nvcc -ptx -arch=sm_75 -o sgemm.ptx sgemm.cu
#define DEPTH 32 // columns of A and rows of B that a block works on at a time

// Two barriers a tile: the tiles are loaded, the block waits, multiplies, and waits before it loads the next.
template <int WARPS> __device__ void naive(const float *a, const float *b, float *c, int n, int k) {
    __shared__ float tile_a[WARPS][DEPTH];
    __shared__ float tile_b[DEPTH][32];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 32 + x;
    int row = blockIdx.y * WARPS + y;

    float sum = 0.0f;
    for (int start = 0; start < k; start += DEPTH) {
        tile_a[y][x] = a[row * k + start + x];
#pragma unroll
        for (int i = 0; i < DEPTH; i += WARPS) tile_b[y + i][x] = b[(start + y + i) * n + column];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < DEPTH; i++) sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// One barrier a tile: while the block multiplies one pair of tiles, the next pair is on its way into registers.
template <int WARPS>
__device__ void double_buffered(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c,
                                int n, int k) {
    __shared__ float tile_a[2][WARPS][DEPTH];
    __shared__ float tile_b[2][DEPTH][32];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 32 + x;
    int row = blockIdx.y * WARPS + y;
    const float *next_a = a + row * k + x;
    const float *next_b = b + y * n + column;

    tile_a[0][y][x] = *next_a;
#pragma unroll
    for (int i = 0; i < DEPTH; i += WARPS) tile_b[0][y + i][x] = next_b[i * n];
    __syncthreads();

    float sum = 0.0f;
    int tiles = k / DEPTH;
    for (int tile = 0; tile < tiles; tile++) {
        int current = tile & 1;
        bool more = tile + 1 < tiles;
        float fetched_a = 0.0f, fetched_b[DEPTH / WARPS] = {};
        if (more) {
            next_a += DEPTH;
            next_b += DEPTH * n;
            fetched_a = *next_a;
#pragma unroll
            for (int i = 0; i < DEPTH / WARPS; i++) fetched_b[i] = next_b[i * WARPS * n];
        }
#pragma unroll
        for (int i = 0; i < DEPTH; i++) sum += tile_a[current][y][i] * tile_b[current][i][x];
        if (more) {
            tile_a[current ^ 1][y][x] = fetched_a;
#pragma unroll
            for (int i = 0; i < DEPTH / WARPS; i++) tile_b[current ^ 1][y + i * WARPS][x] = fetched_b[i];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}

#define KERNELS(WARPS)                                                                                       \
    extern "C" __global__ void sgemm_naive_##WARPS(const float *a, const float *b, float *c, int n, int k) {  \
        naive<WARPS>(a, b, c, n, k);                                                                         \
    }                                                                                                        \
    extern "C" __global__ void sgemm_double_buffered_##WARPS(const float *a, const float *b, float *c, int n, \
                                                             int k) {                                        \
        double_buffered<WARPS>(a, b, c, n, k);                                                               \
    }

KERNELS(4)
KERNELS(8)
KERNELS(16)
KERNELS(32)
