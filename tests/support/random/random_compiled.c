#include "random_compiled.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"
#include "base/containers.h"
#include "random_compiled_statements.h"

#define BLOCKS 2u
#define INPUT_WORDS 1024u
#define LOOP_DEPTHS 2u   /* where loops may begin */
#define OUTPUT_WORDS 64u /* of a thread: what it computes with, and behind that elements that it uses */

/* The registers that statements read and write, by the letter that stands for them in a statement. */
static const struct pool {
    char letter; /* small: one that is read; capital: one that is written */
    const char *name;
    uint32_t count;
} pools[] = {
    {'r', "%r", 6}, {'l', "%l", 4}, {'f', "%f", 3}, {'d', "%d", 2},
    {'h', "%h", 2}, {'s', "%s", 2}, {'p', "%p", 4},
};

struct writer {
    struct random_state random;
    const bool *omitted;
    struct random_compiled *kernel;
    struct text body;
    uint32_t labels, loops;
    bool whole; /* all threads of a block come to the end of its statements together */
};

/* Where statements stand. */
struct place {
    uint32_t depth;
    bool uniform;       /* every thread gets here equally often */
    uint32_t loop_exit; /* label behind the innermost loop, 0: none */
    bool in_function;
};

static uint32_t below(struct writer *writer, uint32_t bound) {
    return (uint32_t)random_below(&writer->random, bound);
}

static bool chance(struct writer *writer, uint32_t percent) {
    return below(writer, 100) < percent;
}

/* Small numbers, numbers with few ones, and any. */
static uint64_t some_number(struct writer *writer) {
    const uint64_t any = random_next(&writer->random);
    switch (below(writer, 4)) {
    case 0: return any % 64;
    case 1: return UINT64_C(1) << any % 64;
    case 2: return ~(any % 16);
    default: return any;
    }
}

/* Floats that are not always normal numbers. */
static uint32_t some_f32(struct writer *writer) {
    static const uint32_t special[] = {0,          0x80000000u, 0x7f800000u, 0xff800000u, 0x3f800000u,
                                       0xbf000000, 0x00000001u, 0x807fffffu, 0x7f7fffffu, 0x4f000000u};
    if (chance(writer, 30)) return special[below(writer, sizeof special / sizeof *special)];
    return (uint32_t)random_next(&writer->random);
}

static void emit_guard(struct writer *writer) {
    if (chance(writer, 20))
        text_printf(&writer->body, "@%s%%p%u ", chance(writer, 50) ? "!" : "", below(writer, 4));
}

static void emit_register(struct writer *writer, char letter) {
    for (size_t i = 0; i < sizeof pools / sizeof *pools; i++)
        if (pools[i].letter == (letter | 0x20)) {
            text_printf(&writer->body, "%s%u", pools[i].name, below(writer, pools[i].count));
            return;
        }
    abort();
}

/* A literal, by the letter behind `#`. */
static bool emit_literal(struct writer *writer, char letter) {
    struct text *body = &writer->body;
    switch (letter) {
    case 'k': text_printf(body, "%u", below(writer, 32)); return true;
    case 'K': text_printf(body, "%u", below(writer, 64)); return true;
    case 'i': text_printf(body, "0x%" PRIx32, (uint32_t)some_number(writer)); return true;
    case 'j': text_printf(body, "0x%" PRIx64, some_number(writer)); return true;
    case 'b': text_printf(body, "%u", below(writer, 256)); return true;
    case 'e': text_printf(body, "0f%08" PRIx32, some_f32(writer)); return true;
    case 'g': text_printf(body, "0d%08" PRIx32 "00000000", some_f32(writer)); return true;
    case 'n': text_printf(body, "%u", below(writer, 4)); return true;
    default: return false;
    }
}

/* Appends a statement; `#` and a letter in it stand for a register (pools), a literal, `#@` for a guard, `#I`
 * for a register of 32 bits or a literal, `#(a|b|c)` for one of several texts. */
