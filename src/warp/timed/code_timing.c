#include "warp/timed/timed.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Bytes before the parameters in constant bank 0, at most. */
#define LAUNCH_CONSTANTS 0x400u

struct timing;

/* How instructions of PTX get times, by their classes, and how those of machine code, by control fields. */
struct timing_model {
    wb_status (*check)(const struct executed_code *executed, const struct wb_machine *machine,
                       wb_diagnostics *diagnostics); /* whether the machine executes the code; NULL: any */
    wb_status (*functions)(struct timing *timing, struct ptx_regs *regs);
    wb_status (*inst)(struct timing *timing, const struct ptx_inst *inst, uint32_t entry);
    const char *untimed_call; /* what keeps the named machine from timing a call of the named function */
    assumed_set assumed_of_code;
};

/* What giving times to the code of one kernel needs. */
struct timing {
    const struct executed_code *executed;
    const struct timing_model *model;
    const struct wb_machine *machine;
    wb_diagnostics *diagnostics;
    struct arena *arena; /* protected */
    struct timed_code *code;
    uint32_t *registers; /* per register of the function at hand its number in the code, or PTX_NO_INDEX */
    uint32_t fenced;     /* the register that fences write and all instructions read, or PTX_NO_INDEX */
    uint64_t unknown_classes[(PTX_CLASS_COUNT + 63) / 64]; /* classes already complained of */
    VEC(uint32_t) operands;
    wb_status status; /* when memory is not what lacks */
};

bool *executed_instructions(const struct path *paths, size_t path_count, uint32_t inst_count,
                            struct arena *arena) {
    bool *used = arena_array(arena, (size_t)inst_count + 1, sizeof *used);
    uint32_t *ends = arena_array(arena, (size_t)inst_count + 1, sizeof *ends);
    if (used == NULL || ends == NULL) return NULL;
    for (size_t p = 0; p < path_count; p++) {
        for (size_t e = 0; e < paths[p].entries.count; e++) {
            const struct path_entry *entry = &paths[p].entries.items[e];
            if (entry->count == PATH_REPEAT) continue;
            assert(entry->first < inst_count && entry->count <= inst_count - entry->first);
            ends[entry->first]++; /* sums wrap round; only their differences count */
            ends[entry->first + entry->count]--;
        }
    }
    uint32_t depth = 0;
    for (uint32_t i = 0; i < inst_count; i++) {
        depth += ends[i];
        used[i] = depth != 0;
    }
    return used;
}

/* Whether an instruction joins all warps of the block, in *barrier. WB_ERR_DECLINED with a message for what
 * waits in a way that neither simulator nor analyses model: barriers that join a part of the warps (counted
 * or arrive-only), and whatever ptx/opcode.h declines. Which of the 16 barriers it is does not matter: warps
 * that all wait for all others wait for the same one, or for ever. `used` is not looked at. */
static wb_status joins_block(const struct executed_code *executed, const struct ptx_function *function,
                             const struct ptx_inst *inst, wb_diagnostics *diagnostics, bool *barrier) {
    enum barrier_scope scope = barrier_scope_of(function, inst, executed->block_size, executed->warp_width);
    enum ptx_wait wait = scope == BARRIER_PART ? PTX_WAIT_SOME_WARPS : (enum ptx_wait)inst->form->wait;
    *barrier = scope == BARRIER_WHOLE || scope == BARRIER_COUNTED;
    if (ptx_wait_answer(wait) != PTX_DECLINED) return WB_OK;
    ptx_diagnose(diagnostics, SEVERITY_ERROR, executed->kernel->module, inst, "'%s' %s", inst->form->name,
                 ptx_wait_text(wait));
    return WB_ERR_DECLINED;
}

/* Nobody knows how long a function of the run-time system takes. Machines that time PTX can state it; the
 * code of such a function is in no cubin, whose control fields would give it. */
