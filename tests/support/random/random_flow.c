#include "random_flow.h"

#include "base/containers.h"

/* Registers: %x0 .. %x3 hold values, %p0 .. %p2 conditions; %n counts the back edges that were taken. */
#define VALUES 4u
#define CONDITIONS 3u

struct writer {
    struct random_state random;
    const struct random_flow_shape *shape;
    struct text *ptx;
    uint32_t blocks;
    bool is_kernel;
};

static uint32_t below(struct writer *writer, uint32_t bound) {
    return (uint32_t)random_below(&writer->random, bound);
}

static bool chance(struct writer *writer, uint32_t percent) {
    return below(writer, 100) < percent;
}

static void put_guard(struct writer *writer, uint32_t percent) {
    if (!chance(writer, percent)) return;
    text_printf(writer->ptx, "@%s%%p%u ", chance(writer, 50) ? "!" : "", below(writer, CONDITIONS));
}

/* Loads an element of the input that the count and the lane choose: one that is not known. */
static void put_input(struct writer *writer) {
    text_printf(writer->ptx,
                "mad.lo.u32 %%t, %%n, 37, %u; add.u32 %%t, %%t, %%lane; and.b32 %%t, %%t, 63; "
                "mul.wide.u32 %%a, %%t, 4; add.s64 %%a, %%a, %%in;\n",
                below(writer, 64));
    uint32_t to = below(writer, VALUES);
    put_guard(writer, 30);
    text_printf(writer->ptx, "ld.global.u32 %%x%u, [%%a];\nand.b32 %%x%u, %%x%u, 3;\n", to, to, to);
}

/* Loads or stores an element of the thread's own: of the output, or of local memory. */
static void put_own(struct writer *writer) {
    bool local = writer->is_kernel && chance(writer, 30);
    uint32_t value = below(writer, VALUES), element = below(writer, 4);
    const char *space = local ? "local" : "global";
    const uint32_t offset = element * (local ? 4 : 256);
    put_guard(writer, 40);
    if (chance(writer, 50))
        text_printf(writer->ptx, "st.%s.u32 [%s+%u], %%x%u;\n", space, local ? "own" : "%out", offset, value);
    else
        text_printf(writer->ptx, "ld.%s.u32 %%x%u, [%s+%u];\n", space, value, local ? "own" : "%out", offset);
}

/* Loads or stores one of the thread's own elements, chosen by a value. */
static void put_chosen(struct writer *writer) {
    text_printf(writer->ptx, "and.b32 %%t, %%x%u, 3; mul.wide.u32 %%a, %%t, 256; add.s64 %%a, %%a, %%out;\n",
                below(writer, VALUES));
    put_guard(writer, 30);
    switch (below(writer, 3)) {
    case 0: text_printf(writer->ptx, "st.global.u32 [%%a], %%x%u;\n", below(writer, VALUES)); return;
    case 1: text_printf(writer->ptx, "ld.global.u32 %%x%u, [%%a];\n", below(writer, VALUES)); return;
    default: text_printf(writer->ptx, "red.global.add.u32 [%%a], %%x%u;\n", below(writer, VALUES)); return;
    }
}

static void put_exchange(struct writer *writer) {
    uint32_t value = below(writer, VALUES), condition = below(writer, CONDITIONS);
    switch (below(writer, 3)) {
    case 0: text_printf(writer->ptx, "activemask.b32 %%t; popc.b32 %%x%u, %%t;\n", value); return;
    case 1:
        text_printf(writer->ptx, "vote.sync.any.pred %%p%u, %%p%u, -1;\n", condition,
                    below(writer, CONDITIONS));
        return;
    default:
        text_printf(writer->ptx, "vote.sync.ballot.b32 %%t, %%p%u, -1; popc.b32 %%x%u, %%t;\n", condition,
                    value);
        return;
    }
}