static void emit(struct writer *writer, const char *line) {
    for (const char *at = line; *at != '\0'; at++) {
        if (*at != '#') {
            text_char(&writer->body, *at);
            continue;
        }
        at++;
        if (*at == '@') {
            emit_guard(writer);
        } else if (*at == 'I') {
            if (chance(writer, 30))
                (void)emit_literal(writer, 'i');
            else
                emit_register(writer, 'r');
        } else if (*at == '(') {
            uint32_t choices = 1, chosen;
            for (const char *end = at; *end != ')'; end++)
                choices += *end == '|';
            chosen = below(writer, choices);
            for (at++; *at != ')'; at++) {
                if (*at == '|')
                    chosen--;
                else if (chosen == 0)
                    text_char(&writer->body, *at);
            }
        } else if (!emit_literal(writer, *at)) {
            emit_register(writer, *at);
        }
    }
    text_char(&writer->body, '\n');
}

static void emit_one_of(struct writer *writer, const struct compiled_group *group) {
    const struct compiled_statement *statement;
    do
        statement = &group->statements[below(writer, group->count)];
    while (statement->sm > writer->kernel->sm);
    emit(writer, statement->text);
}

/* ---- Control ---------------------------------------------------------------------------------------------
 */

static void sequence(struct writer *writer, const struct place *place);

static uint32_t new_label(struct writer *writer) {
    return ++writer->labels;
}

static void put(struct writer *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct writer *writer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&writer->body, format, arguments);
    va_end(arguments);
}

static struct place inside(const struct place *place) {
    struct place inner = *place;
    inner.depth++;
    inner.uniform = false;
    return inner;
}

static void emit_if(struct writer *writer, const struct place *place) {
    struct place inner = inside(place);
    const uint32_t otherwise = new_label(writer), end = new_label(writer);
    const bool by_predicate = chance(writer, 50);
    emit(writer, by_predicate ? "mov.pred %q, #p;" : "setp.#(lt|gt|eq|ne).s32 %q, #r, #I;");
    /* No loop inside: ptxas takes the predicate to keep its value there, even where the loop writes it. */
    if (by_predicate && inner.depth < LOOP_DEPTHS) inner.depth = LOOP_DEPTHS;
    put(writer, "@%s%%q bra $L%u;\n", chance(writer, 50) ? "!" : "", otherwise);
    sequence(writer, &inner);
    if (chance(writer, 60)) {
        put(writer, "bra $L%u;\n$L%u:\n", end, otherwise);
        sequence(writer, &inner);
        put(writer, "$L%u:\n", end);
    } else {
        put(writer, "$L%u:\n", otherwise);
    }
}

/* A loop of one to four repetitions, or as many as data says; left early now and then. */
static void emit_loop(struct writer *writer, const struct place *place) {
    struct place inner = inside(place);
    const uint32_t header = new_label(writer), end = new_label(writer), counter = writer->loops++;
    inner.loop_exit = end;
    if (chance(writer, 50))
        put(writer, "mov.u32 %%c%u, %u;\n", counter, below(writer, 4));
    else
        put(writer, "and.b32 %%c%u, %%r%u, 3;\n", counter, below(writer, 6));
    put(writer, "$L%u:\n", header);
    sequence(writer, &inner);
    put(writer, "setp.eq.u32 %%q, %%c%u, 0;\n@%%q bra $L%u;\nsub.u32 %%c%u, %%c%u, 1;\nbra $L%u;\n$L%u:\n",
        counter, end, counter, counter, header, end);
}

