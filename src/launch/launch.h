/* What is launched: grid, block, dynamic shared memory, arguments, contents of buffers and of module
 * variables. */
#ifndef WB_LAUNCH_LAUNCH_H
#define WB_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "base/files.h"
#include "debug/types.h"
#include "machine/machine.h"
#include "ptx/opcode.h"
#include "ptx/ptx.h"

/* Most threads in a block (CUDA's own limit), lanes in a warp, bytes in a buffer, in a struct passed by value
 * (CUDA's own limit), and of dynamic shared memory; most registers of a thread (CUDA's own limit). */
#define LAUNCH_THREADS_MAX 1024u
#define LAUNCH_BUFFER_MAX ((uint64_t)4 << 30)
#define LAUNCH_STRUCT_MAX 32764u
#define LAUNCH_POINTER_BYTES 8u /* in a struct */
#define LAUNCH_SHARED_MAX (1u << 20)
#define LAUNCH_REGISTERS_MAX 255u
#define WARP_LANES 32u

/* What stands in a launch file for a value that its user has yet to fill in. */
#define LAUNCH_BLANK "___"

#define LAUNCH_SETTINGS (WB_LAUNCH_KERNEL + 1)

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
    const char *name;                  /* that the launch file gives it, or NULL */
    const char *text;                  /* as it was given, for messages and reports */
    uint32_t at;                       /* byte offset in the launch file, or 0 */
    bool blank;                        /* to be filled in: nothing below is known */
    bool is_buffer;                    /* the argument is the address of a buffer with `contents` */
    bool known;                        /* of a scalar: false for "i32:?" */
    enum ptx_type type;                /* of a scalar; PTX_TYPE_NONE for "bytes:..." (a struct by value) */
    uint64_t bits;                     /* of a scalar */
    const char *same_as;               /* of a buffer: whose it is, another argument's; NULL: its own */
    uint64_t offset;                   /* of a buffer: elements from its start to where the argument points */
    struct launch_contents contents;   /* of a buffer; of "bytes:..." the bytes, as a file's; of a struct with
                                          fields its size */
    const struct launch_field *fields; /* of "struct {...}" and vectors, else NULL */
    size_t field_count;
};

/* What an argument consists of that has no fields of its own. */
struct launch_field {
    const char *path; /* "dims.1.x" */
    uint32_t offset;
    uint32_t text_at, text_length; /* of its value in the argument's text; 0: it shares that with others */
    bool bare;                     /* no type stands there */
    struct launch_argument value;
};

/* A type that the launch file declares in C, by its tag or by the name that a typedef gives it. */
struct launch_type {
    const char *name;
    const struct host_type *type;
};

typedef VEC(struct launch_type) launch_types; /* in the launch's arena */

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

/* One execution of the launch as Accel-Sim's tracer wrote it (.traceg): it says what warps do, in place of
 * arguments. */
struct launch_trace {
    char *text; /* malloc'd, or NULL: there is none */
    struct source source;
    wb_input input;
    size_t blocks; /* where they begin in it */
    uint32_t grid[3], block[3];
    uint32_t sm, version;
    bool has_lines;                       /* instructions begin with the line of their source */
    uint64_t shared_bytes;                /* static and dynamic */
    uint64_t shared_window, local_window; /* where generic addresses have these; 0: not known */
};

/* Takes a number in hexadecimal digits, behind 0x or not. */
wb_status launch_trace_hex(struct scanner *scan, const char *what, uint64_t *number);

/* Whether the text comes next; it is then taken. */
bool launch_trace_word(struct scanner *scan, const char *word);

/* Where *text, of malloc'd bytes, is what xz packed, unpacks it in its place, to `most` bytes. */
wb_status launch_trace_unpack(const char *name, char **text, size_t *size, size_t most,
                              wb_diagnostics *diagnostics);

/* The same as wb_launch_set_trace, of a text of malloc'd bytes, which the launch takes over. */
wb_status launch_trace_parse(struct wb_launch *launch, const char *name, char *text, size_t size,
                             wb_diagnostics *diagnostics);

struct wb_launch {
    struct arena arena;
    const char *file;     /* name of the launch file, or NULL */
    wb_input input;       /* that file; its path is NULL where there is none */
    struct source source; /* its text, unless it is a list: then, and without a file, the text is NULL */
    const char *settings[LAUNCH_SETTINGS]; /* by wb_launch_setting; NULL where nothing is said */
    uint32_t settings_at[LAUNCH_SETTINGS]; /* byte offsets in the file */
    uint32_t arguments_at;                 /* the same of the list, or 0 */
    struct launch_blanks blanks;
    const char *stream; /* whose launches run one after another, or NULL: the default one */
    bool has_grid, has_block;
    uint32_t grid[3], block[3];
    uint64_t shared_bytes;
    uint32_t registers;   /* of a thread; 0: not known */
    wb_input ptxas_info;  /* the file that these were read from; its path is NULL where there is none */
    uint32_t assumptions; /* bit per enum launch_assumption */
    struct launch_trace trace;
    launch_types types;
    VEC(struct launch_argument) arguments;
    bool arguments_from_file; /* dropped by the first wb_launch_add_argument */
    bool argument_replaced;   /* one of them has another value than the file gives */
    VEC(struct launch_variable) variables;
    bool with_zeros;            /* made by launch_with_zeros */
    const char *const *changed; /* .global variables that earlier launches of a list perhaps store to: */
    size_t changed_count;       /* nothing is known of what is in them, unless it is given */
};

