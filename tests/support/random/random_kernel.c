#include "random_kernel.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random_kernel_writer.h"

static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".const .align 4 .b32 table[16] = {0, 7, 3, 1, 9, 2, 250, 4, 6, 31, 8, 5, 12, 77, 1, 3};\n";

/* The registers of the function, which gets its addresses from the kernel. */
static const char function_head[] =
    ".func (.reg .b32 %result) f(.reg .b32 %a, .reg .b32 %b, .reg .b32 %id, .reg .b32 %size, .reg .b32 %n,\n"
    "    .reg .b32 %m, .reg .b32 %own, .reg .b32 %tally, .reg .b64 %in, .reg .b64 %out, .reg .b64 "
    "%counters,\n"
    "    .reg .b64 %mine, .reg .b64 %private, .reg .b64 %table, .reg .b64 %y)\n{\n"
    ".reg .pred %p<4>, %q;\n.reg .b32 %r<8>, %t;\n.reg .f32 %f<4>;\n.reg .b64 %x;\n";

static const char function_prologue[] =
    "mov.u32 %r0, %a;\nmov.u32 %r1, %b;\nadd.u32 %r2, %a, %b;\nmov.u32 %r3, %id;\nmov.u32 %r4, %m;\n"
    "xor.b32 %r5, %a, %id;\nmov.u32 %r6, 9;\nld.local.u32 %r7, [%private+4];\n"
    "cvt.rn.f32.u32 %f0, %a;\nmov.f32 %f1, 0f3F000000;\nmov.f32 %f2, %f0;\nmov.f32 %f3, %f1;\n"
    "setp.lt.u32 %p0, %a, 17;\nsetp.gt.u32 %p1, %b, 3;\nmov.pred %p2, %p0;\nsetp.eq.u32 %p3, %n, %m;\n"
    "mov.u32 %result, %b;\n";

static const char function_epilogue[] = "add.u32 %result, %r0, %r1;\nret;\n}\n";

static const char kernel_head[] =
    ".visible .entry k(.param .u64 input, .param .u64 output, .param .u64 count,\n"
    "    .param .u32 first, .param .u32 second)\n{\n"
    ".reg .pred %p<4>, %q;\n.reg .b32 %r<8>, %t, %id, %size, %n, %m, %own, %shown, %tally;\n"
    ".reg .f32 %f<4>;\n"
    ".reg .b64 %x, %y, %in, %out, %counters, %mine, %private, %table;\n"
    ".shared .align 4 .b32 values[256];\n.shared .align 4 .b32 tallies[16];\n"
    ".local .align 4 .b32 private[4];\n";

/* Addresses, and a first value for every register that statements may read: numbers of threads, scalars,
 * constants and data. */
static const char prologue[] =
    "ld.param.u64 %in, [input];\ncvta.to.global.u64 %in, %in;\n"
    "ld.param.u64 %out, [output];\ncvta.to.global.u64 %out, %out;\n"
    "ld.param.u64 %counters, [count];\ncvta.to.global.u64 %counters, %counters;\n"
    "ld.param.u32 %n, [first];\nld.param.u32 %m, [second];\n"
    "mov.u32 %id, %tid.x;\nmov.u32 %size, %ntid.x;\n"
    "mul.wide.u32 %mine, %id, 4;\nadd.s64 %y, %mine, %in;\nadd.s64 %mine, %mine, %out;\n"
    "mov.u64 %private, private;\nmov.u64 %table, table;\n"
    "mov.u32 %shown, values;\nmov.u32 %tally, tallies;\nshl.b32 %t, %id, 2;\n"
    "add.u32 %own, %shown, %t;\n"
    "st.shared.u32 [%own], %id;\n"
    "st.local.u32 [%private], 1;\nst.local.u32 [%private+4], %n;\n"
    "st.local.u32 [%private+8], %id;\nst.local.u32 [%private+12], 0;\n"
    "mov.u32 %r0, %id;\nmov.u32 %r1, %n;\nmov.u32 %r2, 5;\nmul.lo.u32 %r3, %id, 3;\n"
    "ld.global.u32 %r4, [%y];\nld.global.u32 %r5, [%in+64];\nld.global.u32 %r6, [%mine];\n"
    "xor.b32 %r7, %r4, %id;\n"
    "cvt.rn.f32.u32 %f0, %id;\nmov.f32 %f1, 0f3FC00000;\ncvt.rn.f32.u32 %f2, %r4;\n"
    "cvt.rn.f32.s32 %f3, %m;\n"
    "setp.lt.u32 %p0, %id, 17;\nsetp.gt.u32 %p1, %n, 3;\nsetp.lt.s32 %p2, %r4, 0;\n"
    "setp.ne.u32 %p3, %r5, 0;\n";

/* Registers that data was in hold what is known. */
static const char without_data[] = "add.u32 %r4, %id, %m;\nshl.b32 %r5, %n, 2;\nsub.u32 %r6, %m, %id;\n"
                                   "xor.b32 %r7, %r5, %id;\ncvt.rn.f32.u32 %f2, %r4;\n"
                                   "setp.lt.s32 %p2, %r6, 0;\nsetp.ne.u32 %p3, %r5, 0;\n";

