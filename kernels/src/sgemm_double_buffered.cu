// C = alpha * A * B + beta * C with two buffers per tile: while a block works on one pair of tiles it fetches
// the next pair into registers, so that one barrier per tile is enough.
// Row-major: A is m x k, B is k x n, C is m x n; m, n and k are multiples of the tile's side.
#define TILE 16

extern "C" __global__ void sgemm_double_buffered(const float *__restrict__ a, const float *__restrict__ b,
                                                 float *__restrict__ c, int n, int k, float alpha,
                                                 float beta) {
    __shared__ float tile_a[2][TILE][TILE];
    __shared__ float tile_b[2][TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * TILE + x;
    int row = blockIdx.y * TILE + y;
    const float *next_a = a + row * k + x;
    const float *next_b = b + y * n + column;

    tile_a[0][y][x] = *next_a;
    tile_b[0][y][x] = *next_b;
    __syncthreads();

    float sum = 0.0f;
    int tiles = k / TILE;
    for (int tile = 0; tile < tiles; tile++) {
        int current = tile & 1;
        float fetched_a = 0.0f, fetched_b = 0.0f;
        if (tile + 1 < tiles) {
            next_a += TILE;
            next_b += TILE * n;
            fetched_a = *next_a;
            fetched_b = *next_b;
        }
        for (int i = 0; i < TILE; i++) sum += tile_a[current][y][i] * tile_b[current][i][x];
        if (tile + 1 < tiles) {
            tile_a[current ^ 1][y][x] = fetched_a;
            tile_b[current ^ 1][y][x] = fetched_b;
        }
        __syncthreads();
    }
    c[row * n + column] = alpha * sum + beta * c[row * n + column];
}
