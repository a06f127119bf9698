/* On figures of which mark a bound of machine code rests: each of its parts counts for the weakest figure
 * that it is made of. */
#include <assert.h>
#include <string.h>

#include "machine/files.h"
#include "report/analysis/analysis.h"
#include "report/parts/parts.h"

#define PART_KEYS 4u

/* The figures of parts that are no unit's. Parts without any are those of all others. */
static const char *const part_keys[WB_PART_COUNT][PART_KEYS] = {
    [WB_PART_MEMORY] = {"sass.atomic_word"},
    [WB_PART_L1] = {"sass.l1"},
    [WB_PART_L2] = {"sass.l2"},
    [WB_PART_TRANSLATIONS] = {"sass.tlb", "sass.tlb_keeps", "sass.page_size", "sass.align"},
    [WB_PART_DRAM] = {"sass.dram", "class.load_global.init_3", "sass.l2_keeps", "sass.row_cycle"},
    [WB_PART_NEIGHBOURS] = {"class.load_global.init_3", "sass.l2_sector", "sass.row_cycle"},
    [WB_PART_CODE] = {"sass.l1_instruction_miss"},
    [WB_PART_FETCH] = {"sass.l0_miss"},
    [WB_PART_BANKS] = {"sass.register_banks", "sass.bank_ports"},
    [WB_PART_CONSTANTS] = {"sass.constant_miss"},
    [WB_PART_DISPATCH] = {"memory.dispatch_latency"},
};

/* Behind the marks: what stands in the code, as issue slots and stall counts do; and what is of all figures.
 */
enum { OF_CODE = FIGURE_MARKS, OF_ALL, BASES };

static int weaker(const struct wb_machine *machine, const char *key, int mark) {
    const int other = (int)machine_figure_mark(machine, key);
    return other < mark ? other : mark;
}

static int weaker_of_class(const struct wb_machine *machine, enum sass_class class, const char *field,
                           int mark) {
    char key[96];
    (void)text_format(key, sizeof key, "class.%s.%s", sass_class_name(class), field);
    return weaker(machine, key, mark);
}

/* The weakest of the times for which classes that the code executes hold a unit; NULL: after which their
 * results are there, and barriers release warps. */
static int mark_of_classes(const struct wb_machine *machine, const struct timed_code *code,
                           const char *unit) {
    static const char *const stages[] = {"init", "init_2", "init_3"};
    bool executed[SASS_CLASS_COUNT] = {false};
    int mark = FIGURE_MARKS;
    for (uint32_t e = 0; e < code->inst_count; e++) {
        if (code->sass[e].slot > 0) executed[code->sass[e].class_] = true;
        if (unit == NULL && code->sass[e].barrier) mark = weaker(machine, "barrier_release", mark);
    }
    for (enum sass_class c = 0; c < SASS_CLASS_COUNT; c++) {
        const struct machine_sass_class *class = &machine->sass.classes[c];
        assert(class->stage_count <= sizeof stages / sizeof *stages);
        if (!executed[c]) continue;
        if (unit == NULL && class->write_most > 0) mark = weaker_of_class(machine, c, "write", mark);
        if (unit == NULL && class->read_most > 0) mark = weaker_of_class(machine, c, "read", mark);
        for (uint32_t s = 0; unit != NULL && s < class->stage_count; s++)
            if (strcmp(machine->units[class->stages[s].unit].name, unit) == 0)
                mark = weaker_of_class(machine, c, stages[s], mark);
    }
    return mark;
}

/* Whether a unit is held once for each sector that the first level keeps, as far as the machine says. */
static bool rests_on_first_level(const struct wb_machine *machine, const char *unit) {
    const struct machine_fills *fills = &machine->fills;
    return fills->held > 0 && !machine_promises(machine, RESIDENT_BLOCK_L1) &&
           strcmp(machine->units[fills->unit].name, unit) == 0;
}

