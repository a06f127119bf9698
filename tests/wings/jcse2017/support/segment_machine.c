#include "segment_machine.h"

#include "base/containers.h"

struct machine_warp {
    const struct segment *segment, *end;
    cycles left;  /* instructions of the segment still to be issued */
    cycles ready; /* no issue before */
};

struct segment_machine {
    struct machine_warp warps[SEGMENT_WARPS_MAX];
    size_t count, last;
    cycles now, complete;
    struct random_state random;
};

/* Passes over segments without instructions, whose results still take their time. */
static void settle(struct segment_machine *machine, struct machine_warp *warp) {
    while (warp->segment < warp->end && warp->left == 0) {
        warp->ready += warp->segment->execute;
        machine->complete = cycles_max(machine->complete, warp->ready);
        warp->segment++;
        if (warp->segment < warp->end) warp->left = warp->segment->issue;
    }
}

static bool runs(const struct machine_warp *warp) {
    return warp->segment < warp->end;
}

static bool is_ready(const struct segment_machine *machine, size_t index) {
    const struct machine_warp *warp = &machine->warps[index];
    return runs(warp) && warp->ready <= machine->now;
}

/* The warp whose turn it is: the first running one from `from` on, going round. */
static size_t in_turn(const struct segment_machine *machine, size_t from) {
    for (size_t i = 0; i < machine->count; i++) {
        size_t index = (from + i) % machine->count;
        if (runs(&machine->warps[index])) return index;
    }
    return machine->count;
}

static size_t first_ready(const struct segment_machine *machine, size_t from) {
    for (size_t i = 0; i < machine->count; i++) {
        size_t index = (from + i) % machine->count;
        if (is_ready(machine, index)) return index;
    }
    return machine->count;
}

/* The warp that issues now, or the number of warps. */
static size_t pick(struct segment_machine *machine, enum segment_policy policy, bool inside_segment) {
    size_t turn = in_turn(machine, machine->last + 1);
    switch (policy) {
    case SEGMENT_TURNS:
        if (inside_segment) return machine->last;
        return is_ready(machine, turn) ? turn : machine->count;
    case INSTRUCTION_TURNS: return is_ready(machine, turn) ? turn : machine->count;
    case LOOSE_ROUND_ROBIN: return first_ready(machine, machine->last + 1);
    case GREEDY_OLDEST:
        return machine->now > 0 && is_ready(machine, machine->last) ? machine->last : first_ready(machine, 0);
    case ANY_READY: break;
    }
    return first_ready(machine, random_below(&machine->random, machine->count));
}

cycles segment_machine_run(const struct segment_program *program, enum segment_policy policy, uint64_t seed) {
    struct segment_machine machine = {
        .count = program->warp_count, .last = program->warp_count - 1, .random = random_seeded(seed)};
    for (size_t i = 0; i < program->warp_count; i++) {
        struct machine_warp *warp = &machine.warps[i];
        warp->segment = program->segments[i];
        warp->end = warp->segment + program->counts[i];
        if (program->counts[i] > 0) warp->left = warp->segment->issue;
        settle(&machine, warp);
    }
    bool inside_segment = false;
    for (; in_turn(&machine, 0) < machine.count; machine.now++) {
        size_t index = pick(&machine, policy, inside_segment);
        if (index == machine.count) continue;
        struct machine_warp *warp = &machine.warps[index];
        machine.last = index;
        warp->ready = machine.now + 1;
        machine.complete = cycles_max(machine.complete, warp->ready);
        inside_segment = --warp->left > 0;
        settle(&machine, warp);
    }
    return machine.complete;
}

/* A row of the matrices as the library reads it. */
struct program_row {
    const struct segment *segment, *end;
};

static bool next_segment(void *user, struct segment *segment) {
    struct program_row *row = user;
    if (row->segment == row->end) return false;
    *segment = *row->segment++;
    return true;
}

cycles segment_program_in_turn(const struct segment_program *program) {
    struct program_row rows[SEGMENT_WARPS_MAX];
    struct segment_warp warps[SEGMENT_WARPS_MAX] = {0};
    for (size_t i = 0; i < program->warp_count; i++) {
        rows[i] = (struct program_row){program->segments[i], program->segments[i] + program->counts[i]};
        warps[i] = (struct segment_warp){.next = next_segment, .user = &rows[i]};
    }
    return segments_in_turn(warps, program->warp_count);
}

cycles segment_program_sum(const struct segment_program *program) {
    cycles issue = 0, longest = 0;
    for (size_t i = 0; i < program->warp_count; i++) {
        cycles execute = 0;
        for (size_t j = 0; j < program->counts[i]; j++) {
            issue += program->segments[i][j].issue;
            execute += program->segments[i][j].execute;
        }
        longest = cycles_max(longest, execute);
    }
    return issue + longest;
}
