/* A cubin file in memory: the ELF container that ptxas makes for one architecture. */
#ifndef WB_CUBIN_CUBIN_H
#define WB_CUBIN_CUBIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"

#define CUBIN_NONE UINT32_MAX

struct cubin_param {
    uint32_t ordinal; /* compilers may leave out one that is not used */
    uint32_t offset;  /* from the first parameter */
    uint32_t bytes;
};

/* Code within a kernel's section that calls go to. */
struct cubin_internal {
    const char *name; /* of its symbol, such as "$__internal_0_$__cuda_sm20_div_u64" */
    uint32_t offset, bytes;
};

/* A row of a line table: it holds from `offset` on, up to that of the next row. Sorted by offset, each once.
 */
struct cubin_line {
    uint32_t offset;
    uint32_t file; /* index into files; CUBIN_NONE in a table of PTX lines */
    uint32_t line; /* 0: not known */
    uint32_t column;
};

struct cubin_branch_table {
    uint32_t at;       /* offset of the BRX */
    uint32_t *targets; /* offsets in the section */
    uint32_t target_count;
};

/* Constants in a bank, or a variable of the module. */
struct cubin_bank {
    const uint8_t *bytes; /* `size` of them; NULL: zeros */
    uint64_t size;
};

/* A variable in .nv.constant3, .nv.global or .nv.global.init. */
enum cubin_space { CUBIN_CONST, CUBIN_GLOBAL, CUBIN_SHARED };

struct cubin_symbol {
    const char *name;
    enum cubin_space space;
    uint32_t kernel; /* index, of CUBIN_SHARED; else CUBIN_NONE */
    uint64_t offset; /* in its section; of constants: in bank 3 */
    uint64_t bytes;
    const uint8_t *init; /* or NULL: zeros */
};

/* An 8-byte address in a bank or variable that is filled when the file is loaded. */
struct cubin_address {
    uint32_t bank; /* 2, 3 or 4; CUBIN_NONE: in variable `variable` */
    uint32_t variable;
    uint32_t kernel; /* index, of bank 2; CUBIN_NONE: of all */
    uint64_t offset; /* of the 8 bytes */
    uint32_t symbol; /* index into symbols; CUBIN_NONE: a function, or a name that the file does not define */
    const char *name;
    int64_t addend;
};

struct cubin_kernel {
    const char *name;
    const uint8_t *code;
    uint32_t code_bytes;        /* padding included */
    uint32_t registers;         /* of a thread */
    uint32_t max_registers;     /* ptxas was told, 0: not */
    struct cubin_param *params; /* by ordinal */
    uint32_t param_count;
    uint32_t param_base, param_bytes; /* in bank 0 */
    uint32_t stack_bytes;             /* of local memory a thread, of the kernel and all that it calls */
    bool stack_known;                 /* false: recursion, or calls of functions elsewhere */
    uint64_t shared_bytes; /* static, as the file has it; of sm_90 and later, unless 0, with 1024 that the
                              system keeps */
    uint32_t barriers;
    uint32_t max_threads[3], required_threads[3]; /* 0: not given */
    uint32_t cluster_blocks[3];                   /* likewise */
    bool in_clusters;                             /* of whatever size */
    struct cubin_internal *internals;             /* by offset */
    uint32_t internal_count;
    struct cubin_branch_table *tables;
    uint32_t table_count;
    struct cubin_bank constant2; /* compiler's constants */
    struct cubin_line *lines, *ptx_lines;
    uint32_t line_count, ptx_line_count;
    const char **externs; /* names of functions that are called and not here: vprintf, malloc ... */
    uint32_t extern_count;
    uint32_t *patched; /* offsets of code that is only complete when the file is loaded (old compilers) */
    uint32_t patched_count;
};

struct cubin {
    struct arena arena; /* owns everything but the file's bytes */
    uint32_t sm;        /* 75, 80, 86, 87, 89, 90, 100, 120 */
    struct cubin_kernel *kernels;
    uint32_t kernel_count;
    struct cubin_bank constant3;
    struct cubin_bank constant4;
    struct cubin_symbol *symbols; /* variables */
    uint32_t symbol_count;
    struct cubin_address *addresses;
    uint32_t address_count;
    const char **files; /* of line tables */
    uint32_t file_count;
};

/* Reads a file of `size` bytes, which must outlive the result. What is no cubin, is cut short or contradicts
 * itself is WB_ERR_INPUT with one message. `name` stands for the file. */
wb_status cubin_read(const char *name, const void *bytes, size_t size, wb_diagnostics *diagnostics,
                     struct cubin *cubin);
void cubin_free(struct cubin *cubin);

/* Whether a GPU of architecture `sm` executes code for `code`. */
static inline bool cubin_runs_on(uint32_t code, uint32_t sm) {
    return code / 10 == sm / 10 && code <= sm;
}

/* The architecture in the header of a file, such as 86; 0: it is not known, or this is no cubin. */
uint32_t cubin_architecture(const void *bytes, size_t size);

#endif
