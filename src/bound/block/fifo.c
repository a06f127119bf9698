/* FIFO: FIB with what the queues of the units tell. They start instructions in the order of their issue, so a
 * warp that has issued to a unit waits there only for what the others had waiting at that moment, and that is
 * little where their instructions wait for each other's results. docs/proofs.md, theorem 3. */
#include "bound/block/block_sums.h"
#include "bound/method/method.h"
#include "bound/profile/sections.h"
#include "warp/timed/timed.h"

/* The load of one section on one unit. */
struct fifo_load {
    cycles work;    /* sum of the initiations */
    uint64_t count; /* instructions */
    cycles waiting; /* most initiations that can be in the unit's queue at once, the one at work included */
};

/* The most that the other warps cost a warp at one unit. */
struct fifo_charge {
    cycles work;    /* all of their initiations */
    cycles slots;   /* their issue slots */
    cycles waiting; /* per own instruction: all that can be in the queue before it */
};

/* No instruction of the section. */
#define NO_POSITION UINT32_MAX

/* An instruction of the section. */
struct fifo_executed {
    cycles through; /* work of the section on its unit, up to and including it */
    uint32_t init;
    uint8_t unit; /* or UNIT_NONE */
    bool over;    /* a later instruction was issued when it was complete */
};

struct fifo {
    struct arena arena;
    const struct bound_input *input;
    struct block_sections sections;
    uint32_t units;
    struct fifo_load *loads;            /* [number of the section * units + unit] */
    uint32_t *writers;                  /* per register the position of its last writer, or NO_POSITION */
    struct queue_members queues;        /* positions in the section */
    VEC(struct fifo_executed) executed; /* per position of the section so far */
    cycles *ready;                      /* per register when it can be read, at the end of the longest path */
    cycles *totals, *finished;          /* per unit: scratch */
    struct fifo_charge *charges;        /* per unit, for the warp at hand */
    bool stopped;                       /* by the watch, which has left a message */
};

static struct fifo_load *loads_of(const struct fifo *fifo, uint32_t code) {
    return fifo->loads + (size_t)code * fifo->units;
}

static const struct timed_inst *fifo_inst(const struct fifo *fifo, uint32_t index) {
    return &fifo->input->block->code.insts[index];
}

/* Forgets the section looked at last. */
static void fifo_reset(struct fifo *fifo) {
    for (uint32_t r = 0; r < fifo->input->block->code.register_count; r++) {
        fifo->writers[r] = NO_POSITION;
        fifo->ready[r] = 0;
    }
    for (uint32_t u = 0; u < fifo->units; u++)
        fifo->totals[u] = fifo->finished[u] = 0;
    queue_members_clear(&fifo->queues);
    fifo->executed.count = 0;
}

/* An instruction is complete: it does not wait for its unit any more. What was issued to it before does not,
 * either, if the unit has one instance; of several a later one may be done first. */
static void finish(struct fifo *fifo, uint32_t position) {
    if (position == NO_POSITION) return;
    struct fifo_executed *executed = &fifo->executed.items[position];
    if (executed->unit == UNIT_NONE) return;
    cycles *finished = &fifo->finished[executed->unit];
    if (fifo->input->block->machine->units[executed->unit].count == 1)
        *finished = cycles_max(*finished, executed->through);
    else if (!executed->over)
        *finished += executed->init;
    executed->over = true;
}

/* An instruction is issued once its operands are complete. */
static wb_status finish_operands(struct fifo *fifo, const struct timed_inst *inst) {
    const struct timed_code *code = &fifo->input->block->code;
    const uint32_t *operands = code->operands + inst->first_operand;
    for (uint32_t i = 0; i < (uint32_t)inst->source_count + inst->destination_count; i++) {
        finish(fifo, fifo->writers[operands[i]]);
        WB_TRY(queue_members_take(&fifo->queues, code, operands[i]));
        for (size_t t = 0; t < fifo->queues.taken.count; t++)
            finish(fifo, fifo->queues.taken.items[t]);
    }
    return WB_OK;
}

/* The registers that an instruction writes. */
static const uint32_t *written_by(const struct fifo *fifo, const struct timed_inst *inst) {
    return fifo->input->block->code.operands + inst->first_operand + inst->source_count;
}

