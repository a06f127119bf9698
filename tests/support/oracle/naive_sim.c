#include "naive_sim.h"

#include <stdlib.h>
#include <string.h>

#include "naive_fetch.h"

#define NEVER UINT64_MAX

struct naive_warp {
    uint32_t insts[NAIVE_INSTS];
    uint32_t length, next;
    cycles earliest;
    cycles ready[NAIVE_REGISTERS];
    cycles done[NAIVE_INSTS]; /* per position */
    bool held;
};

/* An instruction between issue and initiation. */
struct naive_entry {
    uint32_t warp, position;
};

struct naive_unit {
    cycles busy_until[8];
    struct naive_entry queue[NAIVE_QUEUE];
    uint32_t queued;
};

struct naive {
    const struct timed_block *block;
    struct naive_warp warps[NAIVE_WARPS];
    struct naive_unit units[MACHINE_UNITS_MAX][4];
    struct naive_fetch_unit fetch; /* where fetch can stall */
    cycles now;
    struct naive_result result;
};

uint32_t naive_expand(const struct path *path, uint32_t insts[NAIVE_INSTS]) {
    struct path_cursor cursor = path_begin(path);
    struct path_step step;
    uint32_t length = 0;
    while (path_next(&cursor, &step)) {
        if (length == NAIVE_INSTS) abort();
        insts[length++] = step.instruction;
    }
    return length;
}

static const struct timed_inst *head(const struct naive *naive, const struct naive_warp *warp) {
    return warp->next < warp->length ? &naive->block->code.insts[warp->insts[warp->next]] : NULL;
}

uint64_t naive_awaited(const struct timed_code *code, const uint32_t *insts, uint32_t next, uint32_t reg) {
    uint64_t awaited = 0;
    for (uint32_t q = 0; q < QUEUE_COUNT; q++) {
        const struct timed_queue *queue = &code->queues[q];
        if (reg < queue->first || reg >= queue->first + queue->count) continue;
        uint32_t commits = 0;
        for (uint32_t p = next; p-- > 0;) {
            commits += (code->insts[insts[p]].commits & 1u << q) != 0;
            bool joined = (code->insts[insts[p]].joins & 1u << q) != 0;
            if (joined && commits >= reg - queue->first) awaited |= UINT64_C(1) << p;
        }
    }
    return awaited;
}

static bool operands_ready(const struct naive *naive, const struct naive_warp *warp, cycles at) {
    const struct timed_inst *inst = head(naive, warp);
    for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++) {
        const uint32_t reg = naive->block->code.operands[inst->first_operand + i];
        if (warp->ready[reg] > at) return false;
        const uint64_t awaited = naive_awaited(&naive->block->code, warp->insts, warp->next, reg);
        for (uint32_t p = 0; p < warp->next; p++)
            if ((awaited >> p & 1) != 0 && warp->done[p] > at) return false;
    }
    return true;
}

static void set_results(const struct naive *naive, struct naive_warp *warp, uint32_t position, cycles at) {
    const struct timed_inst *inst = &naive->block->code.insts[warp->insts[position]];
    warp->done[position] = at;
    for (uint32_t i = 0; i < inst->destination_count; i++)
        warp->ready[naive->block->code.operands[inst->first_operand + inst->source_count + i]] = at;
}

static struct naive_unit *unit_of(struct naive *naive, uint32_t unit, uint32_t warp) {
    const struct wb_machine *machine = naive->block->machine;
    return &naive->units[unit][machine->units[unit].shared ? 0 : warp % machine->sub_cores];
}

static int free_instance(const struct naive *naive, const struct naive_unit *unit, uint32_t index) {
    for (uint32_t i = 0; i < naive->block->machine->units[index].count; i++) {
        if (unit->busy_until[i] <= naive->now) return (int)i;
    }
    return -1;
}

