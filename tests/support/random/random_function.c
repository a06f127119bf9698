#include "random_function.h"

#include "base/containers.h"

enum { DATA_REGS = 5, PREDICATES = 4 };

static uint32_t draw(struct random_state *random, uint32_t bound) {
    return (uint32_t)random_below(random, bound);
}

/* A data register or a small number. */
static void put_operand(struct random_state *random, struct text *out) {
    if (draw(random, 3) == 0)
        text_printf(out, "%u", draw(random, 4));
    else
        text_printf(out, "%%r%u", draw(random, DATA_REGS));
}

static void put_guard(struct random_state *random, struct text *out) {
    text_printf(out, "@%s%%p%u ", draw(random, 2) == 0 ? "!" : "", draw(random, PREDICATES));
}

/* What takes numbers of lanes apart, by numbers that are or are not those of a warp's width. */
static void put_of_bits(struct random_state *random, uint32_t r, uint32_t s, struct text *out) {
    static const uint32_t masks[] = {0xffffffe0, 0xfffffff0, 0x60, 0x1f, 0x47, 0x18};
    const uint32_t shift = draw(random, 7);
    switch (draw(random, 8)) {
    case 0: text_printf(out, "mov.u32 %%r%u, %%tid.x;\n", r); break;
    case 1:
    case 2: text_printf(out, "shr.%s32 %%r%u, %%r%u, %u;\n", draw(random, 2) ? "u" : "s", r, s, shift); break;
    case 3: text_printf(out, "and.b32 %%r%u, %%r%u, %u;\n", r, s, masks[draw(random, 6)]); break;
    case 4:
        text_printf(out, "div.%s32 %%r%u, %%r%u, %u;\n", draw(random, 2) ? "u" : "s", r, s,
                    16 + 16 * draw(random, 6));
        break;
    case 5: text_printf(out, "shl.b32 %%r%u, %%r%u, %u;\n", r, s, draw(random, 3)); break;
    case 6: text_printf(out, "xor.b32 %%r%u, %%r%u, %u;\n", r, s, draw(random, 2) ? 0xffffffff : 96); break;
    default: text_printf(out, "cvt.%s.u32 %%r%u, %%r%u;\n", draw(random, 2) ? "s8" : "u16", r, s); break;
    }
}

/* One instruction; few of them are divergent by themselves, so that both kinds of values are common. */
static void put_statement(struct random_state *random, struct text *out) {
    uint32_t r = draw(random, DATA_REGS), s = draw(random, DATA_REGS), p = draw(random, PREDICATES);
    if (draw(random, 6) == 0) put_guard(random, out);
    switch (draw(random, 20)) {
    case 0: text_printf(out, "mov.u32 %%r%u, %%tid.x;\n", r); break;
    case 1: text_printf(out, "atom.global.add.u32 %%r%u, [%%r%u], 1;\n", r, s); break;
    case 2: text_printf(out, "vote.sync.ballot.b32 %%r%u, %%p%u, -1;\n", r, p); break;
    case 3: text_printf(out, "vote.sync.any.pred %%p%u, %%p%u, -1;\n", draw(random, PREDICATES), p); break;
    case 4:
        text_printf(out, "shfl.sync.idx.b32 %%r%u, %%r%u, ", r, s);
        put_operand(random, out);
        text_string(out, ", 31, -1;\n");
        break;
    case 5:
    case 6:
    case 7: text_printf(out, "ld.volatile.global.u32 %%r%u, [%%r%u];\n", r, s); break;
    case 8:
    case 9:
    case 10:
        text_printf(out, "add.u32 %%r%u, %%r%u, ", r, s);
        put_operand(random, out);
        text_string(out, ";\n");
        break;
    case 11: text_printf(out, "mov.u32 %%r%u, %u;\n", r, draw(random, 4)); break;
    case 12:
    case 13:
    case 14: put_of_bits(random, r, s, out); break;
    case 15:
        text_printf(out, "setp.%s.u32 %%p%u, %%r%u, %u;\n", draw(random, 2) == 0 ? "lt" : "gt", p, s,
                    16 * draw(random, 9) - draw(random, 2));
        break;
    default:
        text_printf(out, "setp.%s.u32 %%p%u, %%r%u, ", draw(random, 2) == 0 ? "lt" : "eq", p, s);
        put_operand(random, out);
        text_string(out, ";\n");
        break;
    }
}

/* The end of block `b`: it falls through, branches, chooses from a table, or returns. */
static void put_end(struct random_state *random, uint32_t b, uint32_t blocks, struct text *out) {
    uint32_t target = draw(random, blocks), other = draw(random, blocks);
    switch (draw(random, 10)) {
    case 0: break;
    case 1: text_printf(out, "bra L%u;\n", target); break;
    case 2:
        text_printf(out, "and.b32 %%i, %%r%u, 1;\nT%u: .branchtargets L%u, L%u;\n", draw(random, DATA_REGS),
                    b, target, other);
        if (draw(random, 2) == 0) put_guard(random, out);
        text_printf(out, "brx.idx %%i, T%u;\n", b);
        break;
    case 3:
        put_guard(random, out);
        text_string(out, "ret;\n");
        break;
    default:
        put_guard(random, out);
        text_printf(out, "bra L%u;\n", target);
        break;
    }
}

void random_function_put(uint64_t seed, struct text *out) {
    struct random_state random = random_seeded(seed);
    uint32_t blocks = 3 + draw(&random, 9);
    static const char *const shapes[] = {"", ".reqntid 256\n", ".reqntid 32, 4\n", ".reqntid 16, 8\n"};
    text_printf(out,
                ".version 8.0\n.target sm_80\n.address_size 32\n.entry k ()\n%s{\n.reg .b32 %%r<5>;\n"
                ".reg .b32 %%i;\n.reg .pred %%p<4>;\n",
                shapes[draw(&random, 4)]);
    /* Registers that are not written are divergent: most are. */
    for (uint32_t r = 0; r < DATA_REGS; r++)
        if (draw(&random, 5) != 0) text_printf(out, "mov.u32 %%r%u, %u;\n", r, draw(&random, 4));
    for (uint32_t p = 0; p < PREDICATES; p++)
        if (draw(&random, 8) != 0)
            text_printf(out, "setp.lt.u32 %%p%u, %%ntid.x, %u;\n", p, draw(&random, 64));
    for (uint32_t b = 0; b < blocks; b++) {
        text_printf(out, "L%u:\n", b);
        for (uint32_t s = draw(&random, 4); s > 0; s--)
            put_statement(&random, out);
        put_end(&random, b, blocks, out);
    }
    text_string(out, "ret;\n}\n");
}
