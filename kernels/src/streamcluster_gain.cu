// What opening a centre at one of the points would gain, for the clustering of a stream: a point nearer to
// the candidate than to its centre would switch, and the others tell their centre what they would lose. Which
// of the two depends on the data, and so does where the loss goes: each point has a row of its own with a
// place per centre. The candidate's coordinates lie far apart; a block reads them once, into shared memory.
#define DIMENSIONS_MAX 32
#define CENTRES 16

extern "C" __global__ void streamcluster_gain(const float *coordinates, const float *weights,
                                              const float *costs, const unsigned char *assigned, float *gains,
                                              float *losses, int points, int dimensions, int candidate) {
    __shared__ float centre[DIMENSIONS_MAX];
    for (int i = threadIdx.x; i < dimensions; i += blockDim.x)
        centre[i] = coordinates[i * points + candidate];
    __syncthreads();
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= points) return;
    float distance = 0.0f;
    for (int i = 0; i < dimensions; i++) {
        float difference = coordinates[i * points + point] - centre[i];
        distance += difference * difference;
    }
    float gain = costs[point] - distance * weights[point];
    if (gain > 0.0f) {
        gains[point] = gain;
    } else {
        int own = assigned[point / 2] >> point % 2 * 4 & (CENTRES - 1); // two points a byte
        losses[point * CENTRES + own] = -gain;
    }
}
