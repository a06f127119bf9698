// A 3x3 filter over an image, for docs/tutorial.md. A block loads its tile, with a rim of one pixel, into shared
// memory; pixels outside of the image count as those at its edge.
struct Filter {
    float weight[9];
};

constexpr int width = 32, height = 8;

extern "C" __global__ void blur(const float *in, float *out, int columns, int rows, Filter filter) {
    __shared__ float tile[height + 2][width + 2];
    const int left = blockIdx.x * width - 1, top = blockIdx.y * height - 1;
    for (int i = threadIdx.y * width + threadIdx.x; i < (height + 2) * (width + 2); i += width * height) {
        const int x = min(max(left + i % (width + 2), 0), columns - 1);
        const int y = min(max(top + i / (width + 2), 0), rows - 1);
        tile[i / (width + 2)][i % (width + 2)] = in[y * columns + x];
    }
    __syncthreads();
    const int x = left + 1 + threadIdx.x, y = top + 1 + threadIdx.y;
    if (x >= columns || y >= rows) return;
    float sum = 0;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            sum += filter.weight[3 * j + i] * tile[threadIdx.y + j][threadIdx.x + i];
    out[y * columns + x] = sum;
}
