/* The instruction sequence one warp executes, kept as runs of consecutive instructions; loops are folded
 * while the path is written, so that a path of 10^8 instructions fits in memory. */
#ifndef WB_WARP_PATH_PATH_H
#define WB_WARP_PATH_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/base.h"
#include "launch/launch.h"
#include "machine/occupancy.h"
#include "ptx/ptx.h"
#include "warp/path/execution_notes.h"

/* A run: the `count` instructions from index `first` on, executed by the lanes of `mask`.
 * With count == PATH_REPEAT it is a fold instead: the `first` entries before it, its body, are executed
 * `mask` more times. There may be folds in a body, with all of their own bodies, at most PATH_DEPTH_MAX deep.
 */
struct path_entry {
    uint32_t first;
    uint32_t count;
    uint32_t mask;
};

#define PATH_REPEAT 0u
#define PATH_DEPTH_MAX 6u

/* Most instructions that repetitions make a path of: times of thousands of cycles each fit in 64 bits. */
#define PATH_LENGTH_MAX ((uint64_t)1 << 52)

/* Zero-initialised it is an empty path. Equal instruction sequences have equal entries. */
struct path {
    VEC(struct path_entry) entries;
    uint64_t length; /* instructions, folds unrolled */
    uint64_t hash;   /* of the entries; equal paths have equal hashes */
};

/* One step of a path. */
struct path_step {
    uint32_t instruction; /* index into the code */
    uint32_t mask;        /* active lanes */
};

/* A fold being repeated. */
struct path_repeating {
    const struct path_entry *fold;
    uint32_t repetitions; /* still to begin */
};

/* Where a reader of a path stands. */
struct path_cursor {
    const struct path_entry *entry; /* behind the run that is being read */
    const struct path_entry *end;
    struct path_repeating folds[PATH_DEPTH_MAX]; /* `depth` of them, the outermost first */
    uint32_t depth;
    uint32_t left;        /* instructions of the run still to come */
    uint32_t instruction; /* the next one */
    uint32_t mask;
};

/* A repetition being matched. */
struct path_match {
    size_t body, period; /* its first entry, and how many */
    size_t matched;      /* entries of the current repetition matched so far */
    uint32_t repeats;    /* complete repetitions matched so far */
};

/* A fold that is in the body of no other one. */
struct path_outermost {
    size_t at;
    uint32_t depth; /* of folds, with itself */
};

/* Writes a path. Zero-initialised it is ready. A repetition is looked for where an entry was seen before: the
 * entries since then are its body, and what follows is compared with them instead of being stored. */
struct path_writer {
    struct path path;
    struct path_entry open; /* run being extended, count 0: none */
    /* The body of the first consists of the last entries stored; each other one repeats that of a fold which
     * the one before it expects next. */
    struct path_match matches[PATH_DEPTH_MAX];
    uint32_t match_count;
    VEC(struct path_outermost) folds;
    size_t sealed; /* entries up to the last one that is no part of a body */
    /* By hash of an entry, 1 + where one of that hash was stored last; or NULL. What earlier paths left here
     * does no harm: an entry that stands in the path has set its place anew. */
    uint32_t *last_seen;
};

/* Closes the open run and opens one of this instruction; for path_append. */
wb_status path_open_run(struct path_writer *writer, uint32_t instruction, uint32_t mask);

/* Appends one instruction executed by the lanes of `mask`. WB_ERR_LIMIT when memory is exhausted. */
static inline wb_status path_append(struct path_writer *writer, uint32_t instruction, uint32_t mask) {
    struct path_entry *open = &writer->open;
    writer->path.length++;
    if (instruction - open->first == open->count && mask == open->mask && open->count != 0) {
        open->count++;
        return WB_OK;
    }
    return path_open_run(writer, instruction, mask);
}

/* Appends the `count` instructions from `first` on, all executed by the lanes of `mask`. */
wb_status path_append_run(struct path_writer *writer, uint32_t first, uint32_t count, uint32_t mask);

