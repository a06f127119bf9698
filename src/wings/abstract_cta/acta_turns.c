#include "wings/abstract_cta/acta_turns.h"

#include <stdlib.h>
#include <string.h>

#include "base/containers.h"

/* Windows between two looks at the watch. */
#define WATCH_PERIOD ((uint64_t)1 << 10)

/* Instructions without a wait, and how many waits for memory are behind them. */
struct turn_leg {
    cycles instr;
    uint64_t waits;
};

/* What a warp does in a window. */
struct turn_list {
    struct acta_events events;
    bool present, arrives; /* in the window; at its barrier */
};

struct turn_warp {
    struct acta_cursor cursor;
    struct turn_list lists[2]; /* of the window at hand, and of the one before */
    VEC(struct turn_leg) legs; /* of the interleaving at hand */
    size_t leg;                /* the one it is in */
    cycles left;               /* instructions of that leg */
    cycles ready;              /* first cycle in which it can issue */
};

/* What can come out in one way or another: the cycles of a node with a shift, the sides of a fork. */
struct turn_choice {
    uint64_t ways, way;
};

/* What the interleavings of a window come to. */
struct turn_result {
    cycles most, least;
    cycles issued; /* cycles of the longest that are not waited */
    uint64_t interleavings;
    bool all;
};

struct turn_run {
    const struct acta_group *cta;
    const struct acta_rules *rules;
    struct search_budget *budget;
    struct turn_warp *warps;
    VEC(struct turn_choice) choices; /* of the window at hand, warp after warp */
    uint32_t now;                    /* which of the warps' lists is of the window at hand */
    uint64_t steps;                  /* of the interleaving at hand */
    cycles issued;                   /* by it */
    struct turn_result result;       /* of the window at hand */
    struct acta_windows *windows;
    struct acta_turns turns;
};

/* ---- One interleaving
 * --------------------------------------------------------------------------------------
 */

static wb_status add_instructions(struct turn_warp *warp, cycles instr) {
    const size_t count = warp->legs.count;
    if (count == 0 || warp->legs.items[count - 1].waits > 0)
        return vec_push(&warp->legs, ((struct turn_leg){.instr = instr}));
    warp->legs.items[count - 1].instr = cycles_add(warp->legs.items[count - 1].instr, instr);
    return WB_OK;
}

/* The legs of a warp, its choices being from number *choice on. A side that does not run is passed over with
 * its choices. */
static wb_status add_legs(const struct turn_run *run, struct turn_warp *warp, size_t first, size_t end,
                          bool runs, size_t *choice) {
    const struct acta_event *events = warp->lists[run->now].events.items.items;
    for (size_t i = first; i < end; i++) {
        const struct acta_event *event = &events[i];
        uint64_t way = 0;
        if (event->kind == EVENT_FORK || event->shift > 0) way = run->choices.items[(*choice)++].way;
        if (event->kind == EVENT_FORK) {
            const size_t second = i + 1 + event->length[0], behind = second + event->length[1];
            WB_TRY(add_legs(run, warp, i + 1, second, runs && way != 2, choice));
            WB_TRY(add_legs(run, warp, second, behind, runs && way != 1, choice));
            i = behind - 1;
        } else if (runs && event->kind == EVENT_TIME) {
            WB_TRY(add_instructions(warp, cycles_sub(event->instr, way)));
        } else if (runs && (!event->is_store || run->rules->stores_stall)) {
            if (warp->legs.count == 0) WB_TRY(add_instructions(warp, 0));
            warp->legs.items[warp->legs.count - 1].waits++;
        }
    }
    return WB_OK;
}

/* The warp goes on to the next leg with instructions: each wait in between ends T_memory cycles behind the
 * instruction before it. */
static void next_leg(const struct turn_run *run, struct turn_warp *warp) {
    while (warp->left == 0 && warp->leg < warp->legs.count) {
        const cycles wait = cycles_sub(run->rules->latency, 1);
        warp->ready = cycles_add(warp->ready, cycles_mul(warp->legs.items[warp->leg].waits, wait));
        warp->leg++;
        if (warp->leg < warp->legs.count) warp->left = warp->legs.items[warp->leg].instr;
    }
}

