/* What the assembler ptxas says of kernels: registers, memory. */
#ifndef WB_LAUNCH_PTXAS_INFO_H
#define WB_LAUNCH_PTXAS_INFO_H

#include "base/arena.h"
#include "base/diagnostics.h"
#include "ptx/ptx.h"

/* Largest text that is read. */
#define PTXAS_INFO_SIZE_MAX ((size_t)64 << 20)

/* Of one kernel and one target. */
struct ptxas_entry {
    const char *name, *target;          /* as they stand in the text; target "" where it does not say any */
    uint32_t line;                      /* of the text, from 1 */
    bool complete;                      /* the registers are said */
    uint64_t registers;                 /* of a thread */
    uint64_t shared;                    /* bytes of static shared memory */
    uint64_t spill_stores, spill_loads; /* bytes */
};

struct ptxas_info {
    struct arena arena;
    VEC(struct ptxas_entry) entries; /* in the order of the text */
};

/* Reads what `ptxas -v`, `nvcc -Xptxas -v`, `nvcc --resource-usage` or `cuobjdump --dump-resource-usage`
 * printed, among whatever other lines. Freed with ptxas_info_free, also after an error, which is WB_ERR_LIMIT
 * without a message: any text is something. */
wb_status ptxas_info_parse(const char *text, size_t size, struct ptxas_info *info);
void ptxas_info_free(struct ptxas_info *info);

/* The entry of a kernel. WB_ERR_INPUT with a message about the file `name` when there is none, none that is
 * complete, or several that differ. */
wb_status ptxas_info_find(const struct ptxas_info *info, const char *name, const struct wb_kernel *kernel,
                          wb_diagnostics *diagnostics, const struct ptxas_entry **entry);

#endif
