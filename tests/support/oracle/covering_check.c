#include "covering_check.h"

#include <stdlib.h>
#include <string.h>

/* Taking the earliest partner for every step leaves the most for the steps behind it, whatever else makes two
 * steps partners: if any choice works, this one does. */
bool path_is_covered(const struct path *covering, const struct path *path, uint64_t *step) {
    struct path_cursor real = path_begin(path), cover = path_begin(covering);
    struct path_step wanted, offered;
    for (*step = 0; path_next(&real, &wanted); ++*step) {
        do {
            if (!path_next(&cover, &offered)) return false;
        } while (offered.instruction != wanted.instruction || (wanted.mask & ~offered.mask) != 0);
    }
    return true;
}

static void build(void *context) {
    struct observed_flow *flow = context;
    struct arena *arena = &flow->arena;
    flow->cfg = cfg_build(flow->function, arena);
    flow->dominators = dominators_build(arena, &flow->cfg.graph, CFG_ENTRY);
    flow->post_dominators = post_dominators_build(arena, &flow->cfg.graph, flow->cfg.exit);
    flow->loops = loops_build(arena, &flow->cfg.graph, &flow->dominators);
}

void observed_flow_make(const struct ptx_function *function, struct observed_flow *flow) {
    *flow = (struct observed_flow){.function = function};
    if (arena_protect(&flow->arena, build, flow) != WB_OK) abort();
}

void observed_flow_free(struct observed_flow *flow) {
    arena_free(&flow->arena);
}

/* Reads the next step in the kernel's own function, as an instruction of that. */
static bool next_own_step(const struct wb_block *block, struct path_cursor *cursor, struct path_step *step) {
    const uint32_t first = block->code_first[block->kernel->function];
    const uint32_t end = block->code_first[block->kernel->function + 1];
    while (path_next(cursor, step)) {
        if (step->instruction < first || step->instruction >= end) continue;
        step->instruction -= first;
        return true;
    }
    return false;
}

/* How often the lanes of a warp have run a loop's header since they came into the loop. */
struct header_runs {
    uint64_t runs[WARP_LANES];
    uint32_t inside; /* lanes */
};

static void observe_step(const struct observed_flow *flow, const struct path_step *step,
                         struct header_runs *loops, uint64_t *most) {
    const uint32_t at = flow->cfg.block_of[step->instruction];
    for (uint32_t l = 0; l < flow->loops.count; l++) {
        const uint32_t header = flow->loops.items[l].header;
        struct header_runs *loop = &loops[l];
        if (!loop_contains(&flow->loops, l, at)) loop->inside &= ~step->mask;
        if (step->instruction != flow->cfg.blocks[header].first) continue;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
            if ((step->mask >> lane & 1) == 0) continue;
            loop->runs[lane] = (loop->inside >> lane & 1) != 0 ? loop->runs[lane] + 1 : 1;
            if (loop->runs[lane] > most[l]) most[l] = loop->runs[lane];
        }
        loop->inside |= step->mask;
    }
}

void observe_headers(const struct wb_block *block, uint32_t warp, const struct observed_flow *flow,
                     uint64_t *most) {
    struct header_runs *loops = calloc((size_t)flow->loops.count + 1, sizeof *loops);
    struct path_cursor cursor = path_begin(&block->paths.items[block->warp_path[warp]]);
    struct path_step step;
    if (loops == NULL) abort();
    while (next_own_step(block, &cursor, &step))
        observe_step(flow, &step, loops, most);
    free(loops);
}

/* Whether the lanes of a step part behind it: only some of them go on next. When all of them go elsewhere
 * together, the next step is theirs, or of others that they wait for or have met: then all or none are in it.
 */
static bool parts(const struct path_step *step, const struct path_step *next) {
    const uint32_t both = step->mask & next->mask;
    return both != 0 && both != step->mask;
}

void observe_partings(const struct wb_block *block, const struct observed_flow *flow, bool *parted) {
    for (size_t p = 0; p < block->paths.count; p++) {
        struct path_cursor cursor = path_begin(&block->paths.items[p]);
        struct path_step step, next;
        bool more = next_own_step(block, &cursor, &step);
        while (more) {
            more = next_own_step(block, &cursor, &next);
            const uint32_t at = flow->cfg.block_of[step.instruction];
            const struct cfg_block *last = &flow->cfg.blocks[at];
            const bool ends_block = step.instruction == last->first + last->count - 1;
            if (more && ends_block && parts(&step, &next)) parted[at] = true;
            step = next;
        }
    }
}
