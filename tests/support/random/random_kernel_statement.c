/* Statements of random kernels without control flow: arithmetic, memory, exchanges within warps, barriers. */
#include <stdlib.h>
#include <string.h>

#include "random_kernel_writer.h"

/* %t and %x are temporary registers of 32 and 64 bits; %y is the address of the thread's element of the
 * input. */
static const char *const arithmetic[] = {
    "#@add.s32 #d, #i, #I;",
    "#@sub.s32 #d, #i, #I;",
    "#@mul.lo.s32 #d, #i, #I;",
    "#@mad.lo.s32 #d, #i, #i, #I;",
    "#@and.b32 #d, #i, #I;",
    "#@or.b32 #d, #i, #I;",
    "#@xor.b32 #d, #i, #I;",
    "#@not.b32 #d, #i;",
    "#@shl.b32 #d, #i, #k;",
    "#@shr.u32 #d, #i, #k;",
    "#@shr.s32 #d, #i, #k;",
    "#@min.s32 #d, #i, #I;",
    "#@max.u32 #d, #i, #I;",
    "#@popc.b32 #d, #i;",
    "#@mov.u32 #d, #I;",
    "#@selp.b32 #d, #i, #I, #q;",
    "or.b32 %t, #i, 1;\n#@div.u32 #d, #i, %t;",
    "or.b32 %t, #i, 1;\n#@rem.u32 #d, #i, %t;",
    "#@add.f32 #f, #g, #g;",
    "#@mul.f32 #f, #g, #g;",
    "#@fma.rn.f32 #f, #g, #g, #g;",
    "#@div.rn.f32 #f, #g, #g;",
    "#@sqrt.approx.f32 #f, #g;",
    "#@sin.approx.f32 #f, #g;",
    "#@selp.f32 #f, #g, #g, #q;",
    "#@cvt.rn.f32.s32 #f, #i;",
    "#@cvt.rzi.s32.f32 #d, #g;",
    "cvt.f64.f32 %x, #g;\nadd.f64 %x, %x, %x;\n#@cvt.rn.f32.f64 #f, %x;",
    "#@setp.lt.s32 #p, #i, #I;",
    "#@setp.ne.u32 #p, #i, #I;",
    "#@setp.gt.f32 #p, #g, #g;",
    "#@setp.eq.and.u32 #p, #i, #I, #q;",
    "#@and.pred #p, #q, #q;",
    "#@xor.pred #p, #q, #q;",
    "#@not.pred #p, #q;",
};

/* The address of element %t of something, in %x. */
#define ELEMENT(base) "mul.wide.u32 %x, %t, 4;\nadd.s64 %x, %x, " base ";\n"

#define OF_INPUT "and.b32 %t, #i, 255;\n" ELEMENT("%in")
#define OF_INPUT_NEAR "add.u32 %t, %id, #k;\nand.b32 %t, %t, 255;\n" ELEMENT("%in")
#define OF_INPUT_PAIR "and.b32 %t, #i, 254;\n" ELEMENT("%in")
#define OF_OUTPUT "and.b32 %t, #i, 3;\nmad.lo.u32 %t, %t, %size, %id;\n" ELEMENT("%out")
#define OF_PRIVATE "and.b32 %t, #i, 3;\n" ELEMENT("%private")
#define OF_TABLE "and.b32 %t, #i, 15;\n" ELEMENT("%table")
#define OF_COUNTERS "and.b32 %t, #i, 15;\n" ELEMENT("%counters")
#define OF_TALLIES "and.b32 %t, #i, 15;\nshl.b32 %t, %t, 2;\nadd.u32 %t, %t, %tally;\n"
#define OF_SHOWN "and.b32 %t, #i, 31;\nshl.b32 %t, %t, 2;\nadd.u32 %t, %t, %shown;\n"

static const char *const input[] = {
    OF_INPUT "#@ld.global.u32 #d, [%x];",
    OF_INPUT_NEAR "#@ld.global.u32 #d, [%x];",
    OF_INPUT_PAIR "#@ld.global.v2.u32 {%t, #d}, [%x];",
    "#@ld.global.f32 #f, [%y];",
};

/* Memory that holds what the threads themselves have stored: elements of the thread's part of the output and
 * of shared memory, local memory, and a table of constants. */
