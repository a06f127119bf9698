// Filters a signal with taps in constant memory. A block copies its part and the samples before it into
// dynamic shared memory (blockDim.x + TAPS - 1 floats); the signal is zero before its start.
#define TAPS 16

extern "C" {
__constant__ float taps[TAPS];
}

extern "C" __global__ void fir(const float *in, float *out, int n) {
    extern __shared__ float window[];
    int first = blockIdx.x * blockDim.x - (TAPS - 1);
    for (int i = threadIdx.x; i < blockDim.x + TAPS - 1; i += blockDim.x) {
        int sample = first + i;
        window[i] = sample >= 0 && sample < n ? in[sample] : 0.0f;
    }
    __syncthreads();
    float sum = 0.0f;
    for (int tap = 0; tap < TAPS; tap++) sum += taps[tap] * window[threadIdx.x + TAPS - 1 - tap];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = sum;
}
