#include <stdlib.h>
#include <string.h>

#include "naive_gpu_parts.h"

enum { MISS, HIT, HIT_UNDER_MISS, NO_LOAD };

static int compare_keys(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    for (size_t i = 0; i < sizeof(struct key) / sizeof *a; i++) {
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    }
    return 0;
}

/* All instructions with requests that the SM will execute, in the order of the keys. */
void make_order(const struct naive *naive, struct sm *sm) {
    for (uint32_t b = sm->number; b < naive->grid->grid->blocks.count; b += naive->memory->sms) {
        for (uint32_t w = 0; w < naive->warps; w++) {
            const struct traffic_pattern *pattern = traffic_pattern_of(&naive->grid->traffic, b, w);
            const struct access_position *positions = traffic_positions_of(&naive->grid->traffic, b, w);
            for (uint32_t a = 0; a < pattern->access_count; a++) {
                const struct key key = {b / naive->memory->sms / naive->slots, positions[a].epoch,
                                        pattern->accesses[a].instruction, b, w};
                if (pattern->accesses[a].request_count == 0) continue;
                if (vec_push(&sm->keys, key) != WB_OK) abort();
            }
        }
    }
    if (sm->keys.count > 0) qsort(sm->keys.items, sm->keys.count, sizeof *sm->keys.items, compare_keys);
}

/* The instruction of the next key, if it has been issued, or NULL. */
static struct inst *next_in_order(const struct sm *sm) {
    if (sm->next_key == sm->keys.count) return NULL;
    const struct key *key = &sm->keys.items[sm->next_key];
    for (size_t i = 0; i < sm->insts.count; i++) {
        struct inst *inst = &sm->insts.items[i];
        const struct key own = {inst->generation, inst->epoch,
                                inst->access == NULL ? 0 : inst->access->instruction, inst->block,
                                inst->block_warp};
        if (inst->access != NULL && compare_keys(&own, key) == 0) return inst;
    }
    return NULL;
}

/* The instruction whose requests have their turns next, or NULL; without reordering the one that started
 * first, of one cycle the one that was issued first. */
static struct inst *next_for_l1(const struct naive *naive, struct sm *sm) {
    struct inst *next = NULL;
    if (naive->reorder) {
        next = next_in_order(sm);
        return next != NULL && next->start != NEVER && next->start + next->busy <= naive->now ? next : NULL;
    }
    for (size_t i = 0; i < sm->insts.count; i++) {
        struct inst *inst = &sm->insts.items[i];
        if (inst->access == NULL || inst->start == NEVER || turns_end(naive, inst) != NEVER) continue;
        if (next == NULL || inst->start < next->start) next = inst;
    }
    return next;
}

/* The last fetch of a sector if it has not arrived, or -1. */
static int64_t fetch_of(const struct sm *sm, uint64_t sector) {
    for (size_t i = sm->fetches.count; i-- > 0;) {
        const struct naive_fetch *fetch = &sm->fetches.items[i];
        if (fetch->sector == sector && !fetch->arrived) return (int64_t)i;
    }
    return -1;
}

static bool waits_for_data(const struct sm *sm, const struct naive_line *line) {
    for (uint32_t s = 0; s < CACHE_SECTORS_MAX; s++) {
        uint64_t address =
            line->number * sm->l1.geometry->line_bytes + (uint64_t)s * sm->l1.geometry->sector_bytes;
        if (line->present[s] && fetch_of(sm, naive_sector_number(&sm->l1, address)) >= 0) return true;
    }
    return false;
}

/* Whether the load cannot have its turn now; then it is counted why. */
static bool stalls(const struct naive *naive, const struct sm *sm, uint64_t address) {
    uint32_t taken = 0;
    if (naive_has_sector(&sm->l1, address)) return false;
    for (size_t i = 0; i < sm->fetches.count; i++)
        taken += !sm->fetches.items[i].arrived;
    if (taken == naive->memory->l1_mshrs) {
        naive->result->mshr_stalls++;
        return true;
    }
    const struct naive_line *victim = naive_victim(&sm->l1, address);
    if (naive->memory->l1_victim != VICTIM_STALLS || victim == NULL || !waits_for_data(sm, victim))
        return false;
    naive->result->victim_stalls++;
    return true;
}

