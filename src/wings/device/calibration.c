#include "wings/device/calibration.h"

#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "calibrate/calibrate.h"

/* ---- Times --------------------------------------------------------------------------------------------- */

/* Cycles of a sample that are no part of the access: those of the reads of the clock, as far as certain. What
 * is not in a chain may have less beside it than the empty probe. */
static uint32_t clock_cycles(const struct probe_exchange *exchange, enum probe probe) {
    switch (probe_place(probe)) {
    case IN_REGISTER:
    case IN_BLOCKS: return 0;
    case IN_CODE: return exchange->seen[probe].least;
    default: return exchange->seen[PROBE_EMPTY].least;
    }
}

/* The sample that `part` percent of all do not exceed. */
static uint32_t percentile(const struct probe_seen *seen, uint32_t part) {
    const uint64_t rank = (seen->count * part + 99) / 100;
    uint64_t passed = 0;
    uint32_t sum = 0;
    for (; sum < PROBE_BINS - 1; sum++)
        if ((passed += seen->bins[sum]) >= rank) return sum;
    return seen->most; /* among those that are counted together */
}

static uint32_t less(uint32_t from, uint32_t by) {
    return from > by ? from - by : 0;
}

struct probe_times calibration_times(const struct wb_gpu_calibration *calibration, enum probe probe) {
    const struct probe_seen *seen = &calibration->exchange->seen[probe];
    const uint32_t beside = clock_cycles(calibration->exchange, probe);
    return (struct probe_times){.count = seen->count,
                                .least = less(seen->least, beside),
                                .median = less(percentile(seen, 50), beside),
                                .p99 = less(percentile(seen, 99), beside),
                                .most = less(seen->most, beside)};
}

/* ---- Figures ------------------------------------------------------------------------------------------- */

const struct figure figures[FIGURES] = {
    {PROBE_LAUNCH, NULL, "launch_overhead", NULL, FIGURE_RAISED, false},
    {PROBE_BARRIER, NULL, "barrier_release", NULL, FIGURE_RAISED, false},
    {PROBE_BARRIERS, NULL, "barrier_release", NULL, FIGURE_RAISED, false},
    {PROBE_DISPATCH, "memory", "dispatch_latency", NULL, FIGURE_RAISED, false},
    {PROBE_STRIDE, "class", "load_global", "each_2", FIGURE_RAISED, false},
    {PROBE_STREAM, "class", "load_global", "each_3", FIGURE_RAISED, false},
    {PROBE_STORE, "class", "store_global", "init_3", FIGURE_RAISED, false},
    {PROBE_STORES, "class", "store_global", "each_3", FIGURE_RAISED, false},
    {PROBE_SHARED, "class", "load_shared", "write", FIGURE_REPLACED, true},
    {PROBE_BANKS, "class", "load_shared", "each_2", FIGURE_RAISED, false},
    {PROBE_ATOMIC, "class", "atomic_global", "write", FIGURE_OF_MEMORY, true},
    {PROBE_WORDS, "class", "atomic_global", "write", FIGURE_OF_MEMORY, true},
    {PROBE_ATOMIC_SHARED, "class", "atomic_shared", "write", FIGURE_REPLACED, true},
    {PROBE_CONSTANT, "class", "load_constant", "write", FIGURE_RAISED, true},
    {PROBE_L1, "sass", "l1", NULL, FIGURE_REPLACED, true},
    {PROBE_L2, "sass", "l2", NULL, FIGURE_OF_MEMORY, true},
    {PROBE_DRAM, "sass", "dram", NULL, FIGURE_RAISED, true},
    {PROBE_PAGES, "sass", "tlb", NULL, FIGURE_RAISED, true},
    {PROBE_CODE, "sass", "l1_instruction_miss", NULL, FIGURE_RAISED, false},
    {PROBE_WORD, "sass", "atomic_word", NULL, FIGURE_RAISED, false},
};

