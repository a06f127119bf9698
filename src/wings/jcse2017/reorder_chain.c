/* The bound of scheme reorder: the longest chain of latencies through all warps of an SM, along the order in
 * which the reordering unit serves them (docs/memory-bounds.md, section 7). */
#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "bound/cache/latency_path.h"
#include "bound/cache/memory_work.h"
#include "memory/caches/caches.h"
#include "memory/requests/requests.h"
#include "wings/jcse2017/methods.h"

/* A first-level cache that sees one known order of accesses, with a bound on when the data of each line is
 * there: a hit on data that is still on its way waits for it. */
struct arrival_cache {
    struct cache cache;
    struct request_latencies latencies;
    cycles miss_latency; /* from the turn of a miss to its data */
    enum store_policy policy;
    cycles *arrivals; /* per line of the cache, in the same places: when all its data is there */
    uint64_t misses;
    struct cache_state state; /* of covering paths, in the place of `cache`: arrivals are its marks */
    bool covers;
};

/* The first level of an SM of the machine, empty. WB_ERR_LIMIT when memory is exhausted. */
static wb_status arrival_cache_init(struct arrival_cache *arrival, const struct machine_memory *memory,
                                    bool covers, struct arena *arena) {
    *arrival = (struct arrival_cache){.latencies = request_latencies_of(memory),
                                      .miss_latency = memory_miss_latency(memory),
                                      .policy = (enum store_policy)memory->l1_store,
                                      .covers = covers};
    if (covers) return cache_state_init(&arrival->state, &memory->l1, CACHE_EMPTY);
    WB_TRY(cache_init(&arrival->cache, &memory->l1, arena));
    size_t lines = (size_t)arrival->cache.index.set_count * arrival->cache.ways;
    arrival->arrivals = arena_array(arena, lines, sizeof *arrival->arrivals);
    return arrival->arrivals == NULL ? WB_ERR_LIMIT : WB_OK;
}

static void arrival_cache_free(struct arrival_cache *arrival) {
    cache_state_free(&arrival->state);
}

/* Empties it and counts no misses. */
static void arrival_cache_clear(struct arrival_cache *arrival) {
    if (arrival->covers)
        cache_state_clear(&arrival->state);
    else
        cache_clear(&arrival->cache);
    arrival->misses = 0;
}

/* Where in its set a line stands, or the first empty place, or `ways`. */
static uint32_t find_place(const struct cache *cache, size_t set, uint64_t number) {
    const struct cache_line *lines = cache->lines + set;
    uint32_t place = 0;
    while (place < cache->ways && lines[place].sectors != 0 && lines[place].number != number)
        place++;
    return place;
}

/* Lines keep the order of their last use, and so do their arrivals: the one at `place` comes to the front. */
static void move_to_front(cycles *arrivals, uint32_t place) {
    cycles moved = arrivals[place];
    memmove(arrivals + 1, arrivals, place * sizeof *arrivals);
    arrivals[0] = moved;
}

/* When the data of an access is there: so long behind its turn, and not before what is on its way. */
struct data_time {
    cycles takes, arrives;
};

static cycles data_there(struct data_time data, cycles turn) {
    return cycles_max(cycles_add(turn, data.takes), data.arrives);
}

/* A load has its turn until `turn`. */
static struct data_time load(struct arrival_cache *arrival, uint64_t address, cycles turn) {
    struct cache *cache = &arrival->cache;
    size_t set = (size_t)cache_set_of(cache, address) * cache->ways;
    uint32_t place = find_place(cache, set, cache_line_number(&cache->index, address));
    bool known = place < cache->ways && cache->lines[set + place].sectors != 0;
    cycles *arrivals = arrival->arrivals + set;
    move_to_front(arrivals, place < cache->ways ? place : cache->ways - 1);
    if (!known) arrivals[0] = 0;
    if (cache_load(cache, address).hit) return (struct data_time){arrival->latencies.hit, arrivals[0]};
    arrival->misses++;
    arrivals[0] = cycles_max(arrivals[0], cycles_add(turn, arrival->miss_latency));
    return (struct data_time){arrival->miss_latency, 0};
}

