#include "memory/caches/caches.h"

wb_status order_replay_begin(const struct traffic *traffic, const struct sm_share *share,
                             struct order_replay *replay) {
    const struct cache_geometry *geometry = &traffic->machine->memory.l1;
    replay->state.sets = NULL;
    replay->status = WB_OK;
    WB_TRY(access_order_begin(traffic, share, &replay->order));
    if (traffic->grid->cover.covers) return cache_state_init(&replay->state, geometry, CACHE_EMPTY);
    return cache_init(&replay->cache, geometry, &replay->order.arena);
}

void requests_address(const struct traffic *traffic, const struct ordered_access *at,
                      struct met_requests *met) {
    const uint64_t *offsets = at->pattern->offsets + at->access->first_request;
    uint64_t base = traffic_base(traffic, at->block, at->warp, at->access->group);
    for (uint32_t r = 0; r < at->access->request_count; r++)
        met->addresses[r] = base + offsets[r];
}

/* Whether some request of the access is only maybe made, or its line not known: then their order is not known
 * either. */
static bool requests_are_loose(const struct ordered_access *at) {
    const bool *maybe_executed = at->pattern->maybe_executed;
    if (at->access->is_unknown) return true;
    for (uint32_t r = 0; maybe_executed != NULL && r < at->access->request_count; r++)
        if (maybe_executed[at->access->first_request + r]) return true;
    return false;
}

/* The outcome of a request of this kind. */
static uint8_t outcome_of(uint8_t kind, enum cache_class class_) {
    if (kind == TRAFFIC_UNCACHED) return REQUEST_MISSES;
    if (kind != TRAFFIC_LOAD) return REQUEST_PASSES;
    if (class_ == CACHE_ALWAYS_HIT) return REQUEST_HITS;
    return class_ == CACHE_ALWAYS_MISS ? REQUEST_MISSES : REQUEST_UNSURE;
}

/* The memory that an access to unknown addresses stays inside of. */
static struct cache_touch touch_object(const struct traffic *traffic, const struct traffic_access *access,
                                       enum touch_kind kind) {
    struct cache_touch touch = {.kind = kind};
    if (access->object == 0) return touch;
    const struct memory_object *object = &traffic->grid->cover.objects.items.items[access->object - 1];
    touch.first = object->base;
    touch.size = object->size;
    return touch;
}

/* Requests to unknown addresses, and requests that are only maybe made, come in an unknown order. A line that
 * is surely there behind all of them was there for each: loads only make lines older. */
static wb_status meet_loosely(const struct traffic *traffic, const struct ordered_access *at, uint64_t mark,
                              struct cache_state *state, struct met_requests *met) {
    const struct traffic_access *access = at->access;
    const enum touch_kind kind = l1_touch(access->kind, traffic->machine->memory.l1_store);
    const struct cache_touch object = touch_object(traffic, access, kind);
    for (uint32_t r = 0; access->is_unknown && r < access->request_count; r++)
        WB_TRY(cache_state_update(state, &object));
    if (!access->is_unknown)
        WB_TRY(cache_state_update_some(state, kind, met->addresses, access->request_count));
    for (uint32_t r = 0; r < access->request_count; r++) {
        const struct cache_touch known = {.kind = kind, .addresses = &met->addresses[r], .count = 1};
        enum cache_class class_ = cache_state_classify(state, access->is_unknown ? &object : &known);
        if (class_ == CACHE_ALWAYS_MISS) class_ = CACHE_UNCLASSIFIED; /* an earlier one may have loaded it */
        met->outcomes[r] = outcome_of(access->kind, class_);
        const bool known_hit = !access->is_unknown && met->outcomes[r] == REQUEST_HITS;
        met->marks[r] = known_hit ? cache_state_mark(state, met->addresses[r]) : mark;
    }
    return WB_OK;
}

wb_status requests_meet_state(const struct traffic *traffic, const struct ordered_access *at, uint64_t mark,
                              struct cache_state *state, struct met_requests *met) {
    const struct traffic_access *access = at->access;
    const enum touch_kind kind = l1_touch(access->kind, traffic->machine->memory.l1_store);
    if (requests_are_loose(at)) return meet_loosely(traffic, at, mark, state, met);
    for (uint32_t r = 0; r < access->request_count; r++) {
        const struct cache_touch touch = {.kind = kind, .addresses = &met->addresses[r], .count = 1};
        const enum cache_class class_ = cache_state_classify(state, &touch);
        met->outcomes[r] = outcome_of(access->kind, class_);
        const bool hits = met->outcomes[r] == REQUEST_HITS;
        met->marks[r] = hits ? cache_state_mark(state, met->addresses[r]) : mark;
        WB_TRY(cache_state_update(state, &touch));
        if (kind == TOUCH_LOAD && class_ != CACHE_ALWAYS_HIT)
            cache_state_set_mark(state, met->addresses[r], mark);
    }
    return WB_OK;
}

/* The requests of the access at hand meet the cache, first lane first. */
static void meet_cache(struct order_replay *replay) {
    const struct traffic_access *access = replay->at.access;
    struct met_requests *met = &replay->met;
    enum store_policy policy = (enum store_policy)replay->order.traffic->machine->memory.l1_store;
    if (access->kind != TRAFFIC_STORE) policy = STORE_EVICTS;
    for (uint32_t r = 0; r < access->request_count; r++) {
        if (access->kind != TRAFFIC_LOAD) {
            (void)cache_store(&replay->cache, met->addresses[r], policy);
            met->outcomes[r] = access->kind == TRAFFIC_UNCACHED ? REQUEST_MISSES : REQUEST_PASSES;
        } else {
            bool hit = cache_load(&replay->cache, met->addresses[r]).hit;
            met->outcomes[r] = hit ? REQUEST_HITS : REQUEST_MISSES;
        }
    }
}

