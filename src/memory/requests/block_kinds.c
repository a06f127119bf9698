/* Kinds of blocks: those that ask the same of each buffer but for a shift of it as a whole. What one of them
 * asks for is counted once for all. */
#include <string.h>

#include "memory/requests/requests.h"

/* A block is mostly of the kind of the one so many before. */
#define KINDS_PERIOD 8u

/* What makes a kind. */
struct kind_key {
    uint32_t variant, count;
    uint64_t *places; /* of each base, relative to the first one in the same object */
    uint32_t next;    /* 1 + the kind before of the same hash; 0: none */
};

struct kind_maker {
    const struct traffic *traffic;
    struct block_kinds *kinds;
    struct arena *arena;
    struct number_table hashes;
    VEC(uint32_t) newest;      /* per hash: 1 + the kind found last */
    VEC(struct kind_key) keys; /* per kind */
    struct kind_key key;       /* of the block at hand */
};

static uint32_t object_at(const struct memory_objects *objects, uint64_t address) {
    for (size_t o = 0; o < objects->items.count; o++)
        if (address - objects->items.items[o].base < objects->items.items[o].size) return (uint32_t)o;
    return NO_OBJECT;
}

/* The objects of the bases of a shape, as its first block has them. */
static void find_objects(const struct wb_grid *grid, const struct grid_block *block, struct arena *arena,
                         struct shape_objects *made) {
    const struct memory_objects *objects = &grid->cover.objects;
    const uint32_t bases = grid->shapes.items[block->shape].base_count;
    made->of_base = arena_array(arena, (size_t)bases + 1, sizeof *made->of_base);
    made->first_base = arena_array(arena, objects->items.count + 1, sizeof *made->first_base);
    for (size_t o = 0; o < objects->items.count; o++)
        made->first_base[o] = NO_OBJECT;
    for (uint32_t b = 0; b < bases; b++) {
        const uint32_t object = object_at(objects, grid->bases.items[block->first_base + b]);
        made->of_base[b] = object;
        if (object != NO_OBJECT && made->first_base[object] == NO_OBJECT) made->first_base[object] = b;
    }
}

/* Writes the places of a block's bases; false: one is not where the shape's first block has it. */
static bool find_places(struct kind_maker *maker, uint32_t block) {
    const struct wb_grid *grid = maker->traffic->grid;
    const struct grid_block *of = &grid->blocks.items[block];
    const struct shape_objects *objects = &maker->kinds->shapes[of->shape];
    const uint64_t *bases = grid->bases.items + of->first_base;
    maker->key.variant = maker->traffic->block_variants[block];
    maker->key.count = grid->shapes.items[of->shape].base_count;
    for (uint32_t b = 0; b < maker->key.count; b++) {
        const uint32_t object = objects->of_base[b];
        maker->key.places[b] = bases[b];
        if (object == NO_OBJECT) continue;
        const struct memory_object *in = &grid->cover.objects.items.items[object];
        if (bases[b] - in->base >= in->size) return false;
        maker->key.places[b] -= bases[objects->first_base[object]];
    }
    return true;
}

static bool same_key(const struct kind_key *a, const struct kind_key *b) {
    return a->variant == b->variant && a->count == b->count &&
           memcmp(a->places, b->places, a->count * sizeof *a->places) == 0;
}

/* The kind of the block at hand, old or new. */
static uint32_t kind_of(struct kind_maker *maker, uint32_t block) {
    const uint32_t near = maker->kinds->of_block[block >= KINDS_PERIOD ? block - KINDS_PERIOD : 0];
    if (block >= KINDS_PERIOD && same_key(&maker->keys.items[near], &maker->key)) return near;
    const uint64_t hash = (uint64_t)maker->key.variant << 32 |
                          hash_bytes(maker->key.places, maker->key.count * sizeof *maker->key.places);
    const uint32_t number = number_table_number(&maker->hashes, hash);
    if (number == maker->newest.count) arena_push(maker->arena, &maker->newest, 0);
    for (uint32_t kind = maker->newest.items[number]; kind != 0; kind = maker->keys.items[kind - 1].next)
        if (same_key(&maker->keys.items[kind - 1], &maker->key)) return kind - 1;
    struct kind_key kept = maker->key;
    kept.next = maker->newest.items[number];
    kept.places = arena_array(maker->arena, (size_t)kept.count + 1, sizeof *kept.places);
    if (kept.count != 0) memcpy(kept.places, maker->key.places, kept.count * sizeof *kept.places);
    arena_push(maker->arena, &maker->keys, kept);
    const struct block_kind made = {.block = block};
    arena_push(maker->arena, &maker->kinds->items, made);
    maker->newest.items[number] = (uint32_t)maker->keys.count;
    return (uint32_t)maker->keys.count - 1;
}

bool block_kinds_find(const struct traffic *traffic, struct arena *arena, struct block_kinds *kinds) {
    const struct wb_grid *grid = traffic->grid;
    struct kind_maker maker = {.traffic = traffic, .kinds = kinds, .arena = arena, .hashes.arena = arena};
    uint32_t most = 0;
    for (size_t s = 0; s < grid->shapes.count; s++)
        most = u32_max(most, grid->shapes.items[s].base_count);
    *kinds =
        (struct block_kinds){.shapes = arena_array(arena, grid->shapes.count + 1, sizeof *kinds->shapes)};
    kinds->of_block = arena_array(arena, grid->blocks.count + 1, sizeof *kinds->of_block);
    maker.key.places = arena_array(arena, (size_t)most + 1, sizeof *maker.key.places);
    for (uint32_t b = 0; b < grid->blocks.count; b++) {
        const struct grid_block *block = &grid->blocks.items[b];
        struct shape_objects *objects = &kinds->shapes[block->shape];
        if (objects->of_base == NULL) find_objects(grid, block, arena, objects);
        if (!find_places(&maker, b)) return false;
        kinds->of_block[b] = kind_of(&maker, b);
        kinds->items.items[kinds->of_block[b]].count++;
    }
    return true;
}