/* A store, an atomic or an uncached load has its turn. */
static void write(struct arrival_cache *arrival, uint64_t address, bool is_store) {
    struct cache *cache = &arrival->cache;
    enum store_policy policy = is_store ? arrival->policy : STORE_EVICTS;
    size_t set = (size_t)cache_set_of(cache, address) * cache->ways;
    uint32_t place = find_place(cache, set, cache_line_number(&cache->index, address));
    cycles *arrivals = arrival->arrivals + set;
    if (place < cache->ways && cache->lines[set + place].sectors != 0) {
        if (policy == STORE_UPDATES)
            move_to_front(arrivals, place);
        else
            memmove(arrivals + place, arrivals + place + 1, (cache->ways - place - 1) * sizeof *arrivals);
    }
    (void)cache_store(cache, address, policy);
}

/* The data of a load of covering paths. A line that surely hits has its data no later than a miss of the load
 * since which it is surely there; an unknown line no later than a miss now. */
static struct data_time load_surely(struct arrival_cache *arrival, const struct traffic_access *access,
                                    const struct met_requests *met) {
    struct data_time data = {arrival->latencies.hit, 0};
    for (uint32_t r = 0; r < access->request_count; r++) {
        arrival->misses += met->outcomes[r] != REQUEST_HITS;
        data.arrives = cycles_max(data.arrives, met->marks[r]);
    }
    return data;
}

/* All requests of an access have had their turns by `turn`; WB_ERR_LIMIT when memory is exhausted. */
static wb_status arrival_cache_access(struct arrival_cache *arrival, const struct traffic *traffic,
                                      const struct ordered_access *at, cycles turn, struct data_time *data) {
    const struct traffic_access *access = at->access;
    struct met_requests met;
    requests_address(traffic, at, &met);
    *data = (struct data_time){traffic_is_load(access->kind) ? 0 : arrival->latencies.write, 0};
    if (arrival->covers) {
        const cycles late = cycles_add(turn, arrival->miss_latency);
        WB_TRY(requests_meet_state(traffic, at, late, &arrival->state, &met));
        if (traffic_is_load(access->kind)) *data = load_surely(arrival, access, &met);
        return WB_OK;
    }
    for (uint32_t r = 0; r < access->request_count; r++) {
        if (access->kind == TRAFFIC_LOAD) {
            const struct data_time one = load(arrival, met.addresses[r], turn);
            *data = (struct data_time){cycles_max(data->takes, one.takes),
                                       cycles_max(data->arrives, one.arrives)};
        } else {
            write(arrival, met.addresses[r], access->kind == TRAFFIC_STORE);
        }
    }
    if (access->kind == TRAFFIC_UNCACHED) {
        arrival->misses += access->request_count;
        data->takes = arrival->miss_latency;
    }
    return WB_OK;
}

/* The event that stops a warp. */
enum chain_stop { CHAIN_MOVES, CHAIN_AT_ACCESS, CHAIN_AT_BARRIER, CHAIN_ENDED };

struct chain_warp {
    enum chain_stop stop;
    struct warp_step step; /* CHAIN_AT_ACCESS: the instruction that is to be served */
    cycles *entries;       /* when each entry of its channel is free, as a ring */
    uint64_t served;       /* instructions with requests so far */
};

/* An SM on its way: the blocks of one generation, and what is known of older ones. */
struct chain {
    const struct memory_work *work;
    struct arrival_cache cache;
    struct latency_block *blocks; /* per slot */
    struct chain_warp *warps;     /* per slot and warp */
    cycles *ends;                 /* the `resident` largest ends of blocks of older generations, ascending */
    cycles end;                   /* the largest */
    cycles served;                /* to the end of the last service */
    uint32_t sm, block_count;     /* which SM, and its blocks */
    uint32_t generation, in_use;  /* slots with blocks */
    struct text *out;             /* what is served, for a certificate; or NULL */
    VEC(cycles) turns;            /* then the end of each service of the SM */
};

