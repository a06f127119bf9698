/* A launch as a GPU gets it: what is in its buffers and variables, and its parameters as bytes; and what the
 * interpreter leaves in that memory. */
#ifndef WB_WINGS_DEVICE_IMAGE_H
#define WB_WINGS_DEVICE_IMAGE_H

#include "warp/interpret/execute.h"

/* Memory of its own on the GPU: a buffer of the launch, or a variable of the module. */
struct image_object {
    const char *name;
    bool is_variable, is_given; /* a variable whose contents the launch gives */
    uint64_t base;              /* where the interpreter has it */
    uint64_t size;
};

/* An address among the parameters: of a byte of object `object`. */
struct image_pointer {
    uint64_t at; /* of the parameters */
    size_t object;
    uint64_t offset;
};

struct launch_image {
    struct arena arena;
    struct wb_launch with_zeros; /* the launch, where it leaves contents open */
    bool has_zeros;
    struct run run; /* before its first block, or behind its last one */
    VEC(struct image_object) objects;
    VEC(struct image_pointer) pointers;
    uint8_t *params; /* with the interpreter's addresses */
    uint64_t param_bytes;
    const char *code; /* PTX with a zero byte behind it, or a cubin: `code_bytes` of them */
    size_t code_bytes;
};

/* Zero before, and freed with image_free in any case. WB_ERR_DECLINED when a value of the launch is not
 * known, or addresses have 32 bits; other errors as of run_begin. */
wb_status image_make(const wb_kernel *kernel, const wb_launch *launch, wb_diagnostics *diagnostics,
                     struct launch_image *image);

/* The bytes of an object: before its launch, or behind. */
const uint8_t *image_bytes(const struct launch_image *image, size_t object);

/* Executes the launch. Errors as of run_block. */
wb_status image_execute(struct launch_image *image);

/* How many bytes of an object are known here and others in `bytes`, and which of them is the first; and how
 * many are not known. */
uint64_t image_differences(const struct launch_image *image, size_t object, const uint8_t *bytes,
                           uint64_t *first, uint64_t *unknown);

void image_free(struct launch_image *image);

#endif