/* Appends the last `length` instructions `times` more times, as a fold. WB_ERR_LIMIT when memory is
 * exhausted, or when these instructions have too many runs to be one. */
wb_status path_repeat_last(struct path_writer *writer, uint64_t length, uint64_t times);

/* Whether the path repeats the instructions since `before`, a copy of the writer, and has just ended another
 * repetition: how often it can be told to do so again, at most; 0: it does not. */
uint32_t path_repeats(const struct path_writer *writer, const struct path_writer *before);

/* Appends them `times` more times, as if one by one. */
void path_repeat(struct path_writer *writer, const struct path_writer *before, uint32_t times);

/* Ends the path and hands it over; the caller frees it. The writer is empty afterwards. */
wb_status path_finish(struct path_writer *writer, struct path *path);

/* The same, but the writer keeps its table of what was seen for the next path, and must be freed. */
wb_status path_hand_over(struct path_writer *writer, struct path *path);

/* Drops what was written; the writer keeps its room for the next path. */
void path_restart(struct path_writer *writer);

void path_writer_free(struct path_writer *writer);

/* Makes `copy`, which is empty, the same path. WB_ERR_LIMIT when memory is exhausted: it is empty then, too.
 */
wb_status path_copy(const struct path *path, struct path *copy);
void path_free(struct path *path);

/* Bytes that the entries take. */
uint64_t path_bytes(const struct path *path);

/* Whether two paths are the same instruction sequence. */
bool path_equal(const struct path *a, const struct path *b);

/* A cursor at the first instruction. */
struct path_cursor path_begin(const struct path *path);

/* Goes on to the next run, through folds; false at the end. For path_next. */
bool path_next_run(struct path_cursor *cursor);

/* A fold whose body has been read once. */
struct path_fold {
    struct path_cursor body;
    uint32_t repetitions; /* still to come */
};

/* Whether the cursor has read the body of a fold and not begun to repeat it. */
bool path_at_fold(const struct path_cursor *cursor, struct path_fold *fold);

/* Goes on behind the fold that the cursor is at. */
void path_skip_fold(struct path_cursor *cursor);

/* Whether two cursors of one path stand at the same place, apart from how often folds will still be repeated.
 */
bool path_same_place(const struct path_cursor *a, const struct path_cursor *b);

/* Reads the next instruction; false at the end. */
static inline bool path_next(struct path_cursor *cursor, struct path_step *step) {
    if (cursor->left == 0 && !path_next_run(cursor)) return false;
    step->instruction = cursor->instruction++;
    step->mask = cursor->mask;
    cursor->left--;
    return true;
}

/* The runs of a path, or of the body of a fold, with how often it executes them, the last one first: for
 * sums, which need no order. */
struct path_runs {
    const struct path_entry *first, *next; /* entries to come: those before `next` */
    uint32_t depth;
    struct {
        const struct path_entry *body;
        uint64_t times;
    } folds[PATH_DEPTH_MAX]; /* whose bodies are being read, the outermost first */
};

struct path_runs path_runs_of(const struct path *path);
struct path_runs path_runs_of_body(const struct path_fold *fold);

/* Reads the next run, which is executed `times` times; false when there is none. */
bool path_runs_next(struct path_runs *runs, struct path_entry *run, uint64_t *times);

/* Whether there is a fold in the body. */
bool path_is_nest(const struct path_fold *fold);

/* The accesses to memory of one warp, in the order of its path, and what of them decides which requests they
 * make. */

/* One executed memory instruction with its addresses. Lane l of `mask` accesses `bytes` bytes at
 * base + stride * l when table == ACCESS_AFFINE, else at base + tables[table + (rank of l in mask)]. */