static wb_status begin_interleaving(struct turn_run *run) {
    size_t choice = 0;
    run->steps = 0;
    run->issued = 0;
    for (uint32_t w = 0; w < run->cta->warp_count; w++) {
        struct turn_warp *warp = &run->warps[w];
        const struct turn_list *list = &warp->lists[run->now];
        warp->legs.count = 0;
        warp->leg = 0;
        warp->left = warp->ready = 0;
        if (!list->present) continue;
        WB_TRY(add_legs(run, warp, 0, list->events.items.count, true, &choice));
        if (list->arrives) WB_TRY(add_instructions(warp, run->rules->barrier_slots));
        if (warp->legs.count == 0) continue;
        warp->left = warp->legs.items[0].instr;
        next_leg(run, warp);
    }
    return WB_OK;
}

/* Who can issue in a cycle, and when the next of the others can. */
struct turn_ready {
    uint32_t count;
    uint32_t next, final; /* of them, the first and the last in turn */
    cycles fewest;        /* instructions that one of them has left in its leg */
    cycles waking;        /* CYCLES_SATURATED: all others have ended */
};

static struct turn_ready who_is_ready(struct turn_run *run, uint32_t last, cycles now) {
    const uint32_t warps = run->cta->warp_count;
    struct turn_ready ready = {.fewest = CYCLES_SATURATED, .waking = CYCLES_SATURATED};
    for (uint32_t i = 1; i <= warps; i++) {
        const uint32_t w = (last + i) % warps;
        const struct turn_warp *warp = &run->warps[w];
        if (warp->left == 0) continue;
        if (warp->ready > now) {
            ready.waking = cycles_min(ready.waking, warp->ready);
            continue;
        }
        if (ready.count++ == 0) ready.next = w;
        ready.final = w;
        ready.fewest = cycles_min(ready.fewest, warp->left);
    }
    run->steps += warps;
    return ready;
}

/* Rounds in which all ready warps issue, before one of them comes to the end of its leg or another wakes. */
static void issue_rounds(struct turn_run *run, const struct turn_ready *ready, cycles rounds, cycles *now) {
    for (uint32_t w = 0; w < run->cta->warp_count; w++)
        if (run->warps[w].left > 0 && run->warps[w].ready <= *now) run->warps[w].left -= rounds;
    *now = cycles_add(*now, cycles_mul(rounds, ready->count));
    run->issued = cycles_add(run->issued, cycles_mul(rounds, ready->count));
}

static void issue_one(struct turn_run *run, uint32_t w, cycles *now) {
    struct turn_warp *warp = &run->warps[w];
    *now = cycles_add(*now, 1);
    run->issued = cycles_add(run->issued, 1);
    warp->ready = *now;
    warp->left--;
    next_leg(run, warp);
}

/* When the last warp has arrived or ended. */
static cycles simulate_interleaving(struct turn_run *run) {
    uint32_t last = run->cta->warp_count - 1;
    cycles now = 0, end = 0;
    for (;;) {
        const struct turn_ready ready = who_is_ready(run, last, now);
        if (ready.count == 0 && ready.waking == CYCLES_SATURATED) break;
        if (ready.count == 0) {
            now = ready.waking;
            continue;
        }
        const cycles rounds = cycles_min(ready.fewest - 1, (ready.waking - now) / ready.count);
        if (rounds > 0) {
            issue_rounds(run, &ready, rounds, &now);
            last = ready.final;
        } else {
            issue_one(run, ready.next, &now);
            last = ready.next;
        }
    }
    for (uint32_t w = 0; w < run->cta->warp_count; w++)
        end = cycles_max(end, run->warps[w].ready);
    return end;
}

/* ---- The interleavings of a window
 * -------------------------------------------------------------------------
 */

static wb_status try_interleaving(struct turn_run *run) {
    struct turn_result *result = &run->result;
    WB_TRY(begin_interleaving(run));
    const cycles time = simulate_interleaving(run);
    if (result->interleavings == 0 || time > result->most) {
        result->most = time;
        result->issued = run->issued;
    }
    result->least = result->interleavings == 0 ? time : cycles_min(result->least, time);
    result->interleavings++;
    return WB_OK;
}

/* Goes on to the next combination of ways; false behind the last. */
static bool next_ways(struct turn_run *run) {
    for (size_t c = 0; c < run->choices.count; c++) {
        struct turn_choice *choice = &run->choices.items[c];
        choice->way++;
        if (choice->way < choice->ways) return true;
        choice->way = 0;
    }
    return false;
}

/* Some combinations of too many: number 1 has every choice at its last way, those behind it one of them each,
 * the others are random. */