/* Lets waiting instructions start. */
static void start_queued(struct naive *naive, struct naive_unit *unit, uint32_t index) {
    int instance;
    while (unit->queued > 0 && (instance = free_instance(naive, unit, index)) >= 0) {
        struct naive_entry entry = unit->queue[0];
        memmove(unit->queue, unit->queue + 1, --unit->queued * sizeof unit->queue[0]);
        struct naive_warp *warp = &naive->warps[entry.warp];
        const struct timed_inst *inst = &naive->block->code.insts[warp->insts[entry.position]];
        unit->busy_until[instance] = naive->now + inst->init;
        cycles done = naive->now + inst->init + inst->latency;
        set_results(naive, warp, entry.position, done);
        naive->result.end = cycles_max(naive->result.end, done);
    }
}

/* Barriers that take no slot, and releases: nothing of this takes time. */
static void settle(struct naive *naive) {
    uint32_t live, held;
    do {
        live = held = 0;
        cycles release = 0;
        for (uint32_t w = 0; w < naive->block->warp_count; w++) {
            struct naive_warp *warp = &naive->warps[w];
            const struct timed_inst *inst = head(naive, warp);
            while (!warp->held && inst != NULL && inst->unit == UNIT_NONE) {
                warp->next++;
                warp->held = inst->barrier;
                naive->result.end = cycles_max(naive->result.end, warp->earliest);
                inst = head(naive, warp);
            }
            if (warp->held || inst != NULL) live++;
            held += warp->held;
            release = cycles_max(release, warp->earliest);
        }
        for (uint32_t w = 0; live > 0 && live == held && w < naive->block->warp_count; w++) {
            if (naive->warps[w].held)
                naive->warps[w].earliest = release + naive->block->machine->barrier_release;
            naive->warps[w].held = false;
        }
    } while (live > 0 && live == held);
}

static bool fetches(const struct naive *naive) {
    return fetch_can_stall(&naive->block->machine->fetch);
}

/* Where the warp's next instruction lies. */
static uint64_t head_address(const struct naive *naive, const struct naive_warp *warp) {
    const uint64_t number = timed_origin(&naive->block->code, warp->insts[warp->next]);
    return number * naive->block->machine->fetch.instruction_bytes;
}

static bool wants_fetch(void *user, uint32_t w, uint64_t *address) {
    const struct naive *naive = user;
    const struct naive_warp *warp = &naive->warps[w];
    if (head(naive, warp) == NULL || warp->held || warp->earliest > naive->now) return false;
    *address = head_address(naive, warp);
    return true;
}

/* Whether the warp's next instruction lacks neither operands nor room in its unit. */
static bool has_all(struct naive *naive, uint32_t w) {
    struct naive_warp *warp = &naive->warps[w];
    const struct timed_inst *inst = head(naive, warp);
    if (inst == NULL || warp->held) return false;
    if (fetches(naive) && !naive_fetch_has(&naive->fetch, w, head_address(naive, warp), naive->now))
        return false;
    if (!operands_ready(naive, warp, naive->now)) return false;
    struct naive_unit *unit = unit_of(naive, inst->unit, w);
    if (unit->queued == 0 && free_instance(naive, unit, inst->unit) >= 0) return true;
    return unit->queued < naive->block->machine->dispatch_depth;
}

static bool can_issue(struct naive *naive, uint32_t w) {
    return naive->warps[w].earliest <= naive->now && has_all(naive, w);
}

static void issue(struct naive *naive, uint32_t w) {
    struct naive_warp *warp = &naive->warps[w];
    const struct timed_inst *inst = head(naive, warp);
    struct naive_unit *unit = unit_of(naive, inst->unit, w);
    if (unit->queued == NAIVE_QUEUE) abort();
    if (fetches(naive)) naive_fetch_issue(&naive->fetch, w, head_address(naive, warp));
    unit->queue[unit->queued++] = (struct naive_entry){w, warp->next};
    set_results(naive, warp, warp->next, NEVER);
    start_queued(naive, unit, inst->unit);
    warp->next++;
    warp->earliest = naive->now + 1;
    warp->held = inst->barrier;
    naive->result.issued++;
    naive->result.last_issue = naive->now;
    settle(naive);
}

