#include "memory/requests/requests.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory/requests/access_likes.h"
#include "warp/trace/blocks.h"

/* Alignments of a regular grid mostly repeat within so many blocks. */
#define VARIANTS_PERIOD 8u

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
    struct number_table table; /* of paths with streams: numbers of warps */
    VEC(struct warp_positions) warps;
};

/* Notes for each instruction where the next barrier stands, so that runs of a path are not read through. */
static void find_next_barriers(struct position_maker *maker) {
    const struct wb_grid *grid = maker->grid;
    uint32_t count = grid->instruction_count;
    maker->next_barrier = arena_array(&maker->scratch, (size_t)count + 1, sizeof *maker->next_barrier);
    maker->next_barrier[count] = count;
    for (uint32_t i = count; i-- > 0;)
        maker->next_barrier[i] = grid->is_barrier[i] ? i : maker->next_barrier[i + 1];
}

/* Whether there is no barrier in the body of a fold, which has so many instructions. */
static bool is_free(const struct position_maker *maker, const struct path_fold *fold, uint64_t *length) {
    struct path_runs runs = path_runs_of_body(fold);
    struct path_entry run;
    *length = 0;
    for (uint64_t times; path_runs_next(&runs, &run, &times); *length += run.count * times)
        if (maker->next_barrier[run.first] < run.first + run.count) return false;
    return true;
}

