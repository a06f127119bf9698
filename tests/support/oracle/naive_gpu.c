#include "naive_gpu.h"

#include <stdlib.h>
#include <string.h>

#include "naive_gpu_parts.h"

#define CYCLES_MOST 5000000u

static uint32_t latency_of(const struct inst *inst) {
    return inst->code->latency - (inst->access != NULL ? inst->code->memory_latency : 0);
}

/* When the instruction's result is there, or NEVER. */
static cycles completion_of(const struct inst *inst) {
    if (inst->access == NULL)
        return inst->start == NEVER ? NEVER : inst->start + inst->busy + latency_of(inst);
    cycles data = inst->start == NEVER ? 0 : inst->start + inst->busy;
    for (uint32_t r = 0; r < inst->request_count; r++) {
        if (inst->requests[r].data_at == NEVER) return NEVER;
        data = cycles_max(data, inst->requests[r].data_at);
    }
    return data + latency_of(inst);
}

static const struct timed_inst *head(const struct naive *naive, const struct naive_warp *warp) {
    return warp->next < warp->length ? &naive->grid->code.insts[warp->path[warp->next]] : NULL;
}

/* Whether everything of the warp is complete that a register of a queue stands for; true of all others. */
static bool queue_ready(const struct naive *naive, const struct sm *sm, uint32_t w, uint32_t reg) {
    const struct timed_code *code = &naive->grid->code;
    for (uint32_t q = 0; q < QUEUE_COUNT; q++) {
        const uint32_t since = reg - code->queues[q].first;
        if (reg < code->queues[q].first || since >= code->queues[q].count) continue;
        uint32_t commits = 0;
        for (size_t i = sm->insts.count; i-- > sm->slots[w / naive->warps].first_inst;) {
            const struct inst *inst = inst_at(sm, i);
            if (inst->warp != w) continue;
            commits += inst->code->commits >> q & 1;
            if ((inst->code->joins >> q & 1) != 0 && commits >= since && completion_of(inst) > naive->now)
                return false;
        }
    }
    return true;
}

static bool operands_ready(const struct naive *naive, const struct sm *sm, const struct naive_warp *warp) {
    const struct timed_inst *inst = head(naive, warp);
    for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++) {
        const uint32_t reg = naive->grid->code.operands[inst->first_operand + i];
        size_t writer = warp->writers[reg];
        if (writer > 0 && completion_of(inst_at(sm, writer - 1)) > naive->now) return false;
        if (!queue_ready(naive, sm, (uint32_t)(warp - sm->warps), reg)) return false;
    }
    return true;
}

static void begin_warp(const struct naive *naive, struct naive_warp *warp, uint32_t block, uint32_t w,
                       cycles at) {
    const struct wb_grid *grid = naive->grid->grid;
    const struct path *path =
        &grid->paths.items[grid->shapes.items[grid->blocks.items[block].shape].warps[w].path];
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    warp->path = realloc(warp->path, (path->length + 1) * sizeof *warp->path);
    for (warp->length = 0; path_next(&cursor, &step); warp->length++)
        warp->path[warp->length] = step.instruction;
    memset(warp->writers, 0, (naive->grid->code.register_count + 1) * sizeof *warp->writers);
    warp->pattern = traffic_pattern_of(&naive->grid->traffic, block, w);
    warp->positions = traffic_positions_of(&naive->grid->traffic, block, w);
    warp->next = 0;
    warp->earliest = at;
    warp->held = false;
}

static bool fetches(const struct naive *naive) {
    return fetch_can_stall(&naive->machine->fetch);
}

/* Where the warp's next instruction lies. */
static uint64_t head_address(const struct naive *naive, const struct naive_warp *warp) {
    const uint64_t number = timed_origin(&naive->grid->code, warp->path[warp->next]);
    return number * naive->machine->fetch.instruction_bytes;
}