static wb_status chain_init(struct chain *chain, struct arena *arena) {
    const struct timed_grid *timed = chain->work->timed;
    const struct machine_memory *memory = &timed->machine->memory;
    const size_t slots = chain->work->resident, warps = slots * timed->grid->warp_count;
    chain->blocks = arena_array(arena, slots + 1, sizeof *chain->blocks);
    chain->warps = arena_array(arena, warps + 1, sizeof *chain->warps);
    chain->ends = arena_array(arena, slots + 1, sizeof *chain->ends);
    if (chain->blocks == NULL || chain->warps == NULL || chain->ends == NULL) return WB_ERR_LIMIT;
    for (size_t s = 0; s < slots; s++)
        WB_TRY(latency_block_init(&chain->blocks[s], timed, arena));
    for (size_t w = 0; w < warps; w++) {
        chain->warps[w].entries = arena_array(arena, memory->channel_depth, sizeof(cycles));
        if (chain->warps[w].entries == NULL) return WB_ERR_LIMIT;
    }
    return arrival_cache_init(&chain->cache, memory, timed->grid->cover.covers, arena);
}

static struct chain_warp *chain_warp_of(const struct chain *chain, uint32_t slot, uint32_t warp) {
    return &chain->warps[(size_t)slot * chain->work->timed->grid->warp_count + warp];
}

/* Follows a warp to its next access, to behind its next barrier, or to its end. */
static void chain_follow(struct chain *chain, uint32_t slot, uint32_t index) {
    struct chain_warp *warp = chain_warp_of(chain, slot, index);
    struct latency_warp *latency = &chain->blocks[slot].warps[index];
    while (warp->stop == CHAIN_MOVES) {
        if (!warp_steps_next(&latency->steps, &warp->step)) {
            warp->stop = CHAIN_ENDED;
        } else if (warp->step.access != NULL) {
            warp->stop = CHAIN_AT_ACCESS;
        } else {
            const struct timed_inst *inst = warp->step.inst;
            cycles issue = latency_warp_issue(latency, inst, 0);
            latency_warp_complete(latency, inst, cycles_add(issue, inst->latency));
            if (inst->barrier) warp->stop = CHAIN_AT_BARRIER;
        }
    }
}

/* Opens the barrier of a block; false when no warp is held by it, or some warp has to be served before. */
static bool chain_join(struct chain *chain, uint32_t slot) {
    const uint32_t warp_count = chain->work->timed->grid->warp_count;
    bool held = false;
    for (uint32_t w = 0; w < warp_count; w++) {
        chain_follow(chain, slot, w);
        enum chain_stop stop = chain_warp_of(chain, slot, w)->stop;
        if (stop == CHAIN_AT_ACCESS) return false;
        held = held || stop == CHAIN_AT_BARRIER;
    }
    (void)latency_block_join(&chain->blocks[slot]);
    for (uint32_t w = 0; w < warp_count; w++) {
        struct chain_warp *warp = chain_warp_of(chain, slot, w);
        if (warp->stop == CHAIN_AT_BARRIER) warp->stop = CHAIN_MOVES;
    }
    return held;
}

/* Writes what is served, and how many services before what arrives with it was asked for. */
static wb_status put_service(struct chain *chain, const struct ordered_access *next, uint64_t position,
                             const struct timed_inst *inst, struct data_time data) {
    const cycles rest = inst->latency - inst->memory_latency, late = chain->cache.miss_latency;
    size_t low = 0, high = chain->turns.count;
    WB_TRY(vec_push(&chain->turns, chain->served));
    while (low < high) { /* the first that is there no sooner: ends of services do not fall */
        const size_t middle = low + (high - low) / 2;
        if (cycles_add(chain->turns.items[middle], late) >= data.arrives)
            high = middle;
        else
            low = middle + 1;
    }
    const bool waits = data.arrives > 0;
    text_printf(chain->out, "serve %u %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %zu %" PRIu64 "\n", next->block,
                next->warp, position,
                (uint64_t)next->access->request_count * chain->work->machine->memory.request_cycles,
                cycles_add(data.takes, rest), waits ? chain->turns.count - 1 - low : 0,
                waits ? cycles_add(late, rest) : 0);
    return WB_OK;
}

/* Serves the next instruction of the order: WB_ERR_DECLINED, without a message, when its warp cannot be there
 * yet; WB_ERR_LIMIT when memory is exhausted. */
