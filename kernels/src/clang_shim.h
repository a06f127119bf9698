// What the kernels use of CUDA's headers, for clang without a CUDA installation.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))

#define threadIdx (special_register_tid())
#define blockIdx (special_register_ctaid())
#define blockDim (special_register_ntid())
#define gridDim (special_register_nctaid())

struct triple {
    int x, y, z;
};

#define SPECIAL_REGISTER(name)                                                                               \
    static inline __device__ triple special_register_##name() {                                              \
        return {__nvvm_read_ptx_sreg_##name##_x(), __nvvm_read_ptx_sreg_##name##_y(),                        \
                __nvvm_read_ptx_sreg_##name##_z()};                                                          \
    }

SPECIAL_REGISTER(tid)
SPECIAL_REGISTER(ctaid)
SPECIAL_REGISTER(ntid)
SPECIAL_REGISTER(nctaid)
