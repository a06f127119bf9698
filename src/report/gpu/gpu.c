/* Simulations of a grid on a GPU as tables for people. */
#include "report/gpu/gpu.h"

#include <inttypes.h>

#include "base/options.h"
#include "base/text.h"
#include "report/parts/bounds.h"
#include "report/parts/launch.h"
#include "report/write/json.h"

/* Columns of the tables, in characters: each number ends in front of the next multiple. */
enum { COLUMN_POLICY = 10, COLUMN_FIRST = 18, COLUMN_WIDTH = 12 };

/* The memory that all SMs share. */
static void put_one_memory(struct text *out, const struct machine_memory *memory) {
    text_printf(out, "memory   one for all SMs: a request in %u cycle%s, arbiter %s", memory->service,
                memory->service == 1 ? "" : "s", memory_arbiter_name(memory));
    if (memory->outstanding != 0) text_printf(out, ", at most %u of an SM on their way", memory->outstanding);
    text_char(out, '\n');
}

void report_put_gpu(struct text *out, const struct timed_grid *timed) {
    const struct wb_grid *grid = timed->grid;
    const struct wb_machine *machine = timed->machine;
    const struct machine_memory *memory = &machine->memory;
    if (grid->kernel != NULL)
        text_printf(out, "kernel   %s (%s)\n", wb_kernel_name(grid->kernel),
                    grid->kernel->module->source.name);
    text_printf(out, "grid     %ux%ux%u blocks of %ux%ux%u threads: %u warp%s a block\n", grid->dimensions[0],
                grid->dimensions[1], grid->dimensions[2], grid->block_size[0], grid->block_size[1],
                grid->block_size[2], grid->warp_count, grid->warp_count == 1 ? "" : "s");
    text_printf(out, "machine  %s at %g MHz: %u SM%s, ", machine->name, machine->clock_mhz, memory->sms,
                memory->sms == 1 ? "" : "s");
    if (memory_has_hierarchy(memory))
        text_printf(out, "first level %u bytes in %u ways, second level %u bytes in %u ways",
                    memory->l1.bytes, memory->l1.ways, memory->l2.bytes, memory->l2.ways);
    else
        text_string(out, "no caches");
    report_put_fetch(out, &machine->fetch);
    text_char(out, '\n');
    if (memory_is_contended(memory)) put_one_memory(out, memory);
}

/* Where a column of numbers ends. */
static size_t column_end(size_t column) {
    return COLUMN_FIRST + (column + 1) * COLUMN_WIDTH;
}

static void put_names(struct text *out, const wb_gpu_simulation *simulation) {
    text_string(out, simulation->scheme);
    text_pad(out, COLUMN_POLICY);
    text_string(out, simulation->policy);
}

/* The head of a table. */
static void put_head(struct text *out, const char *const *columns, size_t count) {
    text_string(out, "\nscheme");
    text_pad(out, COLUMN_POLICY + 1);
    text_string(out, "policy");
    for (size_t i = 0; i < count; i++)
        report_put_right(out, column_end(i), columns[i]);
    text_char(out, '\n');
}

static void put_seconds(struct text *out, size_t end, double seconds) {
    char number[32];
    (void)text_format(number, sizeof number, "%.3f s", seconds);
    report_put_right(out, end, number);
}

static void put_first_level(struct text *out, const struct wb_gpu *gpu, const wb_report_options *options) {
    static const char *const columns[] = {"cycles", "instr.", "loads", "misses", "miss rate", "elapsed"};
    put_head(out, columns, options->timing ? 6 : 5);
    for (size_t i = 0; i < gpu->simulations.count; i++) {
        const wb_gpu_simulation *s = &gpu->simulations.items[i];
        put_names(out, s);
        report_put_count(out, column_end(0), s->cycles);
        report_put_count(out, column_end(1), s->warp_instructions);
        report_put_count(out, column_end(2), s->loads);
        report_put_count(out, column_end(3), s->misses);
        report_put_percent(out, column_end(4), s->misses, s->loads);
        if (options->timing) put_seconds(out, column_end(5), s->seconds);
        text_char(out, '\n');
    }
}

