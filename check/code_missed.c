/* What each line of code misses once beside the times of warps, where these execute parts of their paths:
 * theorems 4 and 4b of docs/machine-code-bounds.md, on paper. */
#include "code.h"

#include <stdlib.h>
#include <string.h>

void read_missed(struct check *check, const uint64_t *n) {
    const struct missed missed = {n[0], n[1], n[2], n[3], n[4], n[5], n[6]};
    if (!check->block->parts) refuse(check, "whole paths say where they miss");
    if (check->missed == NULL) {
        check->missed = zeroed(check, 1, sizeof missed);
        *check->missed = missed;
    }
    if (memcmp(check->missed, &missed, sizeof missed) != 0)
        refuse(check, "what lines miss once differs from block to block");
}

static const struct missed *missed_of(const struct check *check) {
    if (check->missed == NULL) refuse(check, "it is not said what lines miss once");
    return check->missed;
}

/* ---- Lines ---- */

static void add_line(struct check *check, number_list *lines, const struct code *code, uint64_t bytes) {
    if (code->address == UNLIMITED) refuse(check, "it is not said at which address an instruction is");
    PUSH(check, lines, code->address / bytes);
    count_work(check, 10);
}

/* How many lines differ; drops them. */
static uint64_t distinct(struct check *check, number_list *lines) {
    uint64_t count = 0;
    if (lines->count > 0) qsort(lines->items, lines->count, sizeof *lines->items, most_first);
    for (uint64_t i = 0; i < lines->count; i++)
        count += i == 0 || lines->items[i] != lines->items[i - 1];
    DROP(check, lines);
    return count;
}

/* Those of all blocks. */
static uint64_t lines_of_all(struct check *check, uint64_t bytes) {
    number_list lines = {0};
    for (uint64_t b = 0; b < check->blocks.count; b++)
        for (uint64_t i = 0; i < check->blocks.items[b].code.count; i++)
            add_line(check, &lines, &check->blocks.items[b].code.items[i], bytes);
    return distinct(check, &lines);
}

/* Those of the L0 that warps of a sub-core come to. */
static uint64_t lines_of_core(struct block *of, uint64_t core, uint64_t bytes) {
    bool *met = zeroed(of->check, of->sections.count, sizeof *met);
    number_list lines = {0};
    for (struct place at = {0}; next_row(of, &at); count_work(of->check, of->warps.count))
        for (uint64_t g = 0; g < of->warps.count; g++)
            if (of->warps.items[g].sub_core == core) met[cell(of, at.thing, of->warps.items[g].path)] = true;
    for (uint64_t s = 0; s < of->sections.count; s++)
        for (struct place at = {0}; met[s] && next_of(&of->sections.items[s].steps, &at);)
            add_line(of->check, &lines, &of->code.items[at.thing], bytes);
    free(met);
    return distinct(of->check, &lines);
}

/* ---- What they take ---- */

/* V: misses of the cache behind the L0s, and of the sub-cores' caches of constants. */
static uint64_t missed_behind(struct check *check) {
    const struct missed *missed = missed_of(check);
    const uint64_t own = mul(missed->constants, missed->constant_miss);
    if (missed->l1_miss > 0 &&
        missed->l1_lines < add(lines_of_all(check, missed->l1_bytes), missed->constants))
        refuse(check, "instructions and constants are in more lines than %" PRIu64, missed->l1_lines);
    return add(mul(missed->l1_lines, missed->l1_miss), mul(check->machine.sub_cores, own));
}

uint64_t missed_first(struct block *of) {
    if (!of->parts) return 0;
    const struct missed *missed = missed_of(of->check);
    uint64_t all = 0, most = 0;
    for (uint64_t c = 0; c < of->machine->sub_cores; c++) {
        const uint64_t lines = lines_of_core(of, c, missed->l0_bytes);
        all = add(all, lines);
        most = max(most, lines);
    }
    /* Behind a barrier any warp may be the first to come to a line: what sub-cores miss adds up. */
    const bool barriers = of->rows.count > 1 || (of->rows.count == 1 && of->rows.items[0].often > 1);
    return add(missed_behind(of->check), mul(barriers ? all : most, missed->l0_miss));
}

uint64_t missed_by_all(struct check *check) {
    const struct missed *missed = missed_of(check);
    const uint64_t lines = mul(lines_of_all(check, missed->l0_bytes), check->machine.sub_cores);
    return add(missed_behind(check), mul(lines, missed->l0_miss));
}
