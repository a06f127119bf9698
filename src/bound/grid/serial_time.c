/* The serial time of a block. Paths are walked instruction by instruction, loops unrolled: what is pending at
 * a barrier differs from section to section. */
#include "bound/grid/grid_work.h"

#include <assert.h>
#include <string.h>

#include "base/cycles.h"
#include "warp/timed/timed.h"

/* The work of one warp of a path in a section. */
struct warp_section {
    cycles private, shared; /* initiations, on units of its sub-core and on those of all */
    cycles latency;         /* the longest chain of latencies from the last arrival at the barrier before the
                               section, with its release */
};

/* A walk along a path. Times count latencies only, from the last arrival at the barrier before. */
struct section_walker {
    const struct timed_code *code;
    const struct wb_machine *machine;
    const cycles *blocking; /* per unit, what an instruction may wait for besides; NULL: nothing */
    cycles *times;          /* per register, when it can be read */
    cycles *pending;        /* per register, the latency of what writes it, 0: surely complete */
    cycles now;             /* of the last issue */
    cycles complete;        /* of all that was issued in the section */
    cycles unread;          /* the longest latency, of older sections, of what writes no register */
    cycles unread_of;       /* the same of this section */
    struct warp_section section;
};

static void add_initiation(struct section_walker *walker, const struct timed_inst *inst) {
    if (inst->unit == UNIT_NONE) return;
    if (walker->machine->units[inst->unit].shared)
        walker->section.shared += inst->init;
    else
        walker->section.private += inst->init;
}

static void walk_instruction(struct section_walker *walker, const struct timed_inst *inst) {
    const uint32_t *operands = walker->code->operands + inst->first_operand;
    const uint32_t count = (uint32_t)inst->source_count + inst->destination_count;
    for (uint32_t i = 0; i < count; i++) {
        walker->now = cycles_max(walker->now, walker->times[operands[i]]);
        walker->pending[operands[i]] = 0; /* the instruction is issued: what it waited for is complete */
    }
    if (walker->blocking != NULL && inst->unit != UNIT_NONE) walker->now += walker->blocking[inst->unit];
    const cycles at = walker->now + inst->latency;
    for (uint32_t i = inst->source_count; i < count; i++) {
        walker->times[operands[i]] = at;
        walker->pending[operands[i]] = inst->latency;
    }
    if (inst->destination_count == 0) walker->unread_of = cycles_max(walker->unread_of, inst->latency);
    wait_queues_step(walker->code, inst, walker->times, 1, at);
    wait_queues_step(walker->code, inst, walker->pending, 1, inst->latency);
    walker->complete = cycles_max(walker->complete, at);
    add_initiation(walker, inst);
}

/* Begins a section: it is released, and whatever is pending takes its whole latency from the arrival on at
 * most. */
static void begin_section(struct section_walker *walker) {
    memcpy(walker->times, walker->pending, walker->code->register_count * sizeof *walker->times);
    walker->unread = cycles_max(walker->unread, walker->unread_of);
    walker->unread_of = 0;
    walker->now = walker->complete = walker->machine->barrier_release;
    walker->section = (struct warp_section){0};
}

/* Until everything is complete that the warp has issued, older sections included. */
static cycles until_complete(const struct section_walker *walker) {
    cycles latest = cycles_max(walker->complete, walker->unread);
    for (uint32_t r = 0; r < walker->code->register_count; r++)
        latest = cycles_max(latest, walker->times[r]);
    return latest;
}

struct path_sections {
    VEC(struct warp_section) sections;
    cycles end;  /* of the last section: its latency, where it is the last one of the block, too */
    cycles left; /* until all is complete that is pending when a section begins behind it */
};

static wb_status walk_path(const struct timed_block *timed, uint32_t path, const cycles *blocking,
                           struct arena *scratch, struct path_sections *walked) {
    struct section_walker walker = {.code = &timed->code, .machine = timed->machine, .blocking = blocking};
    walker.times = arena_array(scratch, (size_t)timed->code.register_count + 1, sizeof *walker.times);
    walker.pending = arena_array(scratch, (size_t)timed->code.register_count + 1, sizeof *walker.pending);
    if (walker.times == NULL || walker.pending == NULL) return WB_ERR_LIMIT;
    struct path_cursor cursor = path_begin(&timed->paths[path]);
    for (struct path_step step; path_next(&cursor, &step);) {
        const struct timed_inst *inst = &timed->code.insts[step.instruction];
        walk_instruction(&walker, inst);
        if (!inst->barrier) continue;
        walker.section.latency = walker.now;
        WB_TRY(vec_push(&walked->sections, walker.section));
        begin_section(&walker);
    }
    walker.section.latency = walker.now;
    WB_TRY(vec_push(&walked->sections, walker.section));
    walked->end = until_complete(&walker);
    begin_section(&walker);
    walked->left = until_complete(&walker);
    return WB_OK;
}

