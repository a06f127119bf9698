#include "warp/timed/timed.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Stall counts from here on are kept with the yield flag only: hardware goes on sooner without it. */
#define STALL_WITH_YIELD 12u

/* ---- Stalls -------------------------------------------------------------------------------------------- */

/* Whether stall count 0 with yield is the long one: behind ERRBAR, and of a branch to itself. */
static bool is_long_stall(const struct sass_inst *inst, uint32_t address) {
    return inst->op == SASS_OP_ERRBAR || inst->op == SASS_OP_CGAERRBAR ||
           (inst->op == SASS_OP_BRA && inst->target == address);
}

uint32_t sass_stall_least(const struct sass_inst *inst) {
    const struct sass_control *control = &inst->control;
    if (control->yield) return control->stall < 2 ? 2 : control->stall;
    return control->stall == 0 || control->stall >= STALL_WITH_YIELD ? 1 : control->stall;
}

uint32_t sass_stall_most(const struct sass_inst *inst, uint32_t address, uint32_t long_stall) {
    const struct sass_control *control = &inst->control;
    if (control->stall == 0 && control->yield && is_long_stall(inst, address))
        return long_stall < 2 ? 2 : long_stall;
    const uint32_t least = control->yield ? 2 : 1;
    return control->stall < least ? least : control->stall;
}

/* Whether the next instruction of the warp may stand elsewhere: while some of its lanes sleep, others go on.
 */
static bool may_jump(const struct sass_inst *inst, enum sass_class class) {
    if (class == SASS_CLASS_BRANCH) return inst->op != SASS_OP_LEPC;
    if (class == SASS_CLASS_SLEEP) return true;
    return class == SASS_CLASS_CONVERGENCE && inst->op != SASS_OP_BSSY && inst->op != SASS_OP_BMOV;
}

/* ---- An instruction ---- */

bool sass_has_dependence_counters(const struct sass_inst *inst) {
    return inst->control.write_counter != SASS_NO_COUNTER || inst->control.read_counter != SASS_NO_COUNTER;
}

uint32_t sass_bubbles(const struct machine_sass *sass, const uint8_t bank_reads[SASS_BANKS_MAX]) {
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < sass->register_banks; bank++)
        most = bank_reads[bank] > most ? bank_reads[bank] : most;
    return most == 0 ? 0 : (most - 1) / sass->bank_ports;
}

static void time_waits(const struct sass_inst *inst, struct sass_timed *timed) {
    timed->waits = inst->control.waits;
    timed->left_counter = SASS_NO_COUNTER;
    if (inst->op != SASS_OP_DEPBAR) return;
    timed->waits |= (uint8_t)sass_field(inst, SASS_FIELD_WAIT_MORE);
    timed->left_counter = (uint8_t)sass_field(inst, SASS_FIELD_COUNTER);
    timed->left = (uint8_t)sass_field(inst, SASS_FIELD_LIMIT);
}

/* What follows a fence waits for it, by a counter of its own when the code names none. Counters of a barrier
 * (ptxas -O0 writes them) are taken to count down before it lets the warp go on. */
static void time_counters(const struct sass_inst *inst, enum sass_class class, struct sass_timed *timed) {
    const bool counted = class != SASS_CLASS_BARRIER;
    timed->write_counter = counted ? inst->control.write_counter : SASS_NO_COUNTER;
    timed->read_counter = counted ? inst->control.read_counter : SASS_NO_COUNTER;
    if (class == SASS_CLASS_FENCE && timed->write_counter == SASS_NO_COUNTER)
        timed->write_counter = SASS_FENCE_COUNTER;
}

void sass_timing_count(const struct wb_machine *machine, const struct access_counts *counts,
                       struct sass_timed *timed) {
    const struct machine_sass_class *class = &machine->sass.classes[timed->class_];
    timed->counts = *counts;
    for (uint32_t s = 0; s < class->stage_count; s++) {
        const struct machine_sass_stage *stage = &class->stages[s];
        const uint64_t further = counts->further[stage->count];
        const uint64_t init = machine_hold_of(machine, stage, stage->init, timed->in_l2) +
                              machine_hold_of(machine, stage, stage->each, timed->in_l2) * further;
        timed->stages[s].init = init > UINT32_MAX / 4 ? UINT32_MAX / 4 : (uint32_t)init;
    }
}