/* Sets the shared counters. */
static const char meeting[] = "setp.lt.u32 %q, %id, 16;\nadd.u32 %t, %tally, %t;\n"
                              "@%q st.shared.u32 [%t], 0;\nbar.sync 0;\n";

static const char epilogue[] = "st.global.u32 [%mine], %r0;\nst.global.f32 [%mine], %f0;\nret;\n}\n";

/* Whole warps mostly. */
static uint32_t random_threads(struct kernel_writer *writer) {
    uint32_t warps = 1 + writer_below(writer, writer->shape->warps);
    return 32 * warps - (writer_chance(writer, 20) ? writer_below(writer, warps == 1 ? 1 : 31) : 0);
}

/* Appends what was generated of a body, with the registers of its loops. */
static void put_body(struct kernel_writer *writer, const char *prologue_text, struct text *text) {
    text_printf(text, ".reg .b32 %%c<%u>;\n", writer->counters + 1);
    text_string(text, prologue_text);
    if (!writer->in_function && writer->knows_much) text_string(text, without_data);
    if (!writer->in_function && writer->kernel->has_barriers) text_string(text, meeting);
    if (writer->body.failed) abort();
    text_append(text, writer->body.data == NULL ? "" : writer->body.data, writer->body.length);
    text_free(&writer->body);
}

/* A function whose statements stand one level deep: it may be called in divergent control. */
static void put_function(struct kernel_writer *writer, struct text *text) {
    const struct writer_place inside = {.depth = 1};
    writer->in_function = true;
    writer_sequence(writer, &inside);
    text_string(text, function_head);
    put_body(writer, function_prologue, text);
    text_string(text, function_epilogue);
    writer->in_function = false;
}

static void put_kernel(struct kernel_writer *writer, struct text *text) {
    const struct writer_place top = {.uniform = true};
    writer_sequence(writer, &top);
    if (writer->kernel->has_function) writer_call(writer);
    text_string(text, kernel_head);
    put_body(writer, prologue, text);
    text_string(text, epilogue);
}

void random_kernel_make(uint64_t seed, const struct random_kernel_shape *shape,
                        const bool omitted[RANDOM_STATEMENTS_MAX], struct random_kernel *kernel) {
    struct kernel_writer writer = {
        .random = random_seeded(seed), .shape = shape, .omitted = omitted, .kernel = kernel};
    struct text text = {0};
    *kernel = (struct random_kernel){.seed = seed};
    kernel->threads = random_threads(&writer);
    kernel->scalars[0] = writer_below(&writer, 8);
    kernel->scalars[1] = writer_below(&writer, 100);
    kernel->has_barriers = writer_chance(&writer, 50);
    kernel->has_atomic_results = writer_chance(&writer, 50);
    kernel->has_function = writer_chance(&writer, 30);
    writer.knows_much = writer_chance(&writer, 50);
    writer.data_meets = kernel->has_barriers && writer_chance(&writer, 40);
    writer.may_return = writer_chance(&writer, 40);
    text_string(&text, head);
    if (kernel->has_function) put_function(&writer, &text);
    put_kernel(&writer, &text);
    kernel->ptx = text_take(&text);
    if (kernel->ptx == NULL) abort();
}

void random_kernel_free(struct random_kernel *kernel) {
    free(kernel->ptx);
    vec_free(&kernel->loops);
    vec_free(&kernel->together);
    *kernel = (struct random_kernel){0};
}

static void add_argument(wb_launch *launch, wb_diagnostics *diagnostics, const char *format, ...) {
    char text[96];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (wb_launch_add_argument(launch, text, diagnostics) != WB_OK) abort();
}

wb_launch *random_kernel_launch(const struct random_kernel *kernel, const uint64_t contents[RANDOM_BUFFERS]) {
    const uint32_t elements[RANDOM_BUFFERS] = {INPUT_ELEMENTS, OUTPUT_ELEMENTS_PER_THREAD * kernel->threads,
                                               COUNTER_ELEMENTS};
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = wb_launch_new();
    if (wb_launch_set_grid(launch, (const uint32_t[3]){1, 1, 1}, diagnostics) != WB_OK ||
        wb_launch_set_block(launch, (const uint32_t[3]){kernel->threads, 1, 1}, diagnostics) != WB_OK)
        abort();
    for (uint32_t b = 0; b < RANDOM_BUFFERS; b++) {
        if (contents[b] == RANDOM_UNKNOWN)
            add_argument(launch, diagnostics, "buf:u32[%u]", elements[b]);
        else
            add_argument(launch, diagnostics, "buf:u32[%u]=random(%" PRIu64 ")", elements[b], contents[b]);
    }
    for (uint32_t i = 0; i < 2; i++)
        add_argument(launch, diagnostics, "u32:%u", kernel->scalars[i]);
    wb_diagnostics_free(diagnostics);
    return launch;
}

void random_kernel_together(const struct random_kernel *kernel, struct text *facts) {
    for (size_t i = 0; i < kernel->together.count; i++)
        text_printf(facts, "together $L%u;\n", kernel->together.items[i]);
}

void random_kernel_fact(const struct random_loop *loop, uint32_t headers, struct text *facts) {
    text_printf(facts, "loop %s$L%u <= %u;\n", loop->in_function ? "f:" : "", loop->label, headers);
}
