/* Warps on their way through the cubin by the data of their launch: lanes that go together are a group, which
 * a branch divides, and which meet where BSYNC lets them. A path must go as they do. Behind a branch whose
 * way is not known a group is lost, which may execute whatever the path has, until a BSYNC that it was to
 * come to lets all go on. */
#include "cubin.h"

#include <stdlib.h>
#include <string.h>

#define STEPS_MAX ((uint64_t)1 << 20) /* instructions of all warps */
#define WARP_SET 16                   /* behind the convergence barriers: all lanes, of WARPSYNC */
#define SETS 17
#define NO_SET SETS

/* Lanes that go on at an instruction, or, of a set, wait for the others before that. */
struct group {
    uint32_t lanes;
    uint64_t at, set;
};

struct way {
    struct check *check;
    const struct cubin *cubin;
    const struct block *of;
    uint64_t path, steps;
    struct registers registers;
    struct group groups[LANES + 1];
    int count;
    uint32_t sets[SETS]; /* lanes that meet; 0: not known */
    uint32_t lost;
    bool may_end;     /* lost lanes may have ended, or be anywhere */
    uint64_t *jumped; /* of each instruction the last time of loss in which there was a jump to it */
    uint64_t time;
    uint64_t last;         /* address of the instruction before, UNLIMITED: none */
    struct group executed; /* who was there; nobody: the lost ones */
};

static void lose(struct way *way, uint32_t lanes) {
    if (way->lost == 0) way->time++;
    way->lost |= lanes;
}

static void add_group(struct way *way, uint32_t lanes, uint64_t at, uint64_t set) {
    if (lanes == 0) return;
    way->groups[way->count++] = (struct group){lanes, at, set};
}

/* ---- Behind an instruction ---- */

/* It may hold for some lanes only, or for all or none. */
static bool is_guarded(const struct word *word) {
    const bool asks_all = bits_at(word, 0, 9) == OP_BRA && bits_at(word, 32, 2) > 1; /* .DIV, .CONV */
    return bits_at(word, 12, 4) != PT || bits_at(word, 87, 4) != PT || asks_all;
}

/* Of BRA, and of what else may hold for some lanes only: whether it does. BRA.U: for all or none. */
static struct truth condition_of(const struct way *way, const struct word *word, uint32_t lanes) {
    const uint64_t op = bits_at(word, 0, 9), kind = op == OP_BRA ? bits_at(word, 32, 2) : 0;
    const struct truth guard = guard_of(&way->registers, bits_at(word, 12, 4), false);
    const struct truth source = guard_of(&way->registers, bits_at(word, 87, 4), false);
    struct truth both = {guard.value & source.value, guard.known & source.known, guard.same && source.same};
    both.known |= (guard.known & ~guard.value) | (source.known & ~source.value);
    if (kind == 1 && (lanes & ~both.known) == 0) both.value = (lanes & ~both.value) == 0 ? lanes : 0;
    if (kind == 1 && (lanes & ~both.known) != 0) both.known = 0;
    if (kind > 1 || (op == OP_BRA && bits_at(word, 9, 3) != 4))
        both.known = 0; /* uniform predicates, masks */
    both.same = both.same || kind > 0;
    return both;
}

/* A branch that lanes take or not; `target` UNLIMITED: they end. */
static void divide(struct way *way, const struct word *word, uint64_t target, uint64_t address) {
    const uint32_t lanes = way->executed.lanes;
    const uint64_t next = way->last + INST_BYTES;
    const struct truth taken = condition_of(way, word, lanes);
    const bool is_known = (lanes & ~taken.known) == 0;
    if (is_guarded(word)) way->check->followed.branches++, way->check->followed.decided += is_known;
    if (is_known) {
        add_group(way, lanes & ~taken.value, next, NO_SET);
        if (target == UNLIMITED) way->registers.live &= ~(lanes & taken.value);
        if (target != UNLIMITED) add_group(way, lanes & taken.value, target, NO_SET);
    } else if (taken.same && target != UNLIMITED && (address == next || address == target)) {
        add_group(way, lanes, address, NO_SET);
    } else {
        lose(way, lanes);
        way->may_end = way->may_end || target == UNLIMITED;
    }
}

