typedef float (*function)(float);
extern "C" __global__ void indirect_call(float *out, function f) { out[0] = f(out[1]); }