static void send_down(struct naive *naive, const struct sm *sm, const struct inst *inst, uint32_t r) {
    const struct machine_memory *memory = naive->memory;
    uint64_t line = inst->requests[r].address / memory->l2.line_bytes;
    const struct message message = {
        .at = inst->requests[r].turn + memory->request_cycles + memory->noc_latency,
        .sm = sm->number,
        .number = naive->messages++,
        .inst = (size_t)(inst - sm->insts.items),
        .request = r,
    };
    if (vec_push(&naive->partitions[line % memory->l2_partitions].arrivals, message) != WB_OK) abort();
}

static void turn(struct naive *naive, struct sm *sm, struct inst *inst, uint32_t r) {
    const struct machine_memory *memory = naive->memory;
    struct request *request = &inst->requests[r];
    struct naive_turn event = {
        sm->number,       naive->now, inst->block, inst->block_warp, inst->access->instruction,
        request->address, NO_LOAD};
    request->turn = naive->now;
    sm->l1_free_at = naive->now + memory->request_cycles;
    if (inst->access->kind == TRAFFIC_LOAD) {
        uint64_t sector = naive_sector_number(&sm->l1, request->address);
        naive->result->loads++;
        if (naive_has_sector(&sm->l1, request->address)) {
            request->fetch = fetch_of(sm, sector);
            request->not_before = sm->l1_free_at + memory->l1_latency;
            if (request->fetch < 0) request->data_at = request->not_before;
            event.outcome = request->fetch < 0 ? HIT : HIT_UNDER_MISS;
            naive->result->hits++;
            naive->result->hits_under_miss += request->fetch >= 0;
            (void)naive_use_line(&sm->l1, request->address);
        } else {
            const struct naive_fetch fetch = {.sector = sector};
            event.outcome = MISS;
            naive->result->misses++;
            naive_use_line(&sm->l1, request->address)->present[naive_sector(&sm->l1, request->address)] =
                true;
            request->fetch = (int64_t)sm->fetches.count;
            if (vec_push(&sm->fetches, fetch) != WB_OK) abort();
            send_down(naive, sm, inst, r);
        }
    } else {
        const bool is_store = inst->access->kind == TRAFFIC_STORE;
        const bool is_uncached = inst->access->kind == TRAFFIC_UNCACHED;
        naive->result->stores += is_store;
        naive->result->loads += is_uncached;
        naive->result->misses += is_uncached;
        naive->result->atomics += inst->access->kind == TRAFFIC_ATOMIC;
        if (is_uncached) event.outcome = MISS;
        if (!is_store || memory->l1_store == STORE_EVICTS) {
            naive_drop_line(&sm->l1, request->address);
        } else if (naive_line(&sm->l1, request->address) != NULL) {
            (void)naive_use_line(&sm->l1, request->address);
        }
        send_down(naive, sm, inst, r);
    }
    if (vec_push(&naive->result->turns, event) != WB_OK) abort();
}

/* Counts a cycle in which the first level is free because of the order only. */
static void count_reorder_stall(const struct naive *naive, const struct sm *sm) {
    if (!naive->reorder || next_in_order(sm) != NULL) return;
    for (size_t i = 0; i < sm->insts.count; i++) {
        const struct inst *inst = inst_at(sm, i);
        if (inst->access != NULL && turns_end(naive, inst) == NEVER) {
            naive->result->reorder_stalls++;
            return;
        }
    }
}

/* The first level begins a turn if it can. */
void begin_turn(struct naive *naive, struct sm *sm) {
    if (sm->l1_free_at > naive->now) return;
    struct inst *inst = next_for_l1(naive, sm);
    if (inst == NULL) {
        count_reorder_stall(naive, sm);
        return;
    }
    uint32_t r = 0;
    while (inst->requests[r].turn != NEVER)
        r++;
    if (inst->access->kind == TRAFFIC_LOAD && stalls(naive, sm, inst->requests[r].address)) return;
    turn(naive, sm, inst, r);
    if (r + 1 == inst->request_count) sm->next_key++;
}

/* Data is there: the service of the first answer has ended. */
static void take_data(struct naive *naive, struct sm *sm) {
    const struct answer answer = sm->answers.items[0];
    struct request *request = &sm->insts.items[answer.inst].requests[answer.request];
    memmove(sm->answers.items, sm->answers.items + 1, --sm->answers.count * sizeof answer);
    if (request->fetch < 0) {
        request->data_at = naive->now;
        return;
    }
    int64_t fetch = request->fetch;
    sm->fetches.items[fetch].arrived = true;
    for (size_t i = 0; i < sm->insts.count; i++) {
        for (uint32_t r = 0; r < sm->insts.items[i].request_count; r++) {
            struct request *waiting = &sm->insts.items[i].requests[r];
            if (waiting->turn != NEVER && waiting->fetch == fetch && waiting->data_at == NEVER)
                waiting->data_at = cycles_max(naive->now, waiting->not_before);
        }
    }
}