void figure_put_key(const struct figure *figure, struct text *out) {
    if (figure->section != NULL) text_printf(out, "%s.", figure->section);
    text_string(out, figure->name);
    if (figure->part != NULL) text_printf(out, ".%s", figure->part);
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

bool figure_same_key(const struct figure *a, const struct figure *b) {
    return same_text(a->section, b->section) && same_text(a->name, b->name) && same_text(a->part, b->part);
}

/* Cycles of the first `count` stages. */
static uint32_t stages_of(const struct machine_sass_class *class, uint32_t count) {
    uint32_t sum = 0;
    for (uint32_t s = 0; s < class->stage_count && s < count; s++)
        sum += class->stages[s].init;
    return sum;
}

struct figure_charge figure_charge_of(const struct wb_gpu_calibration *calibration,
                                      const struct wb_machine *machine, const struct figure *figure) {
    const struct machine_sass *sass = &machine->sass;
    const uint32_t sms = calibration->exchange->facts.sms;
    const enum sass_class of = probe_class(figure->probe);
    const struct machine_sass_class none = {0}, *class = of < SASS_CLASS_COUNT ? &sass->classes[of] : &none;
    struct figure_charge charge = {stages_of(class, SASS_STAGES_MAX), 0, class->write_least.value,
                                   class->write_most, 1};
    switch (figure->probe) {
    case PROBE_L1: /* a hit does not go to what is behind */
        return (struct figure_charge){stages_of(class, 2), class->write_most, sass->l1_least.value,
                                      sass->l1_most, 1};
    case PROBE_L2:
        return (struct figure_charge){charge.stages, class->write_most, sass->l2_least.value, sass->l2_most,
                                      1};
    case PROBE_DRAM: /* whose translation may have been there */
        return (struct figure_charge){charge.stages, class->write_most, sass->dram_least.value,
                                      sass->dram_most, 1};
    case PROBE_PAGES:
        return (struct figure_charge){charge.stages, class->write_most + sass->l2_most, sass->tlb_least.value,
                                      sass->tlb_most, 1};
    case PROBE_ATOMIC:
    case PROBE_WORDS: charge.beside = sass->l2_most; return charge;
    case PROBE_STRIDE: /* a pass for each further line */
        return (struct figure_charge){stages_of(class, 2), class->write_most + sass->l1_most,
                                      class->stages[1].each, class->stages[1].each, PROBE_LANES - 1};
    case PROBE_STORE: { /* the load is behind it */
        const struct machine_sass_class *store = &sass->classes[probe_class_before(figure->probe)];
        return (struct figure_charge){charge.stages + stages_of(store, 2), class->write_most + sass->l2_most,
                                      store->stages[2].init, store->stages[2].init, 1};
    }
    case PROBE_WORD: /* behind those of all other SMs */
        return (struct figure_charge){charge.stages, class->write_most + sass->l2_most, sass->atomic_word,
                                      sass->atomic_word, sms > 1 ? sms - 1 : 1};
    case PROBE_BANKS: /* a pass for each further lane */
        return (struct figure_charge){charge.stages, class->write_most, class->stages[1].each,
                                      class->stages[1].each, PROBE_LANES - 1};
    case PROBE_STREAM: /* the last of its sectors comes from DRAM behind all others */
        return (struct figure_charge){charge.stages, class->write_most + sass->dram_most + sass->tlb_most,
                                      class->stages[2].each, class->stages[2].each, STREAM_SECTORS - 1};
    case PROBE_STORES: { /* the same, and a fence behind the last */
        const struct machine_sass_class *fence = &sass->classes[SASS_CLASS_FENCE];
        return (struct figure_charge){charge.stages + stages_of(fence, SASS_STAGES_MAX),
                                      fence->write_most + sass->dram_most + sass->tlb_most,
                                      class->stages[2].each, class->stages[2].each, STREAM_SECTORS - 1};
    }
    case PROBE_BARRIERS: /* one warp behind the other */
        return (struct figure_charge){charge.stages * BLOCK_WARPS, 0, machine->barrier_release,
                                      machine->barrier_release, 1};
    case PROBE_BARRIER:
        return (struct figure_charge){charge.stages, 0, machine->barrier_release, machine->barrier_release,
                                      1};
    case PROBE_CODE:
        return (struct figure_charge){0, sass->l0.miss, sass->l1_instructions.miss,
                                      sass->l1_instructions.miss, 1};
    case PROBE_DISPATCH:
        return (struct figure_charge){0, 0, machine->memory.dispatch_latency,
                                      machine->memory.dispatch_latency, 1};
    case PROBE_LAUNCH:
        return (struct figure_charge){0, 0, machine->launch_overhead, machine->launch_overhead, 1};
    default: return charge;
    }
}

/* Of an access that another figure is a part of: what that takes at least, and at most. */
static struct probe_times beside_of(const struct wb_gpu_calibration *calibration, enum probe probe) {
    switch (probe) {
    case PROBE_STRIDE: return calibration_times(calibration, PROBE_L1);
    case PROBE_PAGES:
    case PROBE_STORE:
    case PROBE_WORDS:
    case PROBE_ATOMIC: return calibration_times(calibration, PROBE_L2);
    case PROBE_WORD: return calibration_times(calibration, PROBE_ATOMIC);
    case PROBE_BANKS: return calibration_times(calibration, PROBE_SHARED);
    default: return (struct probe_times){0};
    }
}

/* Whether a smaller figure than the machine's would stand for something: the machine code was looked at, and
 * nothing makes it larger on another clock. */
static bool can_fall(const struct wb_gpu_calibration *calibration, const struct wb_machine *machine,
                     enum figure_use use) {
    const struct probe_exchange *exchange = calibration->exchange;
    if (exchange->unchecked[0] != '\0' || use == FIGURE_RAISED) return false;
    return use == FIGURE_REPLACED || exchange->clock >= fmax(machine->sass.clock_most, machine->clock_mhz);
}

/* The most is all that an access took, as the machine's stages may be shorter; the least is what it took
 * without all of them. */
bool figure_measured(const struct wb_gpu_calibration *calibration, const struct wb_machine *machine,
                     const struct figure *figure, uint32_t *least, uint32_t *most) {
    const struct probe_times times = calibration_times(calibration, figure->probe);
    const struct probe_times beside = beside_of(calibration, figure->probe);
    const struct figure_charge charge = figure_charge_of(calibration, machine, figure);
    const uint64_t with_margin = ((uint64_t)times.most * (100 + calibration->margin) + 99) / 100;
    if (times.count == 0) return false;
    if (!can_fall(calibration, machine, figure->use) && with_margin <= figure_charged(&charge)) return false;
    const uint32_t whole = with_margin < MACHINE_TIME_MAX ? (uint32_t)with_margin : MACHINE_TIME_MAX;
    *least = less(times.least, charge.stages + charge.beside + beside.most);
    if (*least > charge.least) *least = charge.least;
    *most = (less(whole, beside.least) + charge.times - 1) / charge.times;
    if (*most < *least) *most = *least;
    return true;
}

const char *const kept_keys[KEPT_LEVELS] = {"l1_keeps", "l2_keeps", "tlb_keeps"};

uint32_t kept_stated(const struct wb_machine *machine, enum kept_level level) {
    const struct machine_sass *sass = &machine->sass;
    return level == KEPT_L1 ? sass->l1_keeps : level == KEPT_L2 ? sass->l2_keeps : sass->tlb_keeps;
}

bool kept_is_less(const struct wb_gpu_calibration *calibration, const struct wb_machine *machine,
                  enum kept_level level) {
    const uint64_t keeps = calibration->exchange->keeps[level];
    return keeps > 0 && keeps < kept_stated(machine, level);
}

/* ---- The calibration ----------------------------------------------------------------------------------- */

/* The context of the child's work. */
struct work {
    struct probe_exchange *exchange;
    const wb_gpu_calibration_options *options;
};

static wb_status run_in_child(void *context, wb_diagnostics *diagnostics) {
    const struct work *work = context;
    return probes_run(work->options->driver, work->options->samples, work->exchange, diagnostics);
}

/* A clock that stands still has no times. */
static wb_status check_clock(const struct probe_exchange *exchange, wb_diagnostics *diagnostics) {
    if (exchange->seen[PROBE_EMPTY].least > 0) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, exchange->facts.gpu,
             "the clock of an SM stood still between two reads: no time is known");
    return WB_ERR_DECLINED;
}

