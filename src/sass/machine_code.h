/* The machine code of a module: what its lifted functions were made from (lift/), and what they are timed by.
 */
#ifndef WB_SASS_MACHINE_CODE_H
#define WB_SASS_MACHINE_CODE_H

#include "sass/sass.h"

struct machine_inst {
    struct sass_inst sass;
    uint32_t kernel;     /* index into kernels */
    uint32_t address;    /* byte offset in the kernel's section */
    uint32_t file, line; /* source line (file: index into files); line 0: not known */
    uint32_t ptx_line;   /* of the PTX text that ptxas read; 0: not known */
    const char *unknown; /* what of it is not known, or NULL */
};

struct machine_kernel {
    const char *name;
    uint32_t first, count; /* instructions */
    uint32_t registers;    /* of a thread */
    uint64_t shared_bytes; /* static */
    uint32_t stack_bytes;
    uint32_t function; /* of the module */
};

struct machine_code {
    uint32_t sm; /* architecture: 75, 80, ... */
    struct machine_inst *insts;
    uint32_t inst_count;
    struct machine_kernel *kernels;
    uint32_t kernel_count;
    const char **files; /* of source lines */
    uint32_t file_count;
    bool returns_by_stack; /* some RET goes where local memory says */
};

/* Writes all kernels with addresses, control codes, labels and source lines, an instruction a line; at[i] is
 * where instruction i of the code begins in the text. Uses memory of the arena, which is protected. */
void machine_code_list(const struct machine_code *code, struct arena *arena, struct text *text, uint32_t *at);

/* Shared memory from 0 on that belongs to the system, on sm_90 and later. The file counts it as the kernel's;
 * a machine states it by itself (shared_reserved). */
#define MACHINE_SYSTEM_SHARED 1024u

/* Of bytes of shared memory, counted from address 0, those that the launch takes. */
static inline uint64_t machine_code_shared(const struct machine_code *code, uint64_t bytes) {
    const uint64_t system = code != NULL && code->sm >= 90 ? MACHINE_SYSTEM_SHARED : 0;
    return bytes > system ? bytes - system : 0;
}

#endif