static const char *const own_memory[] = {
    "#@ld.global.u32 #d, [%mine];",        "#@st.global.u32 [%mine], #i;",
    "#@st.global.f32 [%mine], #g;",        OF_OUTPUT "#@st.global.u32 [%x], #i;",
    OF_OUTPUT "#@ld.global.u32 #d, [%x];", "#@st.shared.u32 [%own], #i;",
    "#@ld.shared.u32 #d, [%own];",         "#@ld.local.u32 #d, [%private+4];",
    "#@ld.local.u32 #d, [%private+8];",    OF_PRIVATE "#@st.local.u32 [%x], #i;",
    OF_PRIVATE "#@ld.local.u32 #d, [%x];", OF_TABLE "#@ld.const.u32 #d, [%x];",
};

#define AT_DATA "ld.global.u32 %t, [%y];\nand.b32 %t, %t, 3;\n"
#define IF_DATA AT_DATA "setp.ne.u32 %q, %t, 0;\n"

/* Data decides which element is meant, or whether something is done at all. */
static const char *const by_data[] = {
    AT_DATA ELEMENT("%private") "#@st.local.u32 [%x], #i;",
    AT_DATA ELEMENT("%private") "#@ld.local.u32 #d, [%x];",
    AT_DATA ELEMENT("%private") "@%p0 mov.b64 %x, %private;\nst.local.u32 [%x], #i;",
    IF_DATA "@%q mov.u32 #d, #I;",
    IF_DATA "@!%q setp.lt.u32 #p, #i, #I;",
    IF_DATA "@%q st.shared.u32 [%own], #i;",
    IF_DATA "@%q ld.shared.u32 #d, [%own];",
    IF_DATA "@!%q st.global.u32 [%mine], #i;",
    IF_DATA "@%q st.local.u32 [%private+4], #i;",
    IF_DATA "selp.b32 #d, #i, #I, %q;",
};

static const char *const counting[] = {
    OF_COUNTERS "#@red.global.add.u32 [%x], #i;",
    "#@red.global.max.u32 [%counters], #i;",
    OF_TALLIES "#@red.shared.add.u32 [%t], #i;",
};

static const char *const counting_with_results[] = {
    OF_COUNTERS "#@atom.global.add.u32 #d, [%x], #i;",
    "#@atom.global.exch.b32 #d, [%counters+4], #i;",
    OF_TALLIES "#@atom.shared.add.u32 #d, [%t], #i;",
};

/* For all threads of a warp together. */
static const char *const of_whole_warps[] = {
    "vote.sync.any.pred #p, #q, -1;",       "vote.sync.all.pred #p, #q, -1;",
    "vote.sync.ballot.b32 #d, #q, -1;",     "shfl.sync.bfly.b32 #d, #i, 1, 31, -1;",
    "shfl.sync.idx.b32 #d, #i, 0, 31, -1;", "shfl.sync.idx.b32 #d, #i, #i, 31, -1;",
    "redux.sync.add.s32 #d, #i, -1;",
};

/* For the threads of a warp that are here. */
static const char *const of_active_threads[] = {
    "activemask.b32 #d;",
    "activemask.b32 %t;\nvote.sync.ballot.b32 #d, #q, %t;",
    "activemask.b32 %t;\nvote.sync.any.pred #p, #q, %t;",
};

/* The last: each thread shows a value to the others, which may look at it until the next barrier. */
static const char *const meeting[] = {
    "#lbar.sync 0;",
    "#lbar.red.popc.u32 #d, 0, #q;",
    "#lbar.red.or.pred #p, 0, #q;",
    "st.shared.u32 [%own], #i;\n#lbar.sync 0;\n" OF_SHOWN "ld.shared.u32 #d, [%t];\n#lbar.sync 0;",
};

/* Copies of own memory in the background, their groups, and what waits; in a third of the kernels. */
static const char *const waiting[] = {
    "#@cp.async.ca.shared.global [%own], [%mine], 4;",
    "#@cp.async.ca.shared.global [%own], [%mine], 4;\n#@cp.async.commit_group;",
    "#@cp.async.commit_group;",
    "#@cp.async.wait_group 0;",
    "#@cp.async.wait_group 1;",
    "cp.async.wait_group 2;",
    "#@cp.async.wait_all;",
    "#@membar.cta;",
    "fence.acq_rel.gpu;",
    "#@ld.acquire.gpu.global.u32 #d, [%mine];",
};

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

uint32_t writer_below(struct kernel_writer *writer, uint32_t bound) {
    return (uint32_t)random_below(&writer->random, bound);
}

bool writer_chance(struct kernel_writer *writer, uint32_t percent) {
    return writer_below(writer, 100) < percent;
}

