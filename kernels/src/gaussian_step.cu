// One step of Gaussian elimination on a row-major matrix: takes a multiple of the pivot row from each row
// below. The multiples come in a buffer of their own, since the column they are made from changes here. Every
// row of blocks reads the whole pivot row.
extern "C" __global__ void gaussian_step(float *matrix, const float *multiples, int rows, int columns,
                                         int pivot) {
    int column = pivot + blockIdx.x * blockDim.x + threadIdx.x;
    if (column >= columns) return;
    int row = pivot + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    for (; row < rows; row += gridDim.y * blockDim.y)
        matrix[row * columns + column] -= multiples[row] * matrix[pivot * columns + column];
}
