/* What is launched: grid, block, dynamic shared memory, arguments, contents of buffers and of module
 * variables. */
#ifndef WB_LAUNCH_LAUNCH_H
#define WB_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diagnostics.h"
#include "base/input.h"
#include "ptx/opcode.h"

/* Most threads in a block (CUDA's own limit), lanes in a warp, bytes in a buffer, in a struct passed by value
 * (CUDA's own limit), and of dynamic shared memory; most registers of a thread (CUDA's own limit). */
#define LAUNCH_THREADS_MAX 1024u
#define LAUNCH_BUFFER_MAX ((uint64_t)4 << 30)
#define LAUNCH_STRUCT_MAX 32764u
#define LAUNCH_SHARED_MAX (1u << 20)
#define LAUNCH_REGISTERS_MAX 255u
#define WARP_LANES 32u

/* What stands in a launch file for a value that its user has yet to fill in. */
#define LAUNCH_BLANK "___"

#define LAUNCH_SETTINGS (WB_LAUNCH_ACCEPT + 1)

/* Most launches of a list. */
#define LAUNCHES_MAX 4096u

/* What is taken for known though hardware may do otherwise (docs/execution.md). */
enum launch_assumption {
    LAUNCH_ASSUME_APPROX,         /* results of approximate functions */
    LAUNCH_ASSUME_DIV_ZERO,       /* results of integer divisions by zero */
    LAUNCH_ASSUME_POINTER_ORDER,  /* the addresses of buffers and variables */
    LAUNCH_ASSUME_NO_CONTRACTION, /* sums of products: that they are not fused */
    LAUNCH_ASSUMPTIONS
};

enum launch_fill {
    LAUNCH_FILL_UNKNOWN, /* contents not known to the analysis */
    LAUNCH_FILL_ZERO,
    LAUNCH_FILL_IOTA,   /* element i is i, converted to the type */
    LAUNCH_FILL_VALUE,  /* every element is `value` */
    LAUNCH_FILL_RANDOM, /* pseudo-random from `seed`: floats in [0, 1), integers over their whole range */
    LAUNCH_FILL_FILE    /* raw bytes read from a file; shorter files leave zeros */
};

/* `count` elements of `type` and what they hold. */
struct launch_contents {
    enum ptx_type type;
    uint64_t count;
    enum launch_fill fill;
    uint64_t value; /* bits of one element */
    uint64_t seed;
    uint8_t *file_bytes; /* in the launch's arena */
    uint64_t file_size;
    wb_input data; /* that file; its path is NULL where the bytes are of none */
};

struct launch_argument {
    const char *name;                /* that the launch file gives it, or NULL */
    const char *text;                /* as it was given, for messages and reports */
    uint32_t at;                     /* byte offset in the launch file, or 0 */
    bool blank;                      /* to be filled in: nothing below is known */
    bool is_buffer;                  /* the argument is the address of a buffer with `contents` */
    bool known;                      /* of a scalar: false for "i32:?" */
    enum ptx_type type;              /* of a scalar; PTX_TYPE_NONE for "bytes:..." (a struct by value) */
    uint64_t bits;                   /* of a scalar */
    uint64_t offset;                 /* of a buffer: bytes from its start to where the argument points */
    struct launch_contents contents; /* of a buffer; of "bytes:..." the bytes, as a file's */
};

/* Contents of a .const or .global variable of the module. */
struct launch_variable {
    const char *name;
    const char *text; /* the contents as they were given */
    struct launch_contents contents;
};

/* Values of the launch file that are to be filled in, by their byte offset in it; 0: none. Options that give
 * the value fill them in, too. */
struct launch_blanks {
    uint32_t grid, block, shared;
};

struct wb_launch {
    struct arena arena;
    const char *file;     /* name of the launch file, or NULL */
    wb_input input;       /* that file; its path is NULL where there is none */
    struct source source; /* its text, unless it is a list: then, and without a file, the text is NULL */
    const char *settings[LAUNCH_SETTINGS]; /* by wb_launch_setting; NULL where nothing is said */
    struct launch_blanks blanks;
    const char *kernel; /* or NULL */
    const char *stream; /* whose launches run one after another, or NULL: the default one */
    bool has_grid, has_block;
    uint32_t grid[3], block[3];
    uint64_t shared_bytes;
    uint32_t registers;   /* of a thread; 0: not known */
    wb_input ptxas_info;  /* the file that these were read from; its path is NULL where there is none */
    uint32_t assumptions; /* bit per enum launch_assumption */
    VEC(struct launch_argument) arguments;
    bool arguments_from_file; /* dropped by the first wb_launch_add_argument */
    bool argument_replaced;   /* one of them has another value than the file gives */
    VEC(struct launch_variable) variables;
    const char *const *changed; /* .global variables that earlier launches of a list perhaps store to: */
    size_t changed_count;       /* nothing is known of what is in them, unless it is given */
};

