/* A cubin that is being read: what the parts of the reader hand to each other. */
#ifndef WB_CUBIN_READER_H
#define WB_CUBIN_READER_H

#include "cubin/elf_file.h"

struct cubin;

/* The code of a section as a part of a kernel's: its own at 0, functions that it calls behind it. */
struct cubin_placement {
    uint32_t section, kernel, offset;
};

struct cubin_reader {
    struct elf_file file;
    struct cubin *cubin;
    uint32_t *kernel_of_section;        /* of sections with a kernel's code; else CUBIN_NONE */
    uint32_t *kernel_symbols;           /* by kernel */
    VEC(struct cubin_placement) placed; /* those of a kernel together, by offset */
    size_t *first_placed;               /* by kernel */
};

/* Kernels, with their code, attributes, constants and shared memory. */
void cubin_read_kernels(struct cubin_reader *reader);

/* Puts functions of other sections behind the kernels that call them, and says what of the code only the
 * loader completes. */
void cubin_join_callees(struct cubin_reader *reader);

/* Variables, and addresses that are filled in when the file is loaded. */
void cubin_read_variables(struct cubin_reader *reader);

/* Line tables. One that cannot be read is a warning: lines are not known then. */
void cubin_read_lines(struct cubin_reader *reader);

/* The kernel whose code is in section `section`, or CUBIN_NONE. */
uint32_t cubin_kernel_of_section(const struct cubin_reader *reader, uint64_t section);

#endif