/* Adds the warp's next instruction to those that were issued. */
static size_t record(const struct naive *naive, struct sm *sm, uint32_t w) {
    struct naive_warp *warp = &sm->warps[w];
    struct inst inst = {.code = head(naive, warp),
                        .warp = w,
                        .block = (uint32_t)sm->slots[w / naive->warps].block,
                        .block_warp = w % naive->warps,
                        .step = warp->next,
                        .issue = naive->now,
                        .start = NEVER};
    inst.generation = inst.block / naive->memory->sms / naive->slots;
    inst.unit = inst.code->unit;
    inst.busy = inst.code->init;
    bool accesses = false;
    for (uint32_t a = 0; a < warp->pattern->access_count; a++) {
        const struct traffic_access *access = &warp->pattern->accesses[a];
        if (access->step != warp->next) continue;
        inst.busy = accesses ? inst.busy + access->cycles : access->cycles;
        accesses = true;
        if (access->request_count == 0 || (naive->memory->l1.bytes == 0 && naive->memory->service == 0))
            continue;
        inst.access = access;
        inst.epoch = warp->positions[a].epoch;
        inst.request_count = access->request_count;
        inst.requests = calloc(inst.request_count, sizeof *inst.requests);
        for (uint32_t r = 0; r < inst.request_count; r++)
            inst.requests[r] = (struct request){
                .address = traffic_base(&naive->grid->traffic, inst.block, inst.block_warp, access->group) +
                           warp->pattern->offsets[access->first_request + r],
                .turn = NEVER,
                .data_at = NEVER,
                .fetch = -1};
    }
    if (vec_push(&sm->insts, inst) != WB_OK) abort();
    for (uint32_t i = 0; i < inst.code->destination_count; i++)
        warp->writers[naive->grid->code.operands[inst.code->first_operand + inst.code->source_count + i]] =
            sm->insts.count;
    if (!inst.code->uncounted) naive->result->instructions++;
    warp->next++;
    return sm->insts.count - 1;
}

/* Instructions without a unit, and barriers: what takes no time happens as soon as its operands are there,
 * with the issue before it. Whether anything happened. */
static bool settle_block(const struct naive *naive, struct sm *sm, uint32_t slot) {
    bool moved = false;
    uint32_t live = 0, held = 0;
    cycles release = 0;
    for (uint32_t w = slot * naive->warps; w < (slot + 1) * naive->warps; w++) {
        struct naive_warp *warp = &sm->warps[w];
        const struct timed_inst *inst;
        while (!warp->held && (inst = head(naive, warp)) != NULL && inst->unit == UNIT_NONE &&
               operands_ready(naive, sm, warp)) {
            size_t executed = record(naive, sm, w);
            warp->earliest = cycles_max(warp->earliest, naive->now);
            sm->insts.items[executed].start = warp->earliest;
            sm->insts.items[executed].busy = 0;
            warp->held = inst->barrier;
            moved = true;
        }
        live += warp->held || head(naive, warp) != NULL;
        held += warp->held;
        release = cycles_max(release, warp->earliest);
    }
    if (live == 0 || live != held) return moved;
    for (uint32_t w = slot * naive->warps; w < (slot + 1) * naive->warps; w++) {
        if (sm->warps[w].held) sm->warps[w].earliest = release;
        sm->warps[w].held = false;
    }
    return true;
}

static bool block_has_ended(const struct naive *naive, const struct sm *sm, uint32_t slot) {
    for (uint32_t w = slot * naive->warps; w < (slot + 1) * naive->warps; w++) {
        if (sm->warps[w].held || head(naive, &sm->warps[w]) != NULL) return false;
    }
    for (size_t i = sm->slots[slot].first_inst; i < sm->insts.count; i++) {
        const struct inst *inst = inst_at(sm, i);
        if (inst->warp / naive->warps == slot && completion_of(inst) > naive->now) return false;
    }
    return true;
}

static void place(struct naive *naive, struct sm *sm, uint32_t slot, uint32_t block, bool first) {
    naive->dispatched = cycles_max(naive->dispatched, naive->now) + naive->memory->dispatch_service;
    naive->last_sm = sm->number;
    sm->slots[slot] = (struct naive_slot){
        .block = block,
        .start_at = naive->dispatched + (first ? 0 : naive->memory->dispatch_latency),
        .first_inst = sm->insts.count,
    };
}

/* Lets the blocks of a slot end or start, and everything that takes no time; whether anything happened. */
static bool settle_slot(struct naive *naive, struct sm *sm, uint32_t s) {
    struct naive_slot *slot = &sm->slots[s];
    if (slot->block < 0) return false;
    if (!slot->started) {
        if (slot->start_at > naive->now) return false;
        slot->started = true;
        slot->first_inst = sm->insts.count;
        naive->result->blocks[slot->block].start = naive->now;
        for (uint32_t w = 0; w < naive->warps; w++) {
            begin_warp(naive, &sm->warps[s * naive->warps + w], (uint32_t)slot->block, w, naive->now);
            if (fetches(naive)) naive_fetch_clear(&sm->fetch, s * naive->warps + w);
        }
        return true;
    }
    if (settle_block(naive, sm, s)) return true;
    if (!block_has_ended(naive, sm, s)) return false;
    naive->result->blocks[slot->block].end = naive->now;
    naive->result->end = naive->now;
    slot->block = -1;
    return true;
}

