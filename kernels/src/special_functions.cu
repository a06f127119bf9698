// The approximate functions of the special function unit, one output buffer each. Compiled with
// -use_fast_math, which turns the functions of the C library into single instructions.
extern "C" __global__ void special_functions(const float *in, float scale, int n, float *sine, float *cosine,
                                             float *exponential, float *logarithm, float *root,
                                             float *inverse_root, float *quotient) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float x = scale * in[i];
        sine[i] = sinf(x);
        cosine[i] = cosf(x);
        exponential[i] = exp2f(x);
        logarithm[i] = log2f(x);
        root[i] = sqrtf(x);
        inverse_root[i] = rsqrtf(x);
        quotient[i] = 1.0f / x;
    }
}