bool order_replay_next(struct order_replay *replay) {
    const struct traffic *traffic = replay->order.traffic;
    if (replay->status != WB_OK || !access_order_next(&replay->order, &replay->at)) return false;
    requests_address(traffic, &replay->at, &replay->met);
    if (replay->state.sets != NULL)
        replay->status = requests_meet_state(traffic, &replay->at, 0, &replay->state, &replay->met);
    else
        meet_cache(replay);
    return replay->status == WB_OK;
}

void order_replay_end(struct order_replay *replay) {
    cache_state_free(&replay->state);
    access_order_end(&replay->order);
}

wb_status order_resident_blocks(const struct traffic *traffic, wb_diagnostics *diagnostics,
                                uint32_t *resident) {
    const struct wb_machine *machine = traffic->machine;
    const struct block_demand demand = grid_block_demand(traffic->grid);
    struct resident_range range;
    if (!memory_has_hierarchy(&machine->memory)) {
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "the machine has no first-level cache (l1_size); expected one that has, such as jcse2017");
        return WB_ERR_INPUT;
    }
    WB_TRY(access_order_check(traffic, diagnostics));
    WB_TRY(machine_resident_range(machine, &demand, true, diagnostics, &range));
    *resident = range.most;
    return WB_OK;
}

/* The access that a replay has come to. */
static void count_access(const struct order_replay *replay, struct miss_counts *counts) {
    const struct traffic_access *access = replay->at.access;
    counts->accesses++;
    counts->requests += access->request_count;
    if (traffic_is_load(access->kind)) counts->load_requests += access->request_count;
    for (uint32_t r = 0; r < access->request_count; r++) {
        counts->load_misses += replay->met.outcomes[r] == REQUEST_MISSES;
        counts->load_unsure += replay->met.outcomes[r] == REQUEST_UNSURE;
    }
}

/* Replays one SM from an empty cache. */
static wb_status replay_sm(const struct traffic *traffic, const struct sm_share *share,
                           struct miss_counts *counts) {
    struct order_replay replay;
    wb_status status = order_replay_begin(traffic, share, &replay);
    while (status == WB_OK && order_replay_next(&replay))
        count_access(&replay, &counts[replay.at.access->instruction]);
    if (status == WB_OK) status = replay.status;
    order_replay_end(&replay);
    return status;
}

static void add_counts(struct miss_counts *sum, const struct miss_counts *counts) {
    sum->accesses += counts->accesses;
    sum->requests += counts->requests;
    sum->load_requests += counts->load_requests;
    sum->load_misses += counts->load_misses;
    sum->load_unsure += counts->load_unsure;
}

/* Replays the SMs that one thread is given, in any order, and adds what they count. */
static wb_status replay_some(const struct traffic *traffic, struct miss_estimate *estimate, int64_t sms) {
    wb_status status = WB_OK;
    struct miss_counts *counts = calloc((size_t)estimate->instruction_count + 1, sizeof *counts);
    if (counts == NULL) status = WB_ERR_LIMIT;
#pragma omp for schedule(dynamic)
    for (int64_t sm = 0; sm < sms; sm++) {
        if (status != WB_OK) continue;
        const struct sm_share share = {(uint32_t)sm, (uint32_t)sms, estimate->resident};
        status = replay_sm(traffic, &share, counts);
    }
#pragma omp critical(add_miss_counts)
    for (uint32_t i = 0; status == WB_OK && i < estimate->instruction_count; i++)
        add_counts(&estimate->instructions[i], &counts[i]);
    free(counts);
    return status;
}

static wb_status replay_all(const struct traffic *traffic, uint32_t threads, struct miss_estimate *estimate) {
    wb_status status = WB_OK;
    estimate->instructions = calloc((size_t)estimate->instruction_count + 1, sizeof *estimate->instructions);
    if (estimate->instructions == NULL) return WB_ERR_LIMIT;
#pragma omp parallel num_threads((int)threads)
    {
        wb_status own = replay_some(traffic, estimate, traffic->machine->memory.sms);
#pragma omp critical(keep_status)
        if (own != WB_OK) status = own;
    }
    for (uint32_t i = 0; i < estimate->instruction_count; i++)
        add_counts(&estimate->total, &estimate->instructions[i]);
    return status;
}

wb_status miss_estimate_make(const struct traffic *traffic, uint32_t threads, wb_diagnostics *diagnostics,
                             struct miss_estimate *estimate) {
    *estimate = (struct miss_estimate){.instruction_count = traffic->grid->instruction_count};
    WB_TRY(order_resident_blocks(traffic, diagnostics, &estimate->resident));
    wb_status status = replay_all(traffic, threads, estimate);
    return status == WB_OK ? WB_OK : diagnose_out_of_memory(diagnostics, traffic->machine->name);
}

void miss_estimate_free(struct miss_estimate *estimate) {
    free(estimate->instructions);
    *estimate = (struct miss_estimate){0};
}