static void emit_guard(struct kernel_writer *writer) {
    if (!writer_chance(writer, 15)) return;
    text_printf(&writer->body, "@%s%%p%u ", writer_chance(writer, 50) ? "!" : "",
                writer_below(writer, POOL_PREDICATES));
}

/* Integers to be read are now and then the thread's number or a scalar of the launch. */
static void emit_integer(struct kernel_writer *writer) {
    static const char *const others[] = {"%id", "%n", "%m"};
    if (writer_chance(writer, 20))
        text_string(&writer->body, others[writer_below(writer, 3)]);
    else
        text_printf(&writer->body, "%%r%u", writer_below(writer, POOL_INTEGERS));
}

/* Barriers that data decides on need facts, and these need labels. */
static void emit_barrier_label(struct kernel_writer *writer) {
    if (!writer->data_meets) return;
    text_printf(&writer->body, "$L%u:\n", ++writer->labels);
    if (vec_push(&writer->kernel->together, writer->labels) != WB_OK) writer->body.failed = true;
}

static void emit_operand(struct kernel_writer *writer, char kind) {
    struct text *body = &writer->body;
    switch (kind) {
    case 'd': text_printf(body, "%%r%u", writer_below(writer, POOL_INTEGERS)); break;
    case 'f':
    case 'g': text_printf(body, "%%f%u", writer_below(writer, POOL_FLOATS)); break;
    case 'p':
    case 'q': text_printf(body, "%%p%u", writer_below(writer, POOL_PREDICATES)); break;
    case 'k': text_printf(body, "%u", writer_below(writer, 32)); break;
    case 'i': emit_integer(writer); break;
    case 'I':
        if (writer_chance(writer, 30))
            text_printf(body, "%u", writer_below(writer, 16));
        else
            emit_integer(writer);
        break;
    case '@': emit_guard(writer); break;
    case 'l': emit_barrier_label(writer); break;
    default: abort();
    }
}

void writer_emit(struct kernel_writer *writer, const char *line) {
    for (const char *at = line; *at != '\0'; at++) {
        if (*at == '#')
            emit_operand(writer, *++at);
        else
            text_char(&writer->body, *at);
    }
    text_char(&writer->body, '\n');
}

static void emit_one_of(struct kernel_writer *writer, const char *const *lines, uint32_t count) {
    writer_emit(writer, lines[writer_below(writer, count)]);
}

/* Atomics; shared ones only where barriers make sure that their memory has been set. */
static void emit_atomic(struct kernel_writer *writer) {
    uint32_t shared = writer->kernel->has_barriers;
    if (writer->kernel->has_atomic_results && writer_chance(writer, 40))
        emit_one_of(writer, counting_with_results, COUNT(counting_with_results) - 1 + shared);
    else
        emit_one_of(writer, counting, COUNT(counting) - 1 + shared);
}

/* A call that hands all registers over that statements in the function need. */
static const char calling[] =
    "call.uni (%t), f, (#i, #i, %id, %size, %n, %m, %own, %tally, %in, %out, %counters, "
    "%mine, %private, %table, %y);\nmov.b32 #d, %t;";

void writer_call(struct kernel_writer *writer) {
    writer_emit(writer, calling);
}

void writer_straight(struct kernel_writer *writer, const struct writer_place *place) {
    const bool whole = place->uniform && !writer->may_return && writer->kernel->threads % 32 == 0;
    if (writer->kernel->seed % 3 == 0 && writer_chance(writer, 20)) {
        emit_one_of(writer, waiting, COUNT(waiting));
        return;
    }
    switch (writer_below(writer, 20)) {
    case 0:
    case 1:
        if (place->uniform && writer->kernel->has_barriers) {
            emit_one_of(writer, meeting, COUNT(meeting));
            return;
        }
        break;
    case 2:
        if (whole)
            emit_one_of(writer, of_whole_warps, COUNT(of_whole_warps));
        else
            emit_one_of(writer, of_active_threads, COUNT(of_active_threads));
        return;
    case 3: emit_atomic(writer); return;
    case 10:
        if (writer->in_function || !writer->kernel->has_function || !writer_chance(writer, 30)) break;
        writer_call(writer);
        return;
    case 9: emit_one_of(writer, by_data, COUNT(by_data)); return;
    case 4:
    case 5:
    case 6:
    case 7:
        if (writer_chance(writer, writer->knows_much ? 5 : 40))
            emit_one_of(writer, input, COUNT(input));
        else
            emit_one_of(writer, own_memory, COUNT(own_memory));
        return;
    default: break;
    }
    emit_one_of(writer, arithmetic, COUNT(arithmetic));
}