static wb_status decline_runtime_call(const struct timing *timing, const struct ptx_inst *inst) {
    const char *name = ptx_runtime_name((enum ptx_runtime)inst->form->runtime);
    char because[512];
    (void)text_format(because, sizeof because, timing->model->untimed_call, timing->machine->name, name);
    ptx_diagnose(timing->diagnostics, SEVERITY_ERROR, timing->executed->kernel->module, inst,
                 "the time of a call of %s is unknown: %s such calls from the timed code (#ifdef), or say by "
                 "a flow fact that they are never reached: never LABEL (--facts)",
                 name, because);
    return WB_ERR_DECLINED;
}

static bool reads_texels(const struct sass_inst *inst) {
    const enum sass_class class = sass_class_of(inst);
    return (class == SASS_CLASS_TEXTURE || class == SASS_CLASS_SURFACE) && inst->has_d;
}

/* What textures and surfaces return comes in order, so that ptxas has the last of several count for those
 * before it: who waits for the counter of that waits for them. The counter, in code that runs straight on and
 * waits for it nowhere in between; SASS_NO_COUNTER: there is none. */
static uint8_t counter_behind(const struct machine_code *code, uint32_t index) {
    uint8_t waits = 0;
    for (uint32_t i = index + 1; i < code->inst_count && code->insts[i].kernel == code->insts[index].kernel;
         i++) {
        const struct sass_inst *inst = &code->insts[i].sass;
        const enum sass_class class = sass_class_of(inst);
        const uint8_t counter = inst->control.write_counter;
        const bool always = inst->guard.number == SASS_PT && !inst->guard.negated;
        waits |= inst->control.waits;
        if (class == SASS_CLASS_BRANCH || class == SASS_CLASS_CONVERGENCE || class == SASS_CLASS_BARRIER ||
            class == SASS_CLASS_WAIT)
            return SASS_NO_COUNTER;
        if (reads_texels(inst) && always && counter != SASS_NO_COUNTER)
            return (waits >> counter & 1) == 0 ? counter : SASS_NO_COUNTER;
    }
    return SASS_NO_COUNTER;
}

/* Gives an instruction that touches memory of which nobody knows where the most that it takes. NULL, or what
 * is wrong with it. */
static const char *time_touched(struct timing *timing, const struct machine_code *code, uint32_t index,
                                struct sass_timed *sass) {
    const struct sass_inst *inst = &code->insts[index].sass;
    const struct sass_touched touched = sass_touched_of(inst);
    if (touched.lines == 0) return NULL;
    const struct access_counts most = {
        .further = {[SASS_COUNT_PASSES] = touched.lines - 1, [SASS_COUNT_SECTORS] = touched.sectors - 1}};
    sass_timing_count(timing->machine, &most, sass);
    timing->code->assumed |= assumed_bit(ASSUMED_TOUCHED);
    if (!reads_texels(inst) || sass->write_counter != SASS_NO_COUNTER) return NULL;
    sass->write_counter = counter_behind(code, index);
    return sass->write_counter != SASS_NO_COUNTER ? NULL : "no counter says when its result is there";
}

/* Gives an instruction all of whose accesses are to a buffer that is promised to be in the second level the
 * times of that; without a record it may access anything. */
static void time_promised(const struct timing *timing, const struct ptx_inst *inst,
                          const struct sass_inst *code, uint32_t entry, struct sass_timed *sass) {
    const struct memory_objects *objects = timing->executed->objects;
    if (!machine_promises(timing->machine, RESIDENT_BUFFERS) || objects->uses == NULL) return;
    const struct object_use *use = &objects->uses[entry];
    const bool counted = inst->form->requests == PTX_REQUESTS_COUNTED && sass_touched_of(code).lines == 0;
    if (!counted || use->object == 0 || use->object == OBJECTS_SEVERAL) return;
    if (memory_object_is_promised(timing->machine, &objects->items.items[use->object - 1]))
        sass_timing_promise(timing->machine, use->stores, sass);
}