static void sample_ways(struct turn_run *run, struct random_state *random, size_t number) {
    const size_t count = run->choices.count;
    for (size_t c = 0; c < count; c++) {
        struct turn_choice *choice = &run->choices.items[c];
        const bool last = number == 1 || number == c + 2;
        if (last)
            choice->way = choice->ways - 1;
        else
            choice->way = number < count + 2 ? 0 : random_below(random, choice->ways);
    }
}

/* What is spent on the interleaving that was simulated last, at some nanoseconds a step. */
static bool spend(struct turn_run *run) {
    return search_spend(run->budget, 4 * run->steps);
}

/* Simulates the interleavings: the first has every node at its longest. */
static wb_status try_interleavings(struct turn_run *run) {
    uint64_t combinations = 1;
    for (size_t c = 0; c < run->choices.count; c++)
        combinations = cycles_mul(combinations, run->choices.items[c].ways);
    const bool all = combinations <= TURNS_ALL_MAX;
    const uint64_t count = all ? combinations : TURNS_SAMPLED;
    struct random_state random = random_seeded(count);
    WB_TRY(try_interleaving(run));
    bool left = spend(run);
    for (uint64_t i = 1; i < count && left; i++) {
        if (all)
            (void)next_ways(run);
        else
            sample_ways(run, &random, i);
        WB_TRY(try_interleaving(run));
        left = spend(run);
    }
    run->result.all = run->result.interleavings == combinations;
    return WB_OK;
}

/* ---- Windows ----------------------------------------------------------------------------------------------
 */

/* Lists what all warps do in the next window; *more: some are left. */
static wb_status list_window(struct turn_run *run, bool *more) {
    *more = false;
    run->now = 1 - run->now;
    for (uint32_t w = 0; w < run->cta->warp_count; w++) {
        struct turn_warp *warp = &run->warps[w];
        struct turn_list *list = &warp->lists[run->now];
        list->present = !acta_cursor_ended(&warp->cursor);
        list->arrives = false;
        list->events.items.count = 0;
        if (!list->present) continue;
        *more = true;
        WB_TRY(acta_cursor_list(&warp->cursor, &list->events, &list->arrives));
    }
    return WB_OK;
}

static bool same_event(const struct acta_event *a, const struct acta_event *b) {
    return a->kind == b->kind && a->is_store == b->is_store && a->instr == b->instr && a->shift == b->shift &&
           a->length[0] == b->length[0] && a->length[1] == b->length[1];
}

/* Whether all warps do the same as in the window before. */
static bool is_repeated(const struct turn_run *run) {
    for (uint32_t w = 0; w < run->cta->warp_count; w++) {
        const struct turn_list *now = &run->warps[w].lists[run->now];
        const struct turn_list *before = &run->warps[w].lists[1 - run->now];
        if (now->present != before->present || now->arrives != before->arrives ||
            now->events.items.count != before->events.items.count)
            return false;
        for (size_t i = 0; i < now->events.items.count; i++)
            if (!same_event(&now->events.items.items[i], &before->events.items.items[i])) return false;
    }
    return true;
}

/* Numbers the choices, each at its first way. */
static wb_status find_choices(struct turn_run *run) {
    run->choices.count = 0;
    for (uint32_t w = 0; w < run->cta->warp_count; w++) {
        const struct acta_events *events = &run->warps[w].lists[run->now].events;
        for (size_t i = 0; i < events->items.count; i++) {
            const struct acta_event *event = &events->items.items[i];
            const uint64_t shift = cycles_min(event->shift, event->instr);
            if (event->kind != EVENT_FORK && event->shift == 0) continue;
            const struct turn_choice choice = {.ways = event->kind == EVENT_FORK ? 3 : cycles_add(shift, 1)};
            WB_TRY(vec_push(&run->choices, choice));
        }
    }
    return WB_OK;
}

/* Most and fewest instructions of some events. */
struct turn_span {
    cycles most, fewest;
};

static struct turn_span span_of(const struct acta_event *events, size_t first, size_t end) {
    struct turn_span span = {0};
    for (size_t i = first; i < end; i++) {
        const struct acta_event *event = &events[i];
        struct turn_span part = {event->instr, cycles_sub(event->instr, event->shift)};
        if (event->kind == EVENT_FORK) {
            const size_t second = i + 1 + event->length[0], behind = second + event->length[1];
            const struct turn_span a = span_of(events, i + 1, second), b = span_of(events, second, behind);
            part = (struct turn_span){cycles_add(a.most, b.most), cycles_min(a.fewest, b.fewest)};
            i = behind - 1;
        }
        span.most = cycles_add(span.most, part.most);
        span.fewest = cycles_add(span.fewest, part.fewest);
    }
    return span;
}