static bool is_static(const struct naive *naive) {
    return naive->memory->dispatch == DISPATCH_STATIC || naive->reorder;
}

static uint32_t free_slots(const struct naive *naive, uint32_t m) {
    uint32_t count = 0;
    for (uint32_t s = 0; s < naive->slots; s++)
        count += naive->sms[m].slots[s].block < 0;
    return count;
}

static uint32_t first_free_slot(const struct naive *naive, uint32_t m) {
    uint32_t s = 0;
    while (s < naive->slots && naive->sms[m].slots[s].block >= 0)
        s++;
    return s;
}

/* Whether there is a block that SM m could take. */
static bool has_block(const struct naive *naive, uint32_t m) {
    size_t next = is_static(naive) ? naive->sms[m].next_block : naive->next_block;
    return next < naive->grid->grid->blocks.count;
}

/* Whether SM m, which has room, is a better choice than SM `best`, which has, too. */
static bool is_better(const struct naive *naive, uint32_t m, uint32_t best) {
    uint32_t sms = naive->memory->sms;
    if (!is_static(naive) && naive->memory->dispatch == DISPATCH_ROUND_ROBIN)
        return (m + sms - naive->last_sm - 1) % sms < (best + sms - naive->last_sm - 1) % sms;
    if (!is_static(naive) && naive->memory->dispatch == DISPATCH_MOST_FREE)
        return free_slots(naive, m) > free_slots(naive, best);
    return first_free_slot(naive, m) < first_free_slot(naive, best);
}

/* Gives a block to a free slot; false: there is none, or no block for it. */
static bool place_next(struct naive *naive, bool first) {
    int best = -1;
    for (uint32_t m = 0; m < naive->memory->sms; m++) {
        if (free_slots(naive, m) == 0 || !has_block(naive, m)) continue;
        if (best < 0 || is_better(naive, m, (uint32_t)best)) best = (int)m;
    }
    if (best < 0) return false;
    struct sm *sm = &naive->sms[best];
    uint32_t block = is_static(naive) ? sm->next_block : naive->next_block++;
    sm->next_block += naive->memory->sms;
    place(naive, sm, first_free_slot(naive, (uint32_t)best), block, first);
    return true;
}

/* Blocks, and everything that takes no time, until nothing changes any more; one slot after the other. */
static void settle(struct naive *naive) {
    do {
        for (uint32_t m = 0; m < naive->memory->sms; m++) {
            struct sm *sm = &naive->sms[m];
            for (uint32_t s = 0; s < naive->slots; s++) {
                while (settle_slot(naive, sm, s))
                    continue;
            }
        }
    } while (place_next(naive, false));
}

static bool same_unit(const struct naive *naive, const struct inst *inst, uint32_t unit, uint32_t sub_core) {
    return inst->unit == unit && (naive->machine->units[unit].shared || inst->sub_core == sub_core);
}

/* Whether an instruction that has started keeps its unit. */
static bool keeps_unit(const struct naive *naive, const struct inst *inst) {
    if (inst->start + inst->busy > naive->now) return true;
    return inst->access != NULL && !naive->reorder && turns_end(naive, inst) > naive->now;
}

/* An instance of a unit that is free, or -1. */
static int free_instance(const struct naive *naive, const struct sm *sm, uint32_t unit, uint32_t sub_core) {
    bool taken[64] = {false};
    for (size_t i = 0; i < sm->insts.count; i++) {
        const struct inst *inst = inst_at(sm, i);
        if (inst->unit == UNIT_NONE || inst->start == NEVER || !same_unit(naive, inst, unit, sub_core))
            continue;
        taken[inst->instance] = taken[inst->instance] || keeps_unit(naive, inst);
    }
    for (uint32_t i = 0; i < naive->machine->units[unit].count; i++) {
        if (!taken[i]) return (int)i;
    }
    return -1;
}