void serve_answers(struct naive *naive, struct sm *sm) {
    if (sm->reply_done == naive->now) {
        sm->reply_done = NEVER;
        take_data(naive, sm);
    }
    if (sm->reply_done == NEVER && sm->answers.count > 0 && sm->answers.items[0].at <= naive->now)
        sm->reply_done = naive->now + naive->memory->reply_service;
}

static int compare_answers(const void *left, const void *right) {
    const struct answer *a = left, *b = right;
    if (a->at != b->at) return a->at < b->at ? -1 : 1;
    if (a->partition != b->partition) return a->partition < b->partition ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void answer(struct naive *naive, uint32_t partition, const struct message *message, cycles at) {
    struct sm *sm = &naive->sms[message->sm];
    const struct answer made = {at + naive->memory->noc_latency, partition, naive->messages++, message->inst,
                                message->request};
    bool serving = sm->reply_done != NEVER;
    if (vec_push(&sm->answers, made) != WB_OK) abort();
    /* The one in service stays where it is. */
    qsort(sm->answers.items + serving, sm->answers.count - serving, sizeof made, compare_answers);
}

static cycles use_channel(const struct naive *naive, struct partition *partition, cycles asked) {
    partition->channel_free_at = cycles_max(asked, partition->channel_free_at) + naive->memory->dram_service;
    return partition->channel_free_at;
}

static void serve(struct naive *naive, uint32_t index, const struct message *message) {
    const struct machine_memory *memory = naive->memory;
    struct partition *partition = &naive->partitions[index];
    const struct inst *inst = inst_at(&naive->sms[message->sm], message->inst);
    uint64_t full = inst->requests[message->request].address;
    uint64_t address = full / memory->l2.line_bytes / memory->l2_partitions * memory->l2.line_bytes +
                       full % memory->l2.line_bytes;
    partition->free_at = naive->now + memory->l2_service;
    cycles look_up = partition->free_at + memory->l2_latency, answered = look_up;
    bool hit = naive_has_sector(&partition->cache, address), is_load = traffic_is_load(inst->access->kind);
    uint64_t sector = naive_sector_number(&partition->cache, address);
    const struct naive_line *victim = naive_victim(&partition->cache, address);
    bool dirty = false;
    for (uint32_t s = 0; victim != NULL && s < CACHE_SECTORS_MAX; s++)
        dirty = dirty || victim->dirty[s];
    struct naive_line *line = naive_use_line(&partition->cache, address);
    line->present[naive_sector(&partition->cache, address)] = true;
    if (!is_load) line->dirty[naive_sector(&partition->cache, address)] = true;
    if (is_load && hit) {
        naive->result->l2_hits++;
        for (size_t i = 0; i < partition->fetches.count; i++) {
            if (partition->fetches.items[i].sector == sector)
                answered = cycles_max(look_up, partition->fetches.items[i].data_at);
        }
    } else if (is_load) {
        naive->result->l2_misses++;
        naive->result->dram_reads++;
        answered = use_channel(naive, partition, look_up) + memory->dram_latency;
        const struct naive_fetch fetch = {.sector = sector, .data_at = answered};
        if (vec_push(&partition->fetches, fetch) != WB_OK) abort();
    }
    if (dirty) {
        (void)use_channel(naive, partition, look_up);
        naive->result->dram_writes++;
    }
    answer(naive, index, message, answered);
}

/* Serves the first arrival by time and SM, if the partition is free. */
void serve_arrivals(struct naive *naive, uint32_t index) {
    struct partition *partition = &naive->partitions[index];
    if (partition->free_at > naive->now || partition->arrivals.count == 0) return;
    size_t first = 0;
    for (size_t i = 1; i < partition->arrivals.count; i++) {
        const struct message *a = &partition->arrivals.items[i], *b = &partition->arrivals.items[first];
        if (a->at < b->at || (a->at == b->at && a->sm < b->sm)) first = i;
    }
    const struct message message = partition->arrivals.items[first];
    if (message.at > naive->now) return;
    struct message *hole = &partition->arrivals.items[first];
    memmove(hole, hole + 1, (--partition->arrivals.count - first) * sizeof message);
    serve(naive, index, &message);
}
