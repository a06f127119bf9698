// Sorts 2 * blockDim.x keys a block, ascending, by a bitonic network in shared memory. Which keys a thread
// compares depends on its number alone, whether it swaps them on the keys.
// blockDim.x is a power of two, at most 256.
#define KEYS_MAX 512

extern "C" __global__ void bitonic(int *keys) {
    __shared__ int sorted[KEYS_MAX];
    int tid = threadIdx.x;
    int count = 2 * blockDim.x;
    int *own = keys + blockIdx.x * count;
    sorted[tid] = own[tid];
    sorted[tid + blockDim.x] = own[tid + blockDim.x];

    for (int size = 2; size <= count; size *= 2) {
        for (int distance = size / 2; distance > 0; distance /= 2) {
            __syncthreads();
            int low = 2 * tid - (tid & (distance - 1));
            int high = low + distance;
            bool descending = (low & size) != 0;
            int a = sorted[low], b = sorted[high];
            if ((a > b) != descending) {
                sorted[low] = b;
                sorted[high] = a;
            }
        }
    }
    __syncthreads();
    own[tid] = sorted[tid];
    own[tid + blockDim.x] = sorted[tid + blockDim.x];
}
