#include "bound/grid/warp_steps.h"

struct warp_steps warp_steps_begin(const struct timed_grid *timed, uint32_t block, uint32_t warp) {
    const struct wb_grid *grid = timed->grid;
    const struct block_shape *shape = &grid->shapes.items[grid->blocks.items[block].shape];
    return (struct warp_steps){
        .code = &timed->code,
        .cursor = path_begin(&grid->paths.items[shape->warps[warp].path]),
        .pattern = traffic_pattern_of(&timed->traffic, block, warp),
        .stream = &grid->streams.items[shape->warps[warp].stream],
    };
}

bool warp_steps_next(struct warp_steps *steps, struct warp_step *step) {
    struct path_step path;
    if (!path_next(&steps->cursor, &path)) return false;
    const struct traffic_pattern *pattern = steps->pattern;
    const struct access_stream *stream = steps->stream;
    while (steps->perhaps < stream->perhaps_count && stream->perhaps[steps->perhaps].end <= steps->step)
        steps->perhaps++;
    *step = (struct warp_step){.inst = &steps->code->insts[path.instruction],
                               .perhaps = steps->perhaps < stream->perhaps_count &&
                                          stream->perhaps[steps->perhaps].first <= steps->step};
    cycles transactions = 0;
    while (steps->access < pattern->access_count && pattern->accesses[steps->access].step == steps->step) {
        const struct traffic_access *access = &pattern->accesses[steps->access];
        transactions += access->cycles;
        if (access->request_count > 0) {
            step->access = access;
            step->access_index = steps->access;
        }
        steps->access++;
    }
    step->init = cycles_max(step->inst->init, transactions);
    steps->step++;
    return true;
}
