// C = alpha * A * B + beta * C, one element of C a thread, all operands from global memory.
// Row-major: A is m x k, B is k x n, C is m x n.
extern "C" __global__ void sgemm_naive(const float *a, const float *b, float *c, int m, int n, int k,
                                       float alpha, float beta) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float sum = 0.0f;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = alpha * sum + beta * c[row * n + column];
}
