// Cheapest ways down a grid, by dynamic programming: a step down costs what the cell there costs, and leads
// straight or one column aside. A block goes down several rows in shared memory, on a part of the row that
// shrinks by one column on either side a row; the parts that blocks read overlap by that much. blockDim.x is
// at most 256 and more than 2 * rows; what is written has blockDim.x - 2 * rows columns a block.
#define THREADS_MAX 256

extern "C" __global__ void pathfinder(const unsigned char *walls, const int *before, int *after, int columns,
                                      int rows) {
    __shared__ int costs[THREADS_MAX];
    int thread = threadIdx.x, last = blockDim.x - 1;
    int column = blockIdx.x * (blockDim.x - 2 * rows) + thread - rows;
    bool inside = column >= 0 && column < columns;
    int cost = inside ? before[column] : 0x7fffff;
    for (int row = 0; row < rows; row++) {
        costs[thread] = cost;
        __syncthreads();
        if (inside && thread > row && thread < last - row)
            cost = min(cost, min(costs[thread - 1], costs[thread + 1])) + walls[row * columns + column];
        __syncthreads();
    }
    if (inside && thread >= rows && thread <= last - rows) after[column] = cost;
}
