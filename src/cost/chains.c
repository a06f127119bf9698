/* The parts of the longest paths of blocks, as the walkers of the bounds report them. */
#include "bound/sass/code_profile.h"
#include "cost/costs.h"

cycles *chain_spent_new(const struct timed_code *code, struct arena *arena) {
    return arena_array(arena, (size_t)code->inst_count * CHAIN_STEPS + 1, sizeof(cycles));
}

/* The part that a step's cycles belong to. */
static wb_part_kind part_of(enum chain_step step) {
    switch (step) {
    case CHAIN_ISSUE: return WB_PART_ISSUE;
    case CHAIN_UNIT:
    case CHAIN_STAGE:
    case CHAIN_STAGE_2:
    case CHAIN_STAGE_3: return WB_PART_UNIT;
    case CHAIN_STALL: return WB_PART_STALL;
    case CHAIN_FETCH: return WB_PART_FETCH;
    case CHAIN_BANKS: return WB_PART_BANKS;
    case CHAIN_CONSTANTS: return WB_PART_CONSTANTS;
    case CHAIN_CODE: return WB_PART_CODE;
    case CHAIN_L1: return WB_PART_L1;
    case CHAIN_L2: return WB_PART_L2;
    case CHAIN_DRAM: return WB_PART_DRAM;
    case CHAIN_TRANSLATIONS: return WB_PART_TRANSLATIONS;
    default: return WB_PART_LATENCY;
    }
}

/* The stage of machine code that a step is about; -1: none. */
static int stage_of(enum chain_step step) {
    if (step == CHAIN_UNIT) return 0;
    return step >= CHAIN_STAGE && step <= CHAIN_STAGE_3 ? (int)(step - CHAIN_STAGE) : -1;
}

void chain_spent_add(const struct timed_code *code, const cycles *spent, uint64_t times, struct tally *tally,
                     struct code_causes *causes) {
    for (uint32_t i = 0; i < code->inst_count; i++) {
        for (enum chain_step step = 0; step < CHAIN_STEPS; step++) {
            const cycles amount = cycles_mul(spent[(size_t)i * CHAIN_STEPS + step], times);
            if (amount == 0) continue;
            tally_add(tally, timed_origin(code, i), part_of(step), amount);
            if (causes == NULL) continue;
            const int stage = stage_of(step);
            cycles *cause =
                stage < 0 ? &causes->of[part_of(step)] : &causes->units[code->sass[i].stages[stage].unit];
            *cause = cycles_add(*cause, amount);
        }
    }
}

bool chain_may_go_on(struct chain_watch *watch, uint64_t walked) {
    watch->walked += walked;
    if (watch->watch != NULL && watch->watch->poll != NULL)
        watch->stopped = !watch->watch->poll(watch->watch->user, "costs", watch->walked, 0);
    return !watch->stopped;
}

wb_status chain_end(struct chains *chains, const struct chain_watch *watch, wb_status status,
                    wb_diagnostics *diagnostics) {
    const bool too_long = chains->too_long;
    chains_free(chains);
    if (status == WB_OK) return status;
    if (!watch->stopped && !too_long) return diagnose_out_of_memory(diagnostics, "costs");
    diagnose(diagnostics, SEVERITY_ERROR, "costs",
             watch->stopped ? "analysis stopped" : "the paths are too long to be followed back");
    return WB_ERR_LIMIT;
}

/* ---- Latencies only --------------------------------------------------------------------------------------
 * */

struct latency_sum {
    const struct timed_block *block;
    struct chain_watch watch;
    cycles *spent;
    cycles length;
};

static wb_status watch_row(void *user, const struct phase_walker *walkers,
                           const struct section_profile *cells, uint64_t times) {
    struct latency_sum *sum = user;
    (void)walkers, (void)cells, (void)times;
    return chain_may_go_on(&sum->watch, 1) ? WB_OK : WB_ERR_LIMIT;
}

const struct own_graph *code_latest(const struct own_walker *walkers, uint32_t count) {
    const struct own_graph *latest = &walkers[0].latencies;
    for (uint32_t p = 1; p < count; p++)
        if (walkers[p].latencies.complete->at > latest->complete->at) latest = &walkers[p].latencies;
    return latest;
}

/* Every section begins when all of the one before is complete. */
static wb_status add_code_row(void *user, const struct own_walker *walkers,
                              const struct own_section *sections, uint64_t times) {
    struct latency_sum *sum = user;
    const struct own_graph *latest = code_latest(walkers, sum->block->path_count);
    (void)sections;
    if (!chain_may_go_on(&sum->watch, 1)) return WB_ERR_LIMIT;
    sum->length = cycles_add(sum->length, cycles_mul(latest->complete->at, times));
    return chain_spend(latest->chains, latest->complete->link, times, sum->spent);
}

/* The chain of PTX, of which releases of barriers are a part. */
static wb_status follow_latencies(struct latency_sum *sum, wb_diagnostics *diagnostics) {
    struct profile_trace trace = {.latencies = true, .row = watch_row, .user = sum};
    wb_status status = block_profile_trace(sum->block, &trace);
    if (status == WB_OK) status = chain_spend(&trace.chains, trace.latest.link, 1, sum->spent);
    sum->length = trace.latest.at;
    return chain_end(&trace.chains, &sum->watch, status, diagnostics);
}

/* The same of machine code that is timed. */
static wb_status follow_code(struct latency_sum *sum, wb_diagnostics *diagnostics) {
    struct code_trace trace = {.latencies = true, .row = add_code_row, .user = sum};
    const wb_status status = code_profile_trace(sum->block, MISSES_BESIDE, &trace);
    return chain_end(&trace.chains, &sum->watch, status, diagnostics);
}

wb_status latency_chain(const struct timed_block *block, uint64_t times, struct tally *tally,
                        const wb_watch *watch, wb_diagnostics *diagnostics, cycles *length) {
    struct arena arena = {0};
    struct latency_sum sum = {
        .block = block, .watch = {.watch = watch}, .spent = chain_spent_new(&block->code, &arena)};
    if (sum.spent == NULL) return diagnose_out_of_memory(diagnostics, "costs");
    const wb_status status =
        block->code.sass != NULL ? follow_code(&sum, diagnostics) : follow_latencies(&sum, diagnostics);
    *length = sum.length;
    if (status == WB_OK) {
        cycles released = sum.length; /* what no step spends */
        for (size_t s = 0; s < (size_t)block->code.inst_count * CHAIN_STEPS; s++)
            released = cycles_sub(released, sum.spent[s]);
        chain_spent_add(&block->code, sum.spent, times, tally, NULL);
        tally_add(tally, tally_apart(tally, COST_RELEASE), WB_PART_LATENCY, cycles_mul(released, times));
    }
    arena_free(&arena);
    return status;
}