/* Lists the steps of a path that are barriers. */
static void find_path_barriers(struct position_maker *maker, const struct path *path,
                               struct path_barriers *barriers) {
    if (barriers->known) return;
    barriers->known = true;
    if (maker->next_barrier[0] == maker->grid->instruction_count) return;
    struct path_cursor cursor = path_begin(path);
    struct path_fold fold;
    uint64_t step = 0, length;
    while (path_next_run(&cursor)) {
        uint32_t end = cursor.instruction + cursor.left;
        for (uint32_t at = maker->next_barrier[cursor.instruction]; at < end;
             at = maker->next_barrier[at + 1]) {
            if (barriers->steps.count + 1 >= PHASES_MAX) arena_fail(&maker->scratch, WB_ERR_LIMIT);
            arena_push(&maker->scratch, &barriers->steps, step + (at - cursor.instruction));
        }
        step += cursor.left;
        cursor.left = 0;
        for (; path_at_fold(&cursor, &fold) && is_free(maker, &fold, &length); path_skip_fold(&cursor))
            step += length * fold.repetitions;
    }
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
static uint32_t find_warp(struct position_maker *maker, const struct shape_warp *shape) {
    const uint32_t number = number_table_number(&maker->table, (uint64_t)shape->path << 32 | shape->stream);
    if (number < maker->warps.count) return number;
    struct path_barriers *barriers = &maker->paths[shape->path];
    const struct access_stream *stream = &maker->grid->streams.items[shape->stream];
    find_path_barriers(maker, &maker->grid->paths.items[shape->path], barriers);
    struct warp_positions made = {
        .path = shape->path, .stream = shape->stream, .phases = (uint32_t)barriers->steps.count + 1};
    made.relative = arena_array(&maker->scratch, stream->access_count, sizeof *made.relative);
    made.last_epochs = arena_array(&maker->scratch, made.phases, sizeof *made.last_epochs);
    count_epochs(barriers, stream, &made);
    arena_push(&maker->scratch, &maker->warps, made);
    return number;
}

/* The join at barriers: a phase starts with the epoch behind the last one of any warp that was in the phase
 * before, including those that end there, because the barrier waits for them, too. */
static const uint32_t *join_epochs(struct position_maker *maker, const uint32_t *warps,
                                   struct shape_positions *shape) {
    uint32_t *first = arena_array(&maker->scratch, (size_t)shape->phases + 1, sizeof *first);
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
    return first;
}

/* The positions of a warp in a shape; those of the shape before, when its phases start in the same epochs. */
static struct access_position *place_warp(struct position_maker *maker, struct warp_positions *warp,
                                          const uint32_t *first_epochs) {
    bool same = warp->absolute != NULL &&
                memcmp(warp->first_epochs, first_epochs, warp->phases * sizeof *first_epochs) == 0;
    if (!same) {
        uint32_t count = maker->grid->streams.items[warp->stream].access_count;
        struct access_position *made = arena_array(maker->arena, (size_t)count + 1, sizeof *made);
        for (uint32_t a = 0; a < count; a++) {
            made[a] = warp->relative[a];
            made[a].epoch += first_epochs[made[a].phase];
        }
        warp->absolute = made;
        warp->first_epochs = first_epochs;
    }
    return warp->absolute;
}

static void place_shape(struct position_maker *maker, const struct block_shape *shape,
                        struct shape_positions *made) {
    uint32_t warp_count = maker->grid->warp_count;
    uint32_t *warps = arena_array(&maker->scratch, warp_count, sizeof *warps);
    made->positions = arena_array(maker->arena, (size_t)warp_count + 1, sizeof(struct access_position *));
    for (uint32_t w = 0; w < warp_count; w++) {
        warps[w] = find_warp(maker, &shape->warps[w]);
        uint32_t phases = maker->warps.items[warps[w]].phases;
        made->phases = phases > made->phases ? phases : made->phases;
    }
    const uint32_t *first_epochs = join_epochs(maker, warps, made);
    for (uint32_t w = 0; w < warp_count; w++)
        made->positions[w] = place_warp(maker, &maker->warps.items[warps[w]], first_epochs);
}

/* The positions of all shapes of a grid. The pass ends also when a warp crosses too many barriers to count.
 */
static struct shape_positions *access_positions_make(const struct wb_grid *grid, struct arena *arena) {
    struct position_maker maker = {.grid = grid, .arena = arena};
    struct shape_positions *shapes = arena_array(arena, grid->shapes.count, sizeof *shapes);
    arena_bind(&maker.scratch, arena);
    maker.table.arena = &maker.scratch;
    maker.paths = arena_array(&maker.scratch, grid->paths.count, sizeof *maker.paths);
    find_next_barriers(&maker);
    for (size_t s = 0; s < grid->shapes.count; s++)
        place_shape(&maker, &grid->shapes.items[s], &shapes[s]);
    arena_free(&maker.scratch);
    return shapes;
}

/* Where local memory begins: beyond all buffers. */
#define LOCAL_START ((uint64_t)1 << 40)

/* Bytes of a lane's local memory that lie next to each other, and of a warp's from one of them to the next.
 */
#define LOCAL_WORD_BYTES 4u
#define LOCAL_STRIDE (LOCAL_WORD_BYTES * (uint64_t)WARP_LANES)

/* Alignments that are looked up at a time: keys of a table have a limited length. */
#define ALIGNMENT_CHUNK 256u

/* Lists of alignments to numbers: a tree over chunks of them, as one table from a node and a chunk to the
 * next node, and at the end to the number. */
struct alignment_table {
    struct key_table table;
    uint32_t nodes;
};

struct traffic_maker {
    struct traffic *traffic;
    wb_diagnostics *diagnostics;
    struct arena scratch;
    uint32_t *inits; /* per instruction the initiation interval of its class */
    struct alignment_table patterns, variants;
    uint8_t *alignments;      /* room for the bases of any block, then for the groups of any stream */
    VEC(uint64_t) offsets;    /* these three are of no arena, and grow where they are */
    VEC(bool) maybe_executed; /* per offset, of covering paths */
    VEC(struct traffic_access) accesses;
    bool refused;   /* more memory than the grid's requests may take */
    uint32_t *like; /* per access of the stream: one before that is like it, or itself */
    uint32_t like_count;
};

static uint64_t round_down(uint64_t address) {
    return address & ~(uint64_t)(MEMORY_LINE_BYTES - 1);
}

/* The number of a list of alignments that belongs to `owner`: an old one, or `fresh` from now on. */
static uint32_t alignment_number(struct alignment_table *table, uint32_t owner, const uint8_t *alignments,
                                 uint32_t count, uint32_t fresh, const struct arena *arena) {
    uint8_t key[2 * sizeof owner + ALIGNMENT_CHUNK];
    uint32_t node[2] = {owner,
                        0}; /* and what it is: bit 0: no owner but a node, bit 1: the chunk is the last */
    for (uint32_t at = 0;; at += ALIGNMENT_CHUNK) {
        bool last = count - at <= ALIGNMENT_CHUNK;
        uint32_t length = last ? count - at : ALIGNMENT_CHUNK, hash, next;
        node[1] += last ? 2 : 0;
        memcpy(key, node, sizeof node);
        memcpy(key + sizeof node, alignments + at, length);
        if (!key_table_find(&table->table, key, sizeof node + length, &hash, &next)) {
            next = last ? fresh : table->nodes++;
            const uint8_t *kept = key_table_keep(&table->table, key, sizeof node + length);
            if (kept == NULL || key_table_insert(&table->table, kept, hash, next) != WB_OK)
                arena_fail(arena, WB_ERR_LIMIT);
        }
        if (last) return next;
        node[0] = next;
        node[1] = 1;
    }
}

/* Notes the initiation intervals; a grid made by hand has 1 everywhere. */
static void note_inits(struct traffic_maker *maker) {
    const struct wb_grid *grid = maker->traffic->grid;
    const struct machine_class *classes = maker->traffic->machine->classes;
    maker->inits = arena_array(&maker->scratch, grid->instruction_count, sizeof *maker->inits);
    for (uint32_t i = 0; i < grid->instruction_count; i++)
        maker->inits[i] = 1;
    uint32_t functions = grid->kernel == NULL ? 0 : grid->kernel->module->function_count;
    for (uint32_t f = 0; f < functions; f++) {
        const struct ptx_function *function = &grid->kernel->module->functions[f];
        for (uint32_t i = 0; i < ptx_issued_count(function); i++) {
            uint32_t init = classes[function->insts[ptx_issued(function, i)].form->class_].init;
            if (init > 0) maker->inits[grid->code_first[f] + i] = init;
        }
    }
}

/* Room for the alignments of one block's bases or one warp's groups. */
static void reserve_alignments(struct traffic_maker *maker) {
    const struct wb_grid *grid = maker->traffic->grid;
    uint32_t most = 0;
    for (size_t s = 0; s < grid->shapes.count; s++)
        most = grid->shapes.items[s].base_count > most ? grid->shapes.items[s].base_count : most;
    for (size_t s = 0; s < grid->streams.count; s++)
        most = grid->streams.items[s].group_count > most ? grid->streams.items[s].group_count : most;
    maker->alignments = arena_array(&maker->scratch, most, sizeof *maker->alignments);
}

static enum traffic_kind kind_of(const struct wb_grid *grid, const struct access *access) {
    if (!access_makes_requests(access)) return TRAFFIC_ON_CHIP;
    if (access->is_atomic) return TRAFFIC_ATOMIC;
    if (access->is_store) return TRAFFIC_STORE;
    if (grid->kernel == NULL) return TRAFFIC_LOAD;
    return grid_inst(grid, access->instruction, NULL)->form->uncached ? TRAFFIC_UNCACHED : TRAFFIC_LOAD;
}

/* How many requests an access to unknown addresses makes at most: no more than the memory has blocks that it
 * stays in, but for atomics, which ask for one of them several times. */
static uint32_t ask_unknown(const struct traffic_maker *maker, const struct access *access) {
    const uint32_t granule = memory_request_bytes(&maker->traffic->machine->memory);
    const uint32_t most = access_request_count(access, NULL, granule);
    if (access->object == 0 || access->is_atomic || access->space != PTX_SPACE_GLOBAL) return most;
    const struct memory_object *object = &maker->traffic->grid->cover.objects.items.items[access->object - 1];
    if (object->size == 0) return most;
    const uint64_t blocks = (object->base + object->size - 1) / granule - object->base / granule + 1;
    return blocks < most ? (uint32_t)blocks : most;
}

/* Sets the requests of an access whose group's base is `base`, and the cycles that it adds to those of its
 * step: what an instruction costs is a matter of all its records together, as in access_costs_make. */
static void ask(const struct traffic_maker *maker, const struct access *access, const uint64_t *tables,
                uint64_t base, struct traffic_access *made, uint64_t requests[REQUESTS_MAX]) {
    const struct machine_memory *memory = &maker->traffic->machine->memory;
    const uint32_t init = maker->inits[access->instruction];
    const bool asks = access_makes_requests(access), is_known = access->table != ACCESS_UNKNOWN;
    uint32_t count = 0;
    if (asks && is_known)
        count = access_requests(access, tables, base, memory_request_bytes(memory), requests);
    else if (asks)
        count = ask_unknown(maker, access);
    bool is_first = true;
    uint32_t before = 0; /* requests of the step so far */
    for (size_t a = maker->accesses.count; a-- > 0 && maker->accesses.items[a].step == access->step;) {
        is_first = false;
        before += maker->accesses.items[a].request_count;
    }
    if (memory->requests == REQUESTS_IDEAL) {
        made->cycles = is_first ? init : 0;
    } else if (asks) {
        made->cycles = transaction_cycles(memory, init, before + count);
        if (before > 0) made->cycles -= transaction_cycles(memory, init, before);
    } else {
        made->cycles = wavefront_cycles(init, is_known ? access_wavefronts(access, tables, base)
                                                       : access_wavefront_count(access, tables));
    }
    made->request_count = (uint16_t)count;
}

/* Notes which of the requests of an access, for which there is room, are only maybe made. */
static void note_maybe(struct traffic_maker *maker, const struct access *access, const uint64_t *tables,
                       uint64_t base, struct traffic_access *made) {
    const uint32_t granule = memory_request_bytes(&maker->traffic->machine->memory);
    const uint64_t *requests = maker->offsets.items + made->first_request;
    bool *maybe_executed = maker->maybe_executed.items + made->first_request, some = false;
    if (!made->is_unknown && access->unsure != 0)
        access_requests_sure(access, tables, base, granule, requests, made->request_count, maybe_executed);
    for (uint32_t r = 0; r < made->request_count; r++) {
        const bool sure = !made->is_unknown && (access->unsure == 0 || maybe_executed[r]);
        maybe_executed[r] = !sure;
        some |= sure;
    }
    made->unordered = access->unsure != 0 && made->request_count > 1;
    const struct wb_grid *grid = maker->traffic->grid;
    if (!grid->cover.covers) return;
    /* What has no guard asks for something in every lane, but for copies, which may ignore their source, and
     * for generic addresses, which may be in shared memory. */
    const struct ptx_inst *inst = grid_inst(grid, access->instruction, NULL);
    const bool generic = inst->form->space == PTX_GENERIC;
    if (made->is_unknown) some = (access->mask & ~access->unsure) != 0 && !generic;
    made->maybe_none = !some && (inst->guard != PTX_NO_INDEX || inst->form->op == PTX_OP_CP_ASYNC || generic);
}

/* Ends the pass when `more` bytes are more than there may be. */
static void need_memory(struct traffic_maker *maker, size_t more) {
    const size_t limit = maker->traffic->grid->memory_limit;
    const size_t taken = maker->traffic->arena.used + maker->scratch.used +
                         maker->offsets.count * (sizeof(uint64_t) + sizeof(bool)) +
                         maker->accesses.count * sizeof(struct traffic_access);
    maker->refused = limit != 0 && (taken > limit || more > limit - taken);
    if (maker->refused) arena_fail(&maker->scratch, WB_ERR_LIMIT);
}

/* Makes room for one more access. */
static void reserve_access(struct traffic_maker *maker) {
    need_memory(maker, 0);
    if (maker->offsets.count > UINT32_MAX - REQUESTS_MAX ||
        vec_reserve(&maker->offsets, REQUESTS_MAX) != WB_OK ||
        vec_reserve(&maker->maybe_executed, REQUESTS_MAX) != WB_OK ||
        vec_reserve(&maker->accesses, 1) != WB_OK)
        arena_fail(&maker->scratch, WB_ERR_LIMIT);
}

/* Appends an access that is like one before, so many bytes further on. */
static void append_like(struct traffic_maker *maker, const struct access_stream *stream, uint32_t index,
                        uint32_t like) {
    struct traffic_access made = maker->accesses.items[like];
    const uint64_t moved = stream->accesses[index].base - stream->accesses[like].base;
    const uint32_t from = made.first_request;
    made.step = stream->accesses[index].step;
    made.first_request = (uint32_t)maker->offsets.count;
    for (uint32_t r = 0; r < made.request_count; r++) {
        maker->offsets.items[maker->offsets.count++] = maker->offsets.items[from + r] + moved;
        maker->maybe_executed.items[maker->maybe_executed.count++] = maker->maybe_executed.items[from + r];
    }
    maker->accesses.items[maker->accesses.count++] = made;
}

/* Appends one access whose group's base is `alignment` bytes behind the start of a line. */
static void append_access(struct traffic_maker *maker, const struct access_stream *stream, uint32_t index,
                          uint8_t alignment) {
    const struct access *access = &stream->accesses[index];
    struct traffic_access made = {
        .step = access->step,
        .instruction = access->instruction,
        .group = stream->groups[index],
        .first_request = (uint32_t)maker->offsets.count,
        .kind = (uint8_t)kind_of(maker->traffic->grid, access),
        .object = access->object,
        .is_unknown = access->table == ACCESS_UNKNOWN ||
                      (access->space == PTX_SPACE_LOCAL && maker->traffic->grid->cover.local_open),
    };
    reserve_access(maker);
    if (maker->like[index] != index) {
        append_like(maker, stream, index, maker->like[index]);
        return;
    }
    ask(maker, access, stream->tables, alignment, &made, maker->offsets.items + maker->offsets.count);
    if (made.is_unknown)
        memset(maker->offsets.items + maker->offsets.count, 0, made.request_count * sizeof(uint64_t));
    note_maybe(maker, access, stream->tables, alignment, &made);
    maker->offsets.count += made.request_count;
    maker->maybe_executed.count += made.request_count;
    maker->accesses.items[maker->accesses.count++] = made;
}

/* Ends the pass with WB_ERR_DECLINED and a message. */
static _Noreturn void decline_two_places(const struct traffic_maker *maker, const struct access *access) {
    const struct wb_grid *grid = maker->traffic->grid;
    ptx_diagnose(maker->diagnostics, SEVERITY_ERROR, grid->kernel->module,
                 grid_inst(grid, access->instruction, NULL),
                 "lanes of one warp access global and local memory %s: that is not modelled",
                 access->table == ACCESS_UNKNOWN ? "here perhaps at once" : "here at once");
    arena_fail(&maker->scratch, WB_ERR_DECLINED);
}

/* Where requests are more than time of their unit, declines a stream with an instruction whose lanes are, or
 * can be, in global and in local memory at once: its requests would be in two places of the access order. */
static void decline_split(const struct traffic_maker *maker, const struct access_stream *stream) {
    const struct wb_grid *grid = maker->traffic->grid;
    const struct machine_memory *memory = &maker->traffic->machine->memory;
    if (!memory_has_hierarchy(memory) && !memory_is_contended(memory)) return;
    for (uint32_t a = 0, last = PTX_NO_INDEX; a < stream->access_count; a++) {
        const struct access *access = &stream->accesses[a];
        if (!access_makes_requests(access)) continue;
        const bool anywhere = access->table == ACCESS_UNKNOWN && access->space == PTX_SPACE_LOCAL &&
                              grid_inst(grid, access->instruction, NULL)->form->space == PTX_GENERIC;
        if (anywhere || (last != PTX_NO_INDEX && stream->accesses[last].step == access->step))
            decline_two_places(maker, access);
        last = a;
    }
}

/* The counts of the accesses of each step on a machine that times machine code. */
static void count_pattern(struct traffic_maker *maker, const struct access_stream *stream,
                          struct traffic_pattern *made) {
    struct arena *arena = &maker->traffic->arena;
    made->counts = arena_array(arena, (size_t)made->access_count + 1, sizeof *made->counts);
    for (uint32_t first = 0, a = 0; first < stream->access_count; first = a) {
        struct access_sums sums = {{0}};
        if (maker->like[first] != first) {
            made->counts[a++] = made->counts[maker->like[first]];
            continue;
        }
        for (; a < stream->access_count && stream->accesses[a].step == stream->accesses[first].step; a++)
            access_sums_add(&stream->accesses[a], stream->tables, maker->alignments[stream->groups[a]],
                            &sums);
        made->counts[first] = access_sums_counts(&sums);
    }
}

/* The accesses that others are like. */
static void find_likes(struct traffic_maker *maker, const struct access_stream *stream) {
    struct access_likes likes = {{0}};
    if (stream->access_count > maker->like_count) {
        maker->like_count = stream->access_count;
        maker->like = arena_array(&maker->scratch, maker->like_count, sizeof *maker->like);
    }
    for (uint32_t a = 0; a < stream->access_count; a++)
        maker->like[a] = access_like(&likes, stream->accesses, stream->access_count, a);
}

/* Adds the pattern of a stream with the alignments of its groups. */
static void add_pattern(struct traffic_maker *maker, const struct access_stream *stream) {
    struct arena *arena = &maker->traffic->arena;
    maker->offsets.count = maker->accesses.count = maker->maybe_executed.count = 0;
    decline_split(maker, stream);
    find_likes(maker, stream);
    for (uint32_t a = 0; a < stream->access_count; a++)
        append_access(maker, stream, a, maker->alignments[stream->groups[a]]);
    struct traffic_pattern made = {.access_count = (uint32_t)maker->accesses.count,
                                   .request_count = (uint32_t)maker->offsets.count};
    need_memory(maker, made.request_count * sizeof *made.offsets + made.access_count * sizeof *made.accesses);
    made.accesses = arena_array(arena, (size_t)made.access_count + 1, sizeof *made.accesses);
    made.offsets = arena_array(arena, (size_t)made.request_count + 1, sizeof *made.offsets);
    made.group_is_local = arena_array(arena, (size_t)stream->group_count + 1, sizeof *made.group_is_local);
    for (uint32_t a = 0; a < stream->access_count; a++)
        made.group_is_local[stream->groups[a]] = stream->accesses[a].space == PTX_SPACE_LOCAL;
    if (made.access_count > 0)
        memcpy(made.accesses, maker->accesses.items, made.access_count * sizeof *made.accesses);
    if (made.request_count > 0)
        memcpy(made.offsets, maker->offsets.items, made.request_count * sizeof *made.offsets);
    if (maker->traffic->grid->cover.covers) {
        made.maybe_executed = arena_array(arena, (size_t)made.request_count + 1, sizeof *made.maybe_executed);
        if (made.request_count > 0)
            memcpy(made.maybe_executed, maker->maybe_executed.items,
                   made.request_count * sizeof *made.maybe_executed);
    }
    if (request_models[machine_isa(maker->traffic->machine)].counts) count_pattern(maker, stream, &made);
    arena_push(arena, &maker->traffic->patterns, made);
}

/* The pattern of a warp of a block, old or new. */
static uint32_t find_pattern(struct traffic_maker *maker, const struct grid_block *block, uint32_t warp) {
    const struct wb_grid *grid = maker->traffic->grid;
    uint32_t number = grid->shapes.items[block->shape].warps[warp].stream;
    const struct access_stream *stream = &grid->streams.items[number];
    for (uint32_t g = 0; g < stream->group_count; g++)
        maker->alignments[g] = grid_base(grid, block, warp, g) % MEMORY_LINE_BYTES;
    uint32_t fresh = (uint32_t)maker->traffic->patterns.count;
    const uint32_t pattern = alignment_number(&maker->patterns, number, maker->alignments,
                                              stream->group_count, fresh, &maker->scratch);
    if (pattern == fresh) add_pattern(maker, stream);
    return pattern;
}

static void add_variant(struct traffic_maker *maker, const struct grid_block *block) {
    uint32_t warp_count = maker->traffic->grid->warp_count;
    struct traffic_variant made = {.shape = block->shape};
    made.patterns = arena_array(&maker->traffic->arena, (size_t)warp_count + 1, sizeof *made.patterns);
    for (uint32_t w = 0; w < warp_count; w++)
        made.patterns[w] = find_pattern(maker, block, w);
    arena_push(&maker->traffic->arena, &maker->traffic->variants, made);
}

/* Whether two blocks have one shape, and bases that are aligned alike. */
static bool same_variant(const struct wb_grid *grid, const struct grid_block *a, const struct grid_block *b) {
    uint64_t differs = a->shape ^ b->shape;
    for (uint32_t i = 0; differs == 0 && i < grid->shapes.items[a->shape].base_count; i++)
        differs =
            (grid->bases.items[a->first_base + i] ^ grid->bases.items[b->first_base + i]) % MEMORY_LINE_BYTES;
    return differs == 0;
}

/* The variant of a block, old or new: mostly that of the one VARIANTS_PERIOD before. */
static uint32_t find_variant(struct traffic_maker *maker, uint32_t number) {
    const struct wb_grid *grid = maker->traffic->grid;
    const struct grid_block *block = &grid->blocks.items[number];
    const uint32_t near = number - VARIANTS_PERIOD;
    if (number >= VARIANTS_PERIOD && same_variant(grid, &grid->blocks.items[near], block))
        return maker->traffic->block_variants[near];
    uint32_t base_count = grid->shapes.items[block->shape].base_count;
    for (uint32_t b = 0; b < base_count; b++)
        maker->alignments[b] = grid->bases.items[block->first_base + b] % MEMORY_LINE_BYTES;
    uint32_t fresh = (uint32_t)maker->traffic->variants.count;
    const uint32_t variant = alignment_number(&maker->variants, block->shape, maker->alignments, base_count,
                                              fresh, &maker->scratch);
    if (variant == fresh) add_variant(maker, block);
    return variant;
}

/* The pass of traffic_make. */
static void make_all(void *context) {
    struct traffic_maker *maker = context;
    struct traffic *traffic = maker->traffic;
    const struct wb_grid *grid = traffic->grid;
    arena_bind(&maker->scratch, &traffic->arena);
    traffic->block_variants = arena_array(&traffic->arena, grid->blocks.count, sizeof(uint32_t));
    traffic->shapes = access_positions_make(grid, &traffic->arena);
    note_inits(maker);
    reserve_alignments(maker);
    for (uint32_t b = 0; b < grid->blocks.count; b++)
        traffic->block_variants[b] = find_variant(maker, b);
    arena_free(&maker->scratch);
}

wb_status traffic_no_memory(const struct wb_grid *grid, bool refused, wb_diagnostics *diagnostics) {
    const char *name = grid->kernel == NULL ? "grid" : wb_kernel_name(grid->kernel);
    if (!refused) return diagnose_out_of_memory(diagnostics, name);
    diagnostics->over_limit = true;
    diagnose(diagnostics, SEVERITY_ERROR, name,
             "the requests of its accesses exceed the limit of %" PRIu64
             " MB of memory; execute less (one block with -i, a smaller problem), or allow more "
             "(--memory-limit)",
             grid->memory_limit >> 20);
    return WB_ERR_LIMIT;
}

wb_status traffic_make(const struct wb_grid *grid, const struct wb_machine *machine,
                       wb_diagnostics *diagnostics, struct traffic *traffic) {
    const char *name = grid->kernel == NULL ? "grid" : wb_kernel_name(grid->kernel);
    *traffic = (struct traffic){.grid = grid, .machine = machine};
    WB_TRY(grid_decline_steered(grid, diagnostics));
    const struct machine_memory *memory = &machine->memory;
    if (grid_is_counted(grid) && (memory_has_hierarchy(memory) || !memory_dispatch_is_dynamic(memory))) {
        diagnose(diagnostics, SEVERITY_ERROR, name, GRID_COUNTED ", as the caches or the dispatch of %s need",
                 machine->name);
        return WB_ERR_DECLINED;
    }
    struct traffic_maker maker = {.traffic = traffic, .diagnostics = diagnostics};
    const wb_status status = arena_protect(&traffic->arena, make_all, &maker);
    key_table_free(&maker.patterns.table);
    key_table_free(&maker.variants.table);
    vec_free(&maker.offsets);
    vec_free(&maker.maybe_executed);
    vec_free(&maker.accesses);
    return status == WB_ERR_LIMIT ? traffic_no_memory(grid, maker.refused, diagnostics) : status;
}

uint64_t traffic_base(const struct traffic *traffic, uint32_t block, uint32_t warp, uint32_t group) {
    const struct wb_grid *grid = traffic->grid;
    const struct grid_block *of = &grid->blocks.items[block];
    uint64_t base = round_down(grid_base(grid, of, warp, group));
    if (!traffic_pattern_of(traffic, block, warp)->group_is_local[group]) return base;
    uint64_t region = ((uint64_t)block * grid->warp_count + warp) * grid->local_bytes * WARP_LANES;
    return LOCAL_START + region + base / LOCAL_WORD_BYTES * LOCAL_STRIDE;
}

void traffic_free(struct traffic *traffic) {
    arena_free(&traffic->arena);
    *traffic = (struct traffic){0};
}
