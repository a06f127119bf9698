#include "warp/timed/timed.h"

#include <assert.h>

uint64_t timed_block_length(const struct timed_block *block) {
    uint64_t length = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        length += block->paths[block->warp_path[w]].length;
    return length;
}

cycles timed_block_horizon(const struct timed_block *block) {
    cycles longest = 0; /* one instruction, from its issue to its result */
    for (uint32_t i = 0; i < block->code.inst_count; i++) {
        const struct timed_inst *inst = &block->code.insts[i];
        longest = cycles_max(longest, (cycles)inst->init + inst->latency);
    }
    /* At depth 1 an instruction is charged the largest initiation of its unit: `longest` covers it. */
    const cycles held = 1 + block->machine->barrier_release + fetch_longest(&block->machine->fetch);
    cycles horizon = 0;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        assert(block->warp_path[w] < block->path_count);
        uint64_t length = block->paths[block->warp_path[w]].length;
        horizon = cycles_add(horizon, cycles_mul(length, longest + held));
    }
    return horizon;
}

wb_status timed_block_check(const struct timed_block *block, wb_diagnostics *diagnostics) {
    /* The numbers of JSON reports have a sign. */
    if (timed_block_horizon(block) <= INT64_MAX) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, block->machine->name,
             "the block's execution times do not fit 63 bits; shorten the latencies or the paths");
    return WB_ERR_LIMIT;
}

void timed_block_free(struct timed_block *block) {
    for (size_t p = 0; p < block->own_paths.count; p++)
        path_free(&block->own_paths.items[p]);
    vec_free(&block->own_paths);
    arena_free(&block->arena);
}
