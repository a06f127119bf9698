/* The memory that all SMs of a GPU without caches share, for the naive GPU. */
#include <stdlib.h>

#include "naive_gpu_parts.h"

/* Whether a request that has been sent waits for its data. */
static bool is_on_the_way(const struct naive *naive, const struct request *request) {
    return request->turn != NEVER && (request->data_at == NEVER || request->data_at > naive->now);
}

static uint32_t count_on_the_way(const struct naive *naive, const struct sm *sm) {
    uint32_t count = 0;
    for (size_t i = 0; i < sm->insts.count; i++)
        for (uint32_t r = 0; r < sm->insts.items[i].request_count; r++)
            count += is_on_the_way(naive, &sm->insts.items[i].requests[r]);
    return count;
}

/* The next request of an instruction that can leave now but for the limit, or NULL. */
static struct request *due_request(const struct naive *naive, struct inst *inst) {
    cycles from = inst->start;
    if (inst->start == NEVER) return NULL;
    for (uint32_t r = 0; r < inst->request_count; r++) {
        if (inst->requests[r].turn == NEVER) return from <= naive->now ? &inst->requests[r] : NULL;
        from = inst->requests[r].turn + naive->memory->request_cycles;
    }
    return NULL;
}

static void leave(const struct naive *naive, struct sm *sm, const struct inst *inst,
                  struct request *request) {
    const struct naive_turn event = {
        sm->number,       naive->now, inst->block, inst->block_warp, inst->access->instruction,
        request->address, 3};
    request->turn = naive->now;
    naive->result->loads += traffic_is_load(inst->access->kind);
    naive->result->stores += inst->access->kind == TRAFFIC_STORE;
    naive->result->atomics += inst->access->kind == TRAFFIC_ATOMIC;
    if (vec_push(&naive->result->turns, event) != WB_OK) abort();
}

/* Requests leave the SM: of instructions that started earlier first, of one cycle of that which was issued
 * first. */
void send_requests(const struct naive *naive, struct sm *sm) {
    const uint32_t most = naive->memory->outstanding;
    bool held_back = false;
    for (cycles start = 0; start <= naive->now; start++) {
        for (size_t i = 0; i < sm->insts.count; i++) {
            struct inst *inst = &sm->insts.items[i];
            struct request *request = inst->start == start ? due_request(naive, inst) : NULL;
            if (request == NULL) continue;
            if (most > 0 && count_on_the_way(naive, sm) == most)
                held_back = true;
            else
                leave(naive, sm, inst, request);
        }
    }
    naive->result->mshr_stalls += held_back;
    naive->result->most_on_the_way = cycles_max(naive->result->most_on_the_way, count_on_the_way(naive, sm));
}

/* When a request has come to the memory and is not served yet, or NEVER. */
static cycles waits_since(const struct naive *naive, const struct request *request) {
    if (request->turn == NEVER || request->data_at != NEVER) return NEVER;
    cycles arrival = request->turn + naive->memory->request_cycles;
    return arrival <= naive->now ? arrival : NEVER;
}

/* The request of the SM that came first, or NULL; requests of one cycle leave in the order of send_requests,
 * which is that of start and issue. */
static struct request *first_of_sm(const struct naive *naive, struct sm *sm, const struct inst **of) {
    struct request *first = NULL;
    for (size_t i = 0; i < sm->insts.count; i++) {
        struct inst *inst = &sm->insts.items[i];
        for (uint32_t r = 0; r < inst->request_count; r++) {
            struct request *request = &inst->requests[r];
            if (waits_since(naive, request) == NEVER) continue;
            if (first != NULL && (first->turn < request->turn ||
                                  (first->turn == request->turn && (*of)->start <= inst->start)))
                continue;
            first = request;
            *of = inst;
        }
    }
    return first;
}

/* Whether a neighbour is served, whose turn it is not. One that was served when a time began counts in it,
 * too. */
static bool serves_neighbour(struct naive *naive, bool others_wait) {
    const struct naive_neighbours *neighbours = naive->neighbours;
    if (neighbours == NULL || naive->left < neighbours->per) return false;
    if (random_below(&naive->random, 256) >= (others_wait ? neighbours->eager : 16)) return false;
    naive->left -= neighbours->per;
    return true;
}

/* A cycle more. */
static void grow_budget(struct naive *naive) {
    const struct naive_neighbours *neighbours = naive->neighbours;
    if (neighbours == NULL) return;
    const int64_t most =
        neighbours->requests * neighbours->per + neighbours->rate * (2 - (int64_t)naive->memory->service);
    naive->left += naive->now == 0 ? most : neighbours->rate;
    if (naive->left > most) naive->left = most;
}

/* The memory begins a service if it is free and somebody waits. */
void serve_one(struct naive *naive) {
    const struct machine_memory *memory = naive->memory;
    struct request *chosen = NULL;
    const struct inst *inst = NULL;
    uint32_t sm = 0;
    grow_budget(naive);
    if (naive->server_free_at > naive->now) return;
    for (uint32_t k = 0; k < memory->sms; k++) {
        const bool in_turns = memory->arbiter == ARBITER_ROUND_ROBIN;
        uint32_t m = in_turns ? (naive->server_last + 1 + k) % memory->sms : k;
        const struct inst *of = NULL;
        struct request *first = first_of_sm(naive, &naive->sms[m], &of);
        if (first == NULL || (chosen != NULL && (in_turns || chosen->turn <= first->turn))) continue;
        chosen = first;
        inst = of;
        sm = m;
    }
    if (serves_neighbour(naive, chosen != NULL)) naive->server_free_at = naive->now + memory->service;
    if (chosen == NULL || naive->server_free_at > naive->now) return;
    uint32_t latency = inst->code->memory_latency;
    naive->server_last = sm;
    naive->server_free_at = naive->now + memory->service;
    chosen->data_at = naive->server_free_at + (latency > 0 ? latency : naive->machine->mem_latency);
    cycles waited = naive->server_free_at - (chosen->turn + memory->request_cycles);
    naive->result->longest_wait = cycles_max(naive->result->longest_wait, waited);
}
