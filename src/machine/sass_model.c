#include "machine/sass_model.h"

#include <assert.h>
#include <string.h>

#include "base/cycles.h"
#include "cubin/cubin.h"

/* Largest caches and pages, most megahertz, largest architecture. */
#define CACHE_BYTES_MAX (1u << 28)
#define LINE_BYTES_MAX 1024u
#define TLB_PAGES_MAX 65536u
#define PAGE_BYTES_MIN 4096u
#define PAGE_BYTES_MAX (1u << 30)
#define CLOCK_MAX 100000u
#define ARCHITECTURE_MAX 200u

/* ---- Tables -------------------------------------------------------------------------------------------- */

/* Names of enum sass_count, enum sass_plus. */
static const char *const counts[] = {"none", "passes", "sectors", NULL};
static const char *const pluses[] = {"none", "memory", NULL};

#define STAGE_ROWS(suffix, stage, needed)                                                                    \
    TEXT_ROW(sass_class_entry, "unit" suffix, units[stage], FIELD_NAME, SASS_UNIT_NAME_MAX,                  \
             .required = (needed)),                                                                          \
        NUMBER_ROW(sass_class_entry, "init" suffix, stages[stage].init, 1, SASS_TIME_MAX),                   \
        NUMBER_ROW(sass_class_entry, "each" suffix, stages[stage].each, 0, SASS_TIME_MAX),                   \
        WORD_ROW(sass_class_entry, "count" suffix, stages[stage].count, counts),                             \
        NUMBER_ROW(sass_class_entry, "transfer" suffix, stages[stage].transfer, 0, SASS_TIME_MAX)

const struct field sass_class_fields[] = {
    STAGE_ROWS("", 0, false), /* unit: required unless a base has it */
    STAGE_ROWS("_2", 1, false),
    STAGE_ROWS("_3", 2, false),
    BOOL_ROW(sass_class_entry, "fixed", fixed),
    INTERVAL_ROW(sass_class_entry, "write", write_most, write_least, 0, SASS_TIME_MAX),
    INTERVAL_ROW(sass_class_entry, "read", read_most, read_least, 0, SASS_TIME_MAX),
    WORD_ROW(sass_class_entry, "plus", plus, pluses),
    {0},
};

static const char *const full_queues[] = {"holds_issue", "holds_warp", NULL};
static const char *const register_caches[] = {"none", "reuse", NULL};

#define CACHE_ROWS(name, member)                                                                             \
    NUMBER_ROW(machine_sass, name "_size", member.bytes, 0, CACHE_BYTES_MAX),                                \
        NUMBER_ROW(machine_sass, name "_line", member.line_bytes, SASS_BYTES, LINE_BYTES_MAX),               \
        NUMBER_ROW(machine_sass, name "_miss", member.miss, 0, SASS_TIME_MAX)
#define LATENCY_ROW(name, most, least) INTERVAL_ROW(machine_sass, name, most, least, 0, SASS_TIME_MAX)

const struct field machine_sass_fields[] = {
    NUMBER_ROW(machine_sass, "sm", sm, 75, ARCHITECTURE_MAX, .required = true),
    INTERVAL_ROW(machine_sass, "clock", clock_most, clock_least, 0, CLOCK_MAX),
    NUMBER_ROW(machine_sass, "register_banks", register_banks, 1, SASS_BANKS_MAX),
    NUMBER_ROW(machine_sass, "bank_ports", bank_ports, 1, 16),
    WORD_ROW(machine_sass, "register_cache", register_cache, register_caches),
    NUMBER_ROW(machine_sass, "constant_probe", constant_probe, 0, SASS_TIME_MAX),
    CACHE_ROWS("constant", constants),
    NUMBER_ROW(machine_sass, "constant_ways", constants.ways, 1, 1024),
    CACHE_ROWS("l0", l0),
    NUMBER_ROW(machine_sass, "l0_prefetch", l0_prefetch, 0, 64),
    CACHE_ROWS("l1_instruction", l1_instructions),
    NUMBER_ROW(machine_sass, "branch", branch, 0, SASS_TIME_MAX),
    NUMBER_ROW(machine_sass, "long_stall", long_stall, 1, SASS_TIME_MAX),
    WORD_ROW(machine_sass, "full_queue", full_queue, full_queues),
    LATENCY_ROW("l1", l1_most, l1_least),
    LATENCY_ROW("l2", l2_most, l2_least),
    LATENCY_ROW("dram", dram_most, dram_least),
    LATENCY_ROW("tlb", tlb_most, tlb_least),
    NUMBER_ROW(machine_sass, "memory_clock", memory_clock, 0, CLOCK_MAX),
    NUMBER_ROW(machine_sass, "l2_sector", l2_sector, 0, SASS_TIME_MAX),
    NUMBER_ROW(machine_sass, "l1_size", l1_bytes, 0, CACHE_BYTES_MAX),
    NUMBER_ROW(machine_sass, "l2_size", l2_bytes, 0, CACHE_BYTES_MAX),
    NUMBER_ROW(machine_sass, "l1_keeps", l1_keeps, 0, CACHE_BYTES_MAX),
    NUMBER_ROW(machine_sass, "l2_keeps", l2_keeps, 0, CACHE_BYTES_MAX),
    NUMBER_ROW(machine_sass, "row_cycle", row_cycle, 0, SASS_TIME_MAX),
    NUMBER_ROW(machine_sass, "tlb_keeps", tlb_keeps, 0, TLB_PAGES_MAX),
    NUMBER_ROW(machine_sass, "page_size", page_bytes, PAGE_BYTES_MIN, PAGE_BYTES_MAX),
    NUMBER_ROW(machine_sass, "align", align, 1, PAGE_BYTES_MAX),
    NUMBER_ROW(machine_sass, "atomic_word", atomic_word, 0, SASS_TIME_MAX),
    {0},
};

