/* Executions that a trace recorded (struct launch_trace), in place of executing the launch: what the code
 * says of their instructions. */
#ifndef WB_WARP_TRACE_RECORDED_H
#define WB_WARP_TRACE_RECORDED_H

#include "warp/trace/trace.h"

#define RECORDED_NONE UINT32_MAX

/* What an instruction accesses: `lanes` of those that execute it. */
struct recorded_access {
    uint32_t lanes; /* 0: nothing */
    uint8_t bytes;  /* of each of them */
    uint8_t space;  /* enum ptx_space */
    bool is_traced; /* the trace has the addresses; else they are not known */
    bool is_store, is_atomic;
};

/* An instruction of the kernel, by its number in the code. */
struct recorded_inst {
    const struct machine_inst *machine;
    const struct ptx_inst *inst; /* that stands for it, or NULL: no way of the code leads there */
    uint32_t index;              /* of that, in paths: the first copy of an internal function */
    uint32_t certain;            /* the first instruction from here on that has no guard, or the end */
    struct recorded_access accesses[2];
    const char *refused; /* why no trace has all of it, or NULL */
};

struct recorded_code {
    const struct wb_kernel *kernel;
    struct recorded_inst *insts;
    uint32_t count;
    const uint32_t *number_of; /* per index from `first` on, the number */
    uint32_t first, index_count;
    uint64_t shared_static; /* bytes of a block, as the file has them */
};

/* WB_ERR_INPUT for code that is PTX, or not known; errors have messages. */
wb_status recorded_code_make(const struct wb_kernel *kernel, const uint32_t *code_first, struct arena *arena,
                             wb_diagnostics *diagnostics, struct recorded_code *code);

/* Whether lanes that have executed instruction `from` can execute `to` next without one between them that has
 * no guard: *next is the first of those between them. `from` RECORDED_NONE: they begin. */
bool recorded_follows(const struct recorded_code *code, uint32_t from, uint32_t to, uint32_t *next);

/* Whether the lanes of its mask go elsewhere than to the next instruction. */
bool recorded_jumps(const struct recorded_inst *inst);

/* Global memory that instructions access. */
struct recorded_piece {
    uint64_t first, end;
};

struct recorded_pieces {
    struct recorded_piece *items; /* as VEC: ascending and apart */
    size_t count, capacity;
};

struct recorded_memory {
    struct recorded_pieces *of; /* per instruction */
    bool too_many;              /* nothing is known */
};

/* Notes that instruction `number` accesses the bytes from `first` up to `end`. WB_ERR_LIMIT, without a
 * message, when memory is exhausted; likewise of the next. */
wb_status recorded_memory_note(struct recorded_memory *memory, uint32_t number, uint64_t first, uint64_t end);

/* Adds an object for each piece of memory that instructions access, one for those that overlap. */
wb_status recorded_memory_objects(const struct recorded_memory *memory, uint32_t count,
                                  struct memory_objects *objects);

/* All blocks, or the first ones, of the trace of the launch, instead of wb_grid_trace: its options, and
 * errors. */
wb_status recorded_grid(const struct wb_kernel *kernel, const struct wb_launch *launch,
                        const wb_grid_options *options, wb_diagnostics *diagnostics, struct wb_grid **grid);

#endif