/* What a launch file describes: a launch, or a list of launches of one stream. */
struct wb_launches {
    bool is_list;
    struct wb_launch **items; /* at least one; NULL: handed over */
    size_t count;
    char *beside; /* the code beside the file, or NULL */
};

/* Where a launch file lies, and which files it may name. */
struct launch_folder {
    const char *path;
    wb_launch_files files;
};

/* The path of a file that a launch names, malloc'd: relative to `folder`, or, where that is NULL, as it
 * stands. What a launch file names lies in its folder or below unless its user says otherwise: WB_ERR_INPUT
 * with a message about `subject`. */
wb_status launch_file_path(const char *name, const struct subject *subject,
                           const struct launch_folder *folder, wb_diagnostics *diagnostics, char **path);

/* Size of the contents in bytes. */
uint64_t launch_contents_size(const struct launch_contents *contents);

/* Writes the contents into `bytes` (launch_contents_size of them, zeroed by the caller). Does nothing for
 * unknown contents: the caller marks those bytes unknown. */
void launch_contents_fill(const struct launch_contents *contents, uint8_t *bytes);

/* Parses "f32[1024]=iota" about `subject`; @FILE is read at once: relative to `folder`, or, where that is
 * NULL, as an option names it. Unless `pointed` is NULL it may be "f32[1024]+16=iota", too, and *pointed
 * becomes the element behind the `+`, or 0. */
wb_status launch_contents_parse(struct arena *arena, const char *text, const struct subject *subject,
                                const struct launch_folder *folder, wb_diagnostics *diagnostics,
                                struct launch_contents *contents, uint64_t *pointed);

/* Parses one argument, such as "i32:1024" or "buf:f32[1024]=iota"; parameters as above. */
wb_status launch_argument_parse(struct arena *arena, const char *text, const struct subject *subject,
                                const struct launch_folder *folder, wb_diagnostics *diagnostics,
                                struct launch_argument *argument);

/* The argument that "NAME=VALUE" is about, and what it becomes, of wb_launch_set_argument: in the launch's
 * arena, the launch is as it was. */
wb_status launch_argument_named(struct wb_launch *launch, const struct wb_kernel *kernel,
                                const char *assignment, wb_diagnostics *diagnostics, size_t *index,
                                struct launch_argument *argument);

/* Checks one to three dimensions (the others are 1) against CUDA's limits and stores them. */
wb_status launch_grid_store(const uint64_t *dimensions, size_t count, const struct subject *subject,
                            wb_diagnostics *diagnostics, struct wb_launch *launch);
wb_status launch_block_store(const uint64_t *dimensions, size_t count, const struct subject *subject,
                             wb_diagnostics *diagnostics, struct wb_launch *launch);
wb_status launch_shared_store(uint64_t bytes, const struct subject *subject, wb_diagnostics *diagnostics,
                              struct wb_launch *launch);
wb_status launch_registers_store(uint64_t registers, const struct subject *subject,
                                 wb_diagnostics *diagnostics, struct wb_launch *launch);

/* Adds one of the assumptions by its name: "approx", "div-zero", "pointer-order",
 * "no-contraction", or "all". */
wb_status launch_assumption_store(const char *name, size_t length, const struct subject *subject,
                                  wb_diagnostics *diagnostics, struct wb_launch *launch);

/* The name of an assumption. */
const char *launch_assumption_name(enum launch_assumption what);

/* Parses a launch file in memory, which describes one launch; `name` stands for the file in messages. */
wb_status launch_parse(const char *name, const char *text, size_t size, const struct launch_folder *folder,
                       wb_diagnostics *diagnostics, wb_launch **launch);

/* The same of a launch file that may be a list. */
wb_status launches_parse(const char *name, const char *text, size_t size, const struct launch_folder *folder,
                         wb_diagnostics *diagnostics, wb_launches **launches);

/* What a launch gives to a kernel, as reports name it. */

struct launch_inputs {
    const char *file;       /* the launch file that gives the arguments, or NULL */
    bool any_contents;      /* of buffers and variables, whatever is given */
    const char **arguments; /* as they were given */
    size_t argument_count;
    const char **variables; /* names of those of the module whose contents are given, */
    const char **contents;  /* and what is given, as "NAME=f32[16]=iota" */
    size_t variable_count;
    wb_input *files; /* what all that was read from */
    size_t file_count;
    uint32_t assumptions; /* as in struct wb_launch */
};

/* Copies what reports say of a launch into `arena`. WB_ERR_LIMIT without a message when memory is exhausted.
 */
wb_status launch_inputs_of(const struct wb_launch *launch, bool any_contents, struct arena *arena,
                           struct launch_inputs *inputs);

#endif