static uint32_t waiting_for(const struct naive *naive, const struct sm *sm, uint32_t unit,
                            uint32_t sub_core) {
    uint32_t count = 0;
    for (size_t i = 0; i < sm->insts.count; i++) {
        const struct inst *inst = inst_at(sm, i);
        count += inst->unit != UNIT_NONE && inst->start == NEVER && same_unit(naive, inst, unit, sub_core);
    }
    return count;
}

/* Lets instructions start that wait for a unit, in the order of their issue. */
static void start_waiting(const struct naive *naive, struct sm *sm) {
    for (size_t i = 0; i < sm->insts.count; i++) {
        struct inst *inst = &sm->insts.items[i];
        if (inst->unit == UNIT_NONE || inst->start != NEVER) continue;
        int instance = free_instance(naive, sm, inst->unit, inst->sub_core);
        if (instance < 0) continue;
        inst->start = naive->now;
        inst->instance = (uint32_t)instance;
    }
}

static bool head_makes_requests(const struct naive *naive, const struct naive_warp *warp) {
    for (uint32_t a = 0; a < warp->pattern->access_count; a++) {
        const struct traffic_access *access = &warp->pattern->accesses[a];
        if (access->step == warp->next && access->request_count > 0 && naive->memory->l1.bytes > 0)
            return true;
    }
    return false;
}

static bool channel_has_room(const struct naive *naive, const struct sm *sm, uint32_t w) {
    uint32_t taken = 0;
    for (size_t i = 0; i < sm->insts.count; i++) {
        const struct inst *inst = inst_at(sm, i);
        if (inst->access != NULL && inst->warp == w && turns_end(naive, inst) > naive->now) taken++;
    }
    return taken < naive->memory->channel_depth;
}

/* Whether the warp has come to an instruction with a unit. */
static bool is_at_instruction(const struct naive *naive, const struct sm *sm, uint32_t w) {
    const struct naive_slot *slot = &sm->slots[w / naive->warps];
    const struct naive_warp *warp = &sm->warps[w];
    if (slot->block < 0 || !slot->started || warp->held || head(naive, warp) == NULL) return false;
    return head(naive, warp)->unit != UNIT_NONE && warp->earliest <= naive->now;
}

/* An SM whose warps ask for instructions. */
struct asking {
    const struct naive *naive;
    const struct sm *sm;
};

static bool wants_fetch(void *user, uint32_t w, uint64_t *address) {
    const struct asking *asking = user;
    if (!is_at_instruction(asking->naive, asking->sm, w)) return false;
    *address = head_address(asking->naive, &asking->sm->warps[w]);
    return true;
}

/* Whether the warp lacks nothing but a unit, a slot and perhaps room in its channel. */
static bool has_operands(const struct naive *naive, const struct sm *sm, uint32_t w) {
    const struct naive_slot *slot = &sm->slots[w / naive->warps];
    const struct naive_warp *warp = &sm->warps[w];
    if (slot->block < 0 || !slot->started || warp->held || head(naive, warp) == NULL) return false;
    if (fetches(naive) && head(naive, warp)->unit != UNIT_NONE &&
        !naive_fetch_has(&sm->fetch, w, head_address(naive, warp), naive->now))
        return false;
    return operands_ready(naive, sm, warp);
}

/* Whether the warp's next instruction lacks nothing but a slot. */
static bool has_all(const struct naive *naive, const struct sm *sm, uint32_t w) {
    const struct naive_warp *warp = &sm->warps[w];
    if (!has_operands(naive, sm, w)) return false;
    if (naive->reorder && head_makes_requests(naive, warp) && !channel_has_room(naive, sm, w)) return false;
    uint32_t unit = head(naive, warp)->unit, sub_core = w % naive->machine->sub_cores;
    if (unit == UNIT_NONE) return false;
    uint32_t waiting = waiting_for(naive, sm, unit, sub_core);
    if (waiting == 0 && free_instance(naive, sm, unit, sub_core) >= 0) return true;
    return waiting < naive->machine->dispatch_depth;
}

static bool can_issue(const struct naive *naive, const struct sm *sm, uint32_t w) {
    return sm->warps[w].earliest <= naive->now && has_all(naive, sm, w);
}

/* Whether warp a comes before warp b for policies that prefer the older. */
static bool is_older(const struct naive *naive, const struct sm *sm, uint32_t a, uint32_t b) {
    int64_t block_a = sm->slots[a / naive->warps].block, block_b = sm->slots[b / naive->warps].block;
    return block_a != block_b ? block_a < block_b : a < b;
}

