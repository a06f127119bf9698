// Steps until a point escapes, by a function that is really called. Control depends on nothing but the
// thread's coordinates, so warps differ in length without any input.
__device__ __noinline__ int escape_steps(float x, float y, int limit) {
    float real = 0.0f, imaginary = 0.0f;
    int steps = 0;
#pragma unroll 1
    while (steps < limit && real * real + imaginary * imaginary < 4.0f) {
        float next = real * real - imaginary * imaginary + x;
        imaginary = 2.0f * real * imaginary + y;
        real = next;
        steps++;
    }
    return steps;
}

extern "C" __global__ void mandelbrot(int *steps, int limit, float left, float top, float pixel) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int width = gridDim.x * blockDim.x;
    steps[row * width + column] = escape_steps(left + pixel * column, top - pixel * row, limit);
}
