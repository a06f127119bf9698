// TriangleSum, the example of WCET 2014: thread t walks down column t of a matrix of `pitch` columns, from the
// top to row t, and meets the block at a barrier in every row; threads leave the loop after t + 1 rows. Sums
// the elements in odd rows, and counts the rows whose number t + 1 divides, which is only row 0.
//
// The barrier stands in divergent flow, as in the original: those of a warp's threads that are still in the
// loop arrive for the warp.
extern "C" __global__ void triangle_sum(const float *matrix, float *sums, int pitch) {
    int tid = threadIdx.x;
    int row = 0;
    float sum = 0.0f;
    int end = (tid + 1) * pitch;
#pragma unroll 1
    for (int i = tid; i < end; i += pitch) {
        if (row % (tid + 1) == 0) sum += 1.0f;
        if (row % 2) sum += matrix[i];
        __syncthreads();
        row += 1;
    }
    sums[row - 1] = sum;
}