static int choose_oldest(const struct naive *naive, const struct sm *sm, uint32_t core) {
    int oldest = -1;
    for (uint32_t w = core; w < naive->slots * naive->warps; w += naive->machine->sub_cores) {
        if (can_issue(naive, sm, w) && (oldest < 0 || is_older(naive, sm, w, (uint32_t)oldest)))
            oldest = (int)w;
    }
    return oldest;
}

static bool in_turn(const struct naive *naive, const struct sm *sm, uint32_t w) {
    const struct naive_slot *slot = &sm->slots[w / naive->warps];
    return slot->block >= 0 && slot->started && !sm->warps[w].held && head(naive, &sm->warps[w]) != NULL;
}

/* The choice of the policy for a sub-core, or -1. */
static int choose(const struct naive *naive, const struct sm *sm, uint32_t core) {
    int count = (int)(naive->slots * naive->warps), last = sm->last[core];
    if (strcmp(naive->policy, "oldest") == 0) return choose_oldest(naive, sm, core);
    if (strcmp(naive->policy, "gto") == 0) {
        if (last >= 0 && can_issue(naive, sm, (uint32_t)last)) return last;
        return choose_oldest(naive, sm, core);
    }
    for (int k = 1; k <= count; k++) {
        uint32_t w = (uint32_t)((last + k) % count);
        if (w % naive->machine->sub_cores != core) continue;
        if (can_issue(naive, sm, w)) return (int)w;
        if (strcmp(naive->policy, "rr") == 0 && in_turn(naive, sm, w)) return -1;
    }
    return -1;
}

static void issue(const struct naive *naive, struct sm *sm, uint32_t w) {
    struct naive_warp *warp = &sm->warps[w];
    bool barrier = head(naive, warp)->barrier;
    if (fetches(naive)) naive_fetch_issue(&sm->fetch, w, head_address(naive, warp));
    size_t index = record(naive, sm, w);
    struct inst *inst = &sm->insts.items[index];
    const struct naive_issue event = {sm->number, naive->now, inst->block, inst->block_warp, inst->step};
    if (vec_push(&naive->result->issues, event) != WB_OK) abort();
    inst->sub_core = w % naive->machine->sub_cores;
    start_waiting(naive, sm);
    warp->earliest = naive->now + 1;
    warp->held = barrier;
    while (settle_block(naive, sm, w / naive->warps))
        continue;
}

/* The turn of a warp that can issue: instructions that follow one another, none behind a barrier, all on
 * different units. */
static void take_turn(const struct naive *naive, struct sm *sm, uint32_t w) {
    const struct naive_warp *warp = &sm->warps[w];
    bool used[MACHINE_UNITS_MAX] = {false};
    for (uint32_t count = 1;; count++) {
        const uint32_t position = warp->next;
        const bool barrier = head(naive, warp)->barrier;
        used[head(naive, warp)->unit] = true;
        issue(naive, sm, w);
        if (count >= naive->machine->issue_per_warp || barrier || warp->next != position + 1) return;
        if (!has_all(naive, sm, w) || used[head(naive, warp)->unit]) return;
    }
}

static void issue_all(const struct naive *naive, struct sm *sm) {
    for (uint32_t w = 0; naive->reorder && w < naive->slots * naive->warps; w++) {
        if (sm->warps[w].earliest <= naive->now && has_operands(naive, sm, w) &&
            head(naive, &sm->warps[w])->unit != UNIT_NONE && head_makes_requests(naive, &sm->warps[w]) &&
            !channel_has_room(naive, sm, w))
            naive->result->channel_stalls++;
    }
    for (uint32_t core = 0; core < naive->machine->sub_cores; core++) {
        for (uint32_t k = 0; k < naive->machine->issue_width; k++) {
            int w = choose(naive, sm, core);
            if (w < 0) break;
            sm->last[core] = w;
            take_turn(naive, sm, (uint32_t)w);
        }
    }
}

