/* A grid on a GPU from its parts to the sums of what they have counted. */
#include <inttypes.h>
#include <stdlib.h>

#include "sim/gpu/gpu.h"
#include "warp/trace/blocks.h"

/* Longest window of a GPU whose SMs do not wait for anything outside: how often the watch is asked. */
#define UNCONNECTED_WINDOW ((cycles)1 << 16)

static wb_status refuse(const struct gpu *gpu, const char *problem) {
    diagnose(gpu->diagnostics, SEVERITY_ERROR, gpu->scheme->name, "%s", problem);
    return WB_ERR_INPUT;
}

/* Whether blocks go to any SM that has a free slot. */
static bool is_dynamic(const struct gpu *gpu) {
    return memory_dispatch_is_dynamic(gpu->memory) && !gpu->scheme->reorder;
}

/* How many blocks an SM holds at a time. */
static wb_status count_slots(struct gpu *gpu) {
    const struct wb_machine *machine = gpu->program.machine;
    const struct block_demand demand = grid_block_demand(gpu->grid->grid);
    struct resident_range resident;
    WB_TRY(machine_resident_range(machine, &demand, gpu->scheme->reorder, gpu->diagnostics, &resident));
    uint32_t most = is_dynamic(gpu) ? gpu->block_count : (gpu->block_count - 1) / gpu->memory->sms + 1;
    gpu->slots = resident.most < most ? resident.most : most;
    return WB_OK;
}

/* Takes into account an instruction that makes requests. */
static wb_status note_requests(struct gpu *gpu, const struct timed_inst *inst) {
    if (inst->unit == UNIT_NONE) return refuse(gpu, "an instruction without a unit makes memory requests");
    if (!gpu->scheme->reorder) gpu->program.late_units |= UINT32_C(1) << inst->unit;
    if (!gpu->is_contended) return WB_OK;
    const uint32_t latency = request_return(gpu->program.machine, inst);
    if (latency == 0) return refuse(gpu, "requests are answered without any latency (mem_latency)");
    if (latency < gpu->program.least_return) gpu->program.least_return = latency;
    return WB_OK;
}

/* Finds the instructions that make requests. */
static wb_status find_requests(struct gpu *gpu) {
    const struct traffic *traffic = &gpu->grid->traffic;
    gpu->program.least_return = MACHINE_TIME_MAX;
    for (size_t p = 0; gpu_is_connected(gpu) && p < traffic->patterns.count; p++) {
        const struct traffic_pattern *pattern = &traffic->patterns.items[p];
        for (uint32_t a = 0; a < pattern->access_count; a++) {
            const struct traffic_access *access = &pattern->accesses[a];
            if (access->kind != TRAFFIC_ON_CHIP)
                WB_TRY(note_requests(gpu, &gpu->program.code->insts[access->instruction]));
        }
    }
    return WB_OK;
}

static wb_status check(const struct gpu *gpu) {
    const char *misfit = policy_misfit(gpu->scheme->policy, gpu->program.machine);
    if (misfit != NULL) return refuse(gpu, misfit);
    if (grid_is_counted(gpu->grid->grid)) {
        (void)refuse(gpu, GRID_COUNTED);
        return WB_ERR_DECLINED;
    }
    if (machine_unproven(gpu->program.machine) != NULL)
        return refuse(gpu, "the machine's model executes single blocks only");
    WB_TRY(wb_machine_check(gpu->program.machine, gpu->diagnostics));
    if (!gpu->scheme->reorder) return WB_OK;
    if (!gpu->has_hierarchy) return refuse(gpu, "nothing to reorder: the machine has no first-level cache");
    /* A warp whose turn it is, and whose channel is full, would wait for warps that wait for their turn. */
    if (!gpu->scheme->policy->work_conserving)
        return refuse(gpu, "reordering can deadlock under a policy that waits for one warp");
    return WB_OK;
}

static wb_status hand_on_issue(void *user, const struct sim_event *event) {
    const struct gpu_sm *own = user;
    return own->sink->issue(own->sink->user, own->number, event);
}

static void hand_on_landing(void *user, const struct sim_landing *landing) {
    const struct gpu_sm *own = user;
    own->sink->land(own->sink->user, own->number, landing);
}