void sass_timing_promise(const struct wb_machine *machine, bool stores, struct sass_timed *timed) {
    const struct machine_sass_class *class = &machine->sass.classes[timed->class_];
    if (class->plus != SASS_PLUS_MEMORY) return;
    timed->write_most = class->write_most + sass_l2_most(&machine->sass);
    if (timed->write_least > timed->write_most) timed->write_least = timed->write_most;
    timed->in_l2 = !stores;
    sass_timing_count(machine, &(struct access_counts){{0}}, timed);
}

const char *sass_timing_from(const struct sass_inst *inst, uint32_t address, const struct wb_machine *machine,
                             struct sass_timed *timed) {
    const enum sass_class class = sass_class_of(inst);
    if (class == SASS_CLASS_COUNT) return "no machine states how long it takes";
    const struct machine_sass *sass = &machine->sass;
    const struct machine_sass_class *times = &sass->classes[class];
    if (!times->given) return "the machine gives no times for its class";
    if (class != SASS_CLASS_BARRIER && sass_has_dependence_counters(inst) &&
        (times->fixed || times->stage_count == 0))
        return "it has a dependence counter, but its class has a fixed latency on this machine";
    *timed = (struct sass_timed){.stall_least = sass_stall_least(inst),
                                 .stall = sass_stall_most(inst, address, sass->long_stall),
                                 .class_ = (uint8_t) class,
                                 .fixed = times->fixed || times->stage_count == 0,
                                 .stage_count = times->stage_count,
                                 .prefetches = sass_field(inst, SASS_FIELD_PREFETCH) != 0,
                                 .constant_line = SASS_NO_LINE};
    if (may_jump(inst, class) && timed->stall < sass->branch) timed->stall = sass->branch;
    sass_operands(inst, timed->operands);
    sass_bank_reads(timed->operands, sass->register_banks, timed->bank_reads);
    timed->slot = 1 + (timed->fixed ? sass_bubbles(sass, timed->bank_reads) : 0);
    time_waits(inst, timed);
    time_counters(inst, class, timed);
    for (uint32_t s = 0; s < times->stage_count; s++)
        timed->stages[s] = (struct sass_stage){
            .unit = times->stages[s].unit,
            .init = (uint32_t)cycles_min(
                machine_hold_of(machine, &times->stages[s], times->stages[s].init, false), UINT32_MAX / 4),
            .transfer = times->stages[s].transfer};
    /* The unit is taken when the operands are there. */
    if (timed->fixed && timed->stage_count > 0) timed->stages[0].init += timed->slot - 1;
    const bool memory = times->plus == SASS_PLUS_MEMORY;
    timed->write_least = times->write_least.value + (memory ? sass_memory_least(sass) : 0);
    timed->write_most = times->write_most + (memory ? sass_memory_most(sass) : 0);
    timed->read_least = times->read_least.value;
    timed->read_most = times->read_most;
    return NULL;
}

uint32_t timed_init_of_sass(const struct sass_timed *timed) {
    cycles sum = (cycles)timed->stall + timed->slot + timed->fetch + timed->operand;
    for (uint32_t s = 0; s < timed->stage_count; s++)
        sum += (cycles)timed->stages[s].init + timed->stages[s].transfer;
    return sum > UINT32_MAX ? UINT32_MAX : (uint32_t)sum;
}

/* ---- Caches -------------------------------------------------------------------------------------------- */

/* A cache of instructions: the code fits when all of it, from its first line to its last, does, wherever
 * lines are put by their address. *span: bytes of these lines. False when memory is exhausted. */
