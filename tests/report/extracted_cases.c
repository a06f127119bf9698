/* Random blocks and grids as the definitions of proofs/ have them, with what the library computes of them,
 * for the extracted definitions to compute it, too (proofs/extract/definitions.ml, docs/machine-checked.md).
 *
 * usage: extracted_cases blocks|grids|schedules|executions FIRST_SEED COUNT
 *
 * A case is `case SEED`, then lines
 *   machine DEPTH WIDTH RELEASE   dispatch depth, a number or `unlimited`
 *   unit F INSTANCES own|shared   each sub-core's own units have numbers of their own
 *   warp SUB_CORE GROUP           begins a warp of thread block GROUP
 *   inst F INIT LATENCY SECTION OPERAND...    operands are positions in the warp
 *   number NAME VALUE             what the library says
 *   schedule POLICY               then for each instruction, warp by warp:
 *   at ISSUE START FREE READY
 *   end
 * and that of a grid,
 *   grid SMS SLOTS DELAY SERVICE dynamic|static   slots of an SM; the dispatcher's latency and service;
 *                                 whether thread blocks go to any SM
 *   kind COUNT E LAM ALPHA SOLO   so many thread blocks amount to this (proofs/kernel/Formulas.v): the next
 *                                 ones, where their SMs are known
 *   number NAME VALUE
 *   end
 * What a grid does is
 *   execution SEED SMS SLOTS DELAY SERVICE dynamic|static oldest|any     whether the thread block of the
 * lowest number that an SM has issues first block SM SLOT START END       for each block then a case for each
 * SM, with one schedule, and done
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bound/analysis/analysis.h"
#include "bound/grid/grid_work.h"
#include "extracted_block.h"
#include "random_grid.h"

#define REGISTERS_MAX 256u
#define POSITIONS_MAX 64u /* of a warp: sets of them are words */

static _Noreturn void give_up(const char *why) {
    fprintf(stderr, "extracted_cases: %s\n", why);
    exit(2);
}

/* ---- The block -------------------------------------------------------------------------------------------
 */

/* A warp on its way through its path: for each register the instructions that its value waits for. */
struct writers {
    uint64_t of[REGISTERS_MAX];
};

/* The instructions that one waits for: whose results it reads or overwrites. */
static uint64_t waited_for(const struct writers *writers, const struct timed_code *code,
                           const struct timed_inst *inst) {
    uint64_t waited = 0;
    for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++)
        waited |= writers->of[code->operands[inst->first_operand + i]];
    return waited;
}

static void note_results(struct writers *writers, const struct timed_code *code,
                         const struct timed_inst *inst, uint64_t itself) {
    for (uint32_t i = 0; i < inst->destination_count; i++)
        writers->of[code->operands[inst->first_operand + inst->source_count + i]] = itself;
    for (uint32_t q = 0; q < QUEUE_COUNT; q++) {
        uint64_t *queue = writers->of + code->queues[q].first;
        if (code->queues[q].count == 0) continue;
        if (inst->joins >> q & 1) queue[0] |= itself;
        for (uint32_t j = code->queues[q].count - 1; (inst->commits >> q & 1) != 0 && j > 0; j--)
            queue[j] = queue[j - 1];
    }
}

/* The number of a unit as a sub-core reaches it; behind all others that of no unit. */
static uint32_t physical_unit(const struct wb_machine *machine, uint32_t unit, uint32_t sub_core) {
    if (unit == UNIT_NONE) return machine->unit_count * (machine->sub_cores + 1);
    return machine->units[unit].shared ? unit : unit + machine->unit_count * (sub_core + 1);
}

static void print_inst(const struct wb_machine *machine, const struct timed_inst *inst, uint32_t sub_core,
                       uint32_t section, uint64_t waited) {
    printf("inst %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32, physical_unit(machine, inst->unit, sub_core),
           inst->init, inst->latency, section);
    for (uint32_t p = 0; p < POSITIONS_MAX; p++)
        if (waited >> p & 1) printf(" %" PRIu32, p);
    putchar('\n');
}

/* Of a block alone the end of a warp behind a barrier is an instruction that does nothing: its release is
 * waited for. */