/* Fills in the loads of a section. */
static wb_status load_section(struct fifo *fifo, uint32_t code) {
    const struct section_code section = sections_code(&fifo->sections, code);
    struct fifo_load *loads = loads_of(fifo, code);
    fifo_reset(fifo);
    for (uint32_t k = 0; k < section.count; k++) {
        const struct timed_inst *inst = fifo_inst(fifo, section.insts[k]);
        struct fifo_executed executed = {.init = inst->init, .unit = inst->unit};
        WB_TRY(finish_operands(fifo, inst));
        if (inst->unit != UNIT_NONE) {
            struct fifo_load *load = &loads[inst->unit];
            load->work += inst->init;
            load->count++;
            load->waiting = cycles_max(load->waiting, load->work - fifo->finished[inst->unit]);
            executed.through = load->work;
        }
        for (uint32_t i = 0; i < inst->destination_count; i++)
            fifo->writers[written_by(fifo, inst)[i]] = k;
        WB_TRY(vec_push(&fifo->executed, executed));
        WB_TRY(queue_members_note(&fifo->queues, &fifo->input->block->code, inst, k));
    }
    return WB_OK;
}

/* The longest path through a section where every start on a unit of the set `queued` takes what can be in the
 * queue before it. */
static cycles longest_path(struct fifo *fifo, uint32_t code, uint32_t queued) {
    const struct section_code section = sections_code(&fifo->sections, code);
    cycles now = 0, end = 0;
    fifo_reset(fifo);
    for (uint32_t k = 0; k < section.count; k++) {
        const struct timed_inst *inst = fifo_inst(fifo, section.insts[k]);
        const uint32_t *operands = fifo->input->block->code.operands + inst->first_operand;
        const uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
        for (uint32_t i = 0; i < count; i++)
            now = cycles_max(now, fifo->ready[operands[i]]);
        cycles start = now;
        if (inst->unit != UNIT_NONE) {
            start = cycles_max(start, fifo->totals[inst->unit]);
            if (queued >> inst->unit & 1) start = cycles_add(start, fifo->charges[inst->unit].waiting);
            fifo->totals[inst->unit] = cycles_add(start, inst->init);
            now = cycles_add(now, 1);
        }
        cycles ready = cycles_add(start, (cycles)inst->init + inst->latency);
        for (uint32_t i = 0; i < inst->destination_count; i++)
            fifo->ready[written_by(fifo, inst)[i]] = ready;
        wait_queues_step(&fifo->input->block->code, inst, fifo->ready, 1, ready);
        end = cycles_max(end, ready);
    }
    return end;
}

/* The most that the other warps of a row cost a warp of group `group` at each unit. */
static void gather_charges(struct fifo *fifo, const uint32_t *row, size_t group) {
    const struct block_profile *profile = fifo->input->profile;
    const struct warp_group *own = &profile->groups.items[group];
    for (uint32_t u = 0; u < fifo->units; u++) {
        struct fifo_charge sum = {0};
        for (size_t g = 0; g < profile->groups.count; g++) {
            const struct warp_group *other = &profile->groups.items[g];
            const struct fifo_load *load = &loads_of(fifo, row[other->path])[u];
            const bool together = own->sub_core == other->sub_core;
            const uint64_t warps = other->warps - (g == group);
            if (together) sum.slots = cycles_add(sum.slots, cycles_mul(warps, load->count));
            if (!together && !fifo->input->block->machine->units[u].shared) continue;
            sum.work = cycles_add(sum.work, cycles_mul(warps, load->work));
            sum.waiting = cycles_add(sum.waiting, cycles_mul(warps, load->waiting));
        }
        /* The instances of a unit share what waits. */
        if (sum.waiting != CYCLES_SATURATED) sum.waiting /= fifo->input->block->machine->units[u].count;
        fifo->charges[u] = sum;
    }
}

/* The bound of a warp with this section when the units of `queued` are charged by their queues. */
static cycles charged(struct fifo *fifo, uint32_t code, uint32_t queued) {
    cycles sum = longest_path(fifo, code, queued);
    for (uint32_t u = 0; u < fifo->units; u++) {
        const struct fifo_charge *charge = &fifo->charges[u];
        bool by_work = loads_of(fifo, code)[u].count > 0 && !(queued >> u & 1);
        sum = cycles_add(sum, by_work ? charge->work : charge->slots);
    }
    return sum;
}

/* Improves a set of units by one unit after the other. */
static cycles improve(struct fifo *fifo, uint32_t code, uint32_t queued, uint32_t candidates) {
    cycles least = charged(fifo, code, queued);
    for (uint32_t u = 0; u < fifo->units; u++) {
        if (!(candidates >> u & 1)) continue;
        cycles changed = charged(fifo, code, queued ^ UINT32_C(1) << u);
        if (changed >= least) continue;
        least = changed;
        queued ^= UINT32_C(1) << u;
    }
    return least;
}