static void put_call(struct writer *writer) {
    uint32_t to = below(writer, VALUES), from = below(writer, VALUES);
    switch (below(writer, 4)) {
    case 0:
        text_printf(writer->ptx,
                    "setp.gt.u32 %%q, %%x%u, 1; selp.b64 %%a, %%f0, %%f1, %%q;\n"
                    "and.b32 %%t, %%lane, 3; setp.gt.u32 %%q, %%t, %u; selp.b64 %%a, %%f0, %%f1, %%q;\n"
                    "call (%%x%u), %%a, (%%x%u), prototype;\n",
                    from, below(writer, 4), to, from);
        return;
    case 1: text_printf(writer->ptx, "call (result), f%u, (%%x%u);\n", below(writer, 2), from); return;
    case 2: text_printf(writer->ptx, "ld.param.b32 %%x%u, [result];\n", to); return;
    default: text_printf(writer->ptx, "call (%%x%u), f%u, (%%x%u);\n", to, below(writer, 2), from); return;
    }
}

static void put_operation(struct writer *writer) {
    uint32_t to = below(writer, VALUES), from = below(writer, VALUES), condition = below(writer, CONDITIONS);
    switch (below(writer, 16)) {
    case 0:
    case 1: put_input(writer); return;
    case 2:
    case 3: put_own(writer); return;
    case 4: put_chosen(writer); return;
    case 5: put_exchange(writer); return;
    case 6:
    case 7:
    case 8:
        put_guard(writer, 20);
        text_printf(writer->ptx, "setp.lt.u32 %%p%u, %%x%u, %u;\n", condition, from, 1 + below(writer, 3));
        return;
    case 9:
        put_guard(writer, 60);
        text_printf(writer->ptx, "mov.u32 %%x%u, %u;\n", to, below(writer, 4));
        return;
    case 10:
        text_printf(writer->ptx, "selp.u32 %%x%u, %%x%u, %%x%u, %%p%u;\n", to, from, below(writer, VALUES),
                    condition);
        return;
    case 11:
        text_printf(writer->ptx, "xor.pred %%p%u, %%p%u, %%p%u;\n", condition, below(writer, CONDITIONS),
                    below(writer, CONDITIONS));
        return;
    case 12:
        if (!writer->shape->ends || !chance(writer, 30)) return;
        put_guard(writer, 100);
        text_printf(writer->ptx, "%s;\n", chance(writer, 50) ? "exit" : "ret");
        return;
    case 13:
        if (writer->shape->calls && writer->is_kernel) put_call(writer);
        return;
    case 14:
        if (writer->shape->barriers && writer->is_kernel && chance(writer, 40))
            text_printf(writer->ptx, "bar.sync 0;\n");
        return;
    default:
        put_guard(writer, 20);
        text_printf(writer->ptx, "add.u32 %%x%u, %%x%u, %u; and.b32 %%x%u, %%x%u, 7;\n", to, from,
                    1 + below(writer, 3), to, to);
        return;
    }
}

/* Leaves a block, at its end or before, for one behind it. */
static void put_forward(struct writer *writer, uint32_t block) {
    uint32_t left = writer->blocks - block - 1;
    if (left > 2 && chance(writer, 12)) {
        text_printf(writer->ptx,
                    "min.u32 %%t, %%x%u, 2;\nt%u: .branchtargets B%u, B%u, B%u;\nbrx.idx %%t, t%u;\n",
                    below(writer, VALUES), block, block + 1 + below(writer, left),
                    block + 1 + below(writer, left), block + 1 + below(writer, left), block);
        return;
    }
    put_guard(writer, 85);
    text_printf(writer->ptx, "bra B%u;\n", block + 1 + below(writer, left < 4 ? left : 4));
}

