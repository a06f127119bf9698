#include "naive_serial_bound.h"

#include <assert.h>
#include <stdlib.h>

const char *const serial_mutant_names[SERIAL_MUTANTS] = {
    [SERIAL_AS_PROVEN] = "as proven",
    [SERIAL_APART] = "work or latencies of a section",
    [SERIAL_ONE_SECTION] = "work of whole blocks",
    [SERIAL_LATENCY_CUT] = "latencies that end at barriers",
    [SERIAL_NO_END] = "last results not waited for",
    [SERIAL_EARLY_WARPS] = "results of warps that end early not waited for",
    [SERIAL_NO_SHARED] = "no work of shared units",
    [SERIAL_FIRST_CORE] = "work of the first sub-core",
    [SERIAL_NO_RELEASE] = "no releases of barriers",
    [SERIAL_BLOCK_FEWER] = "latencies of a block fewer",
    [SERIAL_NO_DELAY] = "no dispatch latency",
    [SERIAL_NO_SERVICE] = "no dispatch service",
};

static uint64_t max(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* A warp's instructions and the sections that they are in. */
struct warp {
    const struct sub_core_program *program;
    enum serial_mutant mutant;
    uint32_t section[SUB_CORE_INSTS];
    uint32_t last; /* section */
};

static struct warp warp_of(const struct sub_core_program *program, enum serial_mutant mutant) {
    struct warp warp = {.program = program, .mutant = mutant};
    for (uint32_t i = 0; i < program->count; i++) {
        warp.section[i] = warp.last;
        warp.last += program->insts[i].barrier;
    }
    return warp;
}

/* Whether an instruction that was issued before a section had another as operand. */
static bool was_read(const struct warp *warp, uint32_t p, uint32_t section) {
    for (uint32_t i = 0; i < warp->program->count; i++)
        if (warp->section[i] < section && (warp->program->insts[i].operands >> p & 1) != 0) return true;
    return false;
}

/* From the start of a section until instruction p is complete, counted in latencies; issue[p]: until it is
 * issued. */
static uint64_t until_complete(const struct warp *warp, const uint64_t *issue, uint32_t p, uint32_t section) {
    const uint64_t latency = warp->program->insts[p].latency;
    if (warp->section[p] == section) return issue[p] + latency;
    return warp->mutant == SERIAL_LATENCY_CUT || was_read(warp, p, section) ? 0 : latency;
}

/* The longest chain of latencies of a section from the last arrival at the barrier before it on. */
static uint64_t chain_of(const struct warp *warp, uint32_t section, bool is_last, uint64_t release) {
    const struct sub_core_program *program = warp->program;
    uint64_t issue[SUB_CORE_INSTS] = {0}, now = section > 0 && section <= warp->last ? release : 0, end = 0;
    for (uint32_t i = 0; i < program->count; i++) {
        if (warp->section[i] != section) continue;
        for (uint32_t p = 0; p < i; p++)
            if ((program->insts[i].operands >> p & 1) != 0)
                now = max(now, until_complete(warp, issue, p, section));
        issue[i] = now;
    }
    if (!is_last || warp->mutant == SERIAL_NO_END) return now;
    if (section > warp->last && warp->mutant == SERIAL_EARLY_WARPS) return now;
    for (uint32_t p = 0; p < program->count; p++)
        end = max(end, until_complete(warp, issue, p, section));
    return max(now, end);
}

/* Of a section the work of a warp on units of all sub-cores, or on its own ones. */
static uint64_t work_of(const struct sub_core_grid *grid, const struct warp *warp, uint32_t section,
                        bool shared) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < warp->program->count; i++) {
        const struct sub_core_inst *inst = &warp->program->insts[i];
        if (warp->section[i] != section || inst->bare || grid->units[inst->unit].shared != shared) continue;
        sum += inst->init;
    }
    return sum;
}

/* What one section of a block takes. */
static uint64_t section_time(const struct sub_core_grid *grid, const struct warp *warps, uint32_t count,
                             uint32_t section, uint32_t sections, enum serial_mutant mutant) {
    const uint64_t release = mutant == SERIAL_NO_RELEASE ? 0 : grid->release;
    uint64_t work[SUB_CORES_MAX] = {0}, latency[SUB_CORES_MAX] = {0}, shared = 0, most = 0;
    for (uint32_t w = 0; w < count; w++) {
        const struct warp *warp = &warps[w];
        const uint32_t core = w % grid->sub_cores;
        shared += work_of(grid, warp, section, true);
        work[core] += work_of(grid, warp, section, false);
        latency[core] = max(latency[core], chain_of(warp, section, section + 1 == sections, release));
    }
    for (uint32_t c = 0; c < grid->sub_cores; c++) {
        if (mutant == SERIAL_FIRST_CORE) work[c] = work[0];
        if (mutant == SERIAL_ONE_SECTION) work[c] = 0;
        most = max(most, mutant == SERIAL_APART ? max(work[c], latency[c]) : work[c] + latency[c]);
    }
    return most + (mutant == SERIAL_NO_SHARED ? 0 : shared);
}

/* The most that any sub-core has to do in the whole block. */
static uint64_t work_of_block(const struct sub_core_grid *grid, const struct warp *warps, uint32_t count) {
    uint64_t work[SUB_CORES_MAX] = {0}, most = 0;
    for (uint32_t w = 0; w < count; w++)
        for (uint32_t s = 0; s <= warps[w].last; s++)
            work[w % grid->sub_cores] += work_of(grid, &warps[w], s, false);
    for (uint32_t c = 0; c < grid->sub_cores; c++)
        most = max(most, work[c]);
    return most;
}

static uint64_t time_of_kind(const struct sub_core_grid *grid, const struct sub_core_kind *kind,
                             enum serial_mutant mutant) {
    static struct warp warps[SUB_CORE_WARPS];
    uint32_t sections = 1;
    for (uint32_t w = 0; w < kind->warps; w++) {
        warps[w] = warp_of(&kind->programs[w], mutant);
        sections = warps[w].last + 1 > sections ? warps[w].last + 1 : sections;
    }
    uint64_t sum = 0;
    for (uint32_t s = 0; s < sections; s++)
        sum += section_time(grid, warps, kind->warps, s, sections, mutant);
    return mutant == SERIAL_ONE_SECTION ? sum + work_of_block(grid, warps, kind->warps) : sum;
}

static int most_first(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

uint64_t naive_serial_bound(const struct sub_core_grid *grid, enum serial_mutant mutant) {
    const uint64_t blocks = sub_core_grid_blocks(grid), slots = (uint64_t)grid->sms * grid->rooms;
    assert(grid->sms > 0);
    if (grid->is_static || (blocks > slots && grid->sms > 1)) return UINT64_MAX;
    uint64_t *times = calloc(blocks + 1, sizeof *times);
    if (times == NULL) abort();
    size_t count = 0;
    for (uint32_t k = 0; k < grid->kind_count; k++)
        for (uint32_t b = 0; b < grid->kinds[k].blocks; b++)
            times[count++] = time_of_kind(grid, &grid->kinds[k], mutant);
    qsort(times, count, sizeof *times, most_first);
    const uint64_t n = grid->sms == 1 ? blocks : (blocks + grid->sms - 1) / grid->sms;
    uint64_t sum = mutant == SERIAL_NO_SERVICE ? 0 : grid->service * blocks;
    if (blocks > slots && mutant != SERIAL_NO_DELAY) sum += (blocks - slots) * grid->delay;
    for (uint64_t b = mutant == SERIAL_BLOCK_FEWER; b < n; b++)
        sum += times[b];
    free(times);
    return sum;
}
