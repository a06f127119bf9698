/* What need not be charged to each access: what whoever launches a kernel promises of where its memory is
 * (`--set resident=NAMES`), and what caches fill once. Both lower the machine's figures, so that whatever
 * rests on those holds of it, too. */
#include <assert.h>
#include <string.h>

#include "base/cycles.h"
#include "machine/machine.h"

static const char *const names[] = {[RESIDENT_TRANSLATIONS] = "translations",
                                    [RESIDENT_DATA] = "data",
                                    [RESIDENT_CODE] = "code",
                                    [RESIDENT_CODE_L1] = "code-l1",
                                    [RESIDENT_BLOCK_L1] = "block-l1"};

const char *wb_resident_name_at(size_t index) {
    return index < RESIDENT_BUFFERS ? names[index] : NULL;
}

static void lower(uint32_t *figure, uint32_t most) {
    if (*figure > most) *figure = most;
}

/* Most cycles of a miss of the SM's cache of code and constants. From the second level they come no later
 * than data do (P3). Without a miss of the TLB a miss takes that much less, where its figure has one in it:
 * where it is more than an access of DRAM takes. */
static uint32_t code_miss_most(const struct wb_machine *machine) {
    const struct machine_sass *sass = &machine->sass;
    const uint32_t stated = sass->l1_instructions.miss, tlb = sass->tlb_most;
    const uint32_t level = u32_max(sass->l1_most, sass->l2_most), memory = u32_max(level, sass->dram_most);
    const bool translated = machine_promises(machine, RESIDENT_TRANSLATIONS) || machine->fills.pages > 0;
    if (machine_promises(machine, RESIDENT_CODE_L1)) return 0;
    if (machine_promises(machine, RESIDENT_CODE)) return level + (translated ? 0 : tlb);
    if (!translated || stated <= memory) return stated;
    return u32_max(memory, stated - (stated < tlb ? stated : tlb));
}

/* LDC passes the same cache: its times have a miss of it in them, or are left. */
static void lower_code(struct wb_machine *machine) {
    struct machine_sass *sass = &machine->sass;
    struct machine_sass_class *loads = &sass->classes[SASS_CLASS_LOAD_CONSTANT];
    const uint32_t before = sass->l1_instructions.miss;
    lower(&sass->l1_instructions.miss, code_miss_most(machine));
    const uint32_t saved = before - sass->l1_instructions.miss;
    for (uint32_t s = 0; s < loads->stage_count; s++)
        if (loads->stages[s].each >= before) loads->stages[s].each -= saved;
    if (loads->write_most >= before && loads->write_most - saved >= loads->write_least.value)
        loads->write_most -= saved;
}

static void lower_translations(struct wb_machine *machine) {
    lower_code(machine); /* while its figures have a miss of the TLB in them */
    machine->sass.tlb_most = 0;
    machine->sass.tlb_least.value = 0;
}

/* A sector holds the stage that counts sectors no longer than the second level takes. */
static void lower_sectors(struct machine_sass *sass) {
    for (size_t c = 0; sass->l2_sector > 0 && c < SASS_CLASS_COUNT; c++) {
        struct machine_sass_class *class = &sass->classes[c];
        for (uint32_t s = 0; s < class->stage_count; s++) {
            if (class->stages[s].count != SASS_COUNT_SECTORS) continue;
            lower(&class->stages[s].init, sass->l2_sector);
            lower(&class->stages[s].each, sass->l2_sector);
        }
    }
}

static void lower_data(struct machine_sass *sass) {
    const uint32_t level = u32_max(sass->l1_most, sass->l2_most);
    lower(&sass->dram_most, level);
    lower(&sass->dram_least.value, sass->dram_most);
    lower_sectors(sass);
}

/* Mask: the stages of a class that are behind the tags, which count passes; a class without such a stage has
 * none. */
static uint32_t behind_tags(const struct machine_sass_class *class) {
    for (uint32_t s = 0; s < class->stage_count; s++)
        if (class->stages[s].count == SASS_COUNT_PASSES) return ~UINT32_C(0) << (s + 1);
    return 0;
}