static int base_of(const struct wb_machine *with_fills, const struct timed_code *code, const wb_part *part) {
    const struct wb_machine *machine = machine_as_stated(with_fills);
    const char *const *keys = part_keys[part->what];
    const bool waits = part->what == WB_PART_DRAM && with_fills->fills.sector == 0; /* and nothing else */
    int mark = FIGURE_MARKS;
    if (part->what == WB_PART_UNIT || part->what == WB_PART_LATENCY)
        mark = mark_of_classes(machine, code, part->unit);
    if (part->what == WB_PART_UNIT && rests_on_first_level(with_fills, part->unit))
        mark = weaker(machine, "sass.l1_keeps", mark);
    if (part->what == WB_PART_ISSUE || part->what == WB_PART_STALL) return OF_CODE;
    for (size_t k = 0; k < (waits ? 1 : PART_KEYS) && keys[k] != NULL; k++)
        mark = weaker(machine, keys[k], mark);
    return mark < FIGURE_MARKS ? mark : OF_ALL;
}

/* The cycles of parts by what they rest on; all of them. */
static cycles sum_up(const struct wb_analysis *analysis, cycles sums[BASES]) {
    const wb_bound *best = wb_analysis_best(analysis);
    const struct wb_analysis *block = analysis->longest != NULL ? analysis->longest : analysis;
    cycles all = 0;
    memset(sums, 0, BASES * sizeof *sums);
    if (best == NULL || block->timed == NULL || block->timed->code.sass == NULL) return 0;
    for (size_t p = 0; p < best->part_count; p++) {
        const int base = base_of(analysis->machine, &block->timed->code, &best->parts[p]);
        sums[base] = cycles_add(sums[base], best->parts[p].cycles);
        all = cycles_add(all, best->parts[p].cycles);
    }
    return all;
}

static const char *base_name(int base) {
    return base == OF_CODE  ? "the code"
           : base == OF_ALL ? "all figures"
                            : figure_mark_name((enum figure_mark)base);
}

void marks_put(struct text *out, const struct layout *layout, const struct wb_analysis *analysis) {
    cycles sums[BASES];
    const cycles all = sum_up(analysis, sums);
    if (all == 0) return;
    layout_styled(out, layout, STYLE_BOLD, "what the bound rests on (machine check lists the figures)");
    text_char(out, '\n');
    for (int base = 0; base < BASES; base++)
        if (sums[base] > 0)
            text_printf(out, "  %-12s %5.1f %%\n", base_name(base), 100 * (double)sums[base] / (double)all);
    text_char(out, '\n');
}

/* Parts that rest on figures that nobody has stated or published. */
static void put_assumed(struct text *out, const struct wb_analysis *analysis, cycles all) {
    const wb_bound *best = wb_analysis_best(analysis);
    const struct wb_analysis *block = analysis->longest != NULL ? analysis->longest : analysis;
    size_t put = 0;
    for (size_t p = 0; p < best->part_count && put < 3; p++) {
        const wb_part *part = &best->parts[p];
        if (base_of(analysis->machine, &block->timed->code, part) > FIGURE_ASSUMED) continue;
        text_string(out, put++ == 0 ? ": " : ", ");
        report_put_part(out, part);
        text_printf(out, " %.0f %%", 100 * (double)part->cycles / (double)all);
    }
}

void marks_put_brief(struct text *out, const struct layout *layout, const struct wb_analysis *analysis) {
    cycles sums[BASES], assumed = 0;
    const cycles all = sum_up(analysis, sums);
    if (all == 0) return;
    for (int mark = 0; mark <= FIGURE_ASSUMED; mark++)
        assumed = cycles_add(assumed, sums[mark]);
    const size_t start = verdict_begin_detail(out, "figures");
    text_printf(out, "%.0f %% of the bound rests on assumed figures", 100 * (double)assumed / (double)all);
    put_assumed(out, analysis, all);
    text_string(out, " (machine check)");
    verdict_end_detail(out, layout, start);
}