static void hand_on_pass(void *user, const struct sim_event *event) {
    const struct gpu_sm *own = user;
    own->sink->pass(own->sink->user, own->number, event);
}

static void hand_on_block(void *user, const struct sim_block *block) {
    const struct gpu_sm *own = user;
    own->sink->block(own->sink->user, own->number, block);
}

static wb_status hand_on_access(void *user, const struct sm_access *access) {
    const struct gpu_sm *own = user;
    return own->sink->access(own->sink->user, own->number, access);
}

/* Connects an SM to the sink if it is meant. */
static wb_status connect_sink(const struct gpu *gpu, struct gpu_sm *own) {
    const struct gpu_sink *sink = gpu->options->sink;
    if (sink == NULL || (sink->sm != own->number && sink->sm != GPU_EVERY_SM)) return WB_OK;
    own->sink = sink;
    own->issues = (struct sim_sink){.event = hand_on_issue,
                                    .user = own,
                                    .land = sink->land != NULL ? hand_on_landing : NULL,
                                    .pass = sink->pass != NULL ? hand_on_pass : NULL,
                                    .block = sink->block != NULL ? hand_on_block : NULL};
    if (sink->access != NULL) own->memory.sink = (struct sm_access_sink){hand_on_access, own};
    if (sink->issue == NULL) return WB_OK;
    if (own->host != &own->sm.host)
        own->host->sink = &own->issues;
    else
        WB_TRY(sm_take_events(&own->sm, &own->issues));
    return WB_OK;
}

static wb_status make_ptx_host(struct gpu *gpu, struct gpu_sm *own) {
    own->host = &own->sm.host;
    return sm_init(&own->sm, &gpu->program, gpu->scheme->policy, gpu->slots);
}

static wb_status make_sass_host(struct gpu *gpu, struct gpu_sm *own) {
    const struct sm_program *program = &gpu->program;
    if (own == gpu->sms) gpu->sass = sass_program_of_grid(program->machine, program->code, program->traffic);
    gpu->sass_run.policy = gpu->scheme->policy;
    return sass_sm_make(&gpu->sass, &gpu->sass_run, gpu->slots, &own->host);
}

/* SMs by what the machine times. */
static wb_status (*const make_host[])(struct gpu *gpu, struct gpu_sm *own) = {
    [ISA_PTX] = make_ptx_host, [ISA_SASS] = make_sass_host};

static wb_status init_sm(struct gpu *gpu, uint32_t number) {
    struct gpu_sm *own = &gpu->sms[number];
    const struct sm_share share = {number, gpu->memory->sms, gpu->slots};
    own->number = number;
    WB_TRY(make_host[machine_isa(gpu->program.machine)](gpu, own));
    own->memory.first_sent = CYCLES_SATURATED;
    if (gpu_is_connected(gpu))
        WB_TRY(sm_memory_init(&own->sm, &own->memory, gpu->scheme->reorder ? &share : NULL));
    if (!gpu->dispatches) own->host->feed = (struct sm_feed){number, gpu->memory->sms, gpu->block_count};
    own->host->dispatch_latency = gpu->memory->dispatch_latency;
    own->host->block_times = gpu->options->block_times;
    return connect_sink(gpu, own);
}

static wb_status init_channel(struct gpu *gpu, struct gpu_channel *own) {
    if (gpu->is_contended) {
        WB_TRY(gpu_server_init(&own->server, gpu->memory, gpu->sm_count, &gpu->arena));
        own->server.return_delay = gpu->program.least_return - 1;
        return WB_OK;
    }
    own->taken = arena_array(&gpu->arena, gpu->sm_count, sizeof *own->taken);
    own->arrivals.items = arena_array(&gpu->arena, gpu->sm_count, sizeof *own->arrivals.items);
    if (own->taken == NULL || own->arrivals.items == NULL) return WB_ERR_LIMIT;
    return gpu_partition_init(&own->partition, gpu->memory, &gpu->arena);
}

static wb_status init_channels(struct gpu *gpu) {
    gpu->channel_count = gpu->is_contended ? 1 : gpu->memory->l2_partitions;
    gpu->channels = arena_array(&gpu->arena, gpu->channel_count, sizeof *gpu->channels);
    for (int b = 0; b < 2; b++)
        gpu->boxes[b] =
            arena_array(&gpu->arena, (size_t)gpu->sm_count * gpu->channel_count, sizeof *gpu->boxes[b]);
    if (gpu->channels == NULL || gpu->boxes[0] == NULL || gpu->boxes[1] == NULL) return WB_ERR_LIMIT;
    for (uint32_t c = 0; c < gpu->channel_count; c++)
        WB_TRY(init_channel(gpu, &gpu->channels[c]));
    return WB_OK;
}

