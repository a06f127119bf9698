/* The GPU simulator against a naive one, cycle by cycle, on random grids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu_record.h"
#include "naive_gpu.h"
#include "random_block.h"
#include "random_gpu.h"

/* The schemes with the policies that they are tested with. */
static const struct gpu_scheme schemes[] = {
    {.name = "default", .policy = &policy_lrr},
    {.name = "default", .policy = &policy_gto},
    {.name = "default", .policy = &policy_oldest},
    {.name = "pure-rr", .policy = &policy_rr},
    {.name = "reorder", .policy = &policy_lrr, .reorder = true},
    {.name = "reorder", .policy = &policy_gto, .reorder = true},
    {.name = "reorder", .policy = &policy_oldest, .reorder = true},
};

#define SCHEMES (sizeof schemes / sizeof *schemes)

/* Blocks that an SM holds at a time, counted here. */
static uint32_t slots_of(const struct random_gpu *gpu, bool reorder) {
    const struct wb_machine *machine = &gpu->hand.machine;
    uint32_t channels = machine->memory.channels / gpu->hand.grid.warp_count;
    uint32_t slots = machine->limits.blocks;
    return reorder && channels < slots ? channels : slots;
}

static const char *compare_issues(const struct naive_gpu_result *naive, const struct gpu_record *record) {
    size_t *next = calloc(record->sm_count, sizeof *next);
    const char *problem = NULL;
    for (size_t i = 0; i < naive->issues.count && problem == NULL; i++) {
        const struct naive_issue *wanted = &naive->issues.items[i];
        const struct gpu_sm_record *sm = &record->sms[wanted->sm];
        if (next[wanted->sm] == sm->issues.count) {
            problem = "an issue is missing";
            break;
        }
        const struct sim_event *event = &sm->issues.items[next[wanted->sm]++];
        if (event->issue != wanted->at) problem = "issue cycle";
        if (event->block != wanted->block || event->warp != wanted->warp || event->step != wanted->step)
            problem = "who issues";
    }
    for (uint32_t s = 0; s < record->sm_count && problem == NULL; s++)
        problem = next[s] != record->sms[s].issues.count ? "more issues" : NULL;
    free(next);
    return problem;
}

static const char *compare_turns(const struct naive_gpu_result *naive, const struct gpu_record *record) {
    static const uint8_t outcomes[] = {L1_MISS, L1_HIT, L1_HIT_UNDER_MISS, L1_PASSED};
    size_t *next = calloc(record->sm_count, sizeof *next);
    const char *problem = NULL;
    for (size_t i = 0; i < naive->turns.count && problem == NULL; i++) {
        const struct naive_turn *wanted = &naive->turns.items[i];
        const struct gpu_sm_record *sm = &record->sms[wanted->sm];
        if (next[wanted->sm] == sm->turns.count) {
            problem = "a turn is missing";
            break;
        }
        const struct sm_access *access = &sm->turns.items[next[wanted->sm]++];
        if (access->at != wanted->at) problem = "cycle of a turn";
        if (access->outcome != outcomes[wanted->outcome]) problem = "hit or miss";
        if (access->block != wanted->block || access->warp != wanted->warp ||
            access->instruction != wanted->instruction || access->address != wanted->address)
            problem = "whose turn";
    }
    for (uint32_t s = 0; s < record->sm_count && problem == NULL; s++)
        problem = next[s] != record->sms[s].turns.count ? "more turns" : NULL;
    free(next);
    return problem;
}

static const char *compare_instructions(const struct naive_gpu_result *naive,
                                        const wb_gpu_simulation *result) {
    uint64_t requests = 0, misses = 0;
    for (size_t i = 0; i < result->instruction_count; i++) {
        const wb_instruction_traffic *traffic = &result->instructions[i];
        requests = misses = 0;
        for (size_t t = 0; t < naive->turns.count; t++) {
            if (naive->turns.items[t].instruction != i) continue;
            requests++;
            misses += naive->turns.items[t].outcome == 0;
        }
        if (traffic->requests != requests || traffic->misses != misses) return "counts of an instruction";
    }
    return NULL;
}

static const char *compare_counts(const struct naive_gpu_result *naive, const wb_gpu_simulation *result) {
    const struct {
        const char *name;
        uint64_t wanted, is;
    } counts[] = {
        {"cycles", naive->end, result->cycles},
        {"warp_instructions", naive->instructions, result->warp_instructions},
        {"loads", naive->loads, result->loads},
        {"hits", naive->hits, result->hits},
        {"misses", naive->misses, result->misses},
        {"hits_under_miss", naive->hits_under_miss, result->hits_under_miss},
        {"stores", naive->stores, result->stores},
        {"atomics", naive->atomics, result->atomics},
        {"l2_hits", naive->l2_hits, result->l2_hits},
        {"l2_misses", naive->l2_misses, result->l2_misses},
        {"dram_reads", naive->dram_reads, result->dram_reads},
        {"dram_writes", naive->dram_writes, result->dram_writes},
        {"mshr_stalls", naive->mshr_stalls, result->mshr_stalls},
        {"victim_stalls", naive->victim_stalls, result->victim_stalls},
        {"reorder_stalls", naive->reorder_stalls, result->reorder_stalls},
        {"channel_stalls", naive->channel_stalls, result->channel_stalls},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].wanted != counts[i].is) return counts[i].name;
    }
    return NULL;
}