/* A section of the block in one sub-core. */
struct core_section {
    cycles work, latency;
};

/* A block while its paths are walked. */
struct serial_maker {
    const struct block_profile *profile;
    uint32_t sub_cores;
    VEC(struct core_section) cores; /* sub_cores of each section */
    VEC(cycles) shared;             /* of each section */
};

static wb_status make_room(struct serial_maker *maker, size_t sections) {
    while (maker->shared.count < sections) {
        WB_TRY(vec_push(&maker->shared, 0));
        for (uint32_t c = 0; c < maker->sub_cores; c++)
            WB_TRY(vec_push(&maker->cores, ((struct core_section){0})));
    }
    return WB_OK;
}

/* Adds the warps of a group, which go one path. */
static void add_group(struct serial_maker *maker, const struct warp_group *group,
                      const struct path_sections *walked) {
    assert(maker->cores.items != NULL && maker->shared.items != NULL && "make_room was called");
    for (size_t j = 0; j < walked->sections.count; j++) {
        const struct warp_section *section = &walked->sections.items[j];
        struct core_section *core = &maker->cores.items[j * maker->sub_cores + group->sub_core];
        core->work = cycles_add(core->work, cycles_mul(section->private, group->warps));
        core->latency = cycles_max(core->latency, section->latency);
        maker->shared.items[j] =
            cycles_add(maker->shared.items[j], cycles_mul(section->shared, group->warps));
    }
}

/* The block's last section waits for everything pending, also of warps that ended earlier. */
static void add_end(struct serial_maker *maker, const struct warp_group *group,
                    const struct path_sections *walked) {
    assert(maker->cores.items != NULL && "every path has a section");
    struct core_section *last =
        &maker->cores.items[(maker->shared.count - 1) * maker->sub_cores + group->sub_core];
    const bool early = walked->sections.count < maker->shared.count;
    last->latency = cycles_max(last->latency, early ? walked->left : walked->end);
}

static wb_status add_paths(struct serial_maker *maker, const cycles *blocking, struct arena *scratch,
                           struct path_sections *walked) {
    const struct block_profile *profile = maker->profile;
    for (uint32_t p = 0; p < profile->path_count; p++) {
        WB_TRY(walk_path(profile->block, p, blocking, scratch, &walked[p]));
        WB_TRY(make_room(maker, walked[p].sections.count));
    }
    for (size_t g = 0; g < profile->groups.count; g++) {
        const struct warp_group *group = &profile->groups.items[g];
        add_group(maker, group, &walked[group->path]);
        add_end(maker, group, &walked[group->path]);
    }
    return WB_OK;
}

/* The sums, over the sections, of the most that any sub-core has of work and latencies, and of latencies. */
static struct serial_sums sum_sections(const struct serial_maker *maker) {
    struct serial_sums sums = {0};
    for (size_t j = 0; j < maker->shared.count; j++) {
        cycles most = 0, longest = 0;
        for (uint32_t c = 0; c < maker->sub_cores; c++) {
            const struct core_section *core = &maker->cores.items[j * maker->sub_cores + c];
            most = cycles_max(most, cycles_add(core->work, core->latency));
            longest = cycles_max(longest, core->latency);
        }
        sums.time = cycles_add(sums.time, cycles_add(most, maker->shared.items[j]));
        sums.chain = cycles_add(sums.chain, longest);
    }
    return sums;
}

bool serial_can_walk(const struct timed_block *timed) {
    uint64_t steps = 0;
    for (uint32_t p = 0; p < timed->path_count; p++)
        steps = cycles_add(steps, timed->paths[p].length);
    return steps <= SERIAL_STEPS_MAX;
}

wb_status serial_sums_of(const struct block_profile *profile, const cycles *blocking,
                         struct serial_sums *sums) {
    struct arena scratch = {0};
    struct serial_maker maker = {.profile = profile, .sub_cores = profile->block->machine->sub_cores};
    struct path_sections *walked = arena_array(&scratch, (size_t)profile->path_count + 1, sizeof *walked);
    wb_status status = walked == NULL ? WB_ERR_LIMIT : add_paths(&maker, blocking, &scratch, walked);
    if (status == WB_OK) *sums = sum_sections(&maker);
    for (uint32_t p = 0; walked != NULL && p < profile->path_count; p++)
        vec_free(&walked[p].sections);
    vec_free(&maker.cores);
    vec_free(&maker.shared);
    arena_free(&scratch);
    return status;
}

wb_status serial_time_of(const struct block_profile *profile, bool covering, cycles *time) {
    *time = cycles_add(profile->initiations, profile->latency);
    if (profile->block->machine->sub_cores == 1) return WB_OK;
    *time = CYCLES_SATURATED;
    if ((covering && profile->sections > 1) || !serial_can_walk(profile->block)) return WB_OK;
    struct serial_sums sums = {0};
    WB_TRY(serial_sums_of(profile, NULL, &sums));
    *time = sums.time;
    return WB_OK;
}
