#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
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

void *arena_alloc(struct arena *arena, size_t size) {
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX - align) return NULL;
    size = (size + align - 1) / align * align;
    struct arena_chunk *chunk = arena->chunks;
    if (chunk == NULL || chunk->size - chunk->used < size) {
        chunk = chunk_new(arena, size);
        if (chunk == NULL) return NULL;
    }
    void *memory = chunk->bytes + chunk->used;
    chunk->used += size;
    return memory;
}

void *arena_array(struct arena *arena, size_t count, size_t size) {
    size_t total;
    if (__builtin_mul_overflow(count, size, &total)) return NULL;
    return arena_alloc(arena, total);
}

char *arena_string(struct arena *arena, const char *text, size_t length) {
    if (length == SIZE_MAX) return NULL;
    char *copy = arena_alloc(arena, length + 1);
    if (copy != NULL) memcpy(copy, text, length);
    return copy;
}

void arena_free(struct arena *arena) {
    while (arena->chunks != NULL) {
        struct arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
    arena->used = 0;
}
