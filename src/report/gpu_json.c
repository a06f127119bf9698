/* Simulations of a grid on a GPU as JSON; docs/json.md documents every key. */
#include "report/bound_json.h"
#include "report/gpu_report.h"
#include "report/json_parts.h"
#include "report/launch_report.h"

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
