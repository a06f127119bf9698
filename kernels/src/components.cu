// Connected components of a binary image of 16 x 16 pixels a block: every set pixel takes the least label of
// its four neighbours until no label changes. How long that takes depends on the image; every thread of the
// block learns it from the reduction that its barrier makes.
#define SIDE 16
#define PITCH (SIDE + 2) // a border without labels
#define NONE 0x7fffffff
#define THRESHOLD 100

extern "C" __global__ void components(const unsigned char *pixels, int *components) {
    __shared__ int labels[2][PITCH * PITCH];
    int thread = threadIdx.y * SIDE + threadIdx.x;
    int pixel = blockIdx.x * SIDE * SIDE + thread;
    int place = (threadIdx.y + 1) * PITCH + threadIdx.x + 1;
    bool set = pixels[pixel] >= THRESHOLD;
    for (int i = thread; i < PITCH * PITCH; i += SIDE * SIDE) labels[0][i] = labels[1][i] = NONE;
    __syncthreads();
    int least = set ? thread : NONE;
    labels[0][place] = least;
    __syncthreads();

    int now = 0, before;
    do {
        before = least;
        if (set) {
            const int *label = &labels[now][place];
            least = min(least, min(min(label[-1], label[1]), min(label[-PITCH], label[PITCH])));
        }
        now ^= 1;
        labels[now][place] = least;
    } while (__syncthreads_or(least != before));
    components[pixel] = set ? least : -1;
}