struct access {
    uint64_t step; /* position in the warp's path, from 0 */
    uint64_t base;
    int64_t stride;
    uint32_t instruction;
    uint32_t mask;
    uint32_t table;
    uint32_t unsure; /* of a covering path: lanes of `mask` that are maybe not there */
    uint32_t object; /* of unknown addresses: 1 + the memory that they are in; 0: anywhere in the space */
    uint8_t bytes;   /* per lane */
    uint8_t space;   /* enum ptx_space, generic addresses resolved; a function's .param is no local memory */
    bool is_store;   /* false for loads; atomics are both: is_atomic */
    bool is_atomic;
};

#define ACCESS_AFFINE UINT32_MAX
#define ACCESS_UNKNOWN (UINT32_MAX - 1) /* the addresses are not known */

/* The address, which is known, of a lane of the mask. */
static inline uint64_t access_address(const struct access *access, const uint64_t *tables, uint32_t lane) {
    if (access->table == ACCESS_AFFINE) return access->base + (uint64_t)access->stride * lane;
    const uint32_t rank = (uint32_t)__builtin_popcount(access->mask & ((1u << lane) - 1));
    return access->base + tables[access->table + rank];
}

/* Steps first .. end - 1 of a path. */
struct step_range {
    uint64_t first, end;
};

struct access_list {
    VEC(struct access) items;
    VEC(uint64_t) tables;
    VEC(struct step_range) maybe_executed; /* steps that no lane is certain to execute, ascending */
};

/* Memory that an unknown address can be restricted to: a buffer or variable, at generic addresses. */
struct memory_object {
    uint64_t base, size;
    uint32_t argument;  /* the number of the argument that it is passed as, or as a field of; 0: none */
    const char *called; /* what the launch calls the argument, or NULL */
    const char *field;  /* the path of the field, or NULL; both names are the run's */
    const char *name;   /* for messages, the module's or the run's */
};

/* What all accesses of an instruction to global and local memory are to, in all blocks. */
struct object_use {
    uint32_t object; /* 1 + the object that they are in for certain; 0: they are none; OBJECTS_SEVERAL */
    bool stores;     /* some of them change it */
};

#define OBJECTS_SEVERAL UINT32_MAX /* or it is not known */

struct memory_objects {
    VEC(struct memory_object) items;
    const struct object_use *uses; /* per instruction; NULL: not known, or code is none of a machine's */
};

/* Whether it is a buffer that the launch promises to be in the second level (RESIDENT_BUFFERS). */
bool memory_object_is_promised(const struct wb_machine *machine, const struct memory_object *object);

/* Addresses of global memory that differ by a multiple of this make the same requests: the longest line of
 * one. */
#define REQUEST_ALIGN 128u

/* The part of a record that decides which requests it makes: all but where in global memory it is, as a
 * whole. No padding, so that keys can be hashed and compared. */
struct access_key {
    uint64_t step, address, stride;
    uint32_t instruction, mask, unsure, object;
    uint8_t bytes, space, kind,
        addresses; /* kind: load, store or atomic; addresses: affine, table, unknown */
    uint8_t unused[4];
};

struct access_key access_key_of(const struct access *access, const uint64_t *tables);

/* Notes that no lane is certain to execute some steps, which end behind all those noted before.
 * WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status step_range_add(struct access_list *list, const struct step_range *range);

/* Bytes that the records take. */
uint64_t access_list_bytes(const struct access_list *list);

/* Frees what the list holds. */
void access_list_free(struct access_list *list);

/* Removes records that make the same requests as an earlier one of the same instruction: of paths that repeat
 * iterations, whose steps nobody looks up. Records of several state spaces in one step, and those with
 * tables, stay. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status access_list_thin(struct access_list *list);

/* The execution of the warps of one thread block: the result of running the block on known and unknown
 * values. */

/* The unknown properties of an instruction that a covering path takes for possible. */
enum cover_need {
    COVER_CONDITION, /* which way a branch goes */
    COVER_GUARD,     /* whether it is executed */
    COVER_ADDRESS,   /* which memory it accesses */
    COVER_NEED_COUNT
};

struct cover_cause {
    uint32_t instruction; /* index as in paths */
    uint32_t origin;      /* the instruction that the unknown value comes from, or UINT32_MAX */
    enum cover_need need;
};

