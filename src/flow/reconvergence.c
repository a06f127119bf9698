#include "flow/reconvergence.h"

#include <string.h>

wb_status reconvergence_of(const struct cfg *cfg, const struct dominators *post_dominators,
                           struct arena *arena, uint32_t **per_instruction) {
    uint32_t inst_count = cfg->function->inst_count;
    uint32_t *points = arena_array(arena, inst_count, sizeof *points);
    if (points == NULL) return WB_ERR_LIMIT;
    memset(points, 0xff, inst_count * sizeof *points);
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        uint32_t next = post_dominators->parent[block];
        if (next == cfg->exit || !cfg_is_branch(cfg_last(cfg, block))) continue;
        points[cfg->blocks[block].first + cfg->blocks[block].count - 1] = cfg->blocks[next].first;
    }
    *per_instruction = points;
    return WB_OK;
}

static wb_status find(const struct ptx_function *function, struct arena *scratch, struct arena *arena,
                      uint32_t **per_instruction) {
    struct cfg cfg;
    struct dominators post_dominators;
    WB_TRY(cfg_build(function, scratch, &cfg));
    WB_TRY(post_dominators_build(scratch, &cfg.graph, cfg.exit, &post_dominators));
    return reconvergence_of(&cfg, &post_dominators, arena, per_instruction);
}

wb_status flow_reconvergence(const struct ptx_function *function, struct arena *arena,
                             uint32_t **per_instruction) {
    struct arena scratch = {0};
    wb_status status = find(function, &scratch, arena, per_instruction);
    arena_free(&scratch);
    return status;
}
