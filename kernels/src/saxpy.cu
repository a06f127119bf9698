// y = alpha * x + y with a grid-stride loop, whose trip count differs from thread to thread when the grid
// does not divide n.
extern "C" __global__ void saxpy(int n, float alpha, const float *__restrict__ x, float *__restrict__ y) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) y[i] = alpha * x[i] + y[i];
}