/* Mask: the units whose stages hold the tags. */
static uint32_t tag_units(const struct machine_sass *sass) {
    uint32_t units = 0;
    for (size_t c = 0; c < SASS_CLASS_COUNT; c++)
        for (uint32_t s = 0; s < sass->classes[c].stage_count; s++)
            if (sass->classes[c].plus == SASS_PLUS_MEMORY &&
                sass->classes[c].stages[s].count == SASS_COUNT_PASSES)
                units |= UINT32_C(1) << sass->classes[c].stages[s].unit;
    return units;
}

/* Most cycles that an instruction of so many passes holds the tags. */
static uint32_t longest_pass(const struct machine_sass *sass, uint32_t passes) {
    const uint32_t units = tag_units(sass);
    uint32_t longest = 0;
    for (size_t c = 0; c < SASS_CLASS_COUNT; c++)
        for (uint32_t s = 0; s < sass->classes[c].stage_count; s++) {
            const struct machine_sass_stage *stage = &sass->classes[c].stages[s];
            if ((units >> stage->unit & 1) == 0) continue;
            const uint32_t further = stage->count == SASS_COUNT_PASSES ? passes - 1 : 0;
            longest = u32_max(longest, stage->init + further * stage->each);
        }
    return longest;
}

static bool reorders_misses(const struct wb_machine *machine) {
    const uint32_t tags = tag_units(&machine->sass);
    for (size_t c = 0; c < SASS_CLASS_COUNT; c++) {
        const struct machine_sass_class *class = &machine->sass.classes[c];
        const uint32_t behind = behind_tags(class);
        for (uint32_t s = 0; s < class->stage_count; s++) {
            const bool counts = class->stages[s].count == SASS_COUNT_SECTORS || (behind >> s & 1) != 0;
            const uint8_t unit = class->stages[s].unit;
            if (counts && ((tags >> unit & 1) != 0 || !machine->units[unit].any_order)) return false;
        }
    }
    return tags != 0;
}

bool machine_may_fill_once(const struct wb_machine *machine) {
    const struct machine_sass *sass = &machine->sass;
    if (machine_isa(machine) != ISA_SASS || machine->fills.of != NULL) return false;
    const bool keeps = sass->tlb_keeps > 0 || sass->l1_keeps > 0 || sass->l2_keeps > 0 ||
                       machine_promises(machine, RESIDENT_BLOCK_L1);
    return keeps && reorders_misses(machine);
}

void machine_fill_pages(struct wb_machine *machine, uint32_t pages, uint32_t passes) {
    /* The access that a fill is for passes the tags once more, behind one that has begun there. */
    machine->fills.pages = pages;
    machine->fills.translation = machine->sass.tlb_most + 2 * longest_pass(&machine->sass, passes);
    lower_translations(machine);
}

uint32_t machine_sector_most(const struct wb_machine *machine) {
    uint32_t longest = 0;
    for (size_t c = 0; c < SASS_CLASS_COUNT; c++) {
        const struct machine_sass_class *class = &machine->sass.classes[c];
        for (uint32_t s = 0; s < class->stage_count; s++)
            if (class->stages[s].count == SASS_COUNT_SECTORS)
                longest = u32_max(longest, u32_max(class->stages[s].init, class->stages[s].each));
    }
    return longest;
}

void machine_fill_sectors(struct wb_machine *machine) {
    machine->fills.sector = machine_sector_most(machine);
    lower_sectors(&machine->sass);
}

uint64_t machine_hold_of(const struct wb_machine *machine, const struct machine_sass_stage *stage,
                         uint32_t stated, bool in_l2) {
    const uint32_t level = machine->sass.l2_sector;
    if (in_l2 && stage->count == SASS_COUNT_SECTORS && level > 0) return stated < level ? stated : level;
    const bool waits = stage->count == SASS_COUNT_SECTORS && machine->fills.sector == 0 && !in_l2 &&
                       !machine_promises(machine, RESIDENT_DATA);
    const uint64_t rows = (uint64_t)machine->sass.row_cycle * machine->memory.sms;
    return waits ? cycles_max(stated, rows) : stated;
}

/* The stage of a class that counts sectors; stage_count: there is none. */
static uint32_t sector_stage(const struct machine_sass_class *class) {
    uint32_t s = 0;
    while (s < class->stage_count && class->stages[s].count != SASS_COUNT_SECTORS)
        s++;
    return s;
}