/* Those of a machine instruction, on a machine that times machine code. */
static wb_status timing_sass(struct timing *timing, const struct ptx_inst *inst, uint32_t entry) {
    const struct machine_code *code = timing->executed->kernel->module->code;
    assert(code != NULL); /* check_code */
    const struct machine_inst *machine_inst = &code->insts[inst->machine];
    struct sass_timed *sass = &timing->code->sass[entry];
    if (inst->form->runtime != PTX_RUNTIME_NONE) return decline_runtime_call(timing, inst);
    const uint16_t op = machine_inst->sass.op;
    if (sass_class_of(&machine_inst->sass) == SASS_CLASS_NOP && op != SASS_OP_NOP)
        timing->code->assumed |= assumed_bit(ASSUMED_CACHE_CONTROL);
    if (op == SASS_OP_BAR && sass_has_dependence_counters(&machine_inst->sass))
        timing->code->assumed |= assumed_bit(ASSUMED_BARRIER_COUNTERS);
    const char *problem = sass_timing_from(&machine_inst->sass, machine_inst->address, timing->machine, sass);
    if (problem == NULL) time_promised(timing, inst, &machine_inst->sass, entry, sass);
    if (problem == NULL) problem = time_touched(timing, code, inst->machine, sass);
    if (problem != NULL) {
        const enum sass_class class = sass_class_of(&machine_inst->sass);
        ptx_diagnose(timing->diagnostics, SEVERITY_ERROR, timing->executed->kernel->module, inst,
                     "'%s'%s%s%s cannot be timed by machine '%s': %s", inst->form->name,
                     class == SASS_CLASS_COUNT ? "" : " (class '",
                     class == SASS_CLASS_COUNT ? "" : sass_class_name(class),
                     class == SASS_CLASS_COUNT ? "" : "')", timing->machine->name, problem);
        const bool is_of_machine = class != SASS_CLASS_COUNT && !timing->machine->sass.classes[class].given;
        return is_of_machine ? WB_ERR_INPUT : WB_ERR_DECLINED;
    }
    struct timed_inst *timed = &timing->code->insts[entry];
    timed->unit = sass->stage_count == 0 ? UNIT_NONE : sass->stages[0].unit;
    timed->init = timed_init_of_sass(sass);
    timed->latency = sass->write_most > sass->read_most ? sass->write_most : sass->read_most;
    return WB_OK;
}

/* Unit, initiation and latency by the instruction's class. */
static wb_status timing_class(struct timing *timing, const struct ptx_inst *inst, uint32_t entry) {
    struct timed_inst *timed = &timing->code->insts[entry];
    uint32_t class_index = inst->form->class_;
    const struct machine_class *class = &timing->machine->classes[class_index];
    if (class->given) {
        timed->unit = class->unit;
        timed->init = class->unit == UNIT_NONE ? 0 : class->init;
        timed->latency = machine_latency(timing->machine, class);
        timed->latency_least = machine_latency_least(timing->machine, (enum ptx_class)class_index);
        timed->memory_latency = class->plus == LATENCY_PLUS_MEM ? timing->machine->mem_latency : 0;
        return WB_OK;
    }
    uint64_t bit = UINT64_C(1) << (class_index % 64);
    if (timing->unknown_classes[class_index / 64] & bit) return WB_ERR_INPUT;
    timing->unknown_classes[class_index / 64] |= bit;
    if (class_index != PTX_CLASS_CALL && inst->form->runtime != PTX_RUNTIME_NONE)
        return decline_runtime_call(timing, inst);
    ptx_diagnose(timing->diagnostics, SEVERITY_ERROR, timing->executed->kernel->module, inst,
                 "machine '%s' gives no times for class '%s', which '%s' belongs to", timing->machine->name,
                 ptx_class_name((enum ptx_class)class_index), inst->form->name);
    return WB_ERR_INPUT;
}

/* The fastest clock of the machine, in MHz: a time takes most cycles on it. */
static double fastest_clock(const struct wb_machine *machine) {
    return fmax(machine->clock_mhz, machine->sass.clock_most);
}