/* A jump table. */
static void emit_switch(struct writer *writer, const struct place *place) {
    const struct place inner = inside(place);
    uint32_t targets[8];
    const uint32_t cases = chance(writer, 50) ? 4 : 8, end = new_label(writer), table = new_label(writer);
    for (uint32_t i = 0; i < cases; i++)
        targets[i] = new_label(writer);
    put(writer, "{\n$T%u: .branchtargets", table);
    for (uint32_t i = 0; i < cases; i++)
        put(writer, "%s $L%u", i == 0 ? "" : ",", targets[i]);
    put(writer, ";\nand.b32 %%t, %%r%u, %u;\nbrx.idx %%t, $T%u;\n}\n", below(writer, 6), cases - 1, table);
    for (uint32_t i = 0; i < cases; i++) {
        put(writer, "$L%u:\n", targets[i]);
        sequence(writer, &inner);
        if (chance(writer, 75)) put(writer, "bra $L%u;\n", end); /* else: falls into the next one */
    }
    put(writer, "$L%u:\n", end);
}

static void emit_leave(struct writer *writer, const struct place *place) {
    emit(writer, "setp.#(lt|eq|gt).u32 %q, #r, #i;");
    put(writer, "@%%q bra $L%u;\n", place->loop_exit);
}

/* Threads that have computed enough. */
static void emit_return(struct writer *writer) {
    emit(writer, "setp.#(lt|eq|gt).u32 %q, #r, #i;\n@%q bra $END;");
}

static void emit_call(struct writer *writer) {
    emit(writer, "{\n.param .b32 a0;\n.param .b64 a1;\n.param .b64 r0;\nst.param.b32 [a0], #r;\n"
                 "st.param.b64 [a1], #l;\ncall (r0), f, (a0, a1);\nld.param.b64 #L, [r0];\n}");
}

static void straight(struct writer *writer, const struct place *place) {
    const uint32_t kind = below(writer, 100);
    if (place->in_function)
        emit_one_of(writer, &compiled_integers);
    else if (kind < 6 && place->uniform && writer->whole)
        emit_one_of(writer, &compiled_meetings);
    else if (kind < 14 && place->uniform && writer->whole)
        emit_one_of(writer, &compiled_exchanges);
    else if (kind < 32)
        emit_one_of(writer, &compiled_memory);
    else if (kind < 36)
        emit_call(writer);
    else if (kind < 64)
        emit_one_of(writer, &compiled_integers);
    else if (kind < 76)
        emit_one_of(writer, &compiled_floats);
    else if (kind < 84)
        emit_one_of(writer, &compiled_halves);
    else if (kind < 92)
        emit_one_of(writer, &compiled_conversions);
    else
        emit_one_of(writer, &compiled_predicates);
}

static void statement(struct writer *writer, const struct place *place) {
    const uint32_t kind = below(writer, 100);
    if (place->depth < 3 && kind < 10)
        emit_if(writer, place);
    else if (place->depth < LOOP_DEPTHS && kind < 17)
        emit_loop(writer, place);
    else if (place->depth < 1 && kind < 20 && !place->in_function)
        emit_switch(writer, place);
    else if (kind < 24 && place->loop_exit != 0)
        emit_leave(writer, place);
    else if (kind < 25 && !writer->whole && !place->in_function)
        emit_return(writer);
    else
        straight(writer, place);
}

static void sequence(struct writer *writer, const struct place *place) {
    const uint32_t length = place->depth == 0 ? 8 + below(writer, 16) : 1 + below(writer, 4);
    for (uint32_t i = 0; i < length && writer->kernel->statements < COMPILED_STATEMENTS_MAX; i++) {
        const uint32_t number = writer->kernel->statements++;
        const size_t before = writer->body.length;
        statement(writer, place);
        /* Omitted: what was written of it is forgotten, what it drew is not. */
        if (writer->omitted != NULL && writer->omitted[number]) writer->body.length = before;
    }
}

/* ---- The module ------------------------------------------------------------------------------------------
 */

static const char registers[] =
    ".reg .pred %p<4>, %q, %w;\n.reg .b16 %s<2>, %e, %g;\n.reg .b32 %r<6>, %h<2>, %t, %u;\n"
    ".reg .b64 %l<4>, %x, %y;\n.reg .f32 %f<3>, %v;\n.reg .f64 %d<2>, %z;\n";

