/* Abstract CTA simulation (Hirvisalo, WCET 2014, slide 12): the abstract warps of one work group on one
 * compute unit, window by window. docs/abstract-cta.md states the algorithm, and proves which rules give a
 * bound. */
#ifndef WB_WINGS_ABSTRACT_CTA_ACTA_SIMULATE_H
#define WB_WINGS_ABSTRACT_CTA_ACTA_SIMULATE_H

#include "base/base.h"
#include "machine/machine.h"
#include "wings/abstract_cta/acta_window.h"

/* Which warps are taken to work while memory is waited for. */
enum acta_hiding {
    HIDDEN_BY_NONE,   /* a stall takes the whole latency: nothing is sure to be left to do */
    HIDDEN_BY_ACTIVE, /* those that go on behind the window's barrier; in a last window those that are in it
                       */
    HIDDEN_BY_ALL
};

struct acta_rules {
    struct acta_counting counting;
    enum acta_hiding hiding;
    cycles latency;        /* T_memory */
    cycles barrier_slots;  /* for each warp that arrives at a barrier */
    cycles barrier_cycles; /* besides, for all of them together */
    bool add_shift;
    bool stores_stall;
};

/* The rules that a machine states: the published ones with its conventions. */
struct acta_rules acta_rules_stated(const struct wb_machine *machine);

/* The rules that give an upper bound on the simple machine; `latency`: most cycles between the issue of a
 * load and the first cycle in which its result can be used that can be idle. */
struct acta_rules acta_rules_safe(const struct wb_machine *machine, cycles latency);

/* What the time consists of, and how far it was from one interleaving. */
struct acta_time {
    cycles instructions, barriers, stalls, shifts;
    uint64_t windows;
    cycles widest; /* largest sum of T_shift of one warp in a window: the analysis window */
};

/* Most entries of a list of windows. */
#define ACTA_WINDOWS_MAX 1000u

/* Windows as results list them. Zero-initialised it is empty. */
struct acta_windows {
    VEC(wb_window) items;
    uint64_t left_out;
};

/* Appends a window, of count 1: to the last entry when it is alike. WB_ERR_LIMIT, without a message, when
 * memory is exhausted. */
wb_status acta_windows_add(struct acta_windows *windows, const wb_window *window);
void acta_windows_free(struct acta_windows *windows);

static inline cycles acta_time_total(const struct acta_time *time) {
    return cycles_add(cycles_add(time->instructions, time->barriers), cycles_add(time->stalls, time->shifts));
}

/* Simulates, and lists the windows in *windows (empty, or NULL). WB_ERR_LIMIT with a message when memory is
 * exhausted or `watch` (may be NULL) stopped it. */
wb_status acta_simulate(const struct acta_group *cta, const struct acta_rules *rules, const wb_watch *watch,
                        wb_diagnostics *diagnostics, struct acta_windows *windows, struct acta_time *time);

#endif
