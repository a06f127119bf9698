// Forward pass of a fully connected layer, before its activation: a block multiplies 16 inputs with the
// weights of their edges to 16 units and adds the products of a unit up as a tree in shared memory, a barrier
// per level. What the blocks of a column of the grid find is left apart: partial[blockIdx.y][unit].
#define SIDE 16

extern "C" __global__ void backprop_layer(const float *input, const float *weights, float *partial,
                                          int units) {
    __shared__ float values[SIDE];
    __shared__ float products[SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y;
    int unit = blockIdx.x * SIDE + x;
    int row = blockIdx.y * SIDE + y;

    if (x == 0) values[y] = input[row];
    __syncthreads();
    products[y][x] = weights[row * units + unit] * values[y];
    for (int half = SIDE / 2; half > 0; half /= 2) {
        __syncthreads();
        if (y < half) products[y][x] += products[y + half][x];
    }
    if (y == 0) partial[blockIdx.y * units + unit] = products[0][x];
}
