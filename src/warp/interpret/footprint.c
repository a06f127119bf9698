#include "warp/interpret/footprint.h"

#include <inttypes.h>

/* What the message about the limit tells apart. */
struct footprint {
    uint64_t contents, paths, accesses, kept;
};

static uint64_t bytes_of_path(const struct path *path) {
    return path->entries.count * sizeof *path->entries.items;
}

static uint64_t bytes_of_list(const struct access_list *list) {
    return list->items.count * sizeof *list->items.items + list->tables.count * sizeof *list->tables.items +
           list->perhaps.count * sizeof *list->perhaps.items;
}

/* Registers and local memory are used again and have limits of their own. */
static struct footprint footprint_of_run(const struct run *run) {
    struct footprint footprint = {.contents = run->contents_bytes, .kept = run->kept};
    for (uint32_t w = 0; w < run->warp_count; w++) {
        const struct warp *warp = &run->warps[w];
        footprint.paths += bytes_of_path(&warp->path.path);
        if (warp->accesses != NULL) footprint.accesses += bytes_of_list(warp->accesses);
    }
    return footprint;
}

uint64_t footprint_of_block(const struct wb_block *block) {
    uint64_t bytes = block->arena.used;
    for (size_t p = 0; p < block->paths.count; p++)
        bytes += bytes_of_path(&block->paths.items[p]);
    for (uint32_t w = 0; block->accesses != NULL && w < block->warp_count; w++)
        bytes += bytes_of_list(&block->accesses[w]);
    return bytes;
}

static uint64_t bytes_of_table(const struct table *table) {
    return table->slot_count * sizeof *table->slots;
}

uint64_t footprint_of_grid(const struct wb_grid *grid) {
    return grid->arena.used + grid->path_bytes + grid->covering_bytes +
           grid->streams.count * sizeof *grid->streams.items +
           grid->shapes.count * sizeof *grid->shapes.items + grid->blocks.count * sizeof *grid->blocks.items +
           grid->bases.count * sizeof *grid->bases.items + grid->steered.count * sizeof *grid->steered.items +
           bytes_of_table(&grid->path_table) + bytes_of_table(&grid->stream_table) +
           bytes_of_table(&grid->shape_table);
}

static uint64_t megabytes(uint64_t bytes) {
    return bytes >> 20;
}

wb_status footprint_check(const struct run *run) {
    const struct footprint footprint = footprint_of_run(run);
    const struct {
        const char *what;
        uint64_t bytes;
    } parts[] = {{"paths", footprint.paths},
                 {"addresses", footprint.accesses},
                 {"contents of buffers", footprint.contents},
                 {"blocks executed before", footprint.kept}};
    uint64_t sum = 0;
    size_t most = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        sum += parts[i].bytes;
        if (parts[i].bytes > parts[most].bytes) most = i;
    }
    if (sum <= run->memory_limit) return WB_OK;
    run->diagnostics->over_limit = true;
    diagnose(run->diagnostics, SEVERITY_ERROR, wb_kernel_name(run->kernel),
             "after %" PRIu64 " warp instructions the execution takes more than the %" PRIu64
             " MB of memory that it may take (%s: %" PRIu64 " MB); is there a loop without end? Else execute "
             "less (one block with -i, a smaller grid or problem), or allow more (--memory-limit)",
             run->instructions, megabytes(run->memory_limit), parts[most].what, megabytes(parts[most].bytes));
    return WB_ERR_LIMIT;
}

wb_status footprint_add_contents(struct run *run, const char *name, uint64_t size) {
    if (size <= run->memory_limit - run->contents_bytes) {
        run->contents_bytes += size;
        return WB_OK;
    }
    run->diagnostics->over_limit = true;
    diagnose(run->diagnostics, SEVERITY_ERROR, name,
             "with its contents of %" PRIu64 " MB the execution takes more than the %" PRIu64
             " MB of memory that it may take; use a smaller problem, or allow more (--memory-limit)",
             megabytes(size), megabytes(run->memory_limit));
    return WB_ERR_LIMIT;
}
