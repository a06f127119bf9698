/* The instruction sequence one warp executes, kept as runs of consecutive instructions; loops are folded
 * while the path is written, so that a path of 10^8 instructions fits in memory. */
#ifndef WB_WARP_PATH_H
#define WB_WARP_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/* A run: the `count` instructions from index `first` on, executed by the lanes of `mask`.
 * With count == PATH_REPEAT it is a fold instead: the `first` entries before it are executed `mask` more
 * times. Folds do not nest: none of those entries is a fold. */
struct path_entry {
    uint32_t first;
    uint32_t count;
    uint32_t mask;
};

#define PATH_REPEAT 0u

struct path {
    VEC(struct path_entry) entries;
    uint64_t length; /* instructions, folds unrolled */
    uint64_t hash;   /* of the entries; equal paths have equal hashes */
};

/* Where a reader of a path stands. */
struct path_cursor {
    const struct path *path;
    size_t entry;       /* entry being read */
    uint32_t offset;    /* instructions of it already read */
    size_t fold;        /* fold being repeated, or SIZE_MAX */
    uint32_t remaining; /* repetitions still to come */
};

/* One step of a path. */
struct path_step {
    uint32_t instruction; /* index into the code */
    uint32_t mask;        /* active lanes */
};

/* Writes a path. Zero-initialised it is ready. */
struct path_writer {
    struct path path;
    struct path_entry open; /* run being extended, count 0: none */
    size_t period;          /* entries of the fold being matched, 0: none */
    size_t matched;         /* entries of the current repetition matched so far */
    uint32_t repeats;       /* complete repetitions matched so far */
    uint64_t *last_seen;    /* hash table: where an equal entry was written last; see path.c */
};

/* Appends one instruction executed by the lanes of `mask`. */
wb_status path_append(struct path_writer *writer, uint32_t instruction, uint32_t mask);

/* Ends the path and hands it over; the writer is empty afterwards. */
wb_status path_finish(struct path_writer *writer, struct path *path);

void path_writer_free(struct path_writer *writer);
void path_free(struct path *path);

bool path_equal(const struct path *a, const struct path *b);

/* A cursor at the first instruction. */
struct path_cursor path_begin(const struct path *path);

/* Reads the next instruction; false at the end. */
bool path_next(struct path_cursor *cursor, struct path_step *step);

#endif