/* The same without caches. */
static void put_times(struct text *out, const struct wb_gpu *gpu, const wb_report_options *options) {
    static const char *const columns[] = {"cycles",  "instr.",    "loads",  "stores",
                                          "atomics", "held back", "elapsed"};
    put_head(out, columns, options->timing ? 7 : 6);
    for (size_t i = 0; i < gpu->simulations.count; i++) {
        const wb_gpu_simulation *s = &gpu->simulations.items[i];
        const uint64_t numbers[] = {s->cycles, s->warp_instructions, s->loads,
                                    s->stores, s->atomics,           s->mshr_stalls};
        put_names(out, s);
        for (size_t column = 0; column < 6; column++)
            report_put_count(out, column_end(column), numbers[column]);
        if (options->timing) put_seconds(out, column_end(6), s->seconds);
        text_char(out, '\n');
    }
}

static void put_below(struct text *out, const struct wb_gpu *gpu) {
    static const char *const columns[] = {"stores",    "atomics",    "L2 hits",
                                          "L2 misses", "DRAM reads", "writes"};
    put_head(out, columns, 6);
    for (size_t i = 0; i < gpu->simulations.count; i++) {
        const wb_gpu_simulation *s = &gpu->simulations.items[i];
        const uint64_t numbers[] = {s->stores,    s->atomics,    s->l2_hits,
                                    s->l2_misses, s->dram_reads, s->dram_writes};
        put_names(out, s);
        for (size_t column = 0; column < 6; column++)
            report_put_count(out, column_end(column), numbers[column]);
        text_char(out, '\n');
    }
}

static void put_stalls(struct text *out, const struct wb_gpu *gpu) {
    static const char *const columns[] = {"no entry", "victim", "not its turn", "channel"};
    put_head(out, columns, 4);
    for (size_t i = 0; i < gpu->simulations.count; i++) {
        const wb_gpu_simulation *s = &gpu->simulations.items[i];
        const uint64_t numbers[] = {s->mshr_stalls, s->victim_stalls, s->reorder_stalls, s->channel_stalls};
        put_names(out, s);
        for (size_t column = 0; column < 4; column++)
            report_put_count(out, column_end(column), numbers[column]);
        text_char(out, '\n');
    }
}

static void put_caches(struct text *out, const struct wb_gpu *gpu, const wb_report_options *options) {
    put_first_level(out, gpu, options);
    text_string(out, "\nbelow the first level, requests:");
    put_below(out, gpu);
    text_string(out, "\nstalls, cycles of all SMs:");
    put_stalls(out, gpu);
}

/* What the execution of the grid takes for granted. */
static void put_assumptions(struct text *out, const struct wb_gpu *gpu) {
    const struct report_executed executed[] = {{"simulations", gpu->timed.code.assumed}, {NULL, 0}};
    if (gpu->timed.code.assumed != 0) text_char(out, '\n');
    report_put_conditions(out, NULL, NULL, executed);
}

wb_status report_gpu_text(const struct wb_gpu *gpu, const wb_report_options *options,
                          wb_diagnostics *diagnostics, char **text) {
    struct text out = {0};
    report_put_gpu(&out, &gpu->timed);
    if (memory_has_hierarchy(&gpu->timed.machine->memory))
        put_caches(&out, gpu, options);
    else
        put_times(&out, gpu, options);
    put_assumptions(&out, gpu);
    return report_take_text(&out, diagnostics, text);
}

/* Simulations of a grid on a GPU as JSON; docs/json.md documents every key. */

static json_t *cache_json(const struct cache_geometry *cache) {
    return json_pack("{s:I, s:I, s:I, s:I}", "size", (json_int_t)cache->bytes, "ways",
                     (json_int_t)cache->ways, "line", (json_int_t)cache->line_bytes, "sector",
                     (json_int_t)cache->sector_bytes);
}

/* The memory that all SMs share. */
static json_t *one_memory_json(const struct machine_memory *memory) {
    return json_pack("{s:I, s:s, s:I}", "service", (json_int_t)memory->service, "arbiter",
                     memory_arbiter_name(memory), "outstanding", (json_int_t)memory->outstanding);
}