static void print_warp(const struct wb_machine *machine, const struct timed_code *code,
                       const struct path *path, uint32_t sub_core, uint32_t group, bool alone) {
    static const struct timed_inst nothing = {.unit = UNIT_NONE};
    struct path_cursor cursor = path_begin(path);
    struct writers writers = {{0}};
    uint32_t section = 0, position = 0;
    bool at_barrier = false;
    printf("warp %" PRIu32 " %" PRIu32 "\n", sub_core, group);
    for (struct path_step step; path_next(&cursor, &step);) {
        const struct timed_inst *inst = &code->insts[step.instruction];
        if (position == POSITIONS_MAX || code->register_count > REGISTERS_MAX) give_up("too large a block");
        print_inst(machine, inst, sub_core, section, waited_for(&writers, code, inst));
        note_results(&writers, code, inst, (uint64_t)1 << position++);
        section += at_barrier = inst->barrier;
    }
    if (at_barrier && alone) print_inst(machine, &nothing, sub_core, section, 0);
}

static void print_warps(const struct timed_block *block) {
    for (uint32_t w = 0; w < block->warp_count; w++)
        print_warp(block->machine, &block->code, &block->paths[block->warp_path[w]],
                   w % block->machine->sub_cores, 0, true);
}

static void print_machine(const struct wb_machine *machine) {
    if (machine->dispatch_depth == DEPTH_UNLIMITED)
        printf("machine unlimited");
    else
        printf("machine %" PRIu32, machine->dispatch_depth);
    printf(" %" PRIu32 " %" PRIu32 "\n", machine->issue_width, machine->barrier_release);
    for (uint32_t u = 0; u < machine->unit_count; u++)
        for (uint32_t s = 0; s < (machine->units[u].shared ? 1 : machine->sub_cores); s++)
            printf("unit %" PRIu32 " %" PRIu32 " %s\n", physical_unit(machine, u, s), machine->units[u].count,
                   machine->units[u].shared ? "shared" : "own");
}

/* ---- What the library says -------------------------------------------------------------------------------
 */

/* The time that each section of each warp takes by itself. */
static void print_isolation(const struct timed_block *block) {
    struct arena arena = {0};
    const cycles *charges = phase_charges(block, &arena);
    if (charges == NULL) give_up("out of memory");
    for (uint32_t w = 0; w < block->warp_count; w++) {
        struct phase_walker walker;
        struct section_profile profile;
        if (phase_walker_init(&walker, block, block->warp_path[w], charges, &arena) != WB_OK)
            give_up("out of memory");
        for (uint32_t s = 0; !walker.ended; s++) {
            if (phase_walker_section(&walker, &profile) != WB_OK) give_up("out of memory");
            printf("number iso.%" PRIu32 ".%" PRIu32 " %" PRIu64 "\n", w, s, profile.iso);
        }
    }
    arena_free(&arena);
}

/* Of the bound of a kernel: each of its forms. */
static void print_upper_bounds(const wb_analysis *analysis) {
    for (size_t b = 0; b < analysis->bounds.count; b++) {
        const wb_bound *bound = &analysis->bounds.items[b];
        for (size_t f = 0; f < bound->form_count; f++)
            if (bound->forms[f].reason == NULL)
                printf("number %s %" PRIu64 "\n", bound->forms[f].name, bound->forms[f].cycles);
        if (bound->kind == WB_UPPER && bound->form_count == 0)
            printf("number %s %" PRIu64 "\n", bound->method, bound->cycles);
    }
}

/* V of the serial bound. */
static void print_serial(const struct block_profile *profile) {
    struct serial_sums sums;
    if (serial_sums_of(profile, NULL, &sums) != WB_OK) give_up("out of memory");
    printf("number serial %" PRIu64 "\n", sums.time);
}

static void print_bounds(wb_analysis *analysis, wb_diagnostics *diagnostics) {
    if (wb_analysis_bound(analysis, "sib,fib,aln,fifo,elb", NULL, diagnostics) != WB_OK) give_up("no bounds");
    printf("number init %" PRIu64 "\nnumber lam %" PRIu64 "\n", analysis->profile.initiations,
           analysis->profile.latency);
    print_upper_bounds(analysis);
    print_serial(&analysis->profile);
}

/* ---- Schedules -------------------------------------------------------------------------------------------
 */

/* The issues of all warps, warp by warp. */
static void print_schedule(const wb_analysis *analysis, const char *policy, wb_diagnostics *diagnostics) {
    wb_schedule *schedule = NULL;
    size_t count;
    if (wb_schedule_simulate(analysis, policy, NULL, diagnostics, &schedule) != WB_OK) give_up("no schedule");
    const wb_issue *issues = wb_schedule_issues(schedule, &count);
    printf("schedule %s\n", policy);
    for (uint32_t w = 0; w < analysis->timed->warp_count; w++)
        for (size_t i = 0; i < count; i++)
            if (issues[i].warp == w)
                printf("at %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", issues[i].issue,
                       issues[i].start, issues[i].free, issues[i].ready);
    wb_schedule_free(schedule);
}