static wb_status init_parts(struct gpu *gpu) {
    uint32_t sms = gpu->memory->sms;
    gpu->sm_count = sms < gpu->block_count ? sms : gpu->block_count;
    gpu->sms = arena_array(&gpu->arena, gpu->sm_count, sizeof *gpu->sms);
    if (gpu->sms == NULL) return WB_ERR_LIMIT;
    for (uint32_t s = 0; s < gpu->sm_count; s++)
        WB_TRY(init_sm(gpu, s));
    if (gpu->dispatches) WB_TRY(gpu_dispatcher_init(gpu));
    return gpu_is_connected(gpu) ? init_channels(gpu) : WB_OK;
}

uint64_t gpu_instructions(const struct wb_grid *grid) {
    uint64_t total = 0;
    for (size_t b = 0; b < grid->blocks.count; b++) {
        const struct shape_warp *warps = grid->shapes.items[grid->blocks.items[b].shape].warps;
        for (uint32_t w = 0; w < grid->warp_count; w++)
            total += grid->paths.items[warps[w].path].length * grid_blocks_alike(grid, b);
    }
    return total;
}

/* How long windows can be: half of the time between a turn and its answer. */
static void choose_windows(struct gpu *gpu) {
    const struct machine_memory *memory = gpu->memory;
    const cycles way = gpu->is_contended ? 0 : memory->noc_latency;
    gpu->answer_delay = gpu->is_contended ? (cycles)memory->service + gpu->program.least_return - 1
                                          : (cycles)memory->l2_service + memory->l2_latency + way;
    gpu->longest =
        gpu_is_connected(gpu) ? (gpu->answer_delay + way + memory->request_cycles) / 2 : UNCONNECTED_WINDOW;
}

/* gpu_run.c: builds everything and dispatches the first blocks. Errors as gpu_simulate; gpu_free in any
 * case. */
static wb_status gpu_init(struct gpu *gpu) {
    const struct timed_grid *grid = gpu->grid;
    gpu->program = (struct sm_program){.machine = grid->machine,
                                       .code = &grid->code,
                                       .traffic = &grid->traffic,
                                       .warp_count = grid->grid->warp_count};
    gpu->memory = &grid->machine->memory;
    gpu->has_hierarchy = memory_has_hierarchy(gpu->memory);
    gpu->is_contended = memory_is_contended(gpu->memory);
    gpu->dispatches = is_dynamic(gpu) || gpu->memory->dispatch_service > 0;
    gpu->block_count = (uint32_t)grid->grid->blocks.count;
    gpu->total = gpu_instructions(grid->grid);
    WB_TRY(check(gpu));
    if (gpu->block_count == 0) return WB_OK;
    WB_TRY(find_requests(gpu));
    WB_TRY(count_slots(gpu));
    if (init_parts(gpu) != WB_OK) return diagnose_out_of_memory(gpu->diagnostics, gpu->scheme->name);
    choose_windows(gpu);
    gpu_dispatch_first(gpu);
    return WB_OK;
}

static void gpu_free(struct gpu *gpu) {
    for (uint32_t s = 0; gpu->sms != NULL && s < gpu->sm_count; s++) {
        struct gpu_sm *own = &gpu->sms[s];
        if (gpu_is_connected(gpu)) sm_memory_free(&own->memory);
        sm_free(&own->sm);
        if (own->host != &own->sm.host) sass_sm_free(own->host);
    }
    for (uint32_t c = 0; gpu->channels != NULL && c < gpu->channel_count; c++) {
        gpu_partition_free(&gpu->channels[c].partition);
        gpu_server_free(&gpu->channels[c].server);
    }
    size_t boxes = (size_t)gpu->sm_count * gpu->channel_count;
    for (int b = 0; b < 2; b++) {
        for (size_t i = 0; gpu->boxes[b] != NULL && i < boxes; i++) {
            vec_free(&gpu->boxes[b][i].requests);
            vec_free(&gpu->boxes[b][i].answers);
        }
    }
    arena_free(&gpu->arena);
}