/* The most cycles that nanosleep takes, added to those of its class, or to the stall count of machine code:
 * a sleep lasts at most twice its argument, and SLEEP_MAX at most (PTX ISA, nanosleep), which is doubled,
 * too, as it is said to be approximate. */
static wb_status timing_sleep(struct timing *timing, const struct ptx_function *function,
                              const struct ptx_inst *inst, uint32_t entry) {
    if (inst->form->op != PTX_OP_NANOSLEEP) return WB_OK;
    struct timed_code *code = timing->code;
    uint32_t *time = code->sass != NULL ? &code->sass[entry].stall : &code->insts[entry].latency;
    const struct ptx_operand *argument = ptx_operands(function, inst);
    uint64_t nanoseconds = timing->executed->notes->longest_sleep;
    if (argument->kind == PTX_OPERAND_INT) nanoseconds = argument->value & UINT32_MAX;
    if (nanoseconds > SLEEP_MAX) nanoseconds = SLEEP_MAX;
    const double longest = ceil(2.0 * (double)nanoseconds * fastest_clock(timing->machine) / 1000.0);
    if (longest < (double)(UINT32_MAX - *time)) {
        *time += (uint32_t)longest;
        return WB_OK;
    }
    ptx_diagnose(timing->diagnostics, SEVERITY_ERROR, timing->executed->kernel->module, inst,
                 "'%s' takes %.0f cycles at the machine's clock, more than an instruction can",
                 inst->form->name, longest);
    return WB_ERR_LIMIT;
}

static void push_operand(struct timing *timing, uint32_t reg, uint16_t *count) {
    assert(*count < UINT16_MAX && reg < timing->code->register_count);
    ++*count;
    arena_push(timing->arena, &timing->operands, reg);
}

/* Appends a register of the function at hand to the operands. Registers are numbered as they are met: those
 * that no path touches take no room in the simulator. */
static void timing_operand(struct timing *timing, uint32_t reg, uint16_t *count) {
    if (timing->registers[reg] == PTX_NO_INDEX) timing->registers[reg] = timing->code->register_count++;
    push_operand(timing, timing->registers[reg], count);
}

static void timing_operands(struct timing *timing, const struct ptx_function *function, uint32_t issued,
                            struct ptx_regs *regs, struct timed_inst *timed) {
    const struct ptx_inst *inst = &function->insts[ptx_issued(function, issued)];
    const struct wait_role role = wait_role_of(function, inst);
    const struct timed_queue *queues = timing->code->queues;
    if (role.on_chip) {
        timed->latency -= timed->memory_latency;
        if (timed->memory_latency != 0) timed->latency_least -= timing->machine->mem_least.value;
        timed->memory_latency = 0;
    }
    ptx_issue_regs(function, issued, regs);
    timed->first_operand = (uint32_t)timing->operands.count;
    for (uint32_t i = 0; i < regs->read_count; i++)
        timing_operand(timing, regs->read[i], &timed->source_count);
    if (role.queue != QUEUE_COUNT)
        push_operand(timing, queues[role.queue].first + role.since, &timed->source_count);
    if (timing->fenced != PTX_NO_INDEX) push_operand(timing, timing->fenced, &timed->source_count);
    for (uint32_t i = 0; i < regs->written_count; i++)
        timing_operand(timing, regs->written[i], &timed->destination_count);
    if (role.fence) push_operand(timing, timing->fenced, &timed->destination_count);
    timed->joins = role.joins;
    timed->commits = role.commits;
}

/* Makes room in the queues for what an instruction waits for. */
static wb_status timing_queue(struct timing *timing, const struct ptx_function *function,
                              const struct ptx_inst *inst) {
    const struct wait_role role = wait_role_of(function, inst);
    struct timed_queue *queues = timing->code->queues;
    if (role.fence) timing->fenced = 0;
    if (role.queue != QUEUE_COUNT && role.since >= queues[role.queue].count)
        queues[role.queue].count = role.since + 1;
    if (role.unmodelled == NULL) return WB_OK;
    ptx_diagnose(timing->diagnostics, SEVERITY_ERROR, timing->executed->kernel->module, inst, "'%s' %s",
                 inst->form->name, role.unmodelled);
    return WB_ERR_DECLINED;
}

