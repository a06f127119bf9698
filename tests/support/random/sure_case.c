#include "sure_case.h"

#include <stdio.h>
#include <stdlib.h>

static void set_machine(struct wb_machine *machine, const struct sure_setting *setting) {
    struct machine_memory *memory = &machine->memory;
    uint32_t sets = setting->sets == 0 ? 1 : setting->sets;
    memory->requests = setting->sector_bytes == 0 ? REQUESTS_FERMI : REQUESTS_VOLTA;
    memory->l1 = (struct cache_geometry){
        .bytes = sets * setting->ways * MEMORY_LINE_BYTES,
        .ways = setting->ways,
        .line_bytes = MEMORY_LINE_BYTES,
        .sector_bytes = setting->sector_bytes == 0 ? MEMORY_LINE_BYTES : setting->sector_bytes,
        .hashed = setting->hashed,
    };
    memory->l1_store = setting->store;
    machine->dispatch_depth = setting->depth;
    if (setting->sub_cores > 0) machine->sub_cores = setting->sub_cores;
}

static uint32_t resident_of(const struct sure_case *known) {
    return known->setting.resident == 0 ? UINT32_MAX : known->setting.resident;
}

static void analyse(struct sure_case *known) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    const struct sm_share share = {.sm = 0, .sms = 1, .resident = resident_of(known)};
    set_machine(&known->hand.machine, &known->setting);
    for (uint32_t i = 0; i < HAND_INSTRUCTIONS && known->setting.two_units; i++)
        known->hand.code.insts[i].unit = i % 2;
    const wb_status made =
        traffic_make(&known->hand.grid, &known->hand.machine, diagnostics, &known->traffic);
    if (made == WB_OK && known->setting.uncached) hand_uncache(&known->traffic);
    if (made != WB_OK ||
        must_hits_make(&known->traffic, &known->hand.code, &share, diagnostics, &known->hits) != WB_OK) {
        (void)fprintf(stderr, "%s", wb_diagnostics_text(diagnostics));
        abort();
    }
    wb_diagnostics_free(diagnostics);
}

void sure_case_make(struct sure_case *known, const char *blocks, const struct sure_setting *setting) {
    *known = (struct sure_case){.setting = *setting};
    hand_grid_make(&known->hand, blocks);
    analyse(known);
}

void sure_case_random(struct sure_case *known, uint64_t seed, const struct hand_shape *shape, uint32_t blocks,
                      const struct sure_setting *setting) {
    struct random_state random = random_seeded(seed);
    *known = (struct sure_case){.seed = seed, .setting = *setting};
    hand_grid_begin(&known->hand);
    for (uint32_t b = 0; b < blocks; b++)
        hand_grid_add_random(&known->hand, &random, shape);
    analyse(known);
}

void sure_case_free(struct sure_case *known) {
    must_hits_free(&known->hits);
    traffic_free(&known->traffic);
    hand_grid_free(&known->hand);
}

char *sure_case_text(const struct sure_case *known) {
    struct text text = {0};
    const struct sure_setting *setting = &known->setting;
    text_printf(
        &text,
        "seed %llu: %s\n%u sets, %u ways, sectors of %u bytes, store policy %u, %u resident, hashed %d",
        (unsigned long long)known->seed, known->hand.text.data, setting->sets, setting->ways,
        setting->sector_bytes, setting->store, setting->resident, setting->hashed);
    return text_take(&text);
}

void sure_case_ask(const struct sure_case *known, enum order_cache cache, enum port_order order,
                   uint32_t walks, struct order_answer *answer) {
    const struct order_question question = {.traffic = &known->traffic,
                                            .code = &known->hand.code,
                                            .resident = resident_of(known),
                                            .cache = cache,
                                            .order = order,
                                            .walks = walks,
                                            .seed = known->seed};
    every_order(&question, answer);
}

/* Whether the fate of a load is one that its verdict allows. */
static bool fate_allowed(uint8_t verdict, uint8_t fate) {
    if ((verdict & MUST_DATA) != 0) return (verdict & MUST_HIT) != 0 && (fate & (FATE_MISS | FATE_LATE)) == 0;
    return (verdict & MUST_HIT) == 0 || (fate & FATE_MISS) == 0;
}

/* Whether the verdicts on a warp's loads hold. */
static bool warp_holds(const struct sure_case *known, const struct order_answer *answer, uint32_t block,
                       uint32_t warp, struct sure_census *census) {
    const struct traffic_pattern *pattern = traffic_pattern_of(&known->traffic, block, warp);
    const uint8_t *verdicts = must_hits_of(&known->hits, block, warp);
    bool holds = true;
    for (uint32_t a = 0; a < pattern->access_count; a++) {
        const struct traffic_access *access = &pattern->accesses[a];
        for (uint32_t r = access->first_request; r < access->first_request + access->request_count; r++) {
            uint8_t fate = answer->fates[block][warp][r];
            holds = holds && fate_allowed(verdicts[r], fate) &&
                    (access->kind == TRAFFIC_LOAD || verdicts[r] == 0);
            census->uncached += access->kind == TRAFFIC_UNCACHED;
            if (access->kind != TRAFFIC_LOAD) continue;
            census->loads++;
            census->hits += (fate & FATE_MISS) == 0;
            census->prompt += (fate & (FATE_MISS | FATE_LATE)) == 0;
            census->found += (verdicts[r] & MUST_HIT) != 0;
            census->prompt_found += (verdicts[r] & MUST_DATA) != 0;
        }
    }
    return holds;
}

bool sure_case_holds(const struct sure_case *known, const struct order_answer *answer,
                     struct sure_census *census) {
    struct sure_census before = *census;
    bool holds = true;
    for (uint32_t b = 0; b < known->hand.grid.blocks.count; b++) {
        for (uint32_t w = 0; w < known->hand.grid.warp_count; w++)
            holds = warp_holds(known, answer, b, w, census) && holds;
    }
    const struct miss_bound *misses = &known->hits.misses;
    const uint32_t uncached = census->uncached - before.uncached; /* these always miss */
    census->bounds_exact += misses->load_misses == answer->most_misses + uncached;
    census->cases++;
    census->incomplete += !answer->complete;
    return holds && misses->load_misses >= answer->most_misses + uncached &&
           misses->load_requests == census->loads - before.loads + uncached &&
           misses->must_hits == census->found - before.found;
}