static wb_status chain_serve(struct chain *chain, const struct ordered_access *next) {
    const uint32_t sms = chain->work->timed->machine->memory.sms;
    const uint32_t slot = next->block / sms % chain->work->resident;
    assert(next->block % sms == chain->sm);
    struct chain_warp *warp = chain_warp_of(chain, slot, next->warp);
    struct latency_warp *latency = &chain->blocks[slot].warps[next->warp];
    chain_follow(chain, slot, next->warp);
    while (warp->stop == CHAIN_AT_BARRIER) {
        if (!chain_join(chain, slot)) return WB_ERR_DECLINED;
        chain_follow(chain, slot, next->warp);
    }
    if (warp->stop != CHAIN_AT_ACCESS || &next->pattern->accesses[warp->step.access_index] != next->access)
        return WB_ERR_DECLINED;
    const struct timed_inst *inst = warp->step.inst;
    const struct traffic *traffic = &chain->work->timed->traffic;
    cycles *entry = &warp->entries[warp->served++ % chain->work->timed->machine->memory.channel_depth];
    chain->served = cycles_max(chain->served, latency_warp_issue(latency, inst, *entry));
    *entry = chain->served;
    struct data_time data;
    WB_TRY(arrival_cache_access(&chain->cache, traffic, next, chain->served, &data));
    latency_warp_complete(latency, inst,
                          cycles_add(data_there(data, chain->served), inst->latency - inst->memory_latency));
    if (chain->out != NULL) WB_TRY(put_service(chain, next, latency->steps.step - 1, inst, data));
    warp->stop = CHAIN_MOVES;
    return WB_OK;
}

/* Starts the blocks of the generation, each where lemma 5 has it: the ends of older ones are known. */
static void chain_begin_generation(struct chain *chain) {
    const struct memory_work *work = chain->work;
    const struct machine_memory *memory = &work->timed->machine->memory;
    const uint32_t warp_count = work->timed->grid->warp_count;
    uint64_t first = (uint64_t)chain->generation * work->resident;
    for (chain->in_use = 0; chain->in_use < work->resident; chain->in_use++) {
        uint32_t slot = chain->in_use;
        if (first + slot >= chain->block_count) return;
        cycles start = first == 0 ? 0 : cycles_add(chain->ends[slot], memory->dispatch_latency);
        uint32_t block = (uint32_t)((first + slot) * memory->sms + chain->sm);
        latency_block_begin(&chain->blocks[slot], block, start);
        for (uint32_t w = 0; w < warp_count; w++) {
            struct chain_warp *warp = chain_warp_of(chain, slot, w);
            memset(warp->entries, 0, memory->channel_depth * sizeof *warp->entries);
            *warp = (struct chain_warp){.entries = warp->entries};
        }
    }
}

/* Keeps the end of a block if it is among the `resident` largest. */
static void chain_keep_end(struct chain *chain, cycles end) {
    uint32_t at = 0;
    chain->end = cycles_max(chain->end, end);
    if (end <= chain->ends[0]) return;
    for (; at + 1 < chain->work->resident && chain->ends[at + 1] < end; at++)
        chain->ends[at] = chain->ends[at + 1];
    chain->ends[at] = end;
}

/* Follows all warps of the generation to their ends; false when one has to be served before. */
static bool chain_end_generation(struct chain *chain) {
    const uint32_t warp_count = chain->work->timed->grid->warp_count;
    for (uint32_t slot = 0; slot < chain->in_use; slot++) {
        cycles end = 0;
        while (chain_join(chain, slot)) {
        }
        for (uint32_t w = 0; w < warp_count; w++) {
            if (chain_warp_of(chain, slot, w)->stop != CHAIN_ENDED) return false;
            end = cycles_max(end, chain->blocks[slot].warps[w].complete.at);
        }
        chain_keep_end(chain, end);
    }
    chain->generation++;
    chain_begin_generation(chain);
    return true;
}

