#include "warp/timed/timed.h"

#include <assert.h>
#include <string.h>

/* ---- An entry of the code for each cost of an instruction ---- */

struct variant_maker {
    const struct wb_block *block;
    const struct execution_cost *costs;
    struct timed_block *timed;
    struct arena scratch; /* bound to that of `timed` */
    uint32_t inst_count;  /* of the kernel */
    uint64_t *unrecorded; /* per instruction its executions without a record */
    struct code_variants variants;
    struct path_writer writer; /* of the path at hand: to be freed whatever happens */
    struct path path;
};

/* Adds the executions by `times` warps to the differences from each instruction's count to the next one's. */
static void count_entry(uint64_t *differences, const struct path_entry *entry, uint64_t times) {
    differences[entry->first] += times; /* sums wrap round; only their differences count */
    differences[entry->first + entry->count] -= times;
}

/* Counts the executions of every instruction, from the runs of the paths. */
static void count_executions(struct variant_maker *maker) {
    const struct wb_block *block = maker->block;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct path_runs runs = path_runs_of(&block->paths.items[block->warp_path[w]]);
        struct path_entry run;
        for (uint64_t times; path_runs_next(&runs, &run, &times);)
            count_entry(maker->unrecorded, &run, times);
    }
    for (uint32_t i = 0; i < maker->inst_count; i++)
        maker->unrecorded[i + 1] += maker->unrecorded[i];
}

/* The index of the next record that is of another step. */
static size_t next_step(const struct access_list *list, size_t record) {
    uint64_t step = list->items.items[record].step;
    while (record < list->items.count && list->items.items[record].step == step)
        record++;
    return record;
}

static void subtract_recorded(struct variant_maker *maker) {
    for (uint32_t w = 0; w < maker->block->warp_count; w++) {
        const struct access_list *list = &maker->block->accesses[w];
        for (size_t r = 0; r < list->items.count; r = next_step(list, r))
            maker->unrecorded[list->items.items[r].instruction]--;
    }
}

/* Finds the costs of every instruction. That of executions without a record comes first, so that these need
 * not be looked for in the paths. */
static void find_variants(struct variant_maker *maker) {
    size_t before = 0; /* records of earlier warps */
    for (uint32_t w = 0; w < maker->block->warp_count; w++) {
        const struct access_list *list = &maker->block->accesses[w];
        for (size_t r = 0; r < list->items.count; r = next_step(list, r)) {
            uint32_t i = list->items.items[r].instruction;
            const struct execution_cost of_class = code_variant_cost(&maker->variants, i);
            if (maker->unrecorded[i] != 0 && maker->variants.newest[i] == NO_VARIANT)
                (void)code_variant_of(&maker->variants, i, &of_class);
            (void)code_variant_of(&maker->variants, i, &maker->costs[before + r]);
        }
        before += list->items.count;
    }
}

/* A warp whose path is rewritten. */
struct rewriter {
    struct variant_maker *maker;
    const struct access_list *list;
    size_t before; /* records of earlier warps */
    struct path_cursor cursor;
    uint64_t step; /* at which the cursor's run begins */
    size_t record; /* the first one that is not before that */
};

/* Ends the pass unless there was memory for what was written. */
static void require(const struct variant_maker *maker, wb_status written) {
    if (written != WB_OK) arena_fail(&maker->scratch, written);
}

/* Writes one run, with other entries of the code where records ask for them. */
static void rewrite_run(struct rewriter *rewriter) {
    struct variant_maker *maker = rewriter->maker;
    const struct access_list *list = rewriter->list;
    const struct path_cursor *cursor = &rewriter->cursor;
    struct path_writer *writer = &maker->writer;
    uint32_t at = cursor->instruction;
    const uint32_t end = at + cursor->left;
    for (size_t r; (r = rewriter->record) < list->items.count; rewriter->record = next_step(list, r)) {
        assert(list->items.items[r].step >= rewriter->step);
        if (list->items.items[r].step - rewriter->step >= cursor->left) break;
        const uint32_t i = list->items.items[r].instruction;
        const uint32_t variant = code_variant_find(&maker->variants, i, &maker->costs[rewriter->before + r]);
        assert(at <= i && i < end && variant != NO_VARIANT);
        const uint32_t entry = maker->variants.items.items[variant].entry;
        if (entry == i) continue;
        require(maker, path_append_run(writer, at, i - at, cursor->mask));
        require(maker, path_append_run(writer, entry, 1, cursor->mask));
        at = i + 1;
    }
    rewriter->step += cursor->left;
    require(maker, path_append_run(writer, at, end - at, cursor->mask));
}

/* Writes the path of a warp to maker->path. */
static void rewrite_path(struct variant_maker *maker, uint32_t warp, size_t before) {
    const struct wb_block *block = maker->block;
    struct rewriter rewriter = {.maker = maker,
                                .list = &block->accesses[warp],
                                .before = before,
                                .cursor = path_begin(&block->paths.items[block->warp_path[warp]])};
    while (path_next_run(&rewriter.cursor))
        rewrite_run(&rewriter);
    require(maker, path_finish(&maker->writer, &maker->path));
}