/* Goes back while there are back edges left. */
static void put_backward(struct writer *writer, uint32_t block) {
    text_printf(writer->ptx, "setp.lt.u32 %%q, %%n, %u;\n", writer->shape->back_edges);
    if (chance(writer, 90))
        text_printf(writer->ptx, "and.pred %%q, %%q, %%p%u;\n", below(writer, CONDITIONS));
    uint32_t back = 1 + below(writer, 3);
    text_printf(writer->ptx, "@%%q add.u32 %%n, %%n, 1;\n@%%q bra B%u;\n", block < back ? 0 : block - back);
}

static void put_blocks(struct writer *writer) {
    for (uint32_t b = 0; b < writer->blocks; b++) {
        text_printf(writer->ptx, "B%u:\n", b);
        for (uint32_t i = below(writer, writer->shape->operations + 1); i > 0; i--)
            put_operation(writer);
        if (b + 1 == writer->blocks) continue;
        if (chance(writer, 40)) put_backward(writer, b);
        if (chance(writer, 50)) put_forward(writer, b);
    }
}

static const char registers[] = ".reg .pred %p<3>, %q;\n.reg .b32 %x<4>, %n, %t, %lane;\n"
                                ".reg .b64 %in, %out, %a, %f0, %f1;\n";

static void put_function(struct writer *writer, uint32_t number) {
    writer->is_kernel = false;
    writer->blocks = 3;
    text_printf(writer->ptx, ".func (.reg .b32 %%res) f%u(.reg .b32 %%arg)\n{\n%s", number, registers);
    text_printf(writer->ptx,
                "mov.u32 %%lane, %%tid.x; mul.wide.u32 %%out, %%lane, 4; mov.u64 %%a, output;\n"
                "add.s64 %%out, %%out, %%a; mov.u64 %%in, input;\nmov.u32 %%n, 0; mov.u32 %%x0, %%arg; "
                "mov.u32 %%x1, 1; mov.u32 %%x2, %%lane; mov.u32 %%x3, 2;\nmov.u32 %%res, 3;\n"
                "setp.eq.u32 %%p0, %%arg, 1; setp.lt.u32 %%p1, %%lane, 5; setp.ne.u32 %%p2, %%x1, 1;\n");
    put_blocks(writer);
    text_printf(writer->ptx, "mov.u32 %%res, %%x%u;\nret;\n}\n", below(writer, VALUES));
}

void random_flow_put(uint64_t seed, const struct random_flow_shape *shape, struct text *ptx) {
    struct writer writer = {.random = random_seeded(seed), .shape = shape, .ptx = ptx};
    text_string(ptx, ".version 8.0\n.target sm_90\n.address_size 64\n");
    if (shape->calls) {
        text_string(ptx, ".global .align 4 .b8 input[256];\n.global .align 4 .b8 output[1024];\n");
        for (uint32_t f = 0; f < 2; f++)
            put_function(&writer, f);
    }
    writer.is_kernel = true;
    writer.blocks = shape->blocks;
    text_printf(ptx, ".visible .entry k(.param .u64 input_address, .param .u64 output_address)\n{\n%s",
                registers);
    text_string(ptx, ".local .align 4 .b8 own[16];\n");
    if (shape->calls)
        text_string(ptx, ".param .b32 result;\nprototype: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n"
                         "mov.u64 %f0, f0; mov.u64 %f1, f1;\n");
    text_string(ptx,
                "ld.param.u64 %in, [input_address]; ld.param.u64 %out, [output_address];\n"
                "mov.u32 %lane, %tid.x; mul.wide.u32 %a, %lane, 4; add.s64 %out, %out, %a;\n"
                "mov.u32 %n, 0; mov.u32 %x0, 0; mov.u32 %x1, 1; and.b32 %x2, %lane, 3; mov.u32 %x3, 3;\n"
                "setp.lt.u32 %p0, %lane, 7; setp.eq.u32 %p1, %x2, 1;\n"
                "add.s64 %a, %a, %in; ld.global.u32 %t, [%a]; and.b32 %t, %t, 1; setp.ne.u32 %p2, %t, 0;\n");
    put_blocks(&writer);
    text_string(ptx, "ret;\n}\n");
}
