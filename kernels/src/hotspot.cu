// Two steps of the heat equation on a chip with power per cell. A block reads a tile with a frame of two
// cells, which its neighbours read as well, and makes one step after the other in shared memory on a tile
// that shrinks; what is left of it is written. Beyond the border of the chip it is as warm as on it.
#define SIDE 16
#define STEPS 2
#define WRITTEN (SIDE - 2 * STEPS)

extern "C" __global__ void hotspot(const float *temperature, const float *power, float *result, int width,
                                   int height, float conduction, float loss, float ambient) {
    __shared__ float tile[SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int x = blockIdx.x * WRITTEN + tx - STEPS;
    int y = blockIdx.y * WRITTEN + ty - STEPS;
    bool on_chip = x >= 0 && x < width && y >= 0 && y < height;
    float own = 0.0f, heat = 0.0f;
    if (on_chip) {
        own = temperature[y * width + x];
        heat = power[y * width + x];
    }
    for (int step = 1; step <= STEPS; step++) {
        tile[ty][tx] = own;
        __syncthreads();
        if (on_chip && tx >= step && tx < SIDE - step && ty >= step && ty < SIDE - step) {
            float west = tile[ty][x > 0 ? tx - 1 : tx], east = tile[ty][x < width - 1 ? tx + 1 : tx];
            float north = tile[y > 0 ? ty - 1 : ty][tx], south = tile[y < height - 1 ? ty + 1 : ty][tx];
            float inflow = west + east + north + south - 4.0f * own;
            own += conduction * inflow + loss * (ambient - own) + heat;
        }
        __syncthreads();
    }
    bool written = tx >= STEPS && tx < SIDE - STEPS && ty >= STEPS && ty < SIDE - STEPS;
    if (on_chip && written) result[y * width + x] = own;
}
