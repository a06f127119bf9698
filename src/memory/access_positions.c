#include "memory/access_positions.h"

#include <string.h>

#include "memory/requests.h"

/* Most barriers that a warp crosses: sums of epochs over phases and accesses stay below 2^32. */
#define PHASES_MAX ((size_t)1 << 24)

/* The barriers of a path. */
struct path_barriers {
    bool known;
    VEC(uint64_t) steps; /* where it executes one, ascending */
};

/* A path with a stream: the part of the positions that does not depend on the other warps of a block. */
struct warp_positions {
    uint32_t path, stream;
    struct access_position *relative; /* epochs are counted from the start of the phase */
    uint32_t *last_epochs;            /* per phase the epoch that the warp ends it in, counted the same way */
    uint32_t phases;
    struct access_position *absolute; /* as they were in the last shape that asked, or NULL */
    const uint32_t *first_epochs;     /* per phase the epoch it starts with in that shape */
};

struct position_maker {
    const struct wb_grid *grid;
    struct arena *arena;    /* of what is kept */
    struct arena scratch;   /* of the rest */
    uint32_t *next_barrier; /* per instruction the first barrier from there on */
    struct path_barriers *paths;
    struct key_table table; /* from path and stream to warps */
    VEC(struct warp_positions) warps;
};

/* Notes for each instruction where the next barrier stands, so that runs of a path are not read through. */
static wb_status find_next_barriers(struct position_maker *maker) {
    const struct wb_grid *grid = maker->grid;
    uint32_t count = grid->instruction_count;
    maker->next_barrier = arena_array(&maker->scratch, (size_t)count + 1, sizeof *maker->next_barrier);
    if (maker->next_barrier == NULL) return WB_ERR_LIMIT;
    maker->next_barrier[count] = count;
    for (uint32_t i = count; i-- > 0;)
        maker->next_barrier[i] = grid->is_barrier[i] ? i : maker->next_barrier[i + 1];
    return WB_OK;
}

/* Lists the steps of a path that are barriers. */
static wb_status find_path_barriers(struct position_maker *maker, const struct path *path,
                                    struct path_barriers *barriers) {
    if (barriers->known) return WB_OK;
    barriers->known = true;
    if (maker->next_barrier[0] == maker->grid->instruction_count) return WB_OK;
    struct path_cursor cursor = path_begin(path);
    for (uint64_t step = 0; path_next_run(&cursor); step += cursor.left) {
        uint32_t end = cursor.instruction + cursor.left;
        for (uint32_t at = maker->next_barrier[cursor.instruction]; at < end;
             at = maker->next_barrier[at + 1]) {
            if (barriers->steps.count + 1 >= PHASES_MAX) return WB_ERR_LIMIT;
            WB_TRY(vec_push(&barriers->steps, step + (at - cursor.instruction)));
        }
    }
    return WB_OK;
}

/* Goes through a warp's accesses and barriers in program order: docs/access-order.md, section 2, without the
 * join at barriers. */
static void count_epochs(const struct path_barriers *barriers, const struct access_stream *stream,
                         struct warp_positions *warp) {
    uint32_t phase = 0, epoch = 0, next_instruction = 0; /* the lowest that does not begin an epoch */
    for (uint32_t a = 0; a < stream->access_count; a++) {
        const struct access *access = &stream->accesses[a];
        for (; phase + 1 < warp->phases && barriers->steps.items[phase] < access->step; phase++) {
            warp->last_epochs[phase] = epoch;
            epoch = next_instruction = 0;
        }
        if (access_makes_requests(access)) {
            epoch += access->instruction < next_instruction;
            next_instruction = access->instruction + 1;
        }
        warp->relative[a] = (struct access_position){phase, epoch};
    }
    warp->last_epochs[phase] = epoch;
}

/* Finds or makes what is known of a path with a stream. */
static wb_status find_warp(struct position_maker *maker, const struct shape_warp *shape, uint32_t *index) {
    const uint32_t key[2] = {shape->path, shape->stream};
    uint32_t hash;
    if (key_table_find(&maker->table, (const uint8_t *)key, sizeof key, &hash, index)) return WB_OK;
    struct path_barriers *barriers = &maker->paths[shape->path];
    const struct access_stream *stream = &maker->grid->streams.items[shape->stream];
    WB_TRY(find_path_barriers(maker, &maker->grid->paths.items[shape->path], barriers));
    struct warp_positions made = {
        .path = shape->path, .stream = shape->stream, .phases = (uint32_t)barriers->steps.count + 1};
    made.relative = arena_array(&maker->scratch, (size_t)stream->access_count + 1, sizeof *made.relative);
    made.last_epochs = arena_array(&maker->scratch, made.phases, sizeof *made.last_epochs);
    const uint8_t *kept = key_table_keep(&maker->table, (const uint8_t *)key, sizeof key);
    if (made.relative == NULL || made.last_epochs == NULL || kept == NULL) return WB_ERR_LIMIT;
    count_epochs(barriers, stream, &made);
    *index = (uint32_t)maker->warps.count;
    WB_TRY(vec_push(&maker->warps, made));
    return key_table_insert(&maker->table, kept, hash, *index);
}