json_t *report_gpu_heading_json(const struct timed_grid *timed) {
    const struct wb_grid *grid = timed->grid;
    const struct wb_machine *machine = timed->machine;
    const struct wb_kernel *kernel = grid->kernel;
    json_t *machine_object = json_machine(machine);
    json_put(&machine_object, "sms", json_integer(machine->memory.sms));
    if (memory_is_contended(&machine->memory))
        json_put(&machine_object, "memory", one_memory_json(&machine->memory));
    json_put(&machine_object, "l1", cache_json(&machine->memory.l1));
    json_put(&machine_object, "l2", cache_json(&machine->memory.l2));
    json_t *launch =
        json_pack("{s:o, s:o, s:I, s:I, s:I}", "grid", json_three_numbers(grid->dimensions), "block",
                  json_three_numbers(grid->block_size), "shared_bytes", (json_int_t)grid->shared_bytes,
                  "blocks", (json_int_t)grid->blocks.count, "warps", (json_int_t)grid->warp_count);
    const struct block_demand demand = grid_block_demand(grid);
    if (kernel != NULL) report_add_launch(&grid->inputs, machine, &demand, &launch);
    return json_pack("{s:s, s:o, s:o, s:o, s:o}", "warpbound", wb_version(), "kernel",
                     json_text(kernel != NULL ? wb_kernel_name(kernel) : NULL), "file",
                     json_text(kernel != NULL ? kernel->module->source.name : NULL), "machine",
                     machine_object, "launch", launch);
}

/* Cycles that first levels, or warps, waited, by what for. */
static json_t *stalls_json(const wb_gpu_simulation *s) {
    return json_pack("{s:I, s:I, s:I, s:I}", "mshr", (json_int_t)s->mshr_stalls, "victim",
                     (json_int_t)s->victim_stalls, "reorder", (json_int_t)s->reorder_stalls, "channel",
                     (json_int_t)s->channel_stalls);
}

static json_t *simulation_json(const struct wb_gpu *gpu, const wb_gpu_simulation *s,
                               const wb_report_options *options) {
    json_t *object = json_pack("{s:s, s:s, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "scheme", s->scheme,
                               "policy", s->policy, "work_conserving", (int)s->work_conserving, "cycles",
                               (json_int_t)s->cycles, "warp_instructions", (json_int_t)s->warp_instructions,
                               "loads", (json_int_t)s->loads, "hits", (json_int_t)s->hits, "misses",
                               (json_int_t)s->misses, "hits_under_miss", (json_int_t)s->hits_under_miss,
                               "stores", (json_int_t)s->stores, "atomics", (json_int_t)s->atomics);
    json_put(&object, "l2_hits", json_integer((json_int_t)s->l2_hits));
    json_put(&object, "l2_misses", json_integer((json_int_t)s->l2_misses));
    json_put(&object, "dram_reads", json_integer((json_int_t)s->dram_reads));
    json_put(&object, "dram_writes", json_integer((json_int_t)s->dram_writes));
    json_put(&object, "stalls", stalls_json(s));
    json_put_fetches(&object, gpu->timed.machine, s->fetches, s->fetch_misses);
    json_put(&object, "assumptions", report_assumed_json(gpu->timed.code.assumed));
    json_put(&object, "seconds", report_seconds_json(s->seconds, options));
    return object;
}

wb_status report_gpu_json(const struct wb_gpu *gpu, const wb_report_options *options,
                          wb_diagnostics *diagnostics, char **text) {
    json_t *root = report_gpu_heading_json(&gpu->timed), *array = json_array();
    for (size_t i = 0; i < gpu->simulations.count; i++)
        json_add(&array, simulation_json(gpu, &gpu->simulations.items[i], options));
    json_put(&root, "simulations", array);
    return report_take_json(root, diagnostics, text);
}

wb_status wb_gpu_report(const wb_gpu *gpu, wb_report_format format, const wb_report_options *options,
                        wb_diagnostics *diagnostics, char **text) {
    wb_report_options asked;
    WB_TRY(OPTIONS_TAKE(wb_report_options, options, &asked, diagnostics));
    return format == WB_REPORT_JSON ? report_gpu_json(gpu, &asked, diagnostics, text)
                                    : report_gpu_text(gpu, &asked, diagnostics, text);
}
