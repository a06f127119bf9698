#include "sass_check.h"

#include <inttypes.h>

#include "counts.h"

static void print_step(const struct sass_step *step, struct text *out) {
    const struct sass_timed *timed = &step->stated;
    text_printf(out, "  %s", timed->barrier ? "barrier" : timed->fixed ? "fixed" : "queued");
    for (uint32_t i = 0; i < timed->stage_count; i++)
        text_printf(out, " u%" PRIu8 "(%" PRIu32 " in the end %" PRIu8 ", then %" PRIu32 " %" PRIu8 ")",
                    timed->stages[i].unit, timed->stages[i].init, step->actual.init[i],
                    timed->stages[i].transfer, step->actual.transfer[i]);
    text_printf(out, " stall %" PRIu32 " slot %" PRIu32 " %" PRIu8, timed->stall, timed->slot,
                step->actual.slot);
    if (timed->fetch > 0) text_printf(out, " fetch %" PRIu32 " %" PRIu8, timed->fetch, step->actual.fetch);
    if (timed->operand > 0)
        text_printf(out, " operand %" PRIu32 " %" PRIu8 " probe %" PRIu32 " %" PRIu8, timed->operand,
                    step->actual.operand, step->probe, step->actual.probe);
    text_printf(out, " line %" PRIu32, timed->line);
    if (timed->constant_line != SASS_NO_LINE) text_printf(out, " constant %" PRIu32, timed->constant_line);
    text_printf(out, " write SB%" PRIu8 " %" PRIu32 "..%" PRIu32, timed->write_counter, timed->write_least,
                timed->write_most);
    text_printf(out, " read SB%" PRIu8 " %" PRIu32 "..%" PRIu32, timed->read_counter, timed->read_least,
                timed->read_most);
    text_printf(out, " waits %" PRIx8, timed->waits);
    if (timed->left_counter != SASS_NO_COUNTER)
        text_printf(out, " SB%" PRIu8 " <= %" PRIu8, timed->left_counter, timed->left);
    text_string(out, "\n");
}

static void print_lines(const struct sass_lines *lines, struct text *out) {
    if (!lines->l0 && !lines->l1 && !lines->constants) return;
    text_printf(out, "missed once:%s%s%s, %" PRIu32 " lines in one of the L1, in the end",
                lines->l0 ? " L0" : "", lines->l1 ? " L1" : "", lines->constants ? " constants" : "",
                lines->halves);
    for (uint32_t l = 0; l < SASS_GRID_LINES; l++)
        text_printf(out, " %" PRIu8 " of %" PRIu8 " L1 %" PRIu8 " of %" PRIu8 ";", lines->actual.l0[l],
                    lines->stated.l0, lines->actual.l1[l], lines->stated.l1);
    text_string(out, " constants");
    for (uint32_t l = 0; l < SASS_GRID_CONSTANTS; l++)
        text_printf(out, " %" PRIu8 " of %" PRIu8 " L1 %" PRIu8 " of %" PRIu8 ";", lines->actual.constant[l],
                    lines->stated.constant, lines->actual.l1_constant[l], lines->stated.l1);
    text_printf(out, " probe %" PRIu8 " of %" PRIu8 "\n", lines->actual.probe, lines->stated.probe);
}

void sass_grid_print(const struct sass_grid *grid, struct text *out) {
    const struct sass_rules *rules = &grid->rules;
    text_printf(out,
                "%" PRIu32 " blocks of %" PRIu32 " warps, %" PRIu32 " SMs of %" PRIu32 " slots and %" PRIu32
                " sub-cores%s, release %" PRIu32 " %" PRIu32 "\n",
                grid->blocks, grid->warps, grid->sms, grid->slots, grid->sub_cores,
                grid->is_static ? ", static" : "", grid->release, grid->actual_release[0][0]);
    text_printf(out, "full queue holds %s, %s, %s first, stall from %s, counters %s%s%s%s\n",
                rules->full_holds_issue ? "the issue stage" : "the warp",
                rules->first_in_first_out ? "first in first out" : "any order",
                rules->issue_first ? "issue" : "start", rules->late_stall ? "room on" : "issue on",
                rules->hidden_count ? "seen late" : "seen at once",
                rules->probes_again ? ", constants under way are looked for" : "",
                rules->late_release ? ", barriers wait for the end" : "",
                rules->prompt_start ? ", what can start starts at once" : "");
    print_lines(&grid->lines, out);
    if (grid->pauses.cycles > 0)
        text_printf(out, "%" PRIu8 " cycles of pauses%s, also of kinds %" PRIx8 " only%s\n",
                    grid->pauses.cycles, grid->pauses.common ? " of all SMs" : "", grid->pauses.kinds,
                    grid->pauses.issue ? ", issue goes on" : "");
    for (uint32_t u = 0; u < grid->units; u++)
        text_printf(out, "u%" PRIu32 "%s%s queue %" PRIu8 "\n", u, grid->shared[u] ? " shared" : "",
                    grid->any_order[u] ? " in any order" : "", grid->queue[u]);
    for (uint32_t w = 0; w < grid->blocks * grid->warps; w++) {
        text_printf(out, "warp %" PRIu32 "\n", w);
        for (uint32_t k = 0; k < grid->programs[w].count; k++)
            print_step(&grid->programs[w].steps[k], out);
    }
}

bool sass_exceeds(const struct sass_grid *grid, uint32_t time, enum sass_mutant mutant) {
    const struct sass_bounds bounds = naive_sass_grid(grid, mutant);
    if (grid->blocks == 1) return time > bounds.sib || time > bounds.fib || time > bounds.elb;
    return time > bounds.kernel || time > bounds.area || time > bounds.balance || time > bounds.chain ||
           time > bounds.chain_area || time > bounds.chain_balance;
}

bool sass_check(const struct sass_family *family, uint64_t seed, bool pauses, size_t states,
                struct sass_census *census, struct text *violation) {
    struct sass_grid grid;
    random_sass_grid(family, seed, &grid);
    if (pauses) random_sass_pauses(seed, &grid);
    const uint32_t time = sass_explore(&grid, states);
    if (time == 0) return true;
    const struct sass_bounds bounds = naive_sass_grid(&grid, SASS_AS_PROVEN);
    census->searched++;
    census->attained += time == bounds.least;
    if (!sass_exceeds(&grid, time, SASS_AS_PROVEN)) return true;
    text_printf(violation, "family \"%s\", seed %" PRIu64 ": takes %" PRIu32, family->name, seed, time);
    if (grid.blocks == 1)
        text_printf(violation, ", sib %" PRIu64 " fib %" PRIu64 " elb %" PRIu64 "\n", bounds.sib, bounds.fib,
                    bounds.elb);
    else
        text_printf(violation,
                    ", one SM %" PRIu64 " area %" PRIu64 " balance %" PRIu64 " chains %" PRIu64 " %" PRIu64
                    " %" PRIu64 "\n",
                    bounds.kernel, bounds.area, bounds.balance, bounds.chain, bounds.chain_area,
                    bounds.chain_balance);
    sass_grid_print(&grid, violation);
    return false;
}

void sass_census_count(const struct sass_census *census, const char *family, FILE *counts) {
    counts_add(counts, family, "grids of machine code searched", census->searched);
    counts_add(counts, family, "least bound attained", census->attained);
}
