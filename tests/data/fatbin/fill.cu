__global__ void fill(int *x, int v) {
    x[threadIdx.x] = v;
}

__global__ void scale(float *x, float s) {
    x[threadIdx.x] *= 2 * s;
}

extern "C" __global__ void add(float *x, const float *y, int n);

int main() {
    fill<<<1, 32>>>(0, 1);
    return 0;
}
