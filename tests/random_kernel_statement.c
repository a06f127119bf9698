/* Statements of random kernels without control flow: arithmetic, memory, exchanges within warps, barriers. */
#include <stdlib.h>
#include <string.h>

#include "random_kernel_writer.h"

/* %t, %x and %y are temporary registers of 32, 64 and 64 bits. */
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
    "cvt.f64.f32 %y, #g;\nadd.f64 %y, %y, %y;\n#@cvt.rn.f32.f64 #f, %y;",
    "#@setp.lt.s32 #p, #i, #I;",
    "#@setp.ne.u32 #p, #i, #I;",
    "#@setp.gt.f32 #p, #g, #g;",
    "#@setp.eq.and.u32 #p, #i, #I, #q;",
    "#@and.pred #p, #q, #q;",
    "#@xor.pred #p, #q, #q;",
    "#@not.pred #p, #q;",
};

/* Elements of the input, of the thread's part of the output and of shared memory, of local memory, of a table
 * of constants, and counters. */
static const char *const memory[] = {
    "and.b32 %t, #i, 255;\nmul.wide.u32 %x, %t, 4;\nadd.s64 %x, %x, %in;\n#@ld.global.u32 #d, [%x];",
    "add.u32 %t, %id, #k;\nand.b32 %t, %t, 255;\nmul.wide.u32 %x, %t, 4;\nadd.s64 %x, %x, %in;\n"
    "#@ld.global.u32 #d, [%x];",
    "and.b32 %t, #i, 254;\nmul.wide.u32 %x, %t, 4;\nadd.s64 %x, %x, %in;\n"
    "#@ld.global.v2.u32 {%t, #d}, [%x];",
    "#@ld.global.f32 #f, [%mine];",
    "#@ld.global.u32 #d, [%mine];",
    "#@st.global.u32 [%mine], #i;",
    "#@st.global.f32 [%mine], #g;",
    "and.b32 %t, #i, 3;\nmad.lo.u32 %t, %t, %size, %id;\nmul.wide.u32 %x, %t, 4;\nadd.s64 %x, %x, %out;\n"
    "#@st.global.u32 [%x], #i;",
    "and.b32 %t, #i, 3;\nmad.lo.u32 %t, %t, %size, %id;\nmul.wide.u32 %x, %t, 4;\nadd.s64 %x, %x, %out;\n"
    "#@ld.global.u32 #d, [%x];",
    "#@st.shared.u32 [%own], #i;",
    "#@ld.shared.u32 #d, [%own];",
    "and.b32 %t, #i, 3;\nmul.wide.u32 %x, %t, 4;\nadd.s64 %x, %x, %private;\n#@st.local.u32 [%x], #i;",
    "and.b32 %t, #i, 3;\nmul.wide.u32 %x, %t, 4;\nadd.s64 %x, %x, %private;\n#@ld.local.u32 #d, [%x];",
    "and.b32 %t, #i, 15;\nmul.wide.u32 %x, %t, 4;\nadd.s64 %x, %x, %table;\n#@ld.const.u32 #d, [%x];",
};

static const char *const counting[] = {
    "and.b32 %t, #i, 15;\nmul.wide.u32 %x, %t, 4;\nadd.s64 %x, %x, %counters;\n"
    "#@red.global.add.u32 [%x], #i;",
    "#@red.global.max.u32 [%counters], #i;",
    "and.b32 %t, #i, 15;\nshl.b32 %t, %t, 2;\nadd.u32 %t, %t, %tally;\n#@red.shared.add.u32 [%t], #i;",
};

static const char *const counting_with_results[] = {
    "and.b32 %t, #i, 15;\nmul.wide.u32 %x, %t, 4;\nadd.s64 %x, %x, %counters;\n"
    "#@atom.global.add.u32 #d, [%x], #i;",
    "#@atom.global.exch.b32 #d, [%counters+4], #i;",
    "and.b32 %t, #i, 15;\nshl.b32 %t, %t, 2;\nadd.u32 %t, %t, %tally;\n#@atom.shared.add.u32 #d, [%t], #i;",
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

/* The second: each thread shows a value to the others, which may look at it until the next barrier. */
static const char *const meeting[] = {
    "bar.sync 0;",
    "st.shared.u32 [%own], #i;\nbar.sync 0;\nand.b32 %t, #i, 31;\nshl.b32 %t, %t, 2;\n"
    "add.u32 %t, %t, %shown;\nld.shared.u32 #d, [%t];\nbar.sync 0;",
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

void writer_straight(struct kernel_writer *writer, const struct writer_place *place) {
    const bool whole = place->uniform && !writer->may_return && writer->kernel->threads % 32 == 0;
    switch (writer_below(writer, 20)) {
    case 0:
        if (place->uniform && writer->kernel->has_barriers) {
            emit_one_of(writer, meeting, COUNT(meeting));
            return;
        }
        break;
    case 1:
        if (whole)
            emit_one_of(writer, of_whole_warps, COUNT(of_whole_warps));
        else
            emit_one_of(writer, of_active_threads, COUNT(of_active_threads));
        return;
    case 2: emit_atomic(writer); return;
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8: emit_one_of(writer, memory, COUNT(memory)); return;
    default: break;
    }
    emit_one_of(writer, arithmetic, COUNT(arithmetic));
}