/* Whether it is the last one of the class, at once behind another, wherever one of the class is on that unit.
 */
static bool sectors_come_last(const struct machine_sass_class *class, uint32_t unit) {
    const uint32_t at = sector_stage(class);
    for (uint32_t s = 0; s < class->stage_count; s++)
        if (class->stages[s].unit == unit && s != at) return false;
    if (at == class->stage_count) return true;
    if (at == 0 || class->stages[at - 1].transfer > 0) return false;
    return at + 1 == class->stage_count && class->stages[at].unit == unit;
}

bool machine_can_count_requests(const struct wb_machine *machine) {
    uint32_t unit = UNIT_NONE;
    for (size_t c = 0; c < SASS_CLASS_COUNT; c++) {
        const struct machine_sass_class *class = &machine->sass.classes[c];
        const uint32_t at = sector_stage(class);
        if (at < class->stage_count) unit = class->stages[at].unit;
    }
    for (size_t c = 0; c < SASS_CLASS_COUNT && unit != UNIT_NONE; c++) /* fences empty the first level */
        if (c != SASS_CLASS_FENCE && !sectors_come_last(&machine->sass.classes[c], unit)) return false;
    return unit != UNIT_NONE;
}

void machine_fill_requests(struct wb_machine *machine, uint64_t sectors, uint64_t behind, uint64_t classes) {
    uint64_t each = 0, in_l2 = 0;
    _Static_assert(SASS_CLASS_COUNT <= 64, "a bit for each");
    assert(machine_can_count_requests(machine));
    for (size_t c = 0; c < SASS_CLASS_COUNT; c++) {
        struct machine_sass_class *class = &machine->sass.classes[c];
        const uint32_t s = sector_stage(class);
        if (s == class->stage_count) continue;
        const struct machine_sass_stage *stage = &class->stages[s];
        const uint32_t stated = u32_max(stage->init, stage->each);
        if ((classes >> c & 1) != 0) {
            each = cycles_max(each, machine_hold_of(machine, stage, stated, false));
            in_l2 = cycles_max(in_l2, machine_hold_of(machine, stage, stated, true));
        }
        machine->fills.unit = stage->unit;
        class->stage_count--;
    }
    machine->fills.each = (uint32_t)cycles_min(each, UINT32_MAX);
    machine->fills.each_in_l2 = (uint32_t)cycles_min(in_l2, machine->fills.each);
    machine->fills.asked = sectors;
    machine->fills.held = cycles_add(cycles_mul(behind, machine->fills.each),
                                     cycles_mul(sectors - behind, machine->fills.each_in_l2));
}

void machine_promise_also(struct wb_machine *machine, enum resident promise) {
    if (machine->resident == 0) machine->unpromised = machine->sass;
    machine->resident |= 1u << promise;
    switch (promise) {
    case RESIDENT_TRANSLATIONS: lower_translations(machine); return;
    case RESIDENT_DATA: lower_data(&machine->sass); return;
    case RESIDENT_BLOCK_L1: /* machine_fill_requests */
    case RESIDENT_BUFFERS: /* sass_timing_promise */ return;
    default: lower_code(machine); return;
    }
}

unsigned machine_take_back(struct wb_machine *machine) {
    const unsigned promises = machine->resident;
    if (promises != 0) machine->sass = machine->unpromised;
    machine->resident = 0;
    return promises;
}

void machine_promise_all(struct wb_machine *machine, unsigned promises) {
    for (int promise = 0; promise < RESIDENTS; promise++)
        if ((promises >> promise & 1) != 0) machine_promise_also(machine, (enum resident)promise);
}

static void take_least(uint32_t *most, const struct field_least *least) {
    if (least->stated) lower(most, least->value);
}

/* Loads that hit the first level take its time, and ask the second one for no sectors. */
static void take_first_level(struct machine_sass *sass) {
    if (sass->l1_most == 0) return;
    lower(&sass->l2_most, sass->l1_most);
    lower(&sass->dram_most, sass->l1_most);
    for (size_t c = 0; c < SASS_CLASS_COUNT; c++) {
        struct machine_sass_class *class = &sass->classes[c];
        for (uint32_t s = 0; s < class->stage_count; s++) {
            if (class->stages[s].count != SASS_COUNT_SECTORS) continue;
            lower(&class->stages[s].init, 1);
            class->stages[s].each = 0;
        }
    }
}