/* The number of maker->path among the paths that are kept, which it joins unless an equal one is there. */
static uint32_t keep_path(struct variant_maker *maker) {
    struct timed_block *timed = maker->timed;
    size_t known = 0;
    while (known < timed->own_paths.count && !path_equal(&timed->own_paths.items[known], &maker->path))
        known++;
    if (known == timed->own_paths.count)
        require(maker, vec_push(&timed->own_paths, maker->path));
    else
        path_free(&maker->path);
    maker->path = (struct path){0};
    return (uint32_t)known;
}

static void rewrite_paths(struct variant_maker *maker) {
    struct timed_block *timed = maker->timed;
    size_t before = 0;
    timed->warp_path = arena_array(&timed->arena, (size_t)timed->warp_count + 1, sizeof *timed->warp_path);
    for (uint32_t w = 0; w < timed->warp_count; w++) {
        rewrite_path(maker, w, before);
        before += maker->block->accesses[w].items.count;
        timed->warp_path[w] = keep_path(maker);
    }
    timed->paths = timed->own_paths.items;
    timed->path_count = (uint32_t)timed->own_paths.count;
}

/* Gives every instruction the largest of its costs: paths that repeat iterations have no records of them to
 * tell its executions apart by, but one record of each of its costs. */
static void take_largest(const struct variant_maker *maker) {
    const struct wb_machine *machine = maker->timed->machine;
    size_t before = 0; /* records of earlier warps */
    for (uint32_t w = 0; w < maker->block->warp_count; w++) {
        const struct access_list *list = &maker->block->accesses[w];
        for (size_t r = 0; r < list->items.count; r++)
            cost_models[machine_isa(machine)].raise(
                machine, &maker->timed->code, list->items.items[r].instruction, &maker->costs[before + r]);
        before += list->items.count;
    }
}

/* The pass of timed_variants_make. */
static void make(void *context) {
    struct variant_maker *maker = context;
    if (maker->block->repeats) {
        take_largest(maker);
        return;
    }
    const size_t count = (size_t)maker->inst_count + 1;
    arena_bind(&maker->scratch, &maker->timed->arena);
    maker->unrecorded = arena_array(&maker->scratch, count, sizeof *maker->unrecorded);
    maker->variants = code_variants_begin(maker->timed->machine, &maker->timed->code, &maker->scratch);
    count_executions(maker);
    subtract_recorded(maker);
    find_variants(maker);
    code_variants_apply(&maker->variants, &maker->timed->arena);
    if (maker->variants.entry_count > maker->inst_count) rewrite_paths(maker);
    arena_free(&maker->scratch);
}

wb_status timed_variants_make(const struct wb_block *block, const struct execution_cost *costs,
                              struct timed_block *timed) {
    const uint32_t inst_count = timed->code.inst_count;
    struct variant_maker maker = {.block = block, .costs = costs, .timed = timed, .inst_count = inst_count};
    wb_status status = arena_protect(&timed->arena, make, &maker);
    path_writer_free(&maker.writer);
    path_free(&maker.path);
    return status;
}

/* ---- The block ----------------------------------------------------------------------------------------- */

static wb_status block_code(const struct wb_block *block, const struct wb_machine *machine,
                            const struct execution_cost *costs, wb_diagnostics *diagnostics,
                            struct timed_block *timed) {
    const char *name = wb_kernel_name(block->kernel);
    if (block->notes.unmodelled != NULL) {
        ptx_diagnose(diagnostics, SEVERITY_ERROR, block->kernel->module,
                     block_inst(block, block->notes.unmodelled_index, NULL), "%s", block->notes.unmodelled);
        return WB_ERR_DECLINED;
    }
    uint32_t inst_count = block->code_first[block->kernel->module->function_count];
    const bool *used =
        executed_instructions(block->paths.items, block->paths.count, inst_count, &timed->arena);
    if (used == NULL) return diagnose_out_of_memory(diagnostics, name);
    const struct executed_code executed = {block->kernel, block->code_first, block->size,  block->warp_width,
                                           used,          &block->objects,   &block->notes};
    WB_TRY(timed_code_from(&executed, machine, diagnostics, &timed->arena, &timed->code));
    if (costs == NULL || timed_variants_make(block, costs, timed) == WB_OK) return WB_OK;
    return diagnose_out_of_memory(diagnostics, name);
}

wb_status timed_block_from(const struct wb_block *block, const struct wb_machine *machine,
                           const struct execution_cost *costs, wb_diagnostics *diagnostics,
                           struct timed_block *timed) {
    struct timed_block made = {.machine = machine,
                               .traced = block,
                               .paths = block->paths.items,
                               .path_count = (uint32_t)block->paths.count,
                               .warp_path = block->warp_path,
                               .warp_count = block->warp_count};
    wb_status status = block_code(block, machine, costs, diagnostics, &made);
    if (status == WB_OK) {
        *timed = made;
    } else {
        timed_block_free(&made);
    }
    return status;
}