static void print_schedules(const wb_analysis *analysis, wb_diagnostics *diagnostics) {
    static const char *const policies[] = {"lrr", "gto", "oldest"};
    for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
        print_schedule(analysis, policies[p], diagnostics);
}

/* ---- Grids -----------------------------------------------------------------------------------------------
 */

static void print_kind(const struct block_class *class, uint64_t blocks) {
    printf("kind %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", blocks, class->initiations,
           class->latency, class->residency, class->isolated);
}

/* What the formulas for kernels know of the thread blocks. */
static void print_kinds(const struct grid_work *work) {
    const struct machine_memory *memory = &work->machine->memory;
    const bool dynamic = memory_dispatch_is_dynamic(memory);
    if (work->resident_least != work->resident_most) give_up("no number of slots");
    printf("grid %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %s\n", memory->sms, work->resident_least,
           memory->dispatch_latency, memory->dispatch_service, dynamic ? "dynamic" : "static");
    for (size_t k = 0; dynamic && k < work->classes.count; k++)
        print_kind(&work->classes.items[k], work->classes.items[k].blocks);
    for (uint64_t b = 0; !dynamic && b < work->block_count; b++)
        print_kind(&work->classes.items[work->class_of[b]], 1);
}

static void print_grid(uint64_t seed) {
    struct random_grid random;
    wb_analysis *analysis = NULL;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    extracted_grid_make(seed, 14, &random);
    if (analysis_parse("grid", random.label, strlen(random.label), diagnostics, &analysis) != WB_OK ||
        wb_analysis_bound(analysis, "k-sm,k-area,k-bal", NULL, diagnostics) != WB_OK)
        give_up("no bounds of a grid");
    printf("case %" PRIu64 "\n", seed);
    print_kinds(&analysis->work);
    print_upper_bounds(analysis);
    printf("end\n");
    wb_analysis_free(analysis);
    wb_diagnostics_free(diagnostics);
    random_grid_free(&random);
}

/* ---- Executions of grids
 * -----------------------------------------------------------------------------------
 */

#define BLOCKS_MAX 32u

struct executed {
    uint64_t sm_of[BLOCKS_MAX];
    struct sim_block blocks[BLOCKS_MAX];
    VEC(struct sim_event) issues;
};

static wb_status note_issue(void *user, uint32_t sm, const struct sim_event *event) {
    struct executed *executed = user;
    (void)sm;
    if (event->completion == CYCLES_SATURATED) give_up("a time that is not known");
    return vec_push(&executed->issues, *event);
}

static void note_block(void *user, uint32_t sm, const struct sim_block *block) {
    struct executed *executed = user;
    executed->sm_of[block->block] = sm;
    executed->blocks[block->block] = *block;
}

/* Any block first, to any SM. */
static struct dispatch_plan random_plan(uint64_t seed, uint32_t count, uint32_t *blocks, uint32_t *choices) {
    struct random_state random = random_seeded(seed);
    for (uint32_t b = 0; b < count; b++) {
        const uint32_t at = (uint32_t)random_below(&random, b + 1);
        blocks[b] = blocks[at];
        blocks[at] = b;
        choices[b] = (uint32_t)random_below(&random, BLOCKS_MAX);
    }
    return (struct dispatch_plan){blocks, choices};
}

static const struct sim_policy *policy_of(uint64_t seed) {
    static const struct sim_policy *const policies[] = {&policy_lrr, &policy_gto, &policy_oldest};
    return policies[seed % 3];
}

static bool is_planned(uint64_t seed) {
    return seed % 2 == 0;
}