/* What differs, or NULL. */
static const char *compare(const struct random_gpu *gpu, const struct naive_gpu_result *naive,
                           const struct gpu_record *record) {
    const char *problem = compare_issues(naive, record);
    if (problem == NULL) problem = compare_turns(naive, record);
    if (problem == NULL) problem = compare_counts(naive, &record->result);
    if (problem == NULL) problem = compare_instructions(naive, &record->result);
    for (size_t b = 0; b < gpu->hand.grid.blocks.count && problem == NULL; b++) {
        if (naive->blocks[b].start != record->blocks[b].start) problem = "start of a block";
        if (naive->blocks[b].end != record->blocks[b].end) problem = "end of a block";
    }
    return problem;
}

static void check(uint64_t seed, const struct random_gpu *gpu, const struct gpu_scheme *scheme) {
    struct naive_gpu_result naive;
    struct gpu_record record;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    uint32_t slots = slots_of(gpu, scheme->reorder);
    wb_status status = gpu_record_make(&gpu->timed, scheme, 1, diagnostics, &record);
    if (status != WB_OK) {
        fail_msg("seed %llu, %s %s: %s\n%s", (unsigned long long)seed, scheme->name, scheme->policy->name,
                 wb_diagnostics_text(diagnostics), gpu->label.data);
    }
    naive_gpu_simulate(&gpu->timed, scheme->policy->name, scheme->reorder, slots, &naive);
    const char *problem = compare(gpu, &naive, &record);
    if (problem != NULL)
        fail_msg("seed %llu, %s %s: %s differs (end %llu, naive %llu)\n%s", (unsigned long long)seed,
                 scheme->name, scheme->policy->name, problem, (unsigned long long)record.result.cycles,
                 (unsigned long long)naive.end, gpu->label.data);
    naive_gpu_free(&naive);
    gpu_record_free(&record);
    wb_diagnostics_free(diagnostics);
}

static const struct random_gpu_family family = {
    .sms = 3,
    .sub_cores = 2,
    .width = 2,
    .units = 2,
    .blocks = 6,
    .resident = 3,
    .shape = {.warps = 3,
              .accesses = 5,
              .instructions = 8,
              .lines = 16,
              .lanes = 4,
              .store_percent = 20,
              .atomic_percent = 10,
              .barrier_percent = 15},
};

/* What random_gpu_make leaves out: requests of two units, of one without a queue and of one with; barriers
 * that take slots; instructions without a unit that wait for operands, and such that are not counted. */
static void vary_code(uint64_t seed, struct random_gpu *gpu) {
    struct random_state random = random_seeded(~seed);
    uint32_t kind = (uint32_t)random_below(&random, 8);
    for (uint32_t i = 0; i < gpu->hand.code.inst_count; i++) {
        struct timed_inst *inst = &gpu->hand.code.insts[i];
        bool chosen = random_below(&random, 2) != 0;
        if ((kind & 1) != 0 && chosen && inst->unit == 1) inst->unit = 0;
        if (inst->barrier || inst->unit == 1) continue;
        if ((kind & 2) != 0 && chosen && inst->source_count == 1 && inst->destination_count == 0)
            *inst = (struct timed_inst){.first_operand = inst->first_operand,
                                        .source_count = 1,
                                        .unit = UNIT_NONE,
                                        .latency = (uint32_t)random_below(&random, 3),
                                        .uncounted = true};
    }
}

static void test_against_naive(void **state) {
    (void)state;
    uint32_t rounds = random_rounds(4000);
    for (uint64_t seed = 0; seed < rounds; seed++) {
        struct random_gpu_family varied = family;
        struct random_gpu gpu;
        varied.greedy = seed % 2 == 0;
        varied.shape.sectors = seed % 3 == 0 ? 3 : 0;
        random_gpu_make(seed, &varied, &gpu);
        if (seed % 5 != 0) vary_code(seed, &gpu);
        check(seed, &gpu, &schemes[seed / 2 % SCHEMES]);
        random_gpu_free(&gpu);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_naive),
    };
    return cmocka_run_group_tests_name("random GPUs", tests, NULL, NULL);
}
