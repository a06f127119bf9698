// For every pixel of the unit square the number of the nearest site (the case study of ETFA 2013). The loop
// over the sites is counted and has no branch in it: two loads, the squared distance, two selections.
extern "C" __global__ void voronoi(const float *site_x, const float *site_y, int sites, int *nearest,
                                   float pixel) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float x = pixel * column, y = pixel * row;
    float least = 8.0f; // farther than any two points of the square
    int best = -1;
#pragma unroll 1
    for (int site = 0; site < sites; site++) {
        float dx = site_x[site] - x, dy = site_y[site] - y;
        float distance = dx * dx + dy * dy;
        best = distance < least ? site : best;
        least = distance < least ? distance : least;
    }
    nearest[row * gridDim.x * blockDim.x + column] = best;
}
