/* Instructions and paths of a certificate are those of the cubin (docs/certificates.md): what the compiler
 * says of stalls and counters is in it, and each path goes from the kernel's first instruction along its
 * control flow to its end. */
#include "cubin.h"

#include <stdlib.h>
#include <string.h>

#define FENCES 6      /* the counter of fences that name none */
#define LONG_STALL 12 /* from here on a stall is kept with the yield flag only */

/* A warp on its way along a path. */
struct flow {
    const struct block *of;
    const struct cubin *cubin;
    bool *waits;         /* of each instruction whether other lanes may go on there, */
    bool *returns;       /* or a call returns to it */
    uint64_t path, last; /* address of the instruction before, UNLIMITED: none */
    bool fences;         /* the block has a fence, for which all of its instructions wait */
    bool in_part;        /* it met a jump that says not where to, or came to another section of the cubin */
    uint64_t compared;   /* instructions */
};

/* ---- Instructions ---- */

static bool counts_as(const struct machine_inst *inst, uint64_t said, uint64_t counter, uint64_t unnamed) {
    const bool is_named = counter != 7 && inst->op != OP_BAR; /* they are over when it lets a warp go on */
    return said == (is_named ? counter : unnamed);
}

static bool has_fence(const struct flow *flow) {
    for (uint64_t i = 0; i < flow->of->code.count; i++) {
        const uint64_t at = flow->of->code.items[i].address;
        if (at < flow->cubin->text_size && inst_at(flow->cubin, at).op == OP_MEMBAR) return true;
    }
    return false;
}

static void compare_inst(struct flow *flow, const struct code *code) {
    const struct check *check = flow->of->check;
    const uint64_t at = code->address;
    if (at == UNLIMITED) refuse(check, "it is not said at which address an instruction is");
    if (at >= flow->cubin->text_size) {
        flow->in_part = true;
        return;
    }
    const struct machine_inst inst = inst_at(flow->cubin, at);
    flow->compared++;
    const bool is_kept = inst.yields || inst.stall < LONG_STALL;
    if (code->stall < inst.stall || code->least > max(is_kept ? inst.stall : 0, 1 + inst.yields))
        refuse(check, "the stall of the cubin at %" PRIu64 " is another one", at);
    if (code->waits != (inst.waits | (uint64_t)flow->fences << FENCES) || code->depbar != inst.depbar ||
        code->left != inst.left)
        refuse(check, "what the cubin waits for at %" PRIu64 " is other counters", at);
    const uint64_t unnamed = inst.op == OP_MEMBAR ? FENCES : NO_COUNTER;
    if (!counts_as(&inst, code->writes, inst.writes, unnamed) ||
        !counts_as(&inst, code->reads, inst.reads, NO_COUNTER))
        refuse(check, "what the cubin counts at %" PRIu64 " is other counters", at);
    if (code->barrier != (inst.op == OP_BAR))
        refuse(check, "a barrier, or none in the cubin, at %" PRIu64, at);
}

/* ---- Paths ---- */

bool lets_wait(uint64_t op) {
    return op == OP_BSYNC || op == OP_BREAK || op == OP_WARPSYNC || op == OP_YIELD || op == OP_NANOSLEEP;
}

static bool is_indirect(uint64_t op) {
    return op == OP_CALL_ABSOLUTE || (op >= OP_BRX && op <= OP_JMX);
}

/* Notes where lanes go that do not go on with the others. */
static void note_ways(struct flow *flow, const struct machine_inst *inst, uint64_t next) {
    const uint64_t size = flow->cubin->text_size;
    const bool divides = inst->predicate != PT && (inst->op == OP_BRA || inst->op == OP_CALL);
    if ((inst->op == OP_CALL || inst->op == OP_CALL_ABSOLUTE) && next < size)
        flow->returns[next / INST_BYTES] = true;
    if ((divides || lets_wait(inst->op)) && next < size) flow->waits[next / INST_BYTES] = true;
    if (divides && inst->target < size) flow->waits[inst->target / INST_BYTES] = true;
}

/* Whether the instruction at `address` may come behind that one. */
static bool may_follow(struct flow *flow, const struct machine_inst *inst, uint64_t next, uint64_t address) {
    const uint64_t number = address / INST_BYTES;
    if (is_indirect(inst->op)) return flow->in_part = true;
    if (number >= flow->cubin->text_size / INST_BYTES) return false;
    if (inst->predicate != PT && address == next) return true;
    if (inst->op == OP_CALL || inst->op == OP_BRA) return address == inst->target;
    if (inst->op == OP_RET) return flow->returns[number];
    if (inst->op == OP_EXIT) return flow->waits[number];
    return address == next || (lets_wait(inst->op) && flow->waits[number]);
}