/* What a launch file describes: a launch, or a list of launches of one stream. */
struct wb_launches {
    bool is_list;
    struct wb_launch **items; /* at least one; NULL: handed over */
    size_t count;
    char *beside; /* the code beside the file, or NULL */
    struct arena arena;
    struct source source;                  /* their text */
    uint32_t settings_at[LAUNCH_SETTINGS]; /* byte offsets of those that are said first */
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

/* What a text is parsed for. */
struct launch_site {
    struct arena *arena; /* of the launch */
    const struct subject *subject;
    const struct launch_folder *folder; /* @FILE is relative to it; NULL: as an option names it */
    wb_diagnostics *diagnostics;
    const char *field;         /* that messages name, or NULL */
    const launch_types *types; /* that the launch declares, or NULL */
};

/* The type of a name such as "i32" (i: like s), PTX_TYPE_NONE for a name that a launch cannot use. */
enum ptx_type launch_type_named(const char *name, size_t length);

/* A vector type of CUDA (vector_types.h). */
struct launch_vector {
    const char *type; /* of its components, "" where it is none */
    uint32_t count;   /* 0: it is none */
    uint32_t bytes;   /* of a component */
    uint32_t align;
};

/* What components are called. */
extern const char launch_components[4][2];

/* The one that the word at `at` names. */
struct launch_vector launch_vector_named(const char *at);

/* Parses "f32[1024]=iota"; @FILE is read at once. Unless `pointed` is NULL it may be "f32[1024]+16=iota",
 * too, and *pointed becomes the element behind the `+`, or 0. */
wb_status launch_contents_parse(const struct launch_site *site, const char *text,
                                struct launch_contents *contents, uint64_t *pointed);

/* Parses an argument without fields, such as "i32:1024" or "buf:f32[1024]=iota". */
wb_status launch_value_parse(const struct launch_site *site, const char *text,
                             struct launch_argument *argument);

/* Letters and digits of a name that begins `text`, with '_', in any locale. */
size_t launch_name_length(const char *text);

/* Largest alignment that may be asked for; most fields that one struct names, and levels of them. */
#define LAUNCH_ALIGN_MAX 4096u
#define LAUNCH_NAMES_MAX 1024u
#define LAUNCH_FIELDS_DEEP 16u

/* Bytes that something takes, and what its address is a multiple of. */
struct launch_layout {
    uint64_t size;
    uint64_t align;
    bool is_asked; /* for a field, which holds in packed structs, too */
};

static inline uint64_t launch_aligned(uint64_t offset, uint64_t align) {
    return (offset + align - 1) / align * align;
}

/* Puts a part behind what the whole has so far, as compilers for x86-64 and nvcc do: its offset. */
static inline uint64_t launch_layout_add(struct launch_layout *whole, const struct launch_layout *part) {
    const uint64_t start = launch_aligned(whole->size, part->align);
    whole->size = start + part->size;
    if (part->align > whole->align) whole->align = part->align;
    return start;
}

/* Reads declarations of C: structs and names of types. `scan` is at them, in its source. */
wb_status launch_types_parse(const struct scanner *scan, struct arena *arena, launch_types *types);

/* Parses any argument. `name` is the one that the launch file gives it, or NULL. */
wb_status launch_argument_parse(const struct launch_site *site, const char *name, const char *text,
                                struct launch_argument *argument);

/* The parts of an argument that have no fields: itself, or its fields. */
static inline size_t launch_part_count(const struct launch_argument *argument) {
    return argument->fields != NULL ? argument->field_count : 1;
}

/* Of the arguments before one. */
static inline size_t launch_parts_before(const struct wb_launch *launch, size_t argument) {
    size_t parts = 0;
    for (size_t a = 0; a < argument; a++)
        parts += launch_part_count(&launch->arguments.items[a]);
    return parts;
}

static inline const struct launch_argument *launch_part(const struct launch_argument *argument, size_t index,
                                                        uint64_t *offset) {
    *offset = argument->fields != NULL ? argument->fields[index].offset : 0;
    return argument->fields != NULL ? &argument->fields[index].value : argument;
}

/* The argument of a name or place of that length, or the field "NAME.PATH" of one; NULL: there is none. */
const struct launch_argument *launch_part_named(const struct wb_launch *launch, const char *name,
                                                size_t length);

/* Why a promise "data.NAME" of that length is about no buffer of the launch; NULL: it is about *part, or of
 * another form. */
const char *launch_promise_problem(const struct wb_launch *launch, const char *promise, size_t length,
                                   const struct launch_argument **part);

/* Whether the buffers that a launch file promises are among the arguments that it gives, if it gives some. */
wb_status launch_check_promises(const struct wb_launch *launch, const struct ytree *document,
                                const struct ytree_node *mapping);

/* The argument or field whose buffer `same_as` names, and its number among the parts of all arguments; NULL:
 * it names no buffer with contents of its own. `kernel` may be NULL. */
const struct launch_argument *launch_buffer_named(const struct wb_launch *launch,
                                                  const struct wb_kernel *kernel, const char *same_as,
                                                  size_t *part);

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

/* The launch with zeros in all buffers whose contents it leaves open, which are one of its inputs; the copy
 * is valid as long as the launch and the arena. WB_ERR_DECLINED without a message when there are none,
 * WB_ERR_LIMIT when memory is exhausted. */
wb_status launch_with_zeros(const struct wb_launch *launch, struct arena *arena, struct wb_launch *made);

/* Parses the YAML of launch files, in which an argument "struct {...}" needs no quotes. */
wb_status launch_tree_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                            struct ytree *document);

