extern __device__ float other(float);
extern "C" __global__ void other_section(float *out) { out[0] = other(out[1]); }
