/* Memory of one unit of work: many small allocations, freed at once; passes over it that need not ask whether
 * there was any; and arrays that grow. */
#ifndef WB_BASE_ARENA_H
#define WB_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/status.h"

struct arena_chunk;
struct arena_pass;

/* Zero-initialised it is an empty arena without a limit. */
struct arena {
    struct arena_chunk *chunks; /* newest first */
    size_t used;                /* bytes taken from the system */
    size_t limit;               /* most bytes to take, 0: no limit */
    bool refused;               /* memory, as there was no room within the limit */
    struct arena_pass *bound_to;
    struct arena *bound_next; /* of those bound to the same pass */
};

/* `size` zeroed bytes, aligned for any type. When memory or the arena's limit is exhausted: NULL, or the end
 * of the pass that protects the arena. */
void *arena_alloc(struct arena *arena, size_t size);

/* `count` zeroed items of `size` bytes; NULL or the end of the pass also when the product overflows. */
void *arena_array(struct arena *arena, size_t count, size_t size);

/* A NUL-terminated copy of `length` bytes. */
char *arena_string(struct arena *arena, const char *text, size_t length);

/* The `old_size` bytes at `memory`, which the arena gave (NULL: none), followed by zeroed ones: where they
 * are when they were allocated last, else copied. */
void *arena_grow(struct arena *arena, void *memory, size_t old_size, size_t size);

/* Frees everything that was allocated; the arena is empty and usable afterwards, and no longer bound. */
void arena_free(struct arena *arena);

/* ---- Passes -------------------------------------------------------------------------------------------- */

/* Runs pass(context). While it runs, no allocation from `arena` returns NULL: the first one that cannot be
 * made ends the pass, and arena_protect returns WB_ERR_LIMIT; else WB_OK. So a pass reads as the analysis
 * that it is, and is checked once. The rules:
 *  - the pass is left in the middle: what it holds then is lost. It holds no memory of malloc (a VEC filled
 * by arena_push and a text with an arena are fine), no open file, no lock, and no arena that is neither
 *    protected around it nor bound;
 *  - results that the caller would see half made are written last, or not looked at after an error;
 *  - a variable of the function that calls arena_protect is read afterwards only through `context`;
 *  - it is the thread's own matter: a team of threads inside a pass protects arenas of its members.
 * Passes may be inside each other, of the same arena (the inner one ends) or of others (whichever arena is
 * exhausted, its pass ends, with all inside). What is in the arena stays until the caller frees it. */
wb_status arena_protect(struct arena *arena, void (*pass)(void *context), void *context);

/* To be asserted by functions that rely on it. */
bool arena_is_protected(const struct arena *arena);

/* Protects a scratch arena as `to`, which is protected, until arena_free(scratch): when it is exhausted, the
 * pass around `to` ends, and when that pass ends early, the arena is freed. A pass that ends by itself has
 * freed what it has bound. */
void arena_bind(struct arena *scratch, const struct arena *to);

/* Ends the pass that protects the arena: arena_protect returns `status`, which is not WB_OK. */
_Noreturn void arena_fail(const struct arena *arena, wb_status status);

/* ---- Growable arrays of any item type --------------------------------------------------------------------
 */

/* A zero-initialised array is empty. Its items lie in an arena (arena_push), or are malloced (vec_push) and
 * freed by vec_free: one or the other. */
#define VEC(type)                                                                                            \
    struct {                                                                                                 \
        type *items;                                                                                         \
        size_t count;                                                                                        \
        size_t capacity;                                                                                     \
    }

/* Makes room for `extra` more items after `count`. */
wb_status vec_grow(void **items, size_t *capacity, size_t count, size_t extra, size_t item_size);

/* Appends one item: WB_OK, or WB_ERR_LIMIT when memory is exhausted (the array is as it was). */
#define vec_push(vec, item)                                                                                  \
    (vec_reserve(vec, 1) == WB_OK ? ((vec)->items[(vec)->count++] = (item), WB_OK) : WB_ERR_LIMIT)

#define vec_reserve(vec, extra)                                                                              \
    ((vec)->capacity - (vec)->count >= (extra)                                                               \
         ? WB_OK                                                                                             \
         : vec_grow((void **)&(vec)->items, &(vec)->capacity, (vec)->count, (extra), sizeof *(vec)->items))

#define vec_free(vec)                                                                                        \
    do {                                                                                                     \
        free((vec)->items);                                                                                  \
        (vec)->items = NULL;                                                                                 \
        (vec)->count = (vec)->capacity = 0;                                                                  \
    } while (0)

/* Appends an item to a VEC whose items lie in a protected arena; nothing to be freed. */
#define arena_push(arena, vec, item)                                                                         \
    ((void)(arena_reserve(arena, vec, 1), (vec)->items[(vec)->count++] = (item)))

/* Makes room for `extra` more items. */
#define arena_reserve(arena, vec, extra)                                                                     \
    ((vec)->capacity - (vec)->count >= (extra)                                                               \
         ? (void)0                                                                                           \
         : arena_vec_grow(arena, (void **)&(vec)->items, &(vec)->capacity, (vec)->count, (extra),            \
                          sizeof *(vec)->items))

void arena_vec_grow(struct arena *arena, void **items, size_t *capacity, size_t count, size_t extra,
                    size_t item_size);

#endif