/* Numbers the registers of the queues that some used instruction waits for. */
static wb_status timing_queues(struct timing *timing) {
    const struct wb_module *module = timing->executed->kernel->module;
    struct timed_code *code = timing->code;
    timing->fenced = PTX_NO_INDEX;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = &module->functions[f];
        for (uint32_t i = 0; i < ptx_issued_count(function); i++)
            if (timing->executed->used[timing->executed->code_first[f] + i])
                WB_TRY(timing_queue(timing, function, &function->insts[ptx_issued(function, i)]));
    }
    for (uint32_t q = 0; q < QUEUE_COUNT; q++) {
        code->queues[q].first = code->register_count;
        code->register_count += code->queues[q].count;
    }
    if (timing->fenced != PTX_NO_INDEX) timing->fenced = code->register_count++;
    return WB_OK;
}

/* Whether requests of the class go to global memory, or may. */
static bool reaches_global(enum ptx_class class) {
    return class == PTX_CLASS_LOAD_GLOBAL || class == PTX_CLASS_STORE_GLOBAL ||
           class == PTX_CLASS_LOAD_GENERIC || class == PTX_CLASS_STORE_GENERIC ||
           class == PTX_CLASS_ATOMIC_GLOBAL || class == PTX_CLASS_ASYNC_COPY;
}

/* Where requests wait for each other, an instruction whose requests nobody counts would hold up others
 * unseen, and caches that do what an instruction asks would keep other lines than those that are counted:
 * docs/memory-model.md, sections 1 and 3. */
static wb_status decline_requests(const struct timing *timing, const struct ptx_inst *inst) {
    const struct machine_memory *memory = &timing->machine->memory;
    const bool caches = memory_has_hierarchy(memory);
    const bool uncounted = inst->form->requests == PTX_REQUESTS_UNCOUNTED;
    const bool hinted = caches && inst->form->hinted && inst->form->requests != PTX_REQUESTS_NONE;
    if (!hinted && !(uncounted && (caches || memory_is_contended(memory)))) return WB_OK;
    const char *what = !uncounted ? "ask caches to keep or fetch other lines"
                       : caches   ? "are not counted, and they change what caches hold"
                                  : "are not counted, and others wait for them";
    ptx_diagnose(timing->diagnostics, SEVERITY_ERROR, timing->executed->kernel->module, inst,
                 "the requests of '%s' %s on machine '%s': that is not modelled; analyze the kernel's cubin "
                 "on a machine that times machine code",
                 inst->form->name, what, timing->machine->name);
    return WB_ERR_DECLINED;
}

/* Notes what the times of an instruction take for granted. */
static void timing_assume(struct timing *timing, const struct ptx_inst *inst,
                          const struct timed_inst *timed) {
    assumed_set *assumed = &timing->code->assumed;
    const bool counted = timing->machine->memory.requests != REQUESTS_IDEAL;
    *assumed |= assumed_wait((enum ptx_wait)inst->form->wait);
    if (timed->barrier) *assumed |= assumed_bit(ASSUMED_WARPS_AT_BARRIERS);
    if (counted && reaches_global((enum ptx_class)inst->form->class_))
        *assumed |= assumed_bit(ASSUMED_ALIGNED_BUFFERS);
}