/* What is stated as a most only, and may take nothing. */
static void take_no_delays(struct wb_machine *machine) {
    struct machine_sass *sass = &machine->sass;
    sass->branch = sass->long_stall = 0;
    sass->l0.miss = sass->l1_instructions.miss = sass->constants.miss = sass->constant_probe = 0;
    machine->barrier_release = machine->memory.dispatch_latency = 0;
}

void machine_take_shortest(struct wb_machine *machine) {
    struct machine_sass *sass = &machine->sass;
    (void)machine_take_back(machine);
    take_least(&sass->l1_most, &sass->l1_least);
    take_least(&sass->l2_most, &sass->l2_least);
    for (size_t c = 0; c < SASS_CLASS_COUNT; c++) {
        take_least(&sass->classes[c].write_most, &sass->classes[c].write_least);
        take_least(&sass->classes[c].read_most, &sass->classes[c].read_least);
    }
    machine_promise_all(machine, (1u << RESIDENT_BUFFERS) - 1);
    take_first_level(sass);
    take_no_delays(machine);
}

/* ---- Lists of promises --------------------------------------------------------------------------------- */

const char *promised_buffer(const char *promise, size_t length) {
    static const char data[] = "data.";
    const size_t start = sizeof data - 1;
    return length > start && memcmp(promise, data, start) == 0 ? promise + start : NULL;
}

/* A list taken apart. */
struct promises {
    uint64_t chosen; /* bit per enum resident */
    const char **of_buffers;
    struct promised_buffers buffers; /* these */
};

static wb_status read_promises(const char *list, struct arena *arena, wb_diagnostics *diagnostics,
                               struct promises *made) {
    struct text others = {0};
    size_t length, other_count = 0;
    *made = (struct promises){.of_buffers = arena_array(arena, strlen(list) + 1, sizeof(char *))};
    bool failed = made->of_buffers == NULL;
    made->buffers.promises = made->of_buffers;
    for (const char *at = list; !failed; at += length + 1) {
        length = strcspn(at, ",");
        if (promised_buffer(at, length) == NULL)
            text_printf(&others, "%s%.*s", other_count++ > 0 ? "," : "", (int)length, at);
        else
            failed = (made->of_buffers[made->buffers.count++] = arena_string(arena, at, length)) == NULL;
        if (at[length] == '\0') break;
    }
    wb_status status = failed || others.failed ? diagnose_out_of_memory(diagnostics, "resident") : WB_OK;
    if (status == WB_OK && other_count > 0)
        status = choose_names("resident", others.length > 0 ? others.data : "", wb_resident_name_at,
                              diagnostics, &made->chosen);
    if (made->buffers.count > 0) made->chosen |= UINT64_C(1) << RESIDENT_BUFFERS;
    text_free(&others);
    return status;
}

wb_status promises_check(const char *list, wb_diagnostics *diagnostics) {
    struct arena scratch = {0};
    struct promises promises;
    const wb_status status = read_promises(list, &scratch, diagnostics, &promises);
    arena_free(&scratch);
    return status;
}

wb_status machine_promise(struct wb_machine *machine, const char *list, wb_diagnostics *diagnostics) {
    struct promises promises;
    if (machine_isa(machine) != ISA_SASS) {
        diagnose(
            diagnostics, SEVERITY_ERROR, "resident",
            "only machines that time machine code take promises, which %s is not (warpbound machine list)",
            machine->name);
        return WB_ERR_INPUT;
    }
    if (machine->resident != 0) {
        diagnose(diagnostics, SEVERITY_ERROR, "resident", "given twice: one list has all promises");
        return WB_ERR_INPUT;
    }
    WB_TRY(read_promises(list, &machine->arena, diagnostics, &promises));
    machine->buffers = promises.buffers;
    machine_promise_all(machine, (unsigned)promises.chosen);
    return WB_OK;
}