static bool cached_instructions(const struct sass_cache *cache, const struct sass_cached_code *code,
                                struct sass_cached *made, uint64_t *span) {
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t e = 0; e < code->count; e++) {
        if (code->insts[e] == NULL) continue;
        const uint32_t line = code->insts[e]->address / cache->line_bytes;
        first = line < first ? line : first;
        last = line > last ? line : last;
    }
    *made = (struct sass_cached){.miss = cache->miss, .fits = true};
    *span = 0;
    if (first == UINT32_MAX) return true;
    *span = (uint64_t)(last - first + 1) * cache->line_bytes;
    made->fits = *span <= cache->bytes;
    bool *touched = calloc((size_t)(last - first) + 1, sizeof *touched);
    if (touched == NULL) return false;
    for (uint32_t e = 0; made->fits && e < code->count; e++) {
        if (code->insts[e] == NULL) continue;
        bool *line = &touched[code->insts[e]->address / cache->line_bytes - first];
        made->lines += !*line;
        *line = true;
    }
    free(touched);
    return true;
}

/* A line of constants that the code reads. */
struct constant_line {
    uint32_t bank, line;
};

/* The number of a line among those that are known, which it joins. */
static uint32_t number_line(struct constant_line *lines, uint32_t *count, struct constant_line line) {
    uint32_t at = 0;
    while (at < *count && (lines[at].bank != line.bank || lines[at].line != line.line))
        at++;
    if (at == *count) lines[(*count)++] = line;
    return at;
}

/* Banks stand where they are put: lines of different ones may all fall into one set of the cache. */
static bool constants_fit(const struct sass_cache *cache, const struct constant_line *lines, uint32_t count,
                          bool any_line) {
    if (any_line || (uint64_t)count * cache->line_bytes > cache->bytes) return false;
    const uint32_t ways = cache->ways, sets = cache->bytes / cache->line_bytes / (ways == 0 ? 1 : ways);
    uint32_t sum = 0;
    if (sets == 0) return count == 0;
    for (uint32_t l = 0; l < count; l++) {
        /* Counted at the first line of each bank: the most lines of the bank in one set. */
        uint32_t most = 0;
        bool is_first = true;
        for (uint32_t o = 0; o < count; o++) {
            if (lines[o].bank != lines[l].bank) continue;
            is_first = is_first && o >= l;
            uint32_t same = 0;
            for (uint32_t p = 0; p < count; p++)
                same += lines[p].bank == lines[o].bank && lines[p].line % sets == lines[o].line % sets;
            most = same > most ? same : most;
        }
        if (is_first) sum += most;
    }
    return sum <= ways;
}

/* What misses each time is added to the entries. Of code that does not fit each instruction may: its line can
 * go while its warp is in the middle of it. */
static void add_misses(const struct machine_sass *sass, const struct sass_cached_code *code,
                       const struct sass_footprint *footprint, struct sass_timed *entries) {
    for (uint32_t e = 0; e < code->count; e++) {
        struct sass_timed *entry = &entries[e];
        if (code->insts[e] == NULL) continue;
        if (!footprint->instructions.fits) entry->fetch += footprint->instructions.miss;
        if (entry->constant_line != SASS_NO_LINE && !footprint->constants.fits) {
            entry->operand += footprint->constants.miss;
            entry->slot += sass->constant_probe;
        }
    }
}

/* The lines of the cache of the SM that constants take besides those of operands: what LDC loads, which is
 * missed as often as it is loaded (its class says how long that takes). */
static uint32_t loaded_lines(const struct machine_sass *sass, const struct sass_cached_code *code,
                             struct constant_line *lines, uint32_t line_count) {
    uint32_t count = line_count;
    for (uint32_t e = 0; e < code->count; e++) {
        const struct sass_inst *inst = code->insts[e] == NULL ? NULL : &code->insts[e]->sass;
        if (inst == NULL || inst->op != SASS_OP_LDC) continue;
        const struct constant_line line = {inst->b.number, inst->b.value / sass->constants.line_bytes};
        (void)number_line(lines, &count, line);
    }
    return count - line_count;
}

