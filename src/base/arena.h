/* Memory of one unit of work: many small allocations, freed at once. */
#ifndef WB_BASE_ARENA_H
#define WB_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_chunk;

/* Zero-initialised it is an empty arena without a limit. */
struct arena {
    struct arena_chunk *chunks; /* newest first */
    size_t used;                /* bytes taken from the system */
    size_t limit;               /* most bytes to take, 0: no limit */
    bool refused;               /* memory, as there was no room within the limit */
};

/* `size` zeroed bytes, aligned for any type, or NULL when memory or the arena's limit is exhausted. */
void *arena_alloc(struct arena *arena, size_t size);

/* `count` zeroed items of `size` bytes; NULL also when the product overflows. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/* A NUL-terminated copy of `length` bytes. */
char *arena_string(struct arena *arena, const char *text, size_t length);

/* Frees everything that was allocated; the arena is empty and usable afterwards. */
void arena_free(struct arena *arena);

#endif