/* Jumps to what a register says. */
static void jump(struct way *way, const struct word *word, uint64_t base) {
    const uint32_t lanes = way->executed.lanes;
    uint64_t to;
    const struct truth taken = condition_of(way, word, lanes);
    if (number_in(&way->registers, bits_at(word, 24, 8), lanes, &to) &&
        (lanes & ~(taken.known & taken.value)) == 0)
        add_group(way, lanes, base + to, NO_SET);
    else
        lose(way, lanes);
}

/* What it says of sets, whoever executes it. */
static void change_sets(struct way *way, const struct word *word, uint64_t op) {
    const uint32_t lanes = way->executed.lanes;
    uint32_t *set = &way->sets[bits_at(word, 16, 4)];
    const struct truth holds = condition_of(way, word, lanes);
    if (op == OP_BSSY) *set = way->lost == 0 ? lanes : 0;
    if (op == OP_BREAK) *set = lanes == 0 || (lanes & ~holds.known) != 0 ? 0 : *set & ~(lanes & holds.value);
    if (op == OP_BMOV || op == OP_BMOV_TO) *set = way->sets[bits_at(word, 24, 4)] = 0;
}

/* The set that meets there, or NO_SET. */
static uint64_t set_of(const struct way *way, const struct word *word) {
    const uint64_t op = bits_at(word, 0, 9), mask = bits_at(word, 32, 32);
    if (bits_at(word, 12, 4) != PT || bits_at(word, 87, 4) != PT) return NO_SET;
    if (op == OP_BSYNC) return bits_at(word, 16, 4);
    const bool is_all = mask == ALL_LANES || (mask == 0 && way->cubin->sm >= HOPPER);
    return op == OP_WARPSYNC && bits_at(word, 9, 3) == 4 && is_all && bits_at(word, 85, 2) == 0 ? WARP_SET
                                                                                                : NO_SET;
}

/* Waits for the others of the set. */
static void meet(struct way *way, const struct word *word) {
    const uint32_t lanes = way->executed.lanes;
    const uint64_t set = set_of(way, word), next = way->last + INST_BYTES;
    const bool is_in = set != NO_SET && way->sets[set] != 0 && (lanes & ~way->sets[set]) == 0;
    if (is_in || (set != NO_SET && lanes == way->registers.live && way->lost == 0))
        add_group(way, lanes, next, is_in ? set : NO_SET);
    else
        lose(way, lanes);
}

/* Of lanes that are lost. */
static void go_anywhere(struct way *way, const struct machine_inst *inst) {
    const bool jumps = inst->op == OP_BRA || inst->op == OP_CALL,
               is_known = jumps && inst->target < way->cubin->text_size;
    if (is_known) way->jumped[inst->target / INST_BYTES] = way->time;
    const bool ends = inst->op == OP_EXIT || inst->op == OP_RET || inst->op == OP_BRX;
    const struct word word = word_at(way->cubin, way->last);
    way->may_end = way->may_end || (jumps && !is_known) || ends;
    way->check->followed.branches += (jumps || ends) && is_guarded(&word);
}

