// A polynomial by Horner's rule in two precisions: kernels with C++ names in one module.
template <typename Real, int degree>
__global__ void horner(const Real *coefficients, const Real *x, Real *y, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        Real value = coefficients[degree];
        for (int power = degree - 1; power >= 0; power--) value = value * x[i] + coefficients[power];
        y[i] = value;
    }
}

template __global__ void horner<float, 7>(const float *, const float *, float *, int);
template __global__ void horner<double, 5>(const double *, const double *, double *, int);
