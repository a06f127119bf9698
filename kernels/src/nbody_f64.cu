// Gravitational acceleration of every body towards all bodies, in double precision: fused multiply-adds,
// a square root and a division per pair. The potential goes out in single precision.
extern "C" __global__ void nbody_f64(const double *x, const double *y, const double *mass, int n,
                                     double softening, double *ax, double *ay, float *potential) {
    int body = blockIdx.x * blockDim.x + threadIdx.x;
    if (body >= n) return;
    double own_x = x[body], own_y = y[body];
    double sum_x = 0.0, sum_y = 0.0, energy = 0.0;
    for (int other = 0; other < n; other++) {
        double dx = x[other] - own_x, dy = y[other] - own_y;
        double square = dx * dx + dy * dy + softening;
        double pull = mass[other] / (square * sqrt(square));
        sum_x += pull * dx;
        sum_y += pull * dy;
        energy -= pull * square;
    }
    ax[body] = sum_x;
    ay[body] = sum_y;
    potential[body] = (float)energy;
}
