// nvcc -arch=sm_87 -cubin -o two_buffers.sm_87.cubin two_buffers.cu
extern "C" __global__ void two_buffers(const float *a, const float *b, float *out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float *p = a + i, *q = b + i;
    float s = b[threadIdx.x];
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        s += *p;
        const float *t = p; p = q; q = t;
    }
    out[threadIdx.x] = s;
}