/* The used instructions of one function; every missing class is reported before the call fails. */
static wb_status timing_function(struct timing *timing, uint32_t index, struct ptx_regs *regs) {
    const struct ptx_function *function = &timing->executed->kernel->module->functions[index];
    const struct machine_code *machine = timing->executed->kernel->module->code;
    const uint32_t first = timing->executed->code_first[index];
    wb_status status = WB_OK;
    memset(timing->registers, 0xff, ((size_t)function->reg_count + 1) * sizeof *timing->registers);
    for (uint32_t i = 0; i < ptx_issued_count(function); i++) {
        if (!timing->executed->used[first + i]) continue;
        const struct ptx_inst *inst = &function->insts[ptx_issued(function, i)];
        struct timed_inst *timed = &timing->code->insts[first + i];
        timed->uncounted = inst->form->class_ == PTX_CLASS_EXIT;
        if (machine != NULL) timing->code->addresses[first + i] = machine->insts[inst->machine].address;
        wb_status classed = timing->model->inst(timing, inst, first + i);
        if (status == WB_OK) status = classed;
        WB_TRY(decline_requests(timing, inst));
        WB_TRY(timing_sleep(timing, function, inst, first + i));
        WB_TRY(joins_block(timing->executed, function, inst, timing->diagnostics, &timed->barrier));
        timing_assume(timing, inst, timed);
        timing_operands(timing, function, i, regs, timed);
    }
    return status;
}

/* All functions, one after another. */
static wb_status timing_functions(struct timing *timing, struct ptx_regs *regs) {
    wb_status status = WB_OK;
    for (uint32_t f = 0; f < timing->executed->kernel->module->function_count; f++) {
        wb_status made = timing_function(timing, f, regs);
        if (made == WB_ERR_LIMIT) return made;
        if (status == WB_OK) status = made;
    }
    return status;
}

/* The machine instructions of the entries that paths have. */
static void find_machine_insts(const struct timing *timing, const struct machine_inst **insts) {
    const struct wb_module *module = timing->executed->kernel->module;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ptx_function *function = &module->functions[f];
        const uint32_t first = timing->executed->code_first[f];
        for (uint32_t i = 0; i < ptx_issued_count(function); i++)
            if (timing->executed->used[first + i])
                insts[first + i] = &module->code->insts[function->insts[ptx_issued(function, i)].machine];
    }
}

uint64_t constant_bytes(const struct wb_module *module, const struct ptx_function *kernel) {
    uint64_t bytes = LAUNCH_CONSTANTS;
    for (uint32_t v = 0; v < module->variable_count; v++)
        if (module->variables[v].space == PTX_SPACE_CONST)
            bytes += module->variables[v].size + module->variables[v].align;
    for (uint32_t p = 0; p < kernel->param_count; p++)
        bytes += module->variables[kernel->params[p]].size + module->variables[kernel->params[p]].align;
    return bytes;
}

/* Fences and caches of machine code whose entries have their times. */
static void timing_sass_code(struct timing *timing) {
    struct timed_code *code = timing->code;
    const size_t count = (size_t)code->inst_count + 1;
    const struct machine_inst **insts = arena_array(timing->arena, count, sizeof(void *));
    bool fenced = false;

    find_machine_insts(timing, insts);
    for (uint32_t e = 0; e < code->inst_count; e++) {
        code->sass[e].barrier = code->insts[e].barrier;
        fenced |= insts[e] != NULL && code->sass[e].write_counter == SASS_FENCE_COUNTER;
    }
    for (uint32_t e = 0; fenced && e < code->inst_count; e++)
        code->sass[e].waits |= 1u << SASS_FENCE_COUNTER;
    const struct wb_kernel *kernel = timing->executed->kernel;
    const struct sass_cached_code cached = {insts, code->inst_count,
                                            constant_bytes(kernel->module, kernel_function(kernel))};
    if (!sass_caches_apply(&timing->machine->sass, &cached, code->sass, &code->footprint))
        arena_fail(timing->arena, WB_ERR_LIMIT);
    for (uint32_t e = 0; e < code->inst_count; e++)
        if (insts[e] != NULL) code->insts[e].init = timed_init_of_sass(&code->sass[e]);
}

static wb_status timing_sass_functions(struct timing *timing, struct ptx_regs *regs) {
    struct timed_code *code = timing->code;
    code->sass = arena_array(timing->arena, (size_t)code->inst_count + 1, sizeof *code->sass);
    WB_TRY(timing_functions(timing, regs));
    timing_sass_code(timing);
    return WB_OK;
}