/* Constants of the module and a first value for every register: of data, of arguments, of the thread. */
static const char prologue[] =
    ".reg .b32 %id, %self, %own, %flags, %n;\n.reg .b64 %in, %out, %counters, %mine, %spare, %m, %generic;\n"
    ".shared .align 16 .b8 shown[1024];\n.shared .align 8 .b8 tallies[128];\n.local .align 16 .b8 "
    "private[64];\n"
    "ld.param.u64 %in, [input];\ncvta.to.global.u64 %in, %in;\nld.param.u64 %out, [output];\n"
    "cvta.to.global.u64 %out, %out;\nld.param.u64 %counters, [count];\ncvta.to.global.u64 %counters, "
    "%counters;\n"
    "ld.param.u32 %n, [first];\nld.param.u64 %m, [second];\n"
    "mov.u32 %self, %tid.x;\nmov.u32 %t, %ctaid.x;\nmov.u32 %u, %ntid.x;\nmad.lo.u32 %id, %t, %u, %self;\n"
    "mad.wide.u32 %mine, %id, 256, %out;\nadd.s64 %spare, %mine, 128;\nmov.u32 %t, shown;\n"
    "mad.lo.u32 %own, %self, 16, %t;\nmad.wide.u32 %x, %id, 16, %in;\nld.global.v4.u32 {%r0, %r1, %r2, %r3}, "
    "[%x];\n"
    "mov.u32 %r4, %self;\nmov.u32 %r5, %n;\nld.global.v2.u64 {%l0, %l1}, [%in+32];\nmov.u64 %l2, %m;\n"
    "mul.wide.s32 %l3, %r0, %r1;\nld.global.v2.f32 {%f0, %f1}, [%x+8];\ncvt.rn.f32.s32 %f2, %r2;\n"
    "ld.global.f64 %d0, [%x+16];\ncvt.rn.f64.s32 %d1, %r3;\nld.param.u32 %h0, [pack+4];\nmov.u32 %h1, "
    "0x3c004248;\n"
    "ld.global.u16 %s0, [%x+2];\nld.param.u16 %s1, [pack+2];\nsetp.lt.s32 %p0, %r0, 0;\nsetp.gt.u32 %p1, "
    "%self, 17;\n"
    "setp.lt.s32 %p2, %r1, %r2;\nsetp.ne.u32 %p3, %n, 3;\n"
    "st.shared.v4.u32 [%own], {%r0, %r1, %r2, %r3};\nmov.u64 %x, private;\nst.local.v4.u32 [%x], {%r0, %r1, "
    "%r2, %r3};\n"
    "st.local.v4.u32 [%x+16], {%r3, %r1, %r2, %r0};\nst.local.v4.u32 [%x+32], {%r1, %r0, %r3, %r2};\n"
    "st.local.v4.u32 [%x+48], {%r2, %r3, %r0, %r1};\n"
    "setp.lt.u32 %q, %self, 8;\nmov.u32 %t, tallies;\nmad.lo.u32 %t, %self, 16, %t;\n@%q st.shared.v2.u64 "
    "[%t], {0, 0};\n"
    "cvta.global.u64 %generic, %spare;\nbar.sync 0;\n";

