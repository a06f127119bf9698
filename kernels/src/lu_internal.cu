// Inner part of a step of a blocked LU decomposition: from the tiles right of and below the diagonal tile it
// takes the product of the tile in their row of the first column and the tile in their column of the first
// row, which all blocks of that row or column read. Row-major; the matrix has one more tile than the grid in
// both directions.
#define TILE 16

extern "C" __global__ void lu_internal(float *matrix, int columns) {
    __shared__ float lower[TILE][TILE];
    __shared__ float upper[TILE][TILE];
    int x = threadIdx.x, y = threadIdx.y;
    int row = (blockIdx.y + 1) * TILE + y;
    int column = (blockIdx.x + 1) * TILE + x;
    lower[y][x] = matrix[row * columns + x];
    upper[y][x] = matrix[y * columns + column];
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < TILE; i++) sum += lower[y][i] * upper[i][x];
    matrix[row * columns + column] -= sum;
}