/* Where those go on that executed the last instruction, if the path goes on at `address`. */
static void go_on(struct way *way, uint64_t address) {
    const struct word word = word_at(way->cubin, way->last);
    const struct machine_inst inst = inst_at(way->cubin, way->last);
    const uint32_t lanes = way->executed.lanes;
    const bool is_control = inst.op >= OP_CONTROL && inst.op <= OP_CONTROL_END;
    change_sets(way, &word, inst.op);
    if (lanes == 0) {
        go_anywhere(way, &inst);
        return;
    }
    if (inst.op == OP_CALL || inst.op == OP_BRA || inst.op == OP_EXIT) {
        divide(way, &word, inst.op == OP_EXIT ? UNLIMITED : inst.target, address);
    } else if (inst.op == OP_WARPSYNC || inst.op == OP_BSYNC) {
        meet(way, &word);
    } else if (inst.op == OP_RET || inst.op == OP_BRX) {
        jump(way, &word, inst.target);
    } else if (!is_control || inst.op == OP_BSSY || inst.op == OP_BMOV || inst.op == OP_BMOV_TO ||
               lets_wait(inst.op)) {
        add_group(way, lanes, way->last + INST_BYTES, NO_SET);
    } else {
        lose(way, lanes);
        way->may_end = true;
    }
}

/* ---- To the next instruction ---- */

/* Takes out the groups at `address` that wait for this set, or for none; returns their lanes. */
static uint32_t take(struct way *way, uint64_t address, uint64_t set, int *taken) {
    uint32_t lanes = 0;
    int kept = 0;
    for (int g = 0; g < way->count; g++) {
        const struct group *group = &way->groups[g];
        const bool is_here = group->at == address && group->set == set;
        if (is_here) lanes |= group->lanes, (*taken)++;
        if (!is_here) way->groups[kept++] = *group;
    }
    way->count = kept;
    return lanes;
}

/* All have come, or, of those that are lost, must have: nobody goes on there before, and none jumped there.
 */
static bool all_have_come(const struct way *way, uint64_t number, uint64_t address) {
    const uint32_t set = way->sets[number];
    uint32_t come = 0;
    for (int g = 0; g < way->count; g++)
        if (way->groups[g].set == number && way->groups[g].at == address) come |= way->groups[g].lanes;
    if (set == 0 || (set & way->registers.live & ~come & ~way->lost) != 0) return false;
    if ((set & way->lost) == 0) return come != 0;
    if (way->may_end || (way->lost & ~set) != 0 || address != way->last + INST_BYTES) return false;
    const struct word word = word_at(way->cubin, way->last);
    return set_of(way, &word) == number && way->jumped[address / INST_BYTES] != way->time;
}

/* Who is at `address`: nobody, if that is not known. */
static void arrive(struct way *way, uint64_t address) {
    int count = 0;
    uint32_t lanes = take(way, address, NO_SET, &count);
    for (uint64_t set = 0; set < SETS; set++) {
        int waiting = 0;
        if (!all_have_come(way, set, address)) continue;
        (void)take(way, address, set, &waiting);
        lanes |= way->sets[set] & way->registers.live;
        way->lost &= ~way->sets[set];
        count++;
    }
    for (uint64_t set = 0; set < SETS && way->lost != 0; set++)
        lanes |= take(way, address, set, &count);
    if (lanes == 0 && way->lost == 0)
        refuse(way->check, "warp %" PRIu64 " does not go from %" PRIu64 " to %" PRIu64, way->registers.warp,
               way->last, address);
    if (way->lost != 0 || count > 1) lose(way, lanes), lanes = 0;
    way->executed = (struct group){lanes, address, NO_SET};
}

static bool step_to(struct way *way, uint64_t address) {
    if (way->steps++ >= STEPS_MAX || address >= way->cubin->text_size) return false;
    count_work(way->check, 3000);
    if (way->last != UNLIMITED) go_on(way, address);
    arrive(way, address);
    const struct word word = word_at(way->cubin, address);
    const bool is_known = way->executed.lanes != 0;
    execute_word(&way->registers, &word, is_known ? way->executed.lanes : way->lost, is_known);
    way->last = address;
    return true;
}

static void meet_code(struct walk *walk, uint64_t number) {
    walk->stopped = !step_to(walk->context, walk->block->code.items[number].address);
}

