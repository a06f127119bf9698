#include "method/bound.h"

#include <assert.h>

void assume(wb_bound *bound, wb_assumption what) {
    assert(what < WB_ASSUMPTION_COUNT);
    for (size_t i = 0; i < bound->assumption_count; i++)
        if (bound->assumptions[i] == what) return;
    assert(bound->assumption_count < WB_ASSUMPTION_COUNT);
    bound->assumptions[bound->assumption_count++] = what;
}

void assume_execution(wb_bound *bound, assumed_set set) {
    wb_assumption list[WB_ASSUMPTION_COUNT];
    const size_t count = assumptions_of_execution(set, list);
    for (size_t i = 0; i < count; i++)
        assume(bound, list[i]);
}

void bound_add_part(wb_bound *bound, wb_part_kind what, const char *unit, uint64_t value) {
    if (value == 0) return;
    assert(bound->part_count < WB_PARTS_MAX);
    size_t at = bound->part_count++;
    for (; at > 0 && bound->parts[at - 1].cycles < value; at--)
        bound->parts[at] = bound->parts[at - 1];
    bound->parts[at] = (wb_part){what, unit, value};
}

const char *wb_part_name(wb_part_kind what) {
    switch (what) {
    case WB_PART_ISSUE: return "issue";
    case WB_PART_UNIT: return "unit";
    case WB_PART_BUSY: return "busy";
    case WB_PART_LATENCY: return "latency";
    case WB_PART_MEMORY: return "memory";
    case WB_PART_L1: return "l1";
    case WB_PART_L2: return "l2";
    case WB_PART_DRAM: return "dram";
    case WB_PART_TRANSLATIONS: return "translations";
    case WB_PART_CODE: return "code";
    case WB_PART_FETCH: return "fetch";
    case WB_PART_STALL: return "stall";
    case WB_PART_BANKS: return "banks";
    case WB_PART_CONSTANTS: return "constants";
    case WB_PART_DISPATCH: return "dispatch";
    case WB_PART_TAIL: return "tail";
    case WB_PART_SUB_CORES: return "sub-cores";
    case WB_PART_INTERFERENCE: return "interference";
    case WB_PART_NEIGHBOURS: return "neighbours";
    case WB_PART_WAIT:
    case WB_PART_COUNT: break;
    }
    return "wait";
}

const char *wb_kind_name(wb_kind kind) {
    switch (kind) {
    case WB_EXACT: return "exact";
    case WB_UPPER: return "upper";
    case WB_LOWER: return "lower";
    case WB_SIMULATED: return "simulated";
    case WB_MEASURED: return "measured";
    case WB_ESTIMATE: break;
    }
    return "estimate";
}
