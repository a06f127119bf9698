__device__ float other(float x) { return x * 3; }
