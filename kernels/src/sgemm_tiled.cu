// C = alpha * A * B + beta * C with tiles of A and B in shared memory: a block of 16 x 16 threads (8 warps)
// makes one tile of C and crosses two barriers per tile of A and B.
// Row-major: A is m x k, B is k x n, C is m x n; m, n and k are multiples of the tile's side.
#define TILE 16

extern "C" __global__ void sgemm_tiled(const float *a, const float *b, float *c, int n, int k, float alpha,
                                       float beta) {
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;

    float sum = 0.0f;
    for (int start = 0; start < k; start += TILE) {
        tile_a[y][x] = a[row * k + start + x];
        tile_b[y][x] = b[(start + y) * n + column];
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += tile_a[y][i] * tile_b[i][x];
        __syncthreads();
    }
    c[row * n + column] = alpha * sum + beta * c[row * n + column];
}
