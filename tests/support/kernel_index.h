/* The cases of kernels/index.txt, for tests and benchmarks that go through all kernels. */
#ifndef WB_TESTS_KERNEL_INDEX_H
#define WB_TESTS_KERNEL_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/base.h"

#define KERNEL_INDEX_PATH "kernels/index.txt"
#define KERNEL_RESULTS_MAX 8
#define KERNEL_FIELD_MAX 128

/* How close a result must be to the reference; the index file says what each means. */
enum tolerance_kind {
    TOLERANCE_EXACT,
    TOLERANCE_ULP,
    TOLERANCE_ABS,
    TOLERANCE_REL,
    TOLERANCE_MIXED,
    TOLERANCE_UNKNOWN
};

struct kernel_result {
    size_t argument; /* number of the buffer, from 0 */
    enum tolerance_kind kind;
    double amount; /* units in the last place, or the E of 2^-E */
};

struct kernel_case {
    char name[KERNEL_FIELD_MAX];
    char ptx[KERNEL_FIELD_MAX];    /* path from the project's top folder */
    char launch[KERNEL_FIELD_MAX]; /* likewise */
    char reference[KERNEL_FIELD_MAX];
    struct kernel_result results[KERNEL_RESULTS_MAX];
    size_t result_count;
};

struct kernel_index {
    VEC(struct kernel_case) cases;
};

/* Reads the index; the working directory is the project's top folder. False, with a message on standard
 * error, when it cannot be read or a line of it is wrong. The caller frees the index in both cases. */
bool kernel_index_read(struct kernel_index *index);
void kernel_index_free(struct kernel_index *index);

/* The path of the case's machine code for an architecture, of level "" or "o1/"; the file may not exist. */
#define KERNEL_CODE_MAX 300u
void kernel_code(const struct kernel_case *entry, const char *level, unsigned architecture,
                 char path[static KERNEL_CODE_MAX]);

#endif
