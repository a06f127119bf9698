#include "random_machine.h"

/* A loop around what is being written: where lanes that leave it go, and what it was opened with. */
struct enclosing {
    uint32_t label, set;
};

struct writer {
    const struct random_machine_shape *shape;
    struct random_state random;
    struct text *out;
    uint32_t labels, sets; /* used so far; open now */
    struct enclosing loop;
    uint32_t loops; /* around what is written */
};

static bool chance(struct writer *w, uint32_t percent) {
    return random_below(&w->random, 100) < percent;
}

/* Sets %p0 to what the lane's number, its data or a word that all lanes have at first decides. */
static void put_choice(struct writer *w) {
    if (chance(w, w->shape->known)) {
        text_printf(w->out, "and.b32 %%r3, %%r0, 3; setp.lt.u32 %%p0, %%r3, %u;\n",
                    (unsigned)(1 + random_below(&w->random, 3)));
        return;
    }
    const char *word = chance(w, w->shape->uniform) ? "%r4" : "%r1";
    text_printf(w->out, "mad.lo.u32 %s, %s, 1664525, 1013904223; shr.u32 %%r3, %s, 28;\n", word, word, word);
    text_printf(w->out, "setp.lt.u32 %%p0, %%r3, %u;\n", (unsigned)(3 + random_below(&w->random, 10)));
}

/* The same, or what the lanes that are there vote. */
static void put_condition(struct writer *w) {
    put_choice(w);
    if (!chance(w, w->shape->votes)) return;
    text_printf(w->out, "vote.ballot.b32 %%r5, %%p0;\nand.b32 %%r5, %%r5, %u;\nsetp.ne.u32 %%p0, %%r5, 0;\n",
                1u << random_below(&w->random, 8));
}

/* Sets %p0 to the same unknown value in all lanes, always. */
static void put_agreement(struct writer *w) {
    text_printf(w->out, "shr.u32 %%r3, %%r6, %u; and.b32 %%r3, %%r3, 1; setp.lt.u32 %%p0, %%r3, 1;\n",
                (unsigned)random_below(&w->random, 32));
}

static void put_operation(struct writer *w) {
    text_printf(w->out, "mad.lo.u32 %%r2, %%r2, 69069, %u;\n", (unsigned)random_below(&w->random, 1000));
}

static void put_sequence(struct writer *w, uint32_t depth);

/* if (p) { } else { } */
static void put_branch(struct writer *w, uint32_t depth) {
    const uint32_t label = w->labels++;
    const bool agrees = chance(w, w->shape->uniform); /* no set is opened then */
    const bool meets = !agrees && !chance(w, w->shape->naked) && w->sets < 12;
    if (agrees)
        put_agreement(w);
    else
        put_condition(w);
    if (meets) text_printf(w->out, "bssy %u, T%u;\n", w->sets++, label);
    text_printf(w->out, "@%%p0 bra E%u;\n", label);
    put_sequence(w, depth - 1);
    if (chance(w, 60)) {
        text_printf(w->out, "bra J%u;\nE%u:\n", label, label);
        put_sequence(w, depth - 1);
    } else {
        text_printf(w->out, "E%u:\n", label);
    }
    text_printf(w->out, "J%u:\n", label);
    if (meets) text_printf(w->out, "bsync %u;\n", --w->sets);
    text_printf(w->out, "T%u:\n", label);
}

/* for (i = 0; i < n; i++) { if (p) break; } */
static void put_loop(struct writer *w, uint32_t depth) {
    const uint32_t label = w->labels++, counter = 10 + w->loops;
    const struct enclosing before = w->loop;
    const bool meets = w->sets < 12;
    w->loop = (struct enclosing){.label = label, .set = w->sets};
    text_printf(w->out, "mov.u32 %%r%u, 0;\n", counter);
    if (meets) text_printf(w->out, "bssy %u, T%u;\n", w->sets++, label);
    text_printf(w->out, "L%u:\n", label);
    w->loops++;
    put_sequence(w, depth - 1);
    w->loops--;
    text_printf(w->out, "add.u32 %%r%u, %%r%u, 1;\n", counter, counter);
    put_condition(w);
    if (chance(w, 70)) text_printf(w->out, "@%%p0 bra J%u;\n", label);
    if (chance(w, 30)) put_operation(w);
    text_printf(w->out, "setp.lt.u32 %%p1, %%r%u, %u;\n@%%p1 bra L%u;\n", counter,
                (unsigned)(1 + random_below(&w->random, 4)), label);
    if (chance(w, 30)) put_operation(w);
    text_printf(w->out, "J%u:\n", label);
    if (meets) text_printf(w->out, "bsync %u;\n", --w->sets);
    text_printf(w->out, "T%u:\n", label);
    w->loop = before;
}

/* if (p) break; out of sets that were opened in the loop */
static void put_break(struct writer *w) {
    put_condition(w);
    for (uint32_t set = w->sets; set-- > w->loop.set + 1;)
        text_printf(w->out, "@%%p0 break %u;\n", set);
    text_printf(w->out, "@%%p0 bra J%u;\n", w->loop.label);
}

static void put_statement(struct writer *w, uint32_t depth) {
    const uint32_t choice = (uint32_t)random_below(&w->random, 10);
    if (w->loops > 0 && choice < 2)
        put_break(w);
    else if (depth > 0 && choice < 6)
        put_branch(w, depth);
    else if (depth > 0 && choice < 8 && w->loops < 3)
        put_loop(w, depth);
    else
        put_operation(w);
    if (!chance(w, w->shape->ends)) return;
    put_condition(w);
    text_string(w->out, chance(w, 50) ? "@%p0 bra END;\n" : "@%p0 exit;\n");
}

static void put_sequence(struct writer *w, uint32_t depth) {
    const uint64_t count = 1 + random_below(&w->random, w->shape->statements);
    for (uint64_t i = 0; i < count; i++)
        put_statement(w, depth);
}

void random_machine_put(uint64_t seed, const struct random_machine_shape *shape, struct text *out) {
    struct writer writer = {.shape = shape, .random = random_seeded(seed), .out = out};
    text_string(
        out, ".version 8.0\n.target sm_90\n.address_size 64\n"
             ".visible .entry k(.param .u64 data, .param .u64 out)\n{\n.reg .pred %p<4>;\n"
             ".reg .b32 %r<20>;\n.reg .b64 %rd<8>;\nmov.u32 %r0, %tid.x;\n"
             "ld.param.u64 %rd1, [data];\nld.param.u64 %rd2, [out];\n"
             "ld.global.u32 %r4, [%rd1+1020];\nld.global.u32 %r6, [%rd1+1020];\nmul.wide.u32 %rd3, %r0, 4;\n"
             "add.u64 %rd4, %rd1, %rd3;\nld.global.u32 %r1, [%rd4];\nmov.u32 %r2, 1;\n");
    for (int part = 0; part < 3; part++) {
        put_sequence(&writer, shape->depth);
        if (part == 1) text_string(out, "warpsync 0xffffffff;\n");
    }
    text_string(out, "END:\nmul.wide.u32 %rd3, %r0, 8;\nadd.u64 %rd4, %rd2, %rd3;\n"
                     "cvt.u64.u32 %rd5, %r2;\nst.global.u64 [%rd4], %rd5;\nexit;\n}\n");
}