/* Every register is stored: predicates as bits, floats with one NaN. */
static const char epilogue[] =
    "$END:\n"
    "st.global.v4.u32 [%mine], {%r0, %r1, %r2, %r3};\nst.global.v2.u32 [%mine+16], {%r4, %r5};\n"
    "st.global.v2.u64 [%mine+32], {%l0, %l1};\nst.global.v2.u64 [%mine+48], {%l2, %l3};\n"
    "setp.nan.f32 %q, %f0, %f0;\nselp.f32 %f0, 0f7fffffff, %f0, %q;\nst.global.f32 [%mine+64], %f0;\n"
    "setp.nan.f32 %q, %f1, %f1;\nselp.f32 %f1, 0f7fffffff, %f1, %q;\nst.global.f32 [%mine+68], %f1;\n"
    "setp.nan.f32 %q, %f2, %f2;\nselp.f32 %f2, 0f7fffffff, %f2, %q;\nst.global.f32 [%mine+72], %f2;\n"
    "setp.nan.f64 %q, %d0, %d0;\nselp.f64 %d0, 0d7fffffffffffffff, %d0, %q;\nst.global.f64 [%mine+80], %d0;\n"
    "setp.nan.f64 %q, %d1, %d1;\nselp.f64 %d1, 0d7fffffffffffffff, %d1, %q;\nst.global.f64 [%mine+88], %d1;\n"
    "mov.b32 {%e, %g}, %h0;\ncvt.f32.f16 %v, %e;\nsetp.nan.f32 %q, %v, %v;\nselp.b16 %e, 0x7fff, %e, %q;\n"
    "cvt.f32.f16 %v, %g;\nsetp.nan.f32 %q, %v, %v;\nselp.b16 %g, 0x7fff, %g, %q;\nmov.b32 %h0, {%e, %g};\n"
    "mov.b32 {%e, %g}, %h1;\ncvt.f32.f16 %v, %e;\nsetp.nan.f32 %q, %v, %v;\nselp.b16 %e, 0x7fff, %e, %q;\n"
    "cvt.f32.f16 %v, %g;\nsetp.nan.f32 %q, %v, %v;\nselp.b16 %g, 0x7fff, %g, %q;\nmov.b32 %h1, {%e, %g};\n"
    "st.global.v2.u32 [%mine+96], {%h0, %h1};\nst.global.u16 [%mine+104], %s0;\nst.global.u16 [%mine+106], "
    "%s1;\n"
    "selp.u32 %t, 1, 0, %p0;\nselp.u32 %u, 2, 0, %p1;\nor.b32 %t, %t, %u;\nselp.u32 %u, 4, 0, %p2;\n"
    "or.b32 %t, %t, %u;\nselp.u32 %u, 8, 0, %p3;\nor.b32 %t, %t, %u;\nst.global.u32 [%mine+108], %t;\n"
    "ret;\n}\n";

static void put_counters(const struct writer *writer, struct text *text) {
    text_printf(text, ".reg .b32 %%c<%u>;\n", writer->loops + 1);
}

static void put_function(struct writer *writer, struct text *text) {
    const struct place inner = {.depth = 1, .in_function = true};
    sequence(writer, &inner);
    text_string(text, ".func (.param .b64 result) f(.param .b32 a, .param .b64 b)\n{\n");
    text_string(text, registers);
    put_counters(writer, text);
    text_string(
        text,
        "ld.param.b32 %r0, [a];\nld.param.b64 %l0, [b];\ncvt.u32.u64 %r1, %l0;\nadd.s32 %r2, %r0, %r1;\n"
        "xor.b32 %r3, %r0, %r1;\nmov.u32 %r4, 77;\nsub.s32 %r5, %r0, %r1;\nmul.wide.u32 %l1, %r0, %r1;\n"
        "add.s64 %l2, %l0, %l1;\nnot.b64 %l3, %l0;\ncvt.u16.u32 %s0, %r0;\ncvt.u16.u32 %s1, %r1;\n"
        "setp.lt.s32 %p0, %r0, %r1;\nsetp.lt.u32 %p1, %r0, %r1;\nsetp.eq.u32 %p2, %r4, %r1;\n"
        "setp.gt.s64 %p3, %l0, 0;\nmov.u32 %h0, %r0;\nmov.u32 %h1, %r1;\nmov.f32 %f0, 0f3fc00000;\n"
        "mov.f32 %f1, 0f40000000;\nmov.f32 %f2, 0fbe000000;\nmov.f64 %d0, 0d3ff8000000000000;\n"
        "mov.f64 %d1, 0d4000000000000000;\n");
    text_append(text, writer->body.data == NULL ? "" : writer->body.data, writer->body.length);
    text_string(text,
                "cvt.u64.u32 %x, %r0;\nxor.b64 %x, %x, %l0;\ncvt.s64.s32 %y, %r1;\nadd.s64 %x, %x, %y;\n"
                "xor.b64 %x, %x, %l1;\nadd.s64 %x, %x, %l2;\nst.param.b64 [result], %x;\nret;\n}\n");
    text_free(&writer->body);
    writer->loops = 0;
}

