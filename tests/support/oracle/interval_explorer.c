#include "interval_explorer.h"

#include <stdlib.h>
#include <string.h>

#include "base/containers.h"

/* All times are from the beginning of the present cycle on. */
struct moment {
    uint8_t next[INTERVAL_WARPS]; /* instruction of the path */
    uint8_t held[INTERVAL_WARPS]; /* by a barrier */
    uint8_t ready[INTERVAL_WARPS][INTERVAL_REGISTERS];
    uint8_t busy[INTERVAL_UNITS];
    uint8_t last; /* completion of all that was issued */
};

struct explorer {
    const struct timed_block *block;
    const struct timed_inst *insts[INTERVAL_WARPS][INTERVAL_INSTS];
    uint32_t lengths[INTERVAL_WARPS];
    struct key_table longest; /* from the beginning of a cycle on */
    size_t states;
    bool given_up;
};

static uint32_t from_cycle(struct explorer *explorer, struct moment moment);

static uint8_t *unit_of(const struct explorer *explorer, struct moment *moment, uint32_t unit, uint32_t w) {
    const struct wb_machine *machine = explorer->block->machine;
    const uint32_t sub_core = machine->units[unit].shared ? 0 : w % machine->sub_cores;
    return &moment->busy[unit * machine->sub_cores + sub_core];
}

static bool can_issue(const struct explorer *explorer, struct moment *moment, uint32_t w) {
    if (moment->held[w] || moment->next[w] == explorer->lengths[w]) return false;
    const struct timed_inst *inst = explorer->insts[w][moment->next[w]];
    const uint32_t *operands = explorer->block->code.operands + inst->first_operand;
    for (uint32_t o = 0; o < (uint32_t)inst->source_count + inst->destination_count; o++)
        if (moment->ready[w][operands[o]] > 0) return false;
    return explorer->block->machine->dispatch_depth != 0 || *unit_of(explorer, moment, inst->unit, w) == 0;
}

static void issue(const struct explorer *explorer, struct moment *moment, uint32_t w, uint32_t latency) {
    const struct timed_inst *inst = explorer->insts[w][moment->next[w]++];
    const uint32_t *written = explorer->block->code.operands + inst->first_operand + inst->source_count;
    uint8_t *unit = unit_of(explorer, moment, inst->unit, w);
    *unit = (uint8_t)(*unit + inst->init);
    const uint8_t complete = (uint8_t)(*unit + latency);
    for (uint32_t d = 0; d < inst->destination_count; d++)
        moment->ready[w][written[d]] = complete;
    if (complete > moment->last) moment->last = complete;
    moment->held[w] = inst->barrier;
}

/* The choices of the sub-cores from this one on, and then the next cycle. */
static uint32_t from_sub_core(struct explorer *explorer, const struct moment *moment, uint32_t sub_core) {
    const uint32_t sub_cores = explorer->block->machine->sub_cores;
    uint32_t longest = 0;
    bool issued = false;
    if (sub_core == sub_cores) {
        struct moment later = *moment;
        for (uint32_t w = 0; w < INTERVAL_WARPS; w++)
            for (uint32_t r = 0; r < INTERVAL_REGISTERS; r++)
                later.ready[w][r] -= later.ready[w][r] > 0;
        for (uint32_t u = 0; u < INTERVAL_UNITS; u++)
            later.busy[u] -= later.busy[u] > 0;
        later.last -= later.last > 0;
        return 1 + from_cycle(explorer, later);
    }
    for (uint32_t w = sub_core; w < explorer->block->warp_count; w += sub_cores) {
        struct moment now = *moment;
        if (!can_issue(explorer, &now, w)) continue;
        issued = true;
        const struct timed_inst *inst = explorer->insts[w][now.next[w]];
        for (uint32_t latency = inst->latency_least; latency <= inst->latency; latency++) {
            struct moment then = *moment;
            issue(explorer, &then, w, latency);
            const uint32_t one = from_sub_core(explorer, &then, sub_core + 1);
            longest = one > longest ? one : longest;
        }
    }
    return issued ? longest : from_sub_core(explorer, moment, sub_core + 1);
}

/* Warps arrive at barriers that take no time, and go on when all have arrived. */
static void pass_barriers(const struct explorer *explorer, struct moment *moment) {
    const uint32_t warps = explorer->block->warp_count;
    for (;;) {
        uint32_t waiting = 0, ended = 0;
        for (uint32_t w = 0; w < warps; w++) {
            const bool at_end = moment->next[w] == explorer->lengths[w];
            if (!moment->held[w] && !at_end && explorer->insts[w][moment->next[w]]->unit == UNIT_NONE) {
                moment->next[w]++;
                moment->held[w] = true;
            }
            waiting += moment->held[w];
            ended += !moment->held[w] && moment->next[w] == explorer->lengths[w];
        }
        if (waiting == 0 || waiting + ended < warps) return;
        memset(moment->held, 0, sizeof moment->held);
    }
}

/* The longest time that is left at the beginning of a cycle. */
static uint32_t from_cycle(struct explorer *explorer, struct moment moment) {
    uint32_t hash, longest, ended = 0;
    pass_barriers(explorer, &moment);
    for (uint32_t w = 0; w < explorer->block->warp_count; w++)
        ended += moment.next[w] == explorer->lengths[w];
    if (ended == explorer->block->warp_count) return moment.last;
    if (explorer->given_up) return 0;
    const uint8_t *key = (const uint8_t *)&moment;
    if (key_table_find(&explorer->longest, key, sizeof moment, &hash, &longest)) return longest;
    explorer->given_up = explorer->states-- == 0;
    longest = from_sub_core(explorer, &moment, 0);
    (void)key_table_find(&explorer->longest, key, sizeof moment, &hash, &ended);
    const uint8_t *kept = key_table_keep(&explorer->longest, key, sizeof moment);
    if (kept == NULL || key_table_insert(&explorer->longest, kept, hash, longest) != WB_OK) abort();
    return longest;
}

cycles explore_intervals(const struct timed_block *block, size_t states) {
    struct explorer explorer = {.block = block, .states = states};
    if (block->warp_count > INTERVAL_WARPS || block->code.register_count > INTERVAL_REGISTERS ||
        block->machine->unit_count * block->machine->sub_cores > INTERVAL_UNITS)
        return 0;
    for (uint32_t w = 0; w < block->warp_count; w++) {
        const struct path *path = &block->paths[block->warp_path[w]];
        if (path->length > INTERVAL_INSTS) return 0;
        struct path_cursor cursor = path_begin(path);
        struct path_step step;
        while (path_next(&cursor, &step))
            explorer.insts[w][explorer.lengths[w]++] = &block->code.insts[step.instruction];
    }
    const struct moment start = {0};
    const uint32_t longest = from_cycle(&explorer, start);
    key_table_free(&explorer.longest);
    return explorer.given_up ? 0 : longest;
}
