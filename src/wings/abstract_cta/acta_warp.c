#include "wings/abstract_cta/acta_warp.h"

/* The iterations after which patterns of two such periods come round together. */
static uint64_t common_period(uint64_t a, uint64_t b) {
    if (a == 0 || b == ACTA_PERIOD_LONG) return b;
    if (b == 0 || a == ACTA_PERIOD_LONG) return a;
    uint64_t divisor = a;
    for (uint64_t rest = b; rest != 0;) {
        const uint64_t next = divisor % rest;
        divisor = rest;
        rest = next;
    }
    const uint64_t period = a / divisor * b; /* of two numbers of 32 bits */
    return period <= UINT32_MAX ? period : ACTA_PERIOD_LONG;
}

/* Appends a node. */
static wb_status add_node(struct acta_warp *warp, const struct acta_node *node,
                          struct acta_sequence *sequence) {
    if (warp->nodes.count >= ACTA_NONE) return WB_ERR_LIMIT;
    uint32_t index = (uint32_t)warp->nodes.count;
    struct acta_node last = *node;
    last.next = ACTA_NONE;
    WB_TRY(vec_push(&warp->nodes, last));
    if (sequence->first == ACTA_NONE)
        sequence->first = index;
    else
        warp->nodes.items[sequence->last].next = index;
    sequence->last = index;
    sequence->has_barrier = sequence->has_barrier || node->has_barrier || node->kind == ACTA_BARRIER;
    if (node->kind == ACTA_BRANCH) sequence->period = common_period(sequence->period, node->period);
    return WB_OK;
}

wb_status acta_add_time(struct acta_warp *warp, cycles instr, cycles shift, struct acta_sequence *sequence) {
    if (instr == 0 && shift == 0) return WB_OK;
    if (sequence->last != ACTA_NONE && warp->nodes.items[sequence->last].kind == ACTA_TIME) {
        struct acta_node *last = &warp->nodes.items[sequence->last];
        last->instr = cycles_add(last->instr, instr);
        last->shift = cycles_add(last->shift, shift);
        return WB_OK;
    }
    return add_node(warp, &(struct acta_node){.kind = ACTA_TIME, .instr = instr, .shift = shift}, sequence);
}

wb_status acta_add_memory(struct acta_warp *warp, bool is_store, struct acta_sequence *sequence) {
    return add_node(warp, &(struct acta_node){.kind = ACTA_MEMORY, .is_store = is_store}, sequence);
}

wb_status acta_add_barrier(struct acta_warp *warp, struct acta_sequence *sequence) {
    return add_node(warp, &(struct acta_node){.kind = ACTA_BARRIER}, sequence);
}

/* Whether a sequence is nothing but time; if so, *time is the only node's. */
static bool is_time(const struct acta_warp *warp, const struct acta_sequence *sequence,
                    struct acta_node *time) {
    *time = (struct acta_node){.kind = ACTA_TIME};
    if (sequence->first == ACTA_NONE) return true;
    *time = warp->nodes.items[sequence->first];
    return sequence->first == sequence->last && time->kind == ACTA_TIME;
}

wb_status acta_add_branch(struct acta_warp *warp, const struct acta_node *made,
                          const struct acta_sequence sides[2], struct acta_sequence *sequence) {
    struct acta_node a, b, branch = *made;
    const bool stated = made->diverges || made->pattern_length != 0;
    const bool chosen = !stated && warp->keeps_choices;
    bool times = is_time(warp, &sides[0], &a);
    times = is_time(warp, &sides[1], &b) && times && made->pattern_length == 0 && !chosen;
    warp->has_open_branch = warp->has_open_branch || !(stated || chosen);
    if (times && !made->diverges)
        return acta_add_time(warp, cycles_max(a.instr, b.instr), cycles_max(a.shift, b.shift), sequence);
    if (times) /* from the smaller side alone, at its least, to both */
        return acta_add_time(warp, cycles_add(a.instr, b.instr),
                             cycles_max(cycles_add(a.instr, b.shift), cycles_add(b.instr, a.shift)),
                             sequence);
    branch.kind = ACTA_BRANCH;
    branch.side[0] = sides[0].first;
    branch.side[1] = sides[1].first;
    branch.has_barrier = sides[0].has_barrier || sides[1].has_barrier;
    branch.period = common_period(common_period(sides[0].period, sides[1].period), made->pattern_length);
    branch.barrier_side = sides[1].has_barrier;
    branch.number = ACTA_NONE;
    if (branch.has_barrier) {
        branch.number = (uint32_t)warp->guards.count;
        WB_TRY(vec_push(&warp->guards, (uint32_t)warp->nodes.count));
    } else if (chosen) {
        branch.number = (uint32_t)warp->choices.count;
        WB_TRY(vec_push(&warp->choices, (uint32_t)warp->nodes.count));
    }
    return add_node(warp, &branch, sequence);
}

wb_status acta_add_loop(struct acta_warp *warp, uint32_t block, const struct acta_sequence *header,
                        const struct acta_sequence *rest, struct acta_sequence *sequence) {
    const struct acta_node loop = {.kind = ACTA_LOOP,
                                   .side = {header->first, rest->first},
                                   .has_barrier = header->has_barrier || rest->has_barrier,
                                   .period = common_period(header->period, rest->period),
                                   .number = (uint32_t)warp->loops.count,
                                   .block = block};
    WB_TRY(vec_push(&warp->loops, (uint32_t)warp->nodes.count));
    return add_node(warp, &loop, sequence);
}

void acta_warp_free(struct acta_warp *warp) {
    vec_free(&warp->nodes);
    vec_free(&warp->loops);
    vec_free(&warp->guards);
    vec_free(&warp->choices);
    *warp = (struct acta_warp){0};
}
