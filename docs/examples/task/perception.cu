// The kernels of docs/task.md: what a camera's picture goes through before somebody brakes.
// nvcc -arch=sm_87 -cubin -o perception.cubin perception.cu

extern "C" __global__ void grey(const uchar4 *in, float *out, int pixels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) out[i] = 0.299f * in[i].x + 0.587f * in[i].y + 0.114f * in[i].z;
}

extern "C" __global__ void smooth(const float *in, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    const float *at = in + y * width + x;
    out[y * width + x] = 0.2f * (at[0] + at[-1] + at[1] + at[-width] + at[width]);
}

extern "C" __global__ void edges(const float *in, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    const float *at = in + y * width + x;
    out[y * width + x] = fabsf(at[1] - at[-1]) + fabsf(at[width] - at[-width]);
}

extern "C" __global__ void census(const float *in, unsigned *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    const float *at = in + y * width + x;
    unsigned bits = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            bits = bits << 1 | (at[dy * width + dx] > at[0]);
    out[y * width + x] = bits;
}

extern "C" __global__ void mark(const float *edges, const unsigned *census, unsigned char *out, int pixels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < pixels) out[i] = edges[i] > 24.0f && __popc(census[i]) > 3;
}

extern "C" __global__ void tally(const unsigned char *marks, int *sums, int pixels) {
    __shared__ int part[256];
    int sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < pixels; i += gridDim.x * 256)
        sum += marks[i];
    part[threadIdx.x] = sum;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