static void put_kernel(struct writer *writer, struct text *text) {
    const struct place top = {.uniform = true};
    sequence(writer, &top);
    text_string(text, ".visible .entry k(.param .u64 input, .param .u64 output, .param .u64 count,\n"
                      "    .param .u32 first, .param .u64 second, .param .align 8 .b8 pack[16])\n{\n");
    text_string(text, registers);
    put_counters(writer, text);
    text_string(text, prologue);
    text_append(text, writer->body.data == NULL ? "" : writer->body.data, writer->body.length);
    text_string(text, epilogue);
    text_free(&writer->body);
}

void random_compiled_make(uint64_t seed, uint32_t sm, const bool omitted[COMPILED_STATEMENTS_MAX],
                          struct random_compiled *kernel) {
    struct text text = {0};
    *kernel = (struct random_compiled){.seed = seed, .sm = sm};
    struct writer writer = {.random = random_seeded(seed), .omitted = omitted, .kernel = kernel};
    kernel->threads = 32 * (1 + below(&writer, 2));
    writer.whole = chance(&writer, 60);
    text_printf(&text, ".version 8.2\n.target sm_%u\n.address_size 64\n", sm);
    text_string(&text,
                ".const .align 8 .b32 table[16] = {0, 7, 3, 1, 9, 2, 250, 4, 6, 31, 8, 5, 12, 77, 1, 3};\n"
                ".global .align 8 .b32 numbers[4] = {1, 0xfedcba98, 5, 0x80000000};\n");
    put_function(&writer, &text);
    put_kernel(&writer, &text);
    kernel->ptx = text_take(&text);
    if (kernel->ptx == NULL) abort();
}

void random_compiled_free(struct random_compiled *kernel) {
    free(kernel->ptx);
    *kernel = (struct random_compiled){0};
}

wb_launch *random_compiled_launch(uint64_t seed, uint32_t threads) {
    char texts[COMPILED_ARGUMENTS][96];
    struct random_state random = random_seeded(~seed);
    snprintf(texts[0], sizeof texts[0], "buf:u32[%u]=random(%" PRIu64 ")", INPUT_WORDS, seed);
    snprintf(texts[COMPILED_OUTPUT], sizeof texts[0], "buf:u32[%u]=random(%" PRIu64 ")",
             BLOCKS * threads * OUTPUT_WORDS, seed + 1);
    snprintf(texts[COMPILED_COUNTERS], sizeof texts[0], "buf:u32[32]=zero");
    snprintf(texts[3], sizeof texts[0], "u32:%u", (unsigned)random_below(&random, 8));
    snprintf(texts[4], sizeof texts[0], "u64:%" PRIu64, random_next(&random));
    const uint64_t low = random_next(&random), high = random_next(&random);
    snprintf(texts[5], sizeof texts[0], "bytes:%016" PRIx64 "%016" PRIx64, low, high);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = wb_launch_new();
    bool good = wb_launch_set_grid(launch, (const uint32_t[3]){BLOCKS, 1, 1}, diagnostics) == WB_OK &&
                wb_launch_set_block(launch, (const uint32_t[3]){threads, 1, 1}, diagnostics) == WB_OK;
    for (uint32_t i = 0; good && i < COMPILED_ARGUMENTS; i++)
        good = wb_launch_add_argument(launch, texts[i], diagnostics) == WB_OK;
    if (!good) {
        fputs(wb_diagnostics_text(diagnostics), stderr);
        abort();
    }
    wb_diagnostics_free(diagnostics);
    return launch;
}
