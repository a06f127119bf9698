// Sparse matrix times vector, y = A * x, with A in compressed sparse rows. A thread makes one row, so that
// neighbouring threads read elements of A that lie rows apart, and of x wherever the columns say.
extern "C" __global__ void sparse_matvec(const int *starts, const int *columns, const float *elements,
                                         const float *x, float *y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    int end = starts[row + 1];
    for (int i = starts[row]; i < end; i++) sum += elements[i] * x[columns[i]];
    y[row] = sum;
}
