/* A block to be measured, with the module and the launch that it was traced from. */
#ifndef WB_REPRODUCE_SPECIMEN_H
#define WB_REPRODUCE_SPECIMEN_H

#include "warpbound.h"

struct specimen {
    wb_module *module;
    wb_launch *launch;
    wb_block *block; /* block (0,0,0), traced with its accesses */
};

/* The block of a PTX file and a launch file that names its kernel. The specimen is freed only on success. */
wb_status specimen_read(const char *ptx, const char *launch, wb_diagnostics *diagnostics,
                        struct specimen *specimen);

/* A matrix product of reproduce/ecrts2025/sgemm.cu, whose kernels are called NAME_WARPS. */
struct sgemm_kernel {
    const char *name;
    uint32_t rows; /* elements of a thread, one below the other */
};

/* A block of `warps` warps of a matrix product: 1024 x k times k x 1024, where k is the number of threads of
 * a block as in the paper. */
wb_status specimen_sgemm(const struct sgemm_kernel *kernel, uint32_t warps, wb_diagnostics *diagnostics,
                         struct specimen *specimen);

void specimen_free(struct specimen *specimen);

#endif