/* Flow facts as reports name them. */
struct facts_used {
    const struct wb_facts *from; /* which outlive the block; NULL: there are none */
    size_t stated;               /* of them by the user, to be taken for true */
    size_t found;                /* and by analysis, which finds them again */
};

/* Instruction indices in paths run through all functions of the module: the i-th issued instruction of
 * function f has index code_first[f] + i. For PTX that is its instruction i; for machine code an instruction
 * of the machine, whatever it was lifted to. */
struct wb_block {
    struct arena arena;
    const struct wb_kernel *kernel;
    uint32_t grid[3], size[3], index[3]; /* blocks in the grid, threads in the block, which block */
    uint64_t memory_limit;               /* as in struct wb_grid */
    uint64_t shared_bytes;               /* static and dynamic */
    struct register_facts registers;     /* of a thread */
    struct launch_inputs inputs;         /* that it was executed with */
    uint32_t *code_first;                /* function_count + 1 entries */
    VEC(struct path) paths;              /* the distinct ones, in order of the first warp that has each */
    uint32_t warp_count;
    uint32_t warp_width;           /* threads of a warp */
    uint32_t *warp_path;           /* per warp the index of its path */
    struct access_list *accesses;  /* per warp, or NULL when not recorded */
    struct memory_objects objects; /* all that there are; empty when accesses are not recorded */
    struct execution_notes notes;
    uint32_t unrecorded;     /* an instruction not all of whose accesses are known, or PTX_NO_INDEX */
    bool covering;           /* the paths cover those of all executions (docs/covering-paths.md) */
    struct facts_used facts; /* of such a block: the flow facts that it uses */
    bool repeats;            /* of such a block: some path repeats iterations without records of accesses */
    bool meets_maybe;        /* of such a block: warps only maybe wait at some barrier */
    VEC(struct cover_cause) causes; /* of such a block: what was not known, in the order it was met */
    uint32_t uncounted; /* such a one whose records do not have all lanes that may take part, though
                           it is served in transactions, or PTX_NO_INDEX */
};

/* Numbers the issued instructions of a module: number i of function f has index (*code_first)[f] + i; one
 * more entry is the number of all. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status code_number(const struct wb_module *module, struct arena *arena, uint32_t **code_first);

/* The function and the issued instruction behind an instruction index; `function` may be NULL. */
const struct ptx_inst *code_inst(const struct wb_module *module, const uint32_t *code_first, uint32_t index,
                                 const struct ptx_function **function);
const struct ptx_inst *block_inst(const struct wb_block *block, uint32_t index,
                                  const struct ptx_function **function);

/* Frees paths, accesses and all else that an execution has left in the block, but for its arena. */
void block_forget(struct wb_block *block);

/* Bytes that the block takes. */
uint64_t block_bytes(const struct wb_block *block);

/* Flow facts that a covering run lacks: it goes on as if they were given, so that all of them can be asked
 * for at once. */

/* Open facts, none of them twice. Zero-initialised it is empty. */
struct fact_needs {
    VEC(struct flow_fact) items;
};

void fact_needs_free(struct fact_needs *needs);

/* Whether the fact of that kind about instruction `at` of a function is lacking. */
bool fact_needs_has(const struct fact_needs *needs, enum fact_kind kind, uint32_t function, uint32_t at);

/* Adds it, if it is not there. WB_ERR_LIMIT, without a message, when memory is exhausted. */
wb_status fact_needs_add(struct fact_needs *needs, enum fact_kind kind, uint32_t function, uint32_t at);

/* An error for each source line that facts are lacking for: those of a loop that was unrolled or of a barrier
 * in a function that was inlined are asked for together. WB_ERR_LIMIT with a message when memory is
 * exhausted. */
wb_status fact_needs_report(const struct fact_needs *needs, const struct wb_kernel *kernel,
                            wb_diagnostics *diagnostics);

#endif
