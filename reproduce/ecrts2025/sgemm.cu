// The two matrix products of table 4 of ECRTS 2025 (published.h names the paper), and two variants of the second, for
// blocks of 4, 8, 16 and 32 warps: a block of 32 x WARPS threads makes a tile of C of that shape, one element a thread;
// of the last variant four elements a thread.
// C = A * B, row-major: A is m x k, B is k x n; m is a multiple of WARPS (of 4 WARPS), n and k are multiples of 32.
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

// The same with tiles of DEPTH columns of A and rows of B, ROWS elements of C a thread, one below the other, and the
// first tiles loaded by all threads at once before anything is stored. ROWS * DEPTH is 32: a thread has one element of
// each tile of A, and the first threads have those of B.
template <int WARPS, int DEPTH_, int ROWS>
__device__ void overlapped(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ c, int n, int k) {
    constexpr int B_LOADS = (DEPTH_ + WARPS - 1) / WARPS;
    __shared__ float tile_a[2][WARPS * ROWS][DEPTH_];
    __shared__ float tile_b[2][DEPTH_][32];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * 32 + x;
    int row = blockIdx.y * WARPS * ROWS;
    int thread = y * 32 + x, row_a = thread / DEPTH_, column_a = thread % DEPTH_;
    bool loads_b = y < DEPTH_;
    const float *next_a = a + (row + row_a) * k + column_a;
    const float *next_b = b + y * n + column;

    float fetched_a = *next_a, fetched_b[B_LOADS] = {};
    if (loads_b)
#pragma unroll
        for (int i = 0; i < B_LOADS; i++) fetched_b[i] = next_b[i * WARPS * n];
    tile_a[0][row_a][column_a] = fetched_a;
    if (loads_b)
#pragma unroll
        for (int i = 0; i < B_LOADS; i++) tile_b[0][y + i * WARPS][x] = fetched_b[i];
    __syncthreads();

    float sum[ROWS] = {};
    int tiles = k / DEPTH_;
    for (int tile = 0; tile < tiles; tile++) {
        int current = tile & 1;
        bool more = tile + 1 < tiles;
        if (more) {
            next_a += DEPTH_;
            next_b += DEPTH_ * n;
            fetched_a = *next_a;
            if (loads_b)
#pragma unroll
                for (int i = 0; i < B_LOADS; i++) fetched_b[i] = next_b[i * WARPS * n];
        }
#pragma unroll
        for (int i = 0; i < DEPTH_; i++)
#pragma unroll
            for (int r = 0; r < ROWS; r++) sum[r] += tile_a[current][y * ROWS + r][i] * tile_b[current][i][x];
        if (more) {
            tile_a[current ^ 1][row_a][column_a] = fetched_a;
            if (loads_b)
#pragma unroll
                for (int i = 0; i < B_LOADS; i++) tile_b[current ^ 1][y + i * WARPS][x] = fetched_b[i];
        }
        __syncthreads();
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) c[(row + y * ROWS + r) * n + column] = sum[r];
}

#define KERNELS(WARPS)                                                                                       \
    extern "C" __global__ void sgemm_naive_##WARPS(const float *a, const float *b, float *c, int n, int k) {  \
        naive<WARPS>(a, b, c, n, k);                                                                         \
    }                                                                                                        \
    extern "C" __global__ void sgemm_double_buffered_##WARPS(const float *a, const float *b, float *c, int n, \
                                                             int k) {                                        \
        double_buffered<WARPS>(a, b, c, n, k);                                                               \
    }                                                                                                        \
    extern "C" __global__ void sgemm_loads_together_##WARPS(const float *a, const float *b, float *c, int n,  \
                                                            int k) {                                         \
        overlapped<WARPS, DEPTH, 1>(a, b, c, n, k);                                                          \
    }                                                                                                        \
    extern "C" __global__ void sgemm_register_tiled_##WARPS(const float *a, const float *b, float *c, int n,  \
                                                            int k) {                                         \
        overlapped<WARPS, 8, 4>(a, b, c, n, k);                                                              \
    }

KERNELS(4)
KERNELS(8)
KERNELS(16)
KERNELS(32)
