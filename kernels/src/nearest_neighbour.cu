// Distances of places from several targets. The two coordinates of a place are fields of a record of five
// words: a warp's loads of one field touch every line of its records, and the loads of the other field the
// same lines again, and so on for each target.
struct record {
    int number;
    float latitude, longitude;
    float wind, pressure;
};

extern "C" __global__ void nearest_neighbour(const record *records, const float2 *targets, float *distances,
                                             int record_count, int target_count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= record_count) return;
    for (int target = 0; target < target_count; target++) {
        float latitude = records[i].latitude - targets[target].x;
        float longitude = records[i].longitude - targets[target].y;
        distances[target * record_count + i] = sqrtf(latitude * latitude + longitude * longitude);
    }
}