/* The pass of timed_code_from. */
static void timing_build(void *context) {
    struct timing *timing = context;
    struct arena *arena = timing->arena;
    const struct wb_module *module = timing->executed->kernel->module;
    struct timed_code *code = timing->code;
    uint32_t most = 0;
    for (uint32_t f = 0; f < module->function_count; f++)
        most = module->functions[f].reg_count > most ? module->functions[f].reg_count : most;
    code->inst_count = timing->executed->code_first[module->function_count];
    code->insts = arena_array(arena, (size_t)code->inst_count + 1, sizeof *code->insts);
    if (module->code != NULL)
        code->addresses = arena_array(arena, (size_t)code->inst_count + 1, sizeof *code->addresses);
    timing->registers = arena_array(arena, (size_t)most + 1, sizeof *timing->registers);
    struct ptx_regs *regs = arena_alloc(arena, sizeof *regs);
    timing->status = timing_queues(timing);
    if (timing->status == WB_OK) timing->status = timing->model->functions(timing, regs);
    arena_reserve(arena, &timing->operands, 1); /* there where no instruction has one, too: it is added to */
    code->operands = timing->operands.items;
}

/* Whether the machine executes the machine code that it is to time. */
static wb_status check_code(const struct executed_code *executed, const struct wb_machine *machine,
                            wb_diagnostics *diagnostics) {
    const struct machine_code *code = executed->kernel->module->code;
    const char *kernel = wb_kernel_name(executed->kernel);
    if (code != NULL && machine_sass_executes(&machine->sass, code->sm)) return WB_OK;
    if (code == NULL)
        diagnose(
            diagnostics, SEVERITY_ERROR, machine->name,
            "this machine times machine code for sm_%u, but '%s' is PTX: --compile makes machine code of it "
            "with ptxas; or give that, or name a machine that times PTX",
            machine->sass.sm, kernel);
    else
        diagnose(diagnostics, SEVERITY_ERROR, machine->name,
                 "this machine executes machine code for sm_%u, but '%s' is for sm_%u", machine->sass.sm,
                 kernel, code->sm);
    return WB_ERR_INPUT;
}

static const struct timing_model models[] = {
    [ISA_PTX] = {NULL, timing_functions, timing_class,
                 "machine '%1$s' gives no times for class '%2$s'. State them in the machine file or by "
                 "--set class.%2$s.unit=UNIT --set class.%2$s.latency=CYCLES; or remove",
                 UINT64_C(1) << ASSUMED_MACHINE_CODE_CLASSES},
    [ISA_SASS] = {check_code, timing_sass_functions, timing_sass,
                  "its code is not in the cubin that machine '%s' times. Remove", 0},
};

/* What the times take for granted because of what they are of. */
static assumed_set assumed_of_code(const struct executed_code *executed, const struct timing_model *model) {
    const struct machine_code *code = executed->kernel->module->code;
    if (code == NULL) return assumed_bit(ASSUMED_PTX_FOR_MACHINE_CODE);
    const assumed_set stack = code->returns_by_stack ? assumed_bit(ASSUMED_RETURNS_BY_STACK) : 0;
    return stack | model->assumed_of_code;
}

wb_status timed_code_from(const struct executed_code *executed, const struct wb_machine *machine,
                          wb_diagnostics *diagnostics, struct arena *arena, struct timed_code *code) {
    const struct timing_model *model = &models[machine_isa(machine)];
    if (model->check != NULL) WB_TRY(model->check(executed, machine, diagnostics));
    struct timed_code made = {.assumed = executed->notes->assumed | assumed_of_code(executed, model)};
    struct timing timing = {executed, model, machine, diagnostics, arena, .code = &made};
    if (arena_protect(arena, timing_build, &timing) != WB_OK)
        return diagnose_out_of_memory(diagnostics, wb_kernel_name(executed->kernel));
    if (timing.status == WB_OK) *code = made;
    return timing.status;
}
