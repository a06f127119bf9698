// Assigns each point to the nearest cluster by the squared distance from its centre. The features of the
// points lie feature by feature, so that a warp reads neighbouring elements, and are read again for each
// cluster; the centres lie centre by centre, and all threads read the same element.
extern "C" __global__ void kmeans_distances(const float *features, const float *centres, int *membership,
                                            float *distances, int points, int clusters, int feature_count) {
    int point = blockIdx.x * blockDim.x + threadIdx.x;
    if (point >= points) return;
    int nearest = 0;
    float least = 3.0e38f;
    for (int cluster = 0; cluster < clusters; cluster++) {
        float distance = 0.0f;
        for (int feature = 0; feature < feature_count; feature++) {
            float centre = centres[cluster * feature_count + feature];
            float difference = features[feature * points + point] - centre;
            distance += difference * difference;
        }
        if (distance < least) {
            least = distance;
            nearest = cluster;
        }
    }
    membership[point] = nearest;
    distances[point] = least;
}