/* The turn of a warp that can issue: up to issue_per_warp instructions that follow one another in its
 * program, none of them behind a barrier, all on different units. */
static void take_turn(struct naive *naive, uint32_t w) {
    const struct naive_warp *warp = &naive->warps[w];
    bool used[MACHINE_UNITS_MAX] = {false};
    for (uint32_t count = 1;; count++) {
        const uint32_t position = warp->next;
        const bool barrier = head(naive, warp)->barrier;
        used[head(naive, warp)->unit] = true;
        issue(naive, w);
        if (count >= naive->block->machine->issue_per_warp || barrier || warp->next != position + 1) return;
        if (!has_all(naive, w) || used[head(naive, warp)->unit]) return;
    }
}

/* The choice of a policy for sub-core `core`, or -1. */
static int choose(struct naive *naive, const char *policy, uint32_t core, int last) {
    int count = (int)naive->block->warp_count;
    int cores = (int)naive->block->machine->sub_cores;
    bool rounds = strcmp(policy, "lrr") == 0 || strcmp(policy, "rr") == 0;
    if (strcmp(policy, "gto") == 0 && last >= 0 && can_issue(naive, (uint32_t)last)) return last;
    for (int k = 1; k <= count; k++) {
        int w = rounds ? (last + k) % count : k - 1;
        struct naive_warp *warp = &naive->warps[w];
        if (w % cores != (int)core) continue;
        if (can_issue(naive, (uint32_t)w)) return w;
        bool in_turn = head(naive, warp) != NULL && !warp->held;
        if (strcmp(policy, "rr") == 0 && in_turn) return -1;
    }
    return -1;
}

static bool finished(const struct naive *naive) {
    for (uint32_t w = 0; w < naive->block->warp_count; w++) {
        if (naive->warps[w].next < naive->warps[w].length || naive->warps[w].held) return false;
    }
    return true;
}

struct naive_result naive_simulate(const struct timed_block *block, const char *policy) {
    static _Thread_local struct naive naive;
    const struct wb_machine *machine = block->machine;
    memset(&naive, 0, sizeof naive);
    naive.block = block;
    if (block->warp_count > NAIVE_WARPS || block->code.register_count > NAIVE_REGISTERS) abort();
    for (uint32_t w = 0; w < block->warp_count; w++)
        naive.warps[w].length = naive_expand(&block->paths[block->warp_path[w]], naive.warps[w].insts);
    int last[4] = {-1, -1, -1, -1};
    if (fetches(&naive)) naive_fetch_begin(&naive.fetch, &machine->fetch, block->warp_count);
    settle(&naive);
    bool queued = true;
    for (; !finished(&naive) || queued; naive.now++) {
        queued = false;
        for (uint32_t u = 0; u < machine->unit_count; u++) {
            for (uint32_t s = 0; s < machine->sub_cores; s++) {
                start_queued(&naive, &naive.units[u][s], u);
                queued = queued || naive.units[u][s].queued > 0;
            }
        }
        if (fetches(&naive)) naive_fetch_cycle(&naive.fetch, naive.now, wants_fetch, &naive);
        for (uint32_t s = 0; s < machine->sub_cores; s++) {
            for (uint32_t slot = 0; slot < machine->issue_width; slot++) {
                int w = choose(&naive, policy, s, last[s]);
                if (w < 0) break;
                last[s] = w;
                take_turn(&naive, (uint32_t)w);
                queued = true;
            }
        }
    }
    naive.result.fetches = naive.fetch.fetches;
    naive.result.fetch_misses = naive.fetch.misses;
    if (fetches(&naive)) naive_fetch_end(&naive.fetch);
    return naive.result;
}
