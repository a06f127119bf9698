// Exclusive prefix sum of 2 * blockDim.x elements a block, work-efficient (Blelloch 1990): sums climb a tree in
// shared memory, are cleared at the root and sift down again. The sum of each block goes to `totals`.
// blockDim.x is a power of two, at most 256.
#define ELEMENTS_MAX 512

extern "C" __global__ void prefix_scan(const unsigned *in, unsigned *out, unsigned *totals) {
    __shared__ unsigned tree[ELEMENTS_MAX];
    int tid = threadIdx.x;
    int elements = 2 * blockDim.x;
    int base = blockIdx.x * elements;
    tree[2 * tid] = in[base + 2 * tid];
    tree[2 * tid + 1] = in[base + 2 * tid + 1];

    int distance = 1;
    for (int active = elements / 2; active > 0; active >>= 1) {
        __syncthreads();
        if (tid < active) {
            int right = distance * (2 * tid + 2) - 1;
            tree[right] += tree[right - distance];
        }
        distance *= 2;
    }
    if (tid == 0) {
        totals[blockIdx.x] = tree[elements - 1];
        tree[elements - 1] = 0;
    }
    for (int active = 1; active < elements; active *= 2) {
        distance >>= 1;
        __syncthreads();
        if (tid < active) {
            int right = distance * (2 * tid + 2) - 1;
            unsigned left_sum = tree[right - distance];
            tree[right - distance] = tree[right];
            tree[right] += left_sum;
        }
    }
    __syncthreads();
    out[base + 2 * tid] = tree[2 * tid];
    out[base + 2 * tid + 1] = tree[2 * tid + 1];
}