wb_status wb_gpu_calibration_new(const wb_gpu_calibration_options *options, wb_diagnostics *diagnostics,
                                 wb_gpu_calibration **calibration) {
    wb_gpu_calibration_options asked;
    WB_TRY(OPTIONS_TAKE(wb_gpu_calibration_options, options, &asked, diagnostics));
    if (asked.samples == 0) asked.samples = WB_CALIBRATION_SAMPLES_USUAL;
    if (asked.samples > WB_CALIBRATION_SAMPLES_MAX) asked.samples = WB_CALIBRATION_SAMPLES_MAX;
    if (asked.patience <= 0) asked.patience = WB_MEASURE_PATIENCE_USUAL;
    struct wb_gpu_calibration *made = calloc(1, sizeof *made);
    if (made != NULL) made->exchange = child_memory(sizeof *made->exchange);
    if (made == NULL || made->exchange == NULL) {
        free(made);
        return diagnose_out_of_memory(diagnostics, "calibrate");
    }
    struct work work = {made->exchange, &asked};
    const struct child_work child = {.run = run_in_child,
                                     .context = &work,
                                     .state = &made->exchange->state,
                                     .patience = asked.patience,
                                     .stage = "calibrating",
                                     .total = PROBE_COUNT,
                                     .watch = &asked.watch};
    wb_status status = child_run(&child, diagnostics);
    if (status == WB_OK) status = check_clock(made->exchange, diagnostics);
    if (status != WB_OK) {
        wb_gpu_calibration_free(made);
        return status;
    }
    made->when = time(NULL);
    made->margin = asked.margin;
    *calibration = made;
    return WB_OK;
}

