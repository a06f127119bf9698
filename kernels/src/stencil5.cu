// One step of a 5-point stencil on a row-major grid; the border keeps its values. A block walks down its
// columns, so that it does the same work on a tall grid as on a low one.
extern "C" __global__ void stencil5(const float *in, float *out, int width, int height, float centre,
                                    float side) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    for (int y = threadIdx.y; y < height; y += blockDim.y) {
        int i = y * width + x;
        float value = in[i];
        if (x > 0 && x < width - 1 && y > 0 && y < height - 1)
            value = centre * value + side * (in[i - width] + in[i + width] + in[i - 1] + in[i + 1]);
        out[i] = value;
    }
}
