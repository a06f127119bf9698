// Collective operations of a warp without shared memory: sum and prefix sum by shuffles, maximum by butterfly
// shuffles, votes on the sign. One row of `summary` per warp: sum, maximum, ballot, lanes below the first
// lane's value, and the two yes-or-no votes.
#define FULL 0xffffffffu
#define SUMMARY 6
#define EXTREME ((1 << 23) - (1 << 18)) // of 24-bit values: some warps have one, some have none

extern "C" __global__ void warp_reduce(const int *in, int *prefix, int *summary) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32, warp = i / 32;
    int value = in[i] >> 8; // so that no sum overflows

    int sum = value, running = value, most = value;
    for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(FULL, sum, distance);
    for (int distance = 16; distance > 0; distance /= 2) most = max(most, __shfl_xor_sync(FULL, most, distance));
    for (int distance = 1; distance < 32; distance *= 2) {
        int other = __shfl_up_sync(FULL, running, distance);
        if (lane >= distance) running += other;
    }
    prefix[i] = running;

    unsigned negative = __ballot_sync(FULL, value < 0);
    int below = __popc(__ballot_sync(FULL, value < __shfl_sync(FULL, value, 0)));
    int any = __any_sync(FULL, value > EXTREME), all = __all_sync(FULL, value > -EXTREME);
    if (lane == 0) {
        int *row = summary + SUMMARY * warp;
        row[0] = sum;
        row[1] = most;
        row[2] = (int)negative;
        row[3] = below;
        row[4] = any;
        row[5] = all;
    }
}