/* Parses a launch file in memory, which describes one launch; `name` stands for the file in messages. */
wb_status launch_parse(const char *name, const char *text, size_t size, const struct launch_folder *folder,
                       wb_diagnostics *diagnostics, wb_launch **launch);

/* The same of a launch file that may be a list. */
wb_status launches_parse(const char *name, const char *text, size_t size, const struct launch_folder *folder,
                         wb_diagnostics *diagnostics, wb_launches **launches);

/* What a launch gives to a kernel, as reports name it. */

struct launch_inputs {
    const char *file;       /* the launch file that gives the arguments, or NULL */
    const char *trace;      /* of an execution, which stands in place of all that is below; or NULL */
    bool any_contents;      /* of buffers and variables, whatever is given */
    bool with_zeros;        /* in buffers whose contents are not given */
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

/* Flow facts: what is known of a kernel's control flow beyond what the analyses find (docs/flow-facts.md).
 *
 *     kernel bfs_level 8c1d5e0f2a934b77          name and checksum of the code that the facts are about
 *     loop $L__BB0_3 <= 128; // bfs.cu:21        the label is passed at most 128 times each time the loop is
 *                                                entered
 *     at most 3 of $L__BB0_5 per $L__BB0_3;      the first label is passed at most 3 times between two passes
 *                                                of the second
 *     never $L__BB0_7;                           the label is never reached
 *     together $L__BB0_9;                        all warps of a block that have not ended pass the label
 *                                                equally often, by the same iterations of the loops around it
 *     loop $L__BB0_4 <= 8 found;                 what the analysis finds of this code, for every launch
 *     loop $L__BB0_6 <= 5 found for this launch; the same for the launch that a statement "launch" describes
 *
 * A thread passes a label when it comes to the instruction behind it, whatever that instruction's guard is.
 * Counts are of one thread, in one call of the function that the labels are in.
 */

struct cfg;
struct loops;
struct unrolled;

enum fact_kind { FACT_LOOP, FACT_TOTAL, FACT_PER, FACT_NEVER, FACT_TOGETHER };

/* What a fact of kind FACT_TOTAL counts all warps of. */
enum fact_scope { FACT_OF_WARP, FACT_OF_BLOCK, FACT_OF_KERNEL, FACT_SCOPES };

extern const char *const fact_scope_names[FACT_SCOPES];

/* Whose word a fact is. Only loops have facts that are found. */
enum fact_origin {
    FACT_STATED,          /* the user's: it is taken for true in every launch */
    FACT_FOUND,           /* the analysis's, for every launch */
    FACT_FOUND_FOR_LAUNCH /* the analysis's, for the launch that the file describes */
};

/* Largest number in a fact; largest text. */
#define FACT_LIMIT_MAX UINT32_MAX
#define FACTS_SIZE_MAX ((size_t)1 << 20)

struct flow_fact {
    enum fact_kind kind;
    enum fact_origin origin;
    uint32_t function; /* of the module */
    uint32_t at;    /* instruction of the function that the label stands before; of FACT_LOOP and FACT_TOTAL
                       the first of a natural loop's header */
    uint32_t per;   /* FACT_PER: that of the second label, which stands elsewhere; FACT_TOTAL: fact_scope */
    uint64_t limit; /* FACT_LOOP and FACT_TOTAL: at least 1; FACT_PER; 0 while `open` */
    bool open;      /* "?" stands where the number is to be filled in, or behind what is to be confirmed */
    uint32_t place; /* byte offset in the text */
};

/* No two facts are of the same kind and about the same labels, and there is no other fact about a label that
 * is never reached. */
struct wb_facts {
    struct arena arena; /* owns name and text of `source`, too */
    struct source source;
    const struct wb_kernel *kernel;
    uint64_t checksum;           /* of the text */
    wb_input input;              /* the text */
    VEC(struct flow_fact) facts; /* in the order of the text */
    const char *launch;    /* which launch facts were found for, as facts_put_launch describes it, or NULL */
    uint32_t launch_place; /* byte offset of that in the text */
};

/* A checksum of all code that the kernel can execute, 64 bits: changes with every instruction and with the
 * contents of variables, not with comments, line numbers or the names of registers, labels and functions.
 * WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status facts_checksum(const struct wb_kernel *kernel, uint64_t *checksum);

/* A checksum of the text of facts; one that ties the description of a launch to the code of the kernel. */
uint64_t facts_text_checksum(const char *text, size_t size);
uint64_t facts_launch_checksum(uint64_t kernel_checksum, const char *launch);

/* Appends what of a launch decides how often loops run: "grid 8 1 1 block 256 1 1 shared 0 arguments buffer
 * 2048 unknown". Contents and addresses of buffers play no part. */
void facts_put_launch(const struct wb_launch *launch, struct text *out);

/* Appends in which parts two descriptions differ: "the grid was 8 1 1 and is 9 1 1". */
void facts_put_difference(const char *was, const char *is, struct text *out);

/* WB_ERR_INPUT with a message that says what differs when some fact was found for another launch. */
wb_status facts_require_launch(const struct wb_facts *facts, const struct wb_launch *launch,
                               wb_diagnostics *diagnostics);

/* How many facts have one of two origins. */
size_t facts_count(const struct wb_facts *facts, enum fact_origin a, enum fact_origin b);

/* Appends the line that facts begin with, "kernel NAME CHECKSUM\n". */
void facts_put_header(const struct wb_kernel *kernel, uint64_t checksum, struct text *out);

/* Appends the statement that says which launch facts were found for, "launch CHECKSUM ...;\n". */
void facts_put_launch_statement(uint64_t kernel_checksum, const char *launch, struct text *out);

/* Appends a fact without a line break, such as "loop $L__BB0_3 <= 128;". */
void facts_put(const struct wb_kernel *kernel, const struct flow_fact *fact, struct text *out);

/* The first source line from an instruction up to the next branch: an index of the module's locations, or
 * PTX_NO_INDEX. */
uint32_t facts_location(const struct wb_kernel *kernel, uint32_t function, uint32_t inst);

/* Appends what a pass of a loop is to its source, where there are signs that it was unrolled; else nothing.
 */
void facts_put_unrolled(const struct wb_kernel *kernel, uint32_t function, const struct cfg *cfg,
                        const struct loops *loops, const struct unrolled *unrolled, struct text *out);

/* Appends where code comes from, such as "bfs.cu:21": the first source line from an instruction up to the
 * next branch; "PTX line 40" when there is none. */
void facts_put_place(const struct wb_kernel *kernel, uint32_t function, uint32_t inst, struct text *out);

/* What the assembler ptxas says of kernels: registers, memory. */

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

/* What launch files say in place of options of the command. */

/* The key of a launch file that says it. */
const char *launch_setting_key(wb_launch_setting setting);

/* The launch file of a kernel whose requests count as those of neighbours, or NULL. */
const char *launches_neighbour(const wb_launches *launches);

/* Stores what a launch file says; files that it names lie relative to `folder` (NULL: the current one). */
wb_status launch_setting_store(wb_launch_setting setting, const struct ytree *document,
                               const struct ytree_node *value, const struct launch_folder *folder,
                               struct wb_launch *launch);

/* All that a result was made from, wherever it is kept. */

/* Each may be NULL. */
struct sources {
    const struct wb_kernel *kernel;
    const uint32_t *code_first; /* of the kernel, as in struct wb_block */
    const wb_input *code;       /* machine code that the kernel's PTX is held against */
    const struct launch_inputs *launch;
    const struct wb_launch *given; /* the launch itself, where it was not executed */
    const struct wb_facts *facts;
    const struct wb_machine *machine;
    const wb_input *by_hand; /* what was written by hand, in place of kernel and launch */
};

/* The `index`-th of them, each once; NULL past the end. */
const wb_input *sources_at(const struct sources *sources, size_t index);

/* WB_OK when every number is given; else WB_ERR_DECLINED, with a message for each ? that is still to be
 * replaced. */
wb_status facts_require_complete(const wb_facts *facts, wb_diagnostics *diagnostics);

#endif
