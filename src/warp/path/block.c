#include "warp/path/path.h"

#include <assert.h>
#include <stdlib.h>

wb_status code_number(const struct wb_module *module, struct arena *arena, uint32_t **code_first) {
    uint32_t *first = arena_array(arena, (size_t)module->function_count + 1, sizeof *first);
    if (first == NULL) return WB_ERR_LIMIT;
    for (uint32_t f = 0; f < module->function_count; f++)
        first[f + 1] = first[f] + ptx_issued_count(&module->functions[f]);
    *code_first = first;
    return WB_OK;
}

void block_forget(struct wb_block *block) {
    for (uint32_t w = 0; block->accesses != NULL && w < block->warp_count; w++)
        access_list_free(&block->accesses[w]);
    vec_free(&block->objects.items);
    for (size_t i = 0; i < block->paths.count; i++)
        path_free(&block->paths.items[i]);
    vec_free(&block->paths);
    vec_free(&block->causes);
}

void wb_block_free(struct wb_block *block) {
    if (block == NULL) return;
    block_forget(block);
    arena_free(&block->arena);
    free(block);
}

uint64_t block_bytes(const struct wb_block *block) {
    uint64_t bytes = block->arena.used;
    for (size_t p = 0; p < block->paths.count; p++)
        bytes += path_bytes(&block->paths.items[p]);
    for (uint32_t w = 0; block->accesses != NULL && w < block->warp_count; w++)
        bytes += access_list_bytes(&block->accesses[w]);
    return bytes;
}

uint32_t wb_block_warp_count(const struct wb_block *block) {
    return block->warp_count;
}

const struct ptx_inst *code_inst(const struct wb_module *module, const uint32_t *code_first, uint32_t index,
                                 const struct ptx_function **function) {
    uint32_t low = 0, high = module->function_count;
    assert(index < code_first[high]);
    while (high - low > 1) { /* code_first[low] <= index < code_first[high] */
        uint32_t middle = low + (high - low) / 2;
        if (code_first[middle] <= index)
            low = middle;
        else
            high = middle;
    }
    const struct ptx_function *found = &module->functions[low];
    if (function != NULL) *function = found;
    return &found->insts[ptx_issued(found, index - code_first[low])];
}

const struct ptx_inst *block_inst(const struct wb_block *block, uint32_t index,
                                  const struct ptx_function **function) {
    return code_inst(block->kernel->module, block->code_first, index, function);
}

/* Whether an instruction ends lanes of the kernel: those are steps of a path, but not counted. */
static bool is_end(const struct wb_block *block, uint32_t index) {
    return block_inst(block, index, NULL)->form->class_ == PTX_CLASS_EXIT;
}

uint64_t wb_block_warp_instructions(const struct wb_block *block, uint32_t warp) {
    if (warp >= block->warp_count) return 0;
    const struct path *path = &block->paths.items[block->warp_path[warp]];
    uint64_t count = path->length;
    for (size_t i = 0; i < path->entries.count; i++) {
        const struct path_entry *entry = &path->entries.items[i];
        if (entry->count == PATH_REPEAT) {
            for (size_t j = i - entry->first; j < i; j++) {
                const struct path_entry *body = &path->entries.items[j];
                for (uint32_t k = 0; k < body->count; k++)
                    if (is_end(block, body->first + k)) count -= entry->mask;
            }
            continue;
        }
        for (uint32_t k = 0; k < entry->count; k++)
            if (is_end(block, entry->first + k)) count--;
    }
    return count;
}