void machine_sass_defaults(struct machine_sass *sass) {
    *sass = (struct machine_sass){.register_banks = 2,
                                  .bank_ports = 1,
                                  .constants = {.ways = 1, .line_bytes = 64},
                                  .l0.line_bytes = 128,
                                  .l1_instructions.line_bytes = 128,
                                  .long_stall = 45,
                                  .page_bytes = 2u << 20,
                                  .align = 256,
                                  .atomic_word = 2};
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

uint32_t sass_memory_most(const struct machine_sass *sass) {
    return u32_max(sass_l2_most(sass), sass->dram_most + sass->tlb_most);
}

uint32_t sass_l2_most(const struct machine_sass *sass) {
    return u32_max(sass->l1_most, sass->l2_most) + sass->tlb_most;
}

uint32_t sass_memory_least(const struct machine_sass *sass) {
    const uint32_t levels[] = {sass->l1_least.value, sass->l2_least.value, sass->dram_least.value};
    uint32_t least = levels[0];
    for (size_t level = 1; level < sizeof levels / sizeof *levels; level++)
        least = levels[level] < least ? levels[level] : least;
    return least;
}

/* ---- What fits ----------------------------------------------------------------------------------------- */

/* False with a sentence when a cache has no lines, or part of one. */
static bool cache_check(const struct sass_cache *cache, const char *name, struct text *problem) {
    const uint32_t line = cache->line_bytes;
    if ((line & (line - 1)) != 0)
        text_printf(problem, "sass: %s_line: expected a power of two, got %u", name, line);
    else if (cache->bytes % ((uint64_t)line * (cache->ways == 0 ? 1 : cache->ways)) != 0)
        text_printf(problem, "sass: %s_size: %u bytes are not a whole number of sets of lines of %u bytes",
                    name, cache->bytes, line);
    return problem->length == 0;
}

/* False with a sentence when a size is no power of two. */
static bool size_check(uint32_t size, const char *name, struct text *problem) {
    if ((size & (size - 1)) != 0)
        text_printf(problem, "sass: %s: expected a power of two, got %u", name, size);
    return problem->length == 0;
}

bool machine_sass_check(const struct machine_sass *sass, struct text *problem) {
    return size_check(sass->page_bytes, "page_size", problem) && size_check(sass->align, "align", problem) &&
           cache_check(&sass->constants, "constant", problem) && cache_check(&sass->l0, "l0", problem) &&
           cache_check(&sass->l1_instructions, "l1_instruction", problem);
}

bool machine_sass_executes(const struct machine_sass *sass, uint32_t sm) {
    return cubin_runs_on(sm, sass->sm);
}

/* ---- Classes ------------------------------------------------------------------------------------------- */

struct sass_class_entry sass_class_entry_of(const struct machine_sass_class *class,
                                            const char *const *unit_names) {
    struct sass_class_entry entry = {.fixed = class->fixed,
                                     .write_least = class->write_least,
                                     .read_least = class->read_least,
                                     .write_most = class->write_most,
                                     .read_most = class->read_most,
                                     .plus = class->plus};
    for (uint32_t s = 0; s < class->stage_count; s++) {
        const struct machine_sass_stage *stage = &class->stages[s];
        const char *name = unit_names[stage->unit];
        assert(strlen(name) < SASS_UNIT_NAME_MAX);
        memcpy(entry.units[s], name, strlen(name) + 1);
        entry.stages[s].init = stage->init;
        entry.stages[s].each = stage->each;
        entry.stages[s].count = stage->count;
        entry.stages[s].transfer = stage->transfer;
    }
    return entry;
}

/* ---- Where figures come from ---- */

/* Names of enum figure_mark; those from FIGURE_ASSUMED on are of files. */
static const char *const marks[] = {"not stated", "given",    "assumed", "second-hand",
                                    "published",  "measured", NULL};

const char *figure_mark_name(enum figure_mark mark) {
    return marks[mark];
}

const struct field figure_source_fields[] = {
    WORD_ROW(figure_source, "mark", mark, marks + FIGURE_ASSUMED),
    TEXT_ROW(figure_source, "date", date, FIELD_TEXT, FIGURE_DATE_MAX),
    TEXT_ROW(figure_source, "from", from, FIELD_TEXT, FIGURE_FROM_MAX, .required = true),
    {0},
};
