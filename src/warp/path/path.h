/* The instruction sequence one warp executes, kept as runs of consecutive instructions; loops are folded
 * while the path is written, so that a path of 10^8 instructions fits in memory. */
#ifndef WB_WARP_PATH_PATH_H
#define WB_WARP_PATH_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

/* A run: the `count` instructions from index `first` on, executed by the lanes of `mask`.
 * With count == PATH_REPEAT it is a fold instead: the `first` entries before it are executed `mask` more
 * times. Folds do not nest: none of those entries is a fold. */
struct path_entry {
    uint32_t first;
    uint32_t count;
    uint32_t mask;
};

#define PATH_REPEAT 0u

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

/* Where a reader of a path stands. */
struct path_cursor {
    const struct path_entry *entry; /* behind the run that is being read */
    const struct path_entry *end;
    const struct path_entry *fold; /* fold being repeated, or NULL */
    uint32_t repetitions;          /* of that fold, still to begin */
    uint32_t left;                 /* instructions of the run still to come */
    uint32_t instruction;          /* the next one */
    uint32_t mask;
};

/* Writes a path. Zero-initialised it is ready. A repetition is looked for where an entry was seen before: the
 * entries since then are its body, and what follows is compared with them instead of being stored. */
struct path_writer {
    struct path path;
    struct path_entry open; /* run being extended, count 0: none */
    size_t period;          /* entries of the body being matched (the last ones stored), 0: none */
    size_t matched;         /* entries of the current repetition matched so far */
    uint32_t repeats;       /* complete repetitions matched so far */
    size_t unfolded;        /* entries up to the last fold, which is no part of a body */
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

/* Whether folds stand behind their bodies and do not nest, and the length is that of what is unrolled: what
 * every path is asserted to be. */
bool path_holds(const struct path *path);

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

/* Whether two cursors of one path stand at the same place, apart from how often a fold will still be
 * repeated.
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

#endif
