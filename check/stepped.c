/* Paths instruction by instruction, and warps on them (docs/memory-bounds.md, sections 7 and 8). */
#include "stepped.h"

#include <stdlib.h>

/* ---- Paths, instruction by instruction ---- */

static void meet_inst_of(struct walk *walk, uint64_t number) {
    struct unrolled *path = walk->context;
    /* What stands in an older section ends with its barrier. */
    if (path->in_row++ == 0 && path->steps.count > 0) path->steps.items[path->steps.count - 1] |= 1;
    PUSH(path->of->check, &path->steps, 2 * number);
}

static void meet_row_of(struct walk *walk, uint64_t row) {
    struct unrolled *path = walk->context;
    path->in_row = 0;
    walk_in(walk, &section_of(path->of, row, path->path)->steps, meet_inst_of, NULL, 0, path);
}

static struct unrolled unrolled(const struct block *of, uint64_t path) {
    struct unrolled made = {.of = of, .path = path};
    walk_each(of, &of->rows, meet_row_of, &made);
    return made;
}

struct unrolled **unroll_all(const struct grid *grid) {
    struct unrolled **paths = zeroed(grid->check, grid->classes.count, sizeof *paths);
    for (uint64_t k = 0; k < grid->classes.count; k++) {
        const struct block *of = block_of(grid, k);
        paths[k] = zeroed(grid->check, of->paths, sizeof **paths);
        for (uint64_t p = 0; p < of->paths; p++)
            paths[k][p] = unrolled(of, p);
    }
    return paths;
}

void drop_paths(const struct grid *grid, struct unrolled **paths) {
    for (uint64_t k = 0; k < grid->classes.count; k++) {
        for (uint64_t p = 0; p < block_of(grid, k)->paths; p++)
            DROP(grid->check, &paths[k][p].steps);
        free(paths[k]);
    }
    free(paths);
}

/* ---- Warps ---- */

const struct inst *inst_of(const struct turning *warp) {
    return &warp->path->of->insts.items[warp->path->steps.items[warp->at] / 2];
}

uint64_t issue(struct turning *warp, uint64_t earliest) {
    const uint64_t at = max(earliest, operands_there(warp->path->of, warp->times, inst_of(warp)));
    return warp->times[NOW] = at;
}

void complete_at(struct turning *warp, uint64_t there) {
    const struct inst *inst = inst_of(warp);
    count_work(warp->path->of->check, inst->operands);
    result_there(warp->path->of, warp->times, inst, there);
    warp->held = warp->path->steps.items[warp->at++] % 2 == 1;
}

void complete(struct turning *warp) {
    complete_at(warp, add(warp->times[NOW], inst_of(warp)->latency));
}

number_list order_of(const struct grid *grid, const struct block *of) {
    struct check *check = grid->check;
    number_list order = {0};
    for (uint64_t t = 0; t < grid->turns.count; t++)
        if (&check->blocks.items[grid->turns.items[t].block] == of)
            PUSH(check, &order, grid->turns.items[t].path);
    count_work(check, grid->turns.count);
    bool same = order.count == of->warp_count;
    for (uint64_t g = 0; same && g < of->warps.count; g++) {
        const struct warps *warps = &of->warps.items[g];
        uint64_t there = 0, said = 0;
        for (uint64_t h = 0; h < of->warps.count; h++)
            if (of->warps.items[h].path == warps->path && of->warps.items[h].sub_core == warps->sub_core)
                said = add(said, of->warps.items[h].count);
        for (uint64_t w = warps->sub_core; w < order.count; w += of->machine->sub_cores)
            there += order.items[w] == warps->path;
        count_work(check, add(order.count, of->warps.count));
        same = said == there;
    }
    if (!same) refuse(check, "turns are of other warps than there are");
    return order;
}
