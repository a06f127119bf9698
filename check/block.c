/* Bounds of a block that are sums over its rows: SIB and FIB (block/IsolationPaths.v:SIB_at_bound,
 * block/Bounds.v:fib_bound), ELB (block/Paths.v:ELB_bound) and its busiest sub-cores
 * (block/ChainBlock.v:chain_alone). */
#include "check.h"

#include <stdlib.h>

/* ---- Rows ---- */

bool next_beside(const struct block *of, uint64_t row, uint64_t group, struct beside *other) {
    const struct warps *own = &of->warps.items[group], *at = &of->warps.items[other->next];
    if (other->next == of->warps.count) return false;
    other->count = at->count - (at == own);
    other->section = cell(of, row, at->path);
    other->together = at->sub_core == own->sub_core;
    other->next++;
    return true;
}

uint64_t sum_of_rows(const struct block *of, group_time time, void *context) {
    uint64_t sum = 0;
    for (struct place at = {0}; next_row(of, &at);) {
        uint64_t most = 0;
        for (uint64_t g = 0; g < of->warps.count; g++)
            most = max(most, time(of, &at, g, context));
        sum = add(sum, mul(most, at.often));
    }
    return sum;
}

/* ---- SIB and FIB: theorem 1 of docs/proofs.md, section 3 ---- */

/* What another warp delays one: initiations on units that both reach, with queues each as the longest of its
 * unit; of fib issue slots where this one does not use the unit. */
static uint64_t delay(const struct block *of, const struct section *own, const struct beside *beside,
                      bool slots) {
    const struct machine *machine = of->machine;
    const struct section *other = &of->sections.items[beside->section];
    uint64_t sum = 0;
    for (uint64_t u = 0; u < machine->units; u++) {
        if (slots && own->count[u] == 0)
            sum = add(sum, beside->together ? other->count[u] : 0);
        else if (beside->together || machine->shared[u])
            sum = add(sum, machine->queue == 1 ? mul(other->count[u], of->largest[u]) : other->work[u]);
    }
    return sum;
}

/* Of what has anything to wait for. */
static uint64_t delayed(const struct block *of, const struct place *at, uint64_t group, void *context) {
    const struct section *own = section_of(of, at->thing, of->warps.items[group].path);
    const bool *slots = context;
    uint64_t time = own->alone;
    for (struct beside other = {0}; next_beside(of, at->thing, group, &other);)
        time = add(time, mul(delay(of, own, &other, *slots), other.count));
    return own->alone > 0 ? time : 0;
}

uint64_t sib(struct block *of) {
    return add(sum_of_rows(of, delayed, &(bool){false}), releases_of(of));
}

uint64_t fib(struct block *of) {
    return add(sum_of_rows(of, delayed, &(bool){true}), releases_of(of));
}

/* Behind the last row there is none. */
uint64_t releases_of(const struct block *of) {
    uint64_t rows = 0;
    for (struct place at = {0}; next_row(of, &at);)
        rows = add(rows, at.often);
    return mul(less(rows, 1), of->machine->release);
}

/* ---- ELB, and the busiest sub-cores: theorem 2 there, and theorem 1 of docs/sub-core-bounds.md ---- */

uint64_t row_work(const struct block *of, uint64_t row, uint64_t *local) {
    const struct machine *machine = of->machine;
    uint64_t shared = 0;
    for (uint64_t c = 0; c < machine->sub_cores; c++)
        local[c] = 0;
    for (uint64_t g = 0; g < of->warps.count; g++) {
        const struct warps *warps = &of->warps.items[g];
        const struct section *section = section_of(of, row, warps->path);
        for (uint64_t u = 0; u < machine->units; u++) {
            uint64_t *sum = machine->shared[u] ? &shared : &local[warps->sub_core];
            *sum = add(*sum, mul(section->work[u], warps->count));
        }
    }
    return shared;
}

int most_first(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x < y) - (x > y);
}

uint64_t busiest(const struct block *of, uint64_t *local, ranking *extras, uint64_t often) {
    qsort(local, of->machine->sub_cores, sizeof *local, most_first);
    for (uint64_t c = 1; extras != NULL && c < of->machine->sub_cores && local[c] > 0; c++)
        PUSH(of->check, extras, (struct amount){local[c], often});
    return local[0];
}

/* What all sub-cores initiate, or, of each row, the busiest one. */
static uint64_t work_of(const struct block *of, bool all) {
    uint64_t *local = zeroed(of->check, of->machine->sub_cores, sizeof *local), sum = 0;
    for (struct place at = {0}; next_row(of, &at);) {
        const uint64_t shared = row_work(of, at.thing, local);
        uint64_t work = add(shared, busiest(of, local, NULL, 0));
        for (uint64_t c = 1; all && c < of->machine->sub_cores; c++)
            work = add(work, local[c]);
        sum = add(sum, mul(work, at.often));
    }
    free(local);
    return sum;
}

uint64_t initiations_of(const struct block *of) {
    return work_of(of, true);
}

uint64_t elb(struct block *of) {
    return add(initiations_of(of), latency_of(of));
}

uint64_t chain(struct block *of) {
    return add(work_of(of, false), latency_of(of));
}

uint64_t time_of_block(const struct method *method, struct block *of) {
    const struct machine *machine = of->machine;
    if (method->of_code != machine->is_code) refuse(of->check, "no claim on this machine: %s", method->name);
    if (method->of_block == NULL) refuse(of->check, "no claim of this block: %s", method->name);
    if (of->sends && machine->ports > 1 && !method->several)
        refuse(of->check, "several ports: %s", method->name);
    if (method->of_whole && of->parts) refuse(of->check, "no claim of parts of paths: %s", method->name);
    finish(of);
    return method->of_block(of);
}