static void execute(const struct random_grid *random, uint64_t seed, struct executed *executed) {
    const struct gpu_scheme scheme = {.name = "default", .policy = policy_of(seed)};
    uint32_t blocks[BLOCKS_MAX], choices[BLOCKS_MAX], count = (uint32_t)random->grid.blocks.count;
    const struct dispatch_plan plan = random_plan(seed, count, blocks, choices);
    const struct gpu_sink sink = {
        .sm = GPU_EVERY_SM, .issue = note_issue, .block = note_block, .user = executed};
    const struct gpu_options options = {.threads = 1, .sink = &sink, .plan = is_planned(seed) ? &plan : NULL};
    struct arena arena = {0};
    wb_gpu_simulation result;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (gpu_simulate(&random->timed, &scheme, &options, diagnostics, &arena, &result) != WB_OK)
        give_up(wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    arena_free(&arena);
}

static uint32_t sub_core_of(const struct random_grid *random, const struct sim_block *block, uint32_t warp) {
    return (block->slot * random->grid.warp_count + warp) % random->block.machine.sub_cores;
}

static void print_issues(const struct random_grid *random, const struct executed *executed,
                         const struct sim_block *block, uint32_t warp) {
    for (size_t i = 0; i < executed->issues.count; i++) {
        const struct sim_event *event = &executed->issues.items[i];
        if (event->block != block->block || event->warp != warp) continue;
        if (event->sub_core != sub_core_of(random, block, warp)) give_up("a warp of another sub-core");
        printf("at %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", event->issue, event->start,
               event->init_end, event->completion);
    }
}

/* What an SM gets, and does with it. */
static void print_sm(const struct random_grid *random, const struct executed *executed, uint32_t sm) {
    const struct wb_grid *grid = &random->grid;
    printf("case %" PRIu32 "\n", sm);
    print_machine(&random->block.machine);
    for (uint32_t b = 0; b < grid->blocks.count; b++)
        for (uint32_t w = 0; executed->sm_of[b] == sm && w < grid->warp_count; w++)
            print_warp(&random->block.machine, &random->timed.code, grid_path_of(grid, b, w),
                       sub_core_of(random, &executed->blocks[b], w), b, false);
    printf("schedule executed\n");
    for (uint32_t b = 0; b < grid->blocks.count; b++)
        for (uint32_t w = 0; executed->sm_of[b] == sm && w < grid->warp_count; w++)
            print_issues(random, executed, &executed->blocks[b], w);
    printf("end\n");
}

static void print_execution(uint64_t seed) {
    struct random_grid random;
    struct executed executed = {0};
    extracted_grid_make(seed, 8, &random);
    const struct machine_memory *memory = &random.block.machine.memory;
    if (random.grid.blocks.count > BLOCKS_MAX) give_up("too large a grid");
    execute(&random, seed, &executed);
    printf("execution %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %s %s\n", seed, memory->sms,
           random.block.machine.limits.blocks, memory->dispatch_latency, memory->dispatch_service,
           memory_dispatch_is_dynamic(memory) ? "dynamic" : "static",
           policy_of(seed) == &policy_oldest && !is_planned(seed) ? "oldest" : "any");
    for (uint32_t b = 0; b < random.grid.blocks.count; b++)
        printf("block %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", executed.sm_of[b],
               executed.blocks[b].slot, executed.blocks[b].start, executed.blocks[b].end);
    for (uint32_t s = 0; s < memory->sms; s++)
        print_sm(&random, &executed, s);
    printf("done\n");
    vec_free(&executed.issues);
    random_grid_free(&random);
}

/* ---- Cases -----------------------------------------------------------------------------------------------
 */

static void print_case(uint64_t seed, bool schedules) {
    struct random_block random;
    wb_analysis *analysis = NULL;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    extracted_block_make(seed, &random);
    if (analysis_of_timed(&random.block.timed, diagnostics, &analysis) != WB_OK) give_up("no analysis");
    printf("case %" PRIu64 "\n", seed);
    print_machine(&random.block.machine);
    print_warps(&random.block.timed);
    if (schedules) {
        print_schedules(analysis, diagnostics);
    } else {
        print_bounds(analysis, diagnostics);
        print_isolation(&random.block.timed);
    }
    printf("end\n");
    wb_analysis_free(analysis);
    synthetic_block_free(&random.block);
    wb_diagnostics_free(diagnostics);
}

static void print_block(uint64_t seed) {
    print_case(seed, false);
}

static void print_scheduled(uint64_t seed) {
    print_case(seed, true);
}

static const struct {
    const char *name;
    void (*print)(uint64_t seed);
} subjects[] = {{"blocks", print_block},
                {"grids", print_grid},
                {"schedules", print_scheduled},
                {"executions", print_execution}};

int main(int count, char **words) {
    if (count != 4) give_up("expected blocks|grids|schedules|executions FIRST_SEED COUNT");
    const uint64_t first = strtoull(words[2], NULL, 10), cases = strtoull(words[3], NULL, 10);
    for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++) {
        if (strcmp(words[1], subjects[s].name) != 0) continue;
        for (uint64_t i = 0; i < cases; i++)
            subjects[s].print(first + i);
        return 0;
    }
    give_up("expected blocks, grids, schedules or executions");
}