/* The join at barriers: a phase starts with the epoch behind the last one of any warp that was in the phase
 * before, including those that end there, because the barrier waits for them, too. */
static wb_status join_epochs(struct position_maker *maker, const uint32_t *warps,
                             struct shape_positions *shape, uint32_t **first_epochs) {
    uint32_t *first = arena_array(&maker->scratch, (size_t)shape->phases + 1, sizeof *first);
    if (first == NULL) return WB_ERR_LIMIT;
    for (uint32_t phase = 0; phase < shape->phases; phase++) {
        uint32_t last = first[phase];
        for (uint32_t w = 0; w < maker->grid->warp_count; w++) {
            const struct warp_positions *warp = &maker->warps.items[warps[w]];
            if (phase >= warp->phases) continue;
            uint32_t own = first[phase] + warp->last_epochs[phase];
            last = own > last ? own : last;
        }
        first[phase + 1] = last + 1;
    }
    shape->epochs = first[shape->phases];
    *first_epochs = first;
    return WB_OK;
}

/* The positions of a warp in a shape; those of the shape before, when its phases start in the same epochs. */
static wb_status place_warp(struct position_maker *maker, struct warp_positions *warp,
                            const uint32_t *first_epochs, struct access_position **positions) {
    bool same = warp->absolute != NULL &&
                memcmp(warp->first_epochs, first_epochs, warp->phases * sizeof *first_epochs) == 0;
    if (!same) {
        uint32_t count = maker->grid->streams.items[warp->stream].access_count;
        struct access_position *made = arena_array(maker->arena, (size_t)count + 1, sizeof *made);
        if (made == NULL) return WB_ERR_LIMIT;
        for (uint32_t a = 0; a < count; a++) {
            made[a] = warp->relative[a];
            made[a].epoch += first_epochs[made[a].phase];
        }
        warp->absolute = made;
        warp->first_epochs = first_epochs;
    }
    *positions = warp->absolute;
    return WB_OK;
}

static wb_status place_shape(struct position_maker *maker, const struct block_shape *shape,
                             struct shape_positions *made) {
    uint32_t warp_count = maker->grid->warp_count;
    uint32_t *warps = arena_array(&maker->scratch, (size_t)warp_count + 1, sizeof *warps);
    made->positions = arena_array(maker->arena, (size_t)warp_count + 1, sizeof(struct access_position *));
    if (warps == NULL || made->positions == NULL) return WB_ERR_LIMIT;
    for (uint32_t w = 0; w < warp_count; w++) {
        WB_TRY(find_warp(maker, &shape->warps[w], &warps[w]));
        uint32_t phases = maker->warps.items[warps[w]].phases;
        made->phases = phases > made->phases ? phases : made->phases;
    }
    uint32_t *first_epochs = NULL;
    WB_TRY(join_epochs(maker, warps, made, &first_epochs));
    for (uint32_t w = 0; w < warp_count; w++)
        WB_TRY(place_warp(maker, &maker->warps.items[warps[w]], first_epochs, &made->positions[w]));
    return WB_OK;
}

static wb_status place_all(struct position_maker *maker, struct shape_positions *shapes) {
    const struct wb_grid *grid = maker->grid;
    maker->paths = arena_array(&maker->scratch, grid->paths.count + 1, sizeof *maker->paths);
    if (maker->paths == NULL) return WB_ERR_LIMIT;
    WB_TRY(find_next_barriers(maker));
    for (size_t s = 0; s < grid->shapes.count; s++)
        WB_TRY(place_shape(maker, &grid->shapes.items[s], &shapes[s]));
    return WB_OK;
}

wb_status access_positions_make(const struct wb_grid *grid, struct arena *arena,
                                struct shape_positions *shapes) {
    struct position_maker maker = {.grid = grid, .arena = arena};
    wb_status status = place_all(&maker, shapes);
    for (size_t p = 0; maker.paths != NULL && p < grid->paths.count; p++)
        vec_free(&maker.paths[p].steps);
    vec_free(&maker.warps);
    key_table_free(&maker.table);
    arena_free(&maker.scratch);
    return status;
}
