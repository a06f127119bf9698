/* What the log of a recording (log.h) says: modules, functions, and launches with what their pointers point
 * to. */
#ifndef WB_WINGS_RECORD_RECORDING_H
#define WB_WINGS_RECORD_RECORDING_H

#include "base/base.h"
#include "wings/record/log.h"

#define RECORDED_NONE UINT32_MAX

/* The image of a module; modules that are loaded again are one. */
struct recorded_code {
    const uint8_t *image; /* in the log */
    size_t bytes;
    uint32_t architecture; /* of the GPU; 0: not known */
};

struct recorded_function {
    uint32_t code; /* RECORDED_NONE: of a module that the log does not have */
    const char *name;
};

/* A pointer among the parameters of a launch. */
struct recorded_pointer {
    uint32_t at;         /* offset in the parameters */
    uint32_t allocation; /* its number: each has its own */
    uint64_t size, offset;
};

struct recorded_launch {
    uint32_t function; /* RECORDED_NONE: the log does not say */
    uint32_t stream;   /* numbered as they come */
    uint32_t grid[3], block[3], shared, flags, registers;
    const uint8_t *params; /* in the log */
    uint32_t param_bytes;
    const struct recorded_pointer *pointers; /* in the order of their offsets */
    size_t pointer_count;
};

struct recording {
    struct arena arena;
    VEC(struct recorded_code) codes;
    VEC(struct recorded_function) functions;
    VEC(struct recorded_launch) launches;
    VEC(bool) streams; /* per stream: whether graphs were launched there whose kernels have no order */
    size_t record_count;
    bool truncated; /* the last record is not there as a whole: all before it is */
};

/* Reads a log of `size` bytes, which must outlive the recording. WB_ERR_INPUT, with the byte, when it is
 * damaged; `name` stands for the file. Whatever comes of it, it is to be freed. */
wb_status recording_read(const char *name, const void *bytes, size_t size, wb_diagnostics *diagnostics,
                         struct recording *recording);
void recording_free(struct recording *recording);

#endif