static void meet_row(struct walk *walk, uint64_t row) {
    struct way *way = walk->context;
    walk_in(walk, &section_of(way->of, row, way->path)->steps, meet_code, NULL, 0, way);
}

static void follow_warp(struct way *way, const struct launched *launch, uint64_t warp) {
    begin_registers(&way->registers, launch, warp);
    way->groups[0] = (struct group){way->registers.live, 0, NO_SET};
    way->count = 1;
    memset(way->sets, 0, sizeof way->sets);
    way->sets[WARP_SET] = way->registers.live;
    way->lost = 0;
    way->may_end = false;
    way->last = UNLIMITED;
    way->check->followed.warps++;
    if (!walk_each(way->of, &way->of->rows, meet_row, way)) {
        way->check->followed.cut_short = true;
        return;
    }
    if (way->last != UNLIMITED) go_on(way, UNLIMITED);
    if (way->lost == 0 && way->count > 0)
        refuse(way->check, "the path of warp %" PRIu64 " ends at %" PRIu64 ", and it goes on to %" PRIu64,
               warp, way->last, way->groups[0].at);
}

/* Warps and paths are as many as those of the sub-cores. */
static void require_warps(struct check *check, const struct block *of) {
    if (of->executed.count != of->warp_count + 3)
        refuse(check, "paths of more or fewer warps than there are");
    for (uint64_t p = 0; p < of->paths; p++) {
        uint64_t of_path = 0, of_cores = 0;
        for (uint64_t i = 3; i < of->executed.count; i++)
            of_path += of->executed.items[i] == p;
        for (uint64_t g = 0; g < of->warps.count; g++)
            of_cores += of->warps.items[g].path == p ? of->warps.items[g].count : 0;
        if (of_path != of_cores) refuse(check, "path %" PRIu64 " has more or fewer warps elsewhere", p);
        count_work(check, of->executed.count + of->warps.count);
    }
}

/* Its warps are those of a block with that index. */
static void require_block(struct check *check, const struct block *of, const struct launched *launch) {
    uint64_t grid[3], said[3], threads = 1;
    for (int d = 0; d < 3; d++)
        threads = mul(threads, launch->threads[d]);
    if (rounded_up(threads, LANES) != of->warp_count) refuse(check, "more or fewer warps than threads fill");
    const char *block = subject_of(check, "block");
    const bool is_one = three_numbers(check, "block", said);
    require_warps(check, of);
    if (!is_one && strcmp(block, "all") != 0 && strcmp(block, "one") != 0)
        refuse(check, "no index of a block: %s", block);
    if (!three_numbers(check, "grid", grid)) refuse(check, "a block of no grid");
    for (int d = 0; d < 3; d++)
        if (launch->index[d] >= grid[d] || (is_one && launch->index[d] != said[d]))
            refuse(check, "paths of another block than what it is of");
}

void follow_warps(struct check *check, const struct cubin *cubin) {
    struct constants *constants = zeroed(check, 1, sizeof *constants);
    struct way *way = zeroed(check, 1, sizeof *way);
    struct launched launch = {.constants = constants};
    const bool is_known = read_launch(check, cubin, &launch, constants);
    *way = (struct way){.check = check, .cubin = cubin};
    way->jumped = zeroed(check, cubin->text_size / INST_BYTES, sizeof *way->jumped);
    for (uint64_t b = 0; b < check->blocks.count && is_known; b++) {
        way->of = &check->blocks.items[b];
        if (way->of->executed.count == 0 || way->of->parts) continue;
        memcpy(launch.index, way->of->executed.items, sizeof launch.index);
        require_block(check, way->of, &launch);
        check->followed.blocks++;
        for (uint64_t w = 0; w < way->of->warp_count; w++) {
            way->path = way->of->executed.items[3 + w];
            follow_warp(way, &launch, w);
        }
    }
    free(way->jumped);
    free(way);
    free(constants);
}
