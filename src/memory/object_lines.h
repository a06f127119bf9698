/* Which lines an access to an unknown address can ask for, set by set of a cache: those of the buffer or
 * variable that it stays inside of, or any. */
#ifndef WB_MEMORY_OBJECT_LINES_H
#define WB_MEMORY_OBJECT_LINES_H

#include "base/arena.h"
#include "memory/cache_index.h"
#include "memory/traffic.h"

/* Lines of an object; number 0 stands for all memory, as in struct access. */
struct object_lines {
    bool asked;            /* some access to unknown addresses is to it; else nothing below is set */
    bool anywhere;         /* any line: each set has as many as are listed at most */
    uint64_t first, count; /* numbers of its lines */
    uint32_t *set_counts;  /* per set how many of them are listed */
    uint64_t *listed;      /* of each set the first `most` of them */
};

struct objects_lines {
    struct object_lines *objects; /* 1 + those of the grid */
    uint32_t count;
    uint32_t most; /* lines that are listed of a set: one more than it has ways */
};

/* Of the objects that accesses of the traffic are to, from the arena. WB_ERR_LIMIT without a message when
 * memory is exhausted. */
wb_status objects_lines_make(const struct traffic *traffic, const struct cache_index *index, uint32_t ways,
                             struct arena *arena, struct objects_lines *lines);

/* Whether an access to an object can ask for a line. */
static inline bool object_has_line(const struct object_lines *object, uint64_t line) {
    return object->asked && (object->anywhere || line - object->first < object->count);
}

/* Whether two objects have a line in common. */
static inline bool object_meets(const struct object_lines *a, const struct object_lines *b) {
    if (!a->asked || !b->asked) return false;
    return a->anywhere || b->anywhere || (a->first < b->first + b->count && b->first < a->first + a->count);
}

/* The lines of an object in a set that are listed. */
static inline const uint64_t *object_set_lines(const struct objects_lines *lines, uint32_t object,
                                               uint32_t set) {
    return lines->objects[object].listed + (size_t)set * lines->most;
}

#endif