/* Adds the window at hand to the result. */
static wb_status keep_window(struct turn_run *run) {
    const struct turn_result *result = &run->result;
    wb_window window = {.count = 1, .interleavings = result->interleavings};
    for (uint32_t w = 0; w < run->cta->warp_count; w++) {
        const struct turn_list *list = &run->warps[w].lists[run->now];
        const struct turn_span span = span_of(list->events.items.items, 0, list->events.items.count);
        window.warps += list->present;
        window.arriving += list->arrives;
        window.apart = cycles_max(window.apart, span.most - span.fewest);
    }
    const cycles slots = cycles_mul(window.arriving, run->rules->barrier_slots);
    const cycles once = window.arriving > 0 ? run->rules->barrier_cycles : 0;
    window.cycles = cycles_add(result->most, once);
    window.least = cycles_add(result->least, once);
    window.barrier = cycles_add(slots, once);
    window.instructions = result->issued - slots;
    window.stalls = result->most - result->issued;
    run->turns.most = cycles_add(run->turns.most, window.cycles);
    run->turns.least = cycles_add(run->turns.least, window.least);
    run->turns.all = run->turns.all && result->all;
    run->turns.windows++;
    return run->windows == NULL ? WB_OK : acta_windows_add(run->windows, &window);
}

static wb_status run_window(struct turn_run *run, bool *more) {
    WB_TRY(list_window(run, more));
    if (!*more) return WB_OK;
    if (run->turns.windows == 0 || !is_repeated(run)) {
        run->result = (struct turn_result){0};
        WB_TRY(find_choices(run));
        WB_TRY(try_interleavings(run));
    }
    return keep_window(run);
}

static wb_status run_windows(struct turn_run *run, const wb_watch *watch, wb_diagnostics *diagnostics) {
    run->turns.all = true;
    for (bool more = true; more;) {
        wb_status status = run_window(run, &more);
        for (uint32_t w = 0; status != WB_OK && w < run->cta->warp_count; w++) {
            if (!run->warps[w].lists[run->now].events.too_many) continue;
            diagnose(diagnostics, SEVERITY_ERROR, "abstract warps",
                     "a window has too many nodes for them to be simulated one by one");
            return status;
        }
        if (status != WB_OK) return diagnose_out_of_memory(diagnostics, "abstract warps");
        if (watch == NULL || watch->poll == NULL || run->turns.windows % WATCH_PERIOD != 0) continue;
        if (watch->poll(watch->user, "windows", run->turns.windows, 0)) continue;
        diagnose(diagnostics, SEVERITY_ERROR, "abstract warps", "analysis stopped");
        return WB_ERR_LIMIT;
    }
    return WB_OK;
}

static void free_warps(struct turn_run *run) {
    for (uint32_t w = 0; run->warps != NULL && w < run->cta->warp_count; w++) {
        acta_cursor_free(&run->warps[w].cursor);
        vec_free(&run->warps[w].lists[0].events.items);
        vec_free(&run->warps[w].lists[1].events.items);
        vec_free(&run->warps[w].legs);
    }
    free(run->warps);
    vec_free(&run->choices);
}

wb_status acta_turns_simulate(const struct acta_group *cta, const struct acta_rules *rules,
                              struct search_budget *budget, const wb_watch *watch,
                              wb_diagnostics *diagnostics, struct acta_windows *windows,
                              struct acta_turns *turns) {
    struct turn_run run = {.cta = cta, .rules = rules, .budget = budget, .windows = windows};
    run.warps = calloc((size_t)cta->warp_count + 1, sizeof *run.warps);
    wb_status status = run.warps == NULL ? WB_ERR_LIMIT : WB_OK;
    for (uint32_t w = 0; status == WB_OK && w < cta->warp_count; w++)
        status = acta_cursor_begin(&run.warps[w].cursor, cta, w, rules->counting);
    if (status != WB_OK)
        (void)diagnose_out_of_memory(diagnostics, "abstract warps");
    else
        status = run_windows(&run, watch, diagnostics);
    free_warps(&run);
    if (status == WB_OK) *turns = run.turns;
    return status;
}