/* Lines of all constants when some are read at an index: by LDC, or as operands. */
static uint64_t indexed_lines(const struct machine_sass *sass, const struct sass_cached_code *code,
                              bool by_ldc) {
    bool is_indexed = false;
    for (uint32_t e = 0; e < code->count; e++)
        is_indexed |= code->insts[e] != NULL && (code->insts[e]->sass.op == SASS_OP_LDC) == by_ldc &&
                      sass_constant_is_indexed(&code->insts[e]->sass);
    return is_indexed ? code->constant_bytes / sass->constants.line_bytes + 1 : 0;
}

/* Whether the code reads constants of which nothing is known. */
static bool reads_bindless(const struct sass_cached_code *code) {
    for (uint32_t e = 0; e < code->count; e++) {
        if (code->insts[e] != NULL && sass_reads_bindless(&code->insts[e]->sass)) return true;
    }
    return false;
}

/* The cache of the SM holds instructions, of which the code takes so many bytes, and constants side by side.
 */
static void share_l1(const struct machine_sass *sass, const struct sass_cached_code *code,
                     struct constant_line *lines, uint32_t line_count, uint64_t code_bytes,
                     struct sass_cached *l1_instructions) {
    const uint64_t missed = line_count + indexed_lines(sass, code, false),
                   loaded = loaded_lines(sass, code, lines, line_count) + indexed_lines(sass, code, true);
    const uint64_t bytes = code_bytes + (missed + loaded) * sass->constants.line_bytes;
    l1_instructions->fits =
        l1_instructions->fits && bytes <= sass->l1_instructions.bytes && !reads_bindless(code);
    l1_instructions->lines = l1_instructions->fits ? l1_instructions->lines + (uint32_t)missed : 0;
}

/* The lines of operands, numbered; whether some operand may be of any line. */
static bool number_constants(const struct machine_sass *sass, const struct sass_cached_code *code,
                             struct sass_timed *entries, struct constant_line *lines, uint32_t *line_count) {
    bool any_line = false;
    for (uint32_t e = 0; e < code->count; e++) {
        if (code->insts[e] == NULL) continue;
        const struct sass_source *constant = sass_constant_operand(&code->insts[e]->sass);
        entries[e].line = code->insts[e]->address / sass->l0.line_bytes;
        if (constant == NULL) continue;
        any_line |= constant->kind != SASS_SOURCE_CONST || sass_constant_is_indexed(&code->insts[e]->sass);
        const struct constant_line line = {constant->number, constant->value / sass->constants.line_bytes};
        entries[e].constant_line = number_line(lines, line_count, line);
    }
    return any_line;
}

bool sass_caches_apply(const struct machine_sass *sass, const struct sass_cached_code *code,
                       struct sass_timed *entries, struct sass_footprint *footprint) {
    struct constant_line *lines = calloc((size_t)code->count * 2 + 1, sizeof *lines);
    uint32_t line_count = 0;
    if (lines == NULL) return false;
    const bool any_line = number_constants(sass, code, entries, lines, &line_count);
    uint64_t span, l1_span;
    if (!cached_instructions(&sass->l0, code, &footprint->instructions, &span) ||
        !cached_instructions(&sass->l1_instructions, code, &footprint->l1_instructions, &l1_span)) {
        free(lines);
        return false;
    }
    share_l1(sass, code, lines, line_count, l1_span, &footprint->l1_instructions);
    if (!footprint->l1_instructions.fits) footprint->instructions.miss += sass->l1_instructions.miss;
    const uint32_t beyond = footprint->l1_instructions.fits ? 0 : sass->l1_instructions.miss;
    footprint->constants =
        (struct sass_cached){.miss = sass->constants.miss + beyond,
                             .hold = sass->constant_probe,
                             .fits = constants_fit(&sass->constants, lines, line_count, any_line)};
    if (footprint->constants.fits) footprint->constants.lines = line_count;

    free(lines);
    add_misses(sass, code, footprint, entries);
    return true;
}