/* The least bound of a warp of a group in a row. Every set of units gives one; those where slots cost as much
 * as initiations stay out. */
static cycles group_bound(struct fifo *fifo, const uint32_t *row, size_t group) {
    const uint32_t code = row[fifo->input->profile->groups.items[group].path];
    uint32_t candidates = 0;
    if (longest_path(fifo, code, 0) == 0) return 0; /* it has nothing to wait for */
    gather_charges(fifo, row, group);
    for (uint32_t u = 0; u < fifo->units; u++) {
        bool used = loads_of(fifo, code)[u].count > 0;
        if (used && fifo->charges[u].slots < fifo->charges[u].work) candidates |= UINT32_C(1) << u;
    }
    cycles least = improve(fifo, code, 0, candidates);
    if (candidates == 0) return least;
    return cycles_min(least, improve(fifo, code, candidates, candidates));
}

static bool fifo_stopped(struct fifo *fifo, size_t row) {
    const wb_watch *watch = fifo->input->watch;
    if (watch == NULL || watch->poll == NULL) return false;
    if (watch->poll(watch->user, "queues", row, fifo->sections.row_counts.count)) return false;
    diagnose(fifo->input->diagnostics, SEVERITY_ERROR, "fifo", "analysis stopped");
    fifo->stopped = true;
    return true;
}

/* The sum over all sections of the largest bound of any warp. */
static wb_status fifo_sum(struct fifo *fifo, cycles *sum) {
    *sum = 0;
    for (size_t r = 0; r < fifo->sections.row_counts.count; r++) {
        cycles most = 0;
        if (fifo_stopped(fifo, r)) return WB_ERR_LIMIT;
        for (size_t g = 0; g < fifo->input->profile->groups.count; g++)
            most = cycles_max(most, group_bound(fifo, sections_row(&fifo->sections, r), g));
        *sum = cycles_add(*sum, cycles_mul(most, fifo->sections.row_counts.items[r]));
    }
    return WB_OK;
}

static wb_status fifo_prepare(struct fifo *fifo) {
    const struct timed_block *block = fifo->input->block;
    struct arena *arena = &fifo->arena;
    WB_TRY(block_sections_make(block, &fifo->sections));
    if (fifo->sections.too_large) return WB_OK;
    const size_t codes = fifo->sections.codes.entries.count;
    fifo->units = block->machine->unit_count;
    fifo->loads = arena_array(arena, codes * fifo->units + 1, sizeof *fifo->loads);
    fifo->writers = arena_array(arena, (size_t)block->code.register_count + 1, sizeof *fifo->writers);
    fifo->ready = arena_array(arena, (size_t)block->code.register_count + 1, sizeof *fifo->ready);
    fifo->totals = arena_array(arena, (size_t)fifo->units + 1, sizeof *fifo->totals);
    fifo->finished = arena_array(arena, (size_t)fifo->units + 1, sizeof *fifo->finished);
    fifo->charges = arena_array(arena, (size_t)fifo->units + 1, sizeof *fifo->charges);
    if (fifo->loads == NULL || fifo->writers == NULL || fifo->ready == NULL || fifo->totals == NULL ||
        fifo->finished == NULL || fifo->charges == NULL)
        return WB_ERR_LIMIT;
    for (uint32_t code = 0; code < codes; code++)
        WB_TRY(load_section(fifo, code));
    return WB_OK;
}

/* Queues are what the argument is about: where they are limited the bound is FIB's, and where the block has
 * too many different instructions to be looked at it is SIB's. */
static wb_status fifo_run(const struct bound_input *input, wb_bound *bound) {
    if (input->block->machine->dispatch_depth != DEPTH_UNLIMITED || input->block->warp_count == 0)
        return bound_fib.run(input, bound);
    WB_TRY(bound_sib.run(input, bound)); /* kind, reason and assumptions are the same */
    struct fifo fifo = {.input = input};
    wb_status status = fifo_prepare(&fifo);
    if (status == WB_OK && !fifo.sections.too_large) status = fifo_sum(&fifo, &bound->cycles);
    if (status != WB_OK && !fifo.stopped) (void)diagnose_out_of_memory(input->diagnostics, "fifo");
    block_sections_free(&fifo.sections);
    queue_members_free(&fifo.queues);
    vec_free(&fifo.executed);
    arena_free(&fifo.arena);
    return status;
}

const struct bound_method bound_fifo = {
    .name = "fifo",
    .summary = "like fib, but at a unit a warp waits only for what can be in its queue at once",
    .run = fifo_run,
    .needs = FOR_BLOCKS | NEED_REAL_PATHS,
    .tightest = true,
};