void wb_gpu_calibration_free(wb_gpu_calibration *calibration) {
    if (calibration == NULL) return;
    (void)munmap(calibration->exchange, sizeof *calibration->exchange);
    free(calibration);
}

/* Whether text begins with a word of lower case, in whatever case. */
static bool begins_with(const char *text, const char *word, size_t length) {
    size_t i = 0;
    while (i < length && ascii_lower(text[i]) == word[i])
        i++;
    return i == length;
}

/* How much of the name of a preset ("h100-pcie") the GPU calls itself: bytes of its words; 0: not all. */
static size_t called_so(const char *gpu, const char *preset) {
    size_t bytes = 0;
    while (*preset != '\0') {
        const size_t length = strcspn(preset, "-");
        const char *at = gpu;
        while (*at != '\0' && !begins_with(at, preset, length))
            at++;
        if (*at == '\0') return 0;
        bytes += length;
        preset += length + (preset[length] == '-');
    }
    return bytes;
}

/* Of the presets of the architecture that with as many SMs, of several that which is called as the GPU; else
 * the usual one. */
wb_status wb_gpu_calibration_preset(const wb_gpu_calibration *calibration, wb_diagnostics *diagnostics,
                                    wb_machine **machine) {
    const struct device_facts *facts = &calibration->exchange->facts;
    const char *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < wb_machine_preset_count(); i++) {
        const char *name = wb_machine_preset_name(i);
        wb_machine *tried = NULL;
        WB_TRY(wb_machine_load(name, diagnostics, &tried));
        const size_t called = called_so(facts->gpu, name);
        if (tried->sass.sm == facts->sm && tried->memory.sms == facts->sms &&
            (best == NULL || called > most)) {
            best = name;
            most = called;
        }
        wb_machine_free(tried);
    }
    return best != NULL ? wb_machine_load(best, diagnostics, machine)
                        : wb_calibration_machine(facts->sm, diagnostics, machine);
}
