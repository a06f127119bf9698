#include "base/base.h"

#include <setjmp.h>
#include <stdalign.h>
#include <string.h>

/* First chunk size; chunks double up to ARENA_CHUNK_MAX so that large modules need few system calls. */
#define ARENA_CHUNK_MIN ((size_t)16 << 10)
#define ARENA_CHUNK_MAX ((size_t)4 << 20)

struct arena_chunk {
    struct arena_chunk *next;
    size_t size;
    size_t used;
    alignas(max_align_t) unsigned char bytes[];
};

/* ---- Passes that never see NULL ------------------------------------------------------------------------ */

/* A call of arena_protect that has not returned. */
struct arena_pass {
    jmp_buf end;
    volatile wb_status status; /* WB_OK, or why the pass was ended early; set behind setjmp */
    const struct arena *arena; /* whose exhaustion ends it */
    struct arena *bound;       /* the arenas to be freed when it ends early */
    struct arena_pass *outer;  /* the next one around it, of whatever arena */
};

/* The passes of a thread, from the inside. This is what a call stack is, not state: outside of arena_protect
 * it is NULL. Without it, the end of an outer pass could not tell the passes inside that they have ended. */
static _Thread_local struct arena_pass *innermost;

/* The pass that the arena's exhaustion ends, or NULL. */
static struct arena_pass *pass_of(const struct arena *arena) {
    if (arena->bound_to != NULL) return arena->bound_to;
    struct arena_pass *pass = innermost;
    while (pass != NULL && pass->arena != arena)
        pass = pass->outer;
    return pass;
}

/* Ends the pass and those inside it. Arenas bound to them are freed while the stack frames that they may be
 * in still stand. */
static _Noreturn void end_pass(struct arena_pass *pass, wb_status status) {
    for (bool ended = false; !ended;) {
        struct arena_pass *ends = innermost;
        assert(ends != NULL && "an arena is used by the thread that protects it");
        while (ends->bound != NULL)
            arena_free(ends->bound);
        ended = ends == pass;
        innermost = ends->outer;
    }
    pass->status = status;
    longjmp(pass->end, 1);
}

wb_status arena_protect(struct arena *arena, void (*pass)(void *context), void *context) {
    struct arena_pass frame = {.status = WB_OK, .arena = arena, .outer = innermost};
    innermost = &frame;
    if (setjmp(frame.end) == 0) {
        pass(context);
        assert(innermost == &frame && frame.bound == NULL && "a pass frees what it has bound");
    }
    innermost = frame.outer;
    return frame.status;
}

bool arena_is_protected(const struct arena *arena) {
    return pass_of(arena) != NULL;
}

void arena_bind(struct arena *scratch, const struct arena *to) {
    struct arena_pass *pass = pass_of(to);
    assert(pass != NULL && scratch->bound_to == NULL);
    scratch->bound_to = pass;
    scratch->bound_next = pass->bound;
    pass->bound = scratch;
}

/* Undoes arena_bind. */
static void arena_unbind(struct arena *arena) {
    struct arena **at = &arena->bound_to->bound;
    while (*at != arena)
        at = &(*at)->bound_next;
    *at = arena->bound_next;
    arena->bound_to = NULL;
    arena->bound_next = NULL;
}

void arena_fail(const struct arena *arena, wb_status status) {
    struct arena_pass *pass = pass_of(arena);
    assert(pass != NULL && status != WB_OK);
    end_pass(pass, status);
}

/* What an allocation that cannot be made returns, if it returns. */
static void *refuse(const struct arena *arena) {
    struct arena_pass *pass = pass_of(arena);
    if (pass != NULL) end_pass(pass, WB_ERR_LIMIT);
    return NULL;
}

/* ---- Chunks -------------------------------------------------------------------------------------------- */

/* Size of the next chunk, at least `payload`: twice the last one, less where the limit is near; 0 when it
 * does not fit. */
static size_t chunk_size(const struct arena *arena, size_t payload) {
    size_t size = ARENA_CHUNK_MIN;
    if (arena->chunks != NULL && arena->chunks->size >= size) size = arena->chunks->size * 2;
    if (size > ARENA_CHUNK_MAX) size = ARENA_CHUNK_MAX;
    if (size < payload) size = payload;
    size_t room = SIZE_MAX - sizeof(struct arena_chunk);
    if (arena->limit != 0) {
        size_t taken = arena->used + sizeof(struct arena_chunk);
        room = arena->limit > taken ? arena->limit - taken : 0;
    }
    if (size > room) size = room;
    return size < payload ? 0 : size;
}