static const struct gpu_scheme schemes[] = {
    {"default", "requests as they come", &policy_lrr, false},
    {"pure-rr", "strict round-robin issue, requests as they come", &policy_rr, false},
    {"reorder", "requests in the one order of the reordering extension", &policy_lrr, true},
};

const struct gpu_scheme *gpu_scheme_at(size_t index) {
    return index < sizeof schemes / sizeof *schemes ? &schemes[index] : NULL;
}

const char *wb_scheme_name(size_t index) {
    const struct gpu_scheme *scheme = gpu_scheme_at(index);
    return scheme == NULL ? NULL : scheme->name;
}

const char *wb_scheme_summary(size_t index) {
    const struct gpu_scheme *scheme = gpu_scheme_at(index);
    return scheme == NULL ? NULL : scheme->summary;
}

/* Adds what an SM has counted, and how its instructions fared. */
static void add_sm(const struct gpu_sm *own, uint32_t instructions, wb_instruction_traffic *sums,
                   wb_gpu_simulation *result) {
    const wb_gpu_simulation *counts = &own->memory.counts;
    if (own->host->last_commit > result->cycles) {
        result->cycles = own->host->last_commit;
        result->last_sm = own->number;
    }
    result->last_issue = cycles_max(result->last_issue, own->host->last_issue);
    result->warp_instructions += own->host->warp_instructions;
    result->loads += counts->loads;
    result->hits += counts->hits;
    result->misses += counts->misses;
    result->hits_under_miss += counts->hits_under_miss;
    result->stores += counts->stores;
    result->atomics += counts->atomics;
    result->mshr_stalls += counts->mshr_stalls;
    result->victim_stalls += counts->victim_stalls;
    result->reorder_stalls += counts->reorder_stalls;
    result->channel_stalls += own->sm.channel_waits;
    if (own->sm.ifetch != NULL) {
        result->fetches += own->sm.ifetch->fetches;
        result->fetch_misses += own->sm.ifetch->misses;
    }
    for (uint32_t i = 0; own->memory.instructions != NULL && i < instructions; i++) {
        sums[i].accesses += own->memory.instructions[i].accesses;
        sums[i].requests += own->memory.instructions[i].requests;
        sums[i].misses += own->memory.instructions[i].misses;
    }
}

static void add_partition(const struct gpu_partition *partition, wb_gpu_simulation *result) {
    result->l2_hits += partition->hits;
    result->l2_misses += partition->misses;
    result->dram_reads += partition->reads;
    result->dram_writes += partition->writes;
}

/* Sums up what the parts have counted. */
static wb_status sum_up(const struct gpu *gpu, struct arena *arena, wb_gpu_simulation *result) {
    const struct gpu_scheme *scheme = gpu->scheme;
    uint32_t instructions = gpu->grid->code.inst_count;
    wb_instruction_traffic *sums = arena_array(arena, (size_t)instructions + 1, sizeof *sums);
    if (sums == NULL) return diagnose_out_of_memory(gpu->diagnostics, scheme->name);
    *result = (wb_gpu_simulation){.scheme = scheme->name,
                                  .policy = scheme->policy->name,
                                  .work_conserving = scheme->policy->work_conserving,
                                  .instructions = sums,
                                  .instruction_count = instructions};
    for (uint32_t s = 0; s < gpu->sm_count; s++)
        add_sm(&gpu->sms[s], instructions, sums, result);
    for (uint32_t c = 0; c < gpu->channel_count; c++)
        add_partition(&gpu->channels[c].partition, result);
    return WB_OK;
}

wb_status gpu_simulate(const struct timed_grid *grid, const struct gpu_scheme *scheme,
                       const struct gpu_options *options, wb_diagnostics *diagnostics, struct arena *arena,
                       wb_gpu_simulation *result) {
    WB_TRY(grid_decline_covering(grid->grid, diagnostics));
    struct gpu gpu = {.grid = grid, .scheme = scheme, .options = options, .diagnostics = diagnostics};
    wb_status status = gpu_init(&gpu);
    if (status == WB_OK) status = gpu_run(&gpu);
    if (status == WB_OK) status = sum_up(&gpu, arena, result);
    gpu_free(&gpu);
    return status;
}