static void begin(struct naive *naive) {
    const struct machine_memory *memory = naive->memory;
    naive->sms = calloc(memory->sms, sizeof *naive->sms);
    naive->partitions = calloc(memory->l2_partitions, sizeof *naive->partitions);
    naive->result->blocks = calloc(naive->grid->grid->blocks.count + 1, sizeof *naive->result->blocks);
    for (uint32_t p = 0; p < memory->l2_partitions; p++)
        naive_cache_begin(&naive->partitions[p].cache, &memory->l2, memory->l2_partitions);
    for (uint32_t m = 0; m < memory->sms; m++) {
        struct sm *sm = &naive->sms[m];
        sm->number = sm->next_block = m;
        sm->warps = calloc(naive->slots * naive->warps, sizeof *sm->warps);
        sm->slots = calloc(naive->slots, sizeof *sm->slots);
        sm->reply_done = NEVER;
        memset(sm->last, -1, sizeof sm->last);
        if (memory->l1.bytes > 0) naive_cache_begin(&sm->l1, &memory->l1, 1);
        if (fetches(naive))
            naive_fetch_begin(&sm->fetch, &naive->machine->fetch, naive->slots * naive->warps);
        for (uint32_t s = 0; s < naive->slots; s++)
            sm->slots[s].block = -1;
        for (uint32_t w = 0; w < naive->slots * naive->warps; w++)
            sm->warps[w].writers = calloc(naive->grid->code.register_count + 1, sizeof *sm->warps[w].writers);
        if (naive->reorder) make_order(naive, sm);
    }
    naive->last_sm = memory->sms - 1;
    while (place_next(naive, true))
        continue;
}

static bool busy(const struct naive *naive) {
    for (uint32_t m = 0; m < naive->memory->sms; m++) {
        for (uint32_t s = 0; s < naive->slots; s++) {
            if (naive->sms[m].slots[s].block >= 0) return true;
        }
    }
    return false;
}

static void end(struct naive *naive) {
    for (uint32_t m = 0; m < naive->memory->sms; m++) {
        struct sm *sm = &naive->sms[m];
        for (uint32_t w = 0; w < naive->slots * naive->warps; w++) {
            free(sm->warps[w].path);
            free(sm->warps[w].writers);
        }
        for (size_t i = 0; i < sm->insts.count; i++)
            free(sm->insts.items[i].requests);
        free(sm->warps);
        free(sm->slots);
        vec_free(&sm->insts);
        vec_free(&sm->fetches);
        vec_free(&sm->answers);
        vec_free(&sm->keys);
        naive_cache_end(&sm->l1);
        if (!fetches(naive)) continue;
        naive->result->fetches += sm->fetch.fetches;
        naive->result->fetch_misses += sm->fetch.misses;
        naive_fetch_end(&sm->fetch);
    }
    for (uint32_t p = 0; p < naive->memory->l2_partitions; p++) {
        naive_cache_end(&naive->partitions[p].cache);
        vec_free(&naive->partitions[p].arrivals);
        vec_free(&naive->partitions[p].fetches);
    }
    free(naive->sms);
    free(naive->partitions);
}

void naive_gpu_simulate(const struct timed_grid *grid, const char *policy, bool reorder, uint32_t slots,
                        const struct naive_neighbours *neighbours, struct naive_gpu_result *result) {
    struct naive naive = {.grid = grid,
                          .machine = grid->machine,
                          .memory = &grid->machine->memory,
                          .policy = policy,
                          .reorder = reorder,
                          .slots = slots,
                          .warps = grid->grid->warp_count,
                          .server_last = grid->machine->memory.sms - 1,
                          .neighbours = neighbours,
                          .result = result};
    *result = (struct naive_gpu_result){0};
    begin(&naive);
    if (neighbours != NULL) naive.random = random_seeded(neighbours->seed);
    for (;; naive.now++) {
        if (naive.now > CYCLES_MOST) abort();
        for (uint32_t m = 0; m < naive.memory->sms; m++)
            serve_answers(&naive, &naive.sms[m]);
        settle(&naive);
        if (!busy(&naive)) break;
        for (uint32_t m = 0; m < naive.memory->sms; m++) {
            struct asking asking = {&naive, &naive.sms[m]};
            start_waiting(&naive, &naive.sms[m]);
            if (fetches(&naive)) naive_fetch_cycle(&naive.sms[m].fetch, naive.now, wants_fetch, &asking);
            issue_all(&naive, &naive.sms[m]);
            if (naive.memory->l1.bytes > 0)
                begin_turn(&naive, &naive.sms[m]);
            else
                send_requests(&naive, &naive.sms[m]);
        }
        if (naive.memory->service > 0) serve_one(&naive);
        for (uint32_t p = 0; p < naive.memory->l2_partitions; p++)
            serve_arrivals(&naive, p);
    }
    end(&naive);
}

void naive_gpu_free(struct naive_gpu_result *result) {
    vec_free(&result->issues);
    vec_free(&result->turns);
    free(result->blocks);
}