static struct arena_chunk *chunk_new(struct arena *arena, size_t payload) {
    size_t size = chunk_size(arena, payload);
    arena->refused |= size == 0;
    if (size == 0) return NULL;
    struct arena_chunk *chunk = calloc(1, sizeof(struct arena_chunk) + size);
    if (chunk == NULL) return NULL;
    chunk->size = size;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->used += sizeof(struct arena_chunk) + size;
    return chunk;
}

/* Whole units of alignment, at least `size`; 0 when there are no so many. */
static size_t aligned(size_t size) {
    const size_t align = alignof(max_align_t);
    return size > SIZE_MAX - align ? 0 : (size + align - 1) / align * align;
}

void *arena_alloc(struct arena *arena, size_t size) {
    const size_t taken = aligned(size);
    if (taken < size) return refuse(arena);
    struct arena_chunk *chunk = arena->chunks;
    if (chunk == NULL || chunk->size - chunk->used < taken) {
        chunk = chunk_new(arena, taken);
        if (chunk == NULL) return refuse(arena);
    }
    assert(chunk->used % alignof(max_align_t) == 0 && taken <= chunk->size - chunk->used);
    void *memory = chunk->bytes + chunk->used;
    chunk->used += taken;
    return memory;
}

void *arena_array(struct arena *arena, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) return refuse(arena);
    return arena_alloc(arena, total);
}

char *arena_string(struct arena *arena, const char *text, size_t length) {
    if (length == SIZE_MAX) return refuse(arena);
    char *copy = arena_alloc(arena, length + 1);
    if (copy != NULL) memcpy(copy, text, length);
    return copy;
}

void *arena_grow(struct arena *arena, void *memory, size_t old_size, size_t size) {
    assert(size >= old_size);
    const size_t old = aligned(old_size), taken = aligned(size);
    struct arena_chunk *chunk = arena->chunks;
    /* What was allocated last grows where it is. */
    if (memory != NULL && chunk != NULL && taken >= size && chunk->used >= old &&
        memory == chunk->bytes + chunk->used - old && taken - old <= chunk->size - chunk->used) {
        chunk->used += taken - old;
        return memory;
    }
    void *grown = arena_alloc(arena, size);
    if (grown != NULL && memory != NULL) memcpy(grown, memory, old_size);
    return grown;
}

void arena_free(struct arena *arena) {
    if (arena->bound_to != NULL) arena_unbind(arena);
    while (arena->chunks != NULL) {
        struct arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    arena->used = 0;
}

/* ---- Growable arrays ---- */

wb_status vec_grow(void **items, size_t *capacity, size_t count, size_t extra, size_t item_size) {
    assert(count <= *capacity);
    size_t need;
    if (__builtin_add_overflow(count, extra, &need)) return WB_ERR_LIMIT;
    if (need <= *capacity) return WB_OK;
    size_t wanted = *capacity < 8 ? 8 : *capacity;
    while (wanted < need) {
        if (__builtin_mul_overflow(wanted, (size_t)2, &wanted)) return WB_ERR_LIMIT;
    }
    size_t bytes;
    if (__builtin_mul_overflow(wanted, item_size, &bytes)) return WB_ERR_LIMIT;
    void *grown = realloc(*items, bytes);
    if (grown == NULL) return WB_ERR_LIMIT;
    *items = grown;
    *capacity = wanted;
    return WB_OK;
}

void arena_vec_grow(struct arena *arena, void **items, size_t *capacity, size_t count, size_t extra,
                    size_t item_size) {
    assert(arena_is_protected(arena) && count <= *capacity);
    size_t need, wanted = *capacity < 8 ? 8 : *capacity, bytes;
    if (__builtin_add_overflow(count, extra, &need)) arena_fail(arena, WB_ERR_LIMIT);
    while (wanted < need) {
        if (__builtin_mul_overflow(wanted, (size_t)2, &wanted)) arena_fail(arena, WB_ERR_LIMIT);
    }
    if (__builtin_mul_overflow(wanted, item_size, &bytes)) arena_fail(arena, WB_ERR_LIMIT);
    *items = arena_grow(arena, *items, *capacity * item_size, bytes);
    *capacity = wanted;
}