static void go(struct flow *flow, uint64_t address) {
    const uint64_t last = flow->last, next = last + INST_BYTES;
    flow->last = address;
    if (last == UNLIMITED && address > 0)
        refuse(flow->of->check, "a path does not begin where the kernel does");
    if (last == UNLIMITED) return;
    if (last >= flow->cubin->text_size) return; /* whatever goes there was noted */
    const struct machine_inst inst = inst_at(flow->cubin, last);
    note_ways(flow, &inst, next);
    if (!may_follow(flow, &inst, next, address))
        refuse(flow->of->check, "from %" PRIu64 " the cubin does not go on to %" PRIu64, last, address);
}

static void meet_code(struct walk *walk, uint64_t number) {
    count_work(walk->block->check, 20);
    go(walk->context, walk->block->code.items[number].address);
}

static void meet_row(struct walk *walk, uint64_t row) {
    struct flow *flow = walk->context;
    walk_in(walk, &section_of(flow->of, row, flow->path)->steps, meet_code, NULL, 0, flow);
}

static void follow_path(struct flow *flow, uint64_t path) {
    const uint64_t count = flow->cubin->text_size / INST_BYTES;
    flow->path = path;
    flow->last = UNLIMITED;
    memset(flow->waits, 0, count * sizeof *flow->waits);
    memset(flow->returns, 0, count * sizeof *flow->returns);
    /* What comes again does so once, as all other times it goes on in the same way. */
    struct walk walk = {flow->of, &flow->of->rows, meet_row, NULL, 0, flow, 1, false};
    walk_all(&walk);
    if (flow->last == UNLIMITED) refuse(flow->of->check, "a path of no instruction");
    if (flow->last < flow->cubin->text_size && inst_at(flow->cubin, flow->last).op != OP_EXIT)
        refuse(flow->of->check, "a path ends at %" PRIu64 ", where the cubin does not", flow->last);
}

void follow_cubin(struct check *check, struct cubin *cubin) {
    struct followed *followed = &check->followed;
    uint64_t all = 0;
    if (!read_cubin(cubin, subject_of(check, "kernel"))) return;
    struct flow flow = {.cubin = cubin};
    flow.waits = zeroed(check, cubin->text_size / INST_BYTES, sizeof(bool));
    flow.returns = zeroed(check, cubin->text_size / INST_BYTES, sizeof(bool));
    for (uint64_t b = 0; b < check->blocks.count; b++) {
        flow.of = &check->blocks.items[b];
        flow.fences = has_fence(&flow);
        for (uint64_t i = 0; i < flow.of->code.count; i++)
            compare_inst(&flow, &flow.of->code.items[i]);
        all += flow.of->code.count;
        for (uint64_t p = 0; p < flow.of->paths && !flow.of->parts; p++)
            follow_path(&flow, p);
    }
    free(flow.waits);
    free(flow.returns);
    followed->code = true;
    followed->in_part = flow.in_part;
    const bool parts = check->blocks.items[0].parts; /* both sides of a branch, one behind the other */
    printf("code: %" PRIu64 " of %" PRIu64 " instructions are those of the cubin%s\n", flow.compared, all,
           parts ? "" : ", and paths follow its ways");
    follow_warps(check, cubin);
    if (followed->warps > 0)
        printf("launch: %" PRIu64 " of %" PRIu64 " branches of %" PRIu64
               " warps go as its parameters have it\n",
               followed->decided, followed->branches, followed->warps);
}

void follow_code(struct check *check) {
    struct cubin cubin = {.check = check};
    const char *path = fact_of(check, "code", &(uint64_t){0})->path;
    if (check->blocks.count == 0) refuse(check, "a claim of no block");
    if (path == NULL) return;
    read_bytes(&cubin, path);
    follow_cubin(check, &cubin);
    free(cubin.bytes);
}

void print_not_followed(const struct check *check) {
    const struct followed *followed = &check->followed;
    printf("not checked: that ");
    if (!followed->code) {
        printf("instructions, times, units, sub-cores, SMs and lines are those of code, launch and machine");
        return;
    }
    if (followed->warps > 0)
        printf("%" PRIu64 " branches go as data have it%s%s, and %s", followed->branches - followed->decided,
               followed->cut_short ? ", and what comes behind a million instructions" : "",
               followed->blocks < check->blocks.count ? ", those of other blocks as launch and data do" : "",
               check->block == NULL ? "blocks are like the one of their class"
                                    : "lanes wait as convergence barriers say");
    else
        printf("branches go as launch and data have it");
    printf("%s, times, units, sub-cores, SMs and lines are the machine's",
           followed->in_part ? ", indirect jumps and code elsewhere" : "");
}
