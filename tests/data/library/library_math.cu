// Functions of CUDA's mathematical library whose slow paths are loops. The PTX beside it was made by
//     nvcc -ptx -arch=sm_75 -lineinfo library_math.cu
// (nvcc 13.0), with the paths of .file directives cut to the names of files.
#define OF_ONE(type, name, call)                                                                                       \
    extern "C" __global__ void name(const type *x, const type *y, type *out, int n) {                                  \
        int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                 \
        if (i < n) out[i] = call;                                                                                      \
    }

OF_ONE(double, sin_f64, sin(x[i]))
OF_ONE(double, tan_f64, tan(x[i]))
OF_ONE(double, fmod_f64, fmod(x[i], y[i]))
OF_ONE(double, pow_f64, pow(x[i], y[i]))
OF_ONE(double, j0_f64, j0(x[i]))
OF_ONE(float, cos_f32, cosf(x[i]))
OF_ONE(float, fmod_f32, fmodf(x[i], y[i]))
OF_ONE(float, pow_f32, powf(x[i], y[i]))
OF_ONE(float, j0_f32, j0f(x[i]))
OF_ONE(float, remainder_f32, remainderf(x[i], y[i]))