/* Serves everything that an SM has to serve: as chain_serve. */
static wb_status chain_serve_all(struct chain *chain, struct access_order *order) {
    const uint32_t sms = chain->work->timed->machine->memory.sms;
    struct ordered_access next;
    chain_begin_generation(chain);
    while (access_order_next(order, &next)) {
        while (next.block / sms / chain->work->resident > chain->generation) {
            if (!chain_end_generation(chain)) return WB_ERR_DECLINED;
        }
        WB_TRY(chain_serve(chain, &next));
    }
    while (chain->in_use > 0) {
        if (!chain_end_generation(chain)) return WB_ERR_DECLINED;
    }
    return WB_OK;
}

/* One SM: its idle cycles and its misses. */
static wb_status chain_run_sm(struct chain *chain, uint32_t sm, wb_diagnostics *diagnostics,
                              struct sm_work *result) {
    const struct memory_work *work = chain->work;
    const struct sm_share share = {sm, work->timed->machine->memory.sms, work->resident};
    struct access_order order;
    arrival_cache_clear(&chain->cache);
    memset(chain->ends, 0, work->resident * sizeof *chain->ends);
    chain->sm = sm;
    chain->block_count = sm_share_blocks(&share, work->timed->grid);
    chain->end = chain->served = 0;
    chain->generation = 0;
    chain->turns.count = 0;
    if (chain->out != NULL) text_printf(chain->out, "serves %u\n", sm);
    wb_status status = access_order_begin(&work->timed->traffic, &share, &order);
    if (status == WB_OK) status = chain_serve_all(chain, &order);
    if (status == WB_ERR_LIMIT) (void)diagnose_out_of_memory(diagnostics, "reorder-chain");
    if (status == WB_ERR_DECLINED)
        diagnose(diagnostics, SEVERITY_ERROR, "reorder-chain", "the order of accesses cannot be followed");
    access_order_end(&order);
    result->idle = chain->end;
    result->work.requests.misses = chain->cache.misses;
    return status;
}

/* Theorem 3. */
static wb_status chain_time(struct chain *chain, struct arena *arena, wb_diagnostics *diagnostics,
                            struct kernel_time *time) {
    const uint32_t sm_count = memory_work_sms(chain->work);
    struct sm_work *sms = memory_work_of_sms(chain->work, arena);
    if (sms == NULL || chain_init(chain, arena) != WB_OK)
        return diagnose_out_of_memory(diagnostics, "reorder-chain");
    for (uint32_t s = 0; s < sm_count; s++)
        WB_TRY(chain_run_sm(chain, s, diagnostics, &sms[s]));
    *time = memory_work_time(chain->work, sms, sm_count);
    return WB_OK;
}

static wb_status reorder_chain_certify(const struct memory_work *work, wb_diagnostics *diagnostics,
                                       struct text *out, struct sm_work *sms) {
    struct chain chain = {.work = work, .out = out};
    struct arena arena = {0};
    WB_TRY(access_order_check(&work->timed->traffic, diagnostics));
    text_printf(out, "channels %u\n", work->machine->memory.channel_depth);
    wb_status status =
        chain_init(&chain, &arena) == WB_OK ? WB_OK : diagnose_out_of_memory(diagnostics, "reorder-chain");
    for (uint32_t s = 0; status == WB_OK && s < memory_work_sms(work); s++)
        status = chain_run_sm(&chain, s, diagnostics, &sms[s]);
    arrival_cache_free(&chain.cache);
    vec_free(&chain.turns);
    arena_free(&arena);
    return status;
}

static wb_status reorder_chain_run(const struct bound_input *input, wb_bound *bound) {
    struct chain chain = {.work = input->memory};
    struct arena arena = {0};
    struct kernel_time time = {0};
    WB_TRY(access_order_check(&input->memory->timed->traffic, input->diagnostics));
    wb_status status = chain_time(&chain, &arena, input->diagnostics, &time);
    arrival_cache_free(&chain.cache);
    arena_free(&arena);
    kernel_time_to_bound(&time, bound);
    bound->kind = WB_UPPER;
    bound_assume_grid(input, bound);
    return status;
}

const struct bound_method bound_reorder_chain = {
    .name = "reorder-chain",
    .summary =
        "all initiations of an SM, its longest chain of latencies along the order of accesses, and memory",
    .run = reorder_chain_run,
    .certify = reorder_chain_certify,
    .objection = too_long_to_walk,
    .needs = FOR_CACHED_GRIDS | NEED_REORDER,
};
