// y = A * x, one row of the row-major matrix a work group: every work item sums a part of the row, a tree in
// local memory joins the parts. There is no OpenCL library here: work items are numbered by the registers
// themselves. A work group is 128 work items in one dimension.
#define ITEMS 128

__kernel void matvec(__global const float *a, __global const float *x, __global float *y, int columns) {
    __local float partial[ITEMS];
    int item = __nvvm_read_ptx_sreg_tid_x();
    int row = __nvvm_read_ptx_sreg_ctaid_x();
    float sum = 0.0f;
    for (int column = item; column < columns; column += ITEMS) sum += a[row * columns + column] * x[column];
    partial[item] = sum;
    __syncthreads();
    for (int half_items = ITEMS / 2; half_items > 0; half_items /= 2) {
        if (item < half_items) partial[item] += partial[item + half_items];
        __syncthreads();
    }
    if (item == 0) y[row] = partial[0];
}
