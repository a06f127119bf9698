#include "steered_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/containers.h"
#include "launch/launch.h"

#define DEPTH_MAX 3u
#define LOOPS_MAX 4u
#define LOADED 6u /* registers that loads write */
#define STEERS 4u /* registers that data is in */
#define PRIVATE_WORDS 8u
#define RAISED (1u << 18) /* more iterations than covering executes */

/* Where statements stand. */
struct place {
    uint32_t depth;
    bool uniform;            /* all threads of a block get here together, or have ended */
    bool asks;               /* only if data says so */
    uint32_t end[LOOPS_MAX]; /* labels behind the loops around it */
    uint32_t loops;
};

/* What there is more of than usual. */
enum profile {
    PROFILE_NONE,
    PROFILE_COPIES,
    PROFILE_PRIVATE, /* local memory */
    PROFILE_KNOWN,   /* known addresses, */
    PROFILE_LOADS,   /* and nearly no stores, in little memory: most of what can be said of hits */
    PROFILE_ORDERED, /* whatever the data, the same accesses are made in the same order under reordering */
    PROFILES
};

struct writer {
    struct random_state random;
    const bool *omitted;
    struct steered_kernel *kernel;
    struct text body;
    uint32_t labels, counters;
    bool has_barriers, few_steps;
    bool has_private; /* local memory, which leaves nothing to say of generic addresses that are not known */
    enum profile profile;
};

static uint32_t below(struct writer *writer, uint32_t bound) {
    return (uint32_t)random_below(&writer->random, bound);
}

static bool chance(struct writer *writer, uint32_t percent) {
    return below(writer, 100) < percent;
}

#define PUT(...) text_printf(&writer->body, __VA_ARGS__)

/* Which word of the data is asked for differs by lane, by warp, by block, or not at all. */
static void put_steer(struct writer *writer, const char *into, bool uniform) {
    static const char *const who[] = {"%gid", "%gid", "%gwarp", "%blk", "0"};
    const char *by = who[uniform ? 3 + below(writer, 2) : below(writer, 5)];
    const uint32_t step = 1 + 2 * below(writer, 3), first = below(writer, STEERED_DATA);
    PUT("mov.u32 %%t, %s;\nmad.lo.u32 %%t, %%t, %u, %u;\nand.b32 %%t, %%t, %u;\n", by, step, first,
        STEERED_DATA - 1);
    PUT("mul.wide.u32 %%x, %%t, 4;\n");
    PUT("add.s64 %%x, %%x, %%data;\nld.const.u32 %s, [%%x];\n", into);
}

/* Sets %t to the number of a word of an array of so many words, known or not. */
static void put_known_word(struct writer *writer, uint32_t words) {
    static const char *const forms[] = {
        "mov.u32 %t, %lane;\n",
        "mov.u32 %t, %gid;\n",
        "shl.b32 %t, %lane, 5;\n",
        "shl.b32 %t, %gwarp, 5;\n",
        "shl.b32 %t, %blk, 5;\n",
        "and.b32 %t, %lane, 3;\nshl.b32 %t, %t, 5;\n",
        "mov.u32 %t, %turn;\nshl.b32 %t, %t, 5;\n",
        "mov.u32 %t, 0;\n",
        "mov.u32 %t, 0;\n",
        "mov.u32 %t, 0;\n",
    };
    text_string(&writer->body, forms[below(writer, sizeof forms / sizeof *forms)]);
    if (chance(writer, 60)) PUT("add.u32 %%t, %%t, %u;\n", 32 * below(writer, 8));
    PUT("and.b32 %%t, %%t, %u;\n", words - 1);
}

static void put_unknown_word(struct writer *writer, uint32_t words) {
    const uint32_t steer = below(writer, STEERS), mask = (1u << below(writer, 6)) - 1;
    const uint32_t one = 32 * below(writer, 16), another = 32 * below(writer, 16);
    switch (below(writer, 8)) {
    case 0: PUT("and.b32 %%t, %%v%u, %u;\n", steer, words - 1); break;
    case 1: PUT("and.b32 %%t, %%v%u, %u;\nshl.b32 %%t, %%t, 5;\n", steer, mask); break;
    case 2: PUT("and.b32 %%t, %%v%u, %u;\nadd.u32 %%t, %%t, %%lane;\n", steer, mask); break;
    case 3: PUT("rem.u32 %%t, %%v%u, %u;\n", steer, words); break;
    case 4: PUT("min.u32 %%t, %%v%u, %u;\n", steer, words - 1); break;
    case 5: PUT("and.b32 %%t, %%v%u, 3;\nsub.u32 %%t, %%t, 1;\n", steer); break;
    case 6: PUT("shr.u32 %%t, %%v%u, 3;\nand.b32 %%t, %%t, %u;\n", steer, mask); break;
    default: PUT("selp.b32 %%t, %u, %u, %%p%u;\n", one, another, steer % 2); break;
    }
    PUT("and.b32 %%t, %%t, %u;\n", words - 1);
}

static void put_word(struct writer *writer, uint32_t words) {
    switch (below(writer, writer->profile == PROFILE_KNOWN || writer->profile == PROFILE_LOADS ? 30 : 10)) {
    case 0: /* some lanes know, others do not */
        put_known_word(writer, words);
        PUT("mov.u32 %%s, %%t;\n");
        put_unknown_word(writer, words);
        PUT("setp.lt.u32 %%q, %%lane, %u;\nselp.b32 %%t, %%s, %%t, %%q;\n", 1 + below(writer, 31));
        break;
    case 1:
    case 2:
    case 3:
    case 4: put_unknown_word(writer, words); break;
    default: put_known_word(writer, words); break;
    }
}

/* Sets %x to an address in one of two arrays, which a branch or guards choose. */
static void put_chosen_address(struct writer *writer, uint32_t words, uint32_t words_together) {
    const uint32_t otherwise = ++writer->labels, end = ++writer->labels, lanes = 1 + below(writer, 31);
    put_word(writer, words);
    if (words_together > 1) PUT("and.b32 %%t, %%t, %u;\n", words - words_together);
    PUT("mul.wide.u32 %%x, %%t, 4;\n");
    if (chance(writer, 50))
        PUT("setp.lt.u32 %%q, %%lane, %u;\n", lanes);
    else
        PUT("mov.pred %%q, %%p%u;\n", lanes % 2);
    if (chance(writer, 50))
        PUT("@%%q add.s64 %%x, %%x, %%table;\n@!%%q add.s64 %%x, %%x, %%other;\n");
    else
        PUT("@%%q bra $L%u;\nadd.s64 %%x, %%x, %%table;\nbra.uni $L%u;\n$L%u:\nadd.s64 %%x, %%x, "
            "%%other;\n$L%u:\n",
            otherwise, end, otherwise, end);
}

/* Sets %x to an address in one of the arrays. */
static void put_address(struct writer *writer, uint32_t words_together) {
    const struct steered_kernel *kernel = writer->kernel;
    const uint32_t least = kernel->table < kernel->other ? kernel->table : kernel->other;
    const char *base = "%table";
    uint32_t words = kernel->table;
    switch (below(writer, 13)) {
    case 7: put_chosen_address(writer, least, words_together); return;
    case 0: /* data chooses the array */
        PUT("selp.b64 %%y, %%table, %%other, %%p%u;\n", below(writer, 2));
        base = "%y", words = least;
        break;
    case 1: /* from one array into the other */
        PUT("sub.s64 %%y, %%other, %%table;\nadd.s64 %%y, %%y, %%table;\n");
        base = "%y", words = kernel->other;
        break;
    case 2: /* an address that went through shared memory */
        PUT("st.shared.u64 [%%kept], %%other;\nld.shared.u64 %%y, [%%kept];\n");
        base = "%y", words = kernel->other;
        break;
    case 3: /* or through its halves */
        PUT("mov.b64 {%%s, %%t}, %%table;\nmov.b64 %%y, {%%s, %%t};\n");
        base = "%y";
        break;
    case 4: /* some lanes in one array, others in the other */
        PUT("setp.lt.u32 %%q, %%lane, %u;\nselp.b64 %%y, %%table, %%other, %%q;\n", 1 + below(writer, 31));
        base = "%y", words = least;
        break;
    case 5: /* variables that stand next to each other, on one line or more */
        PUT("mov.u64 %%y, %s;\n", chance(writer, 50) ? "near_by" : "behind");
        base = "%y", words = 16;
        break;
    case 6: base = "%other", words = kernel->other; break;
    default: break;
    }
    put_word(writer, words);
    if (words_together > 1) PUT("and.b32 %%t, %%t, %u;\n", words - words_together);
    PUT("mul.wide.u32 %%x, %%t, 4;\nadd.s64 %%x, %%x, %s;\n", base);
}

static void put_guard(struct writer *writer) {
    if (writer->profile == PROFILE_ORDERED) {
        if (chance(writer, 30)) text_string(&writer->body, chance(writer, 50) ? "@%even " : "@%some ");
        return;
    }
    switch (below(writer, 10)) {
    case 0: PUT("@%%p0 "); break;
    case 1: PUT("@!%%p1 "); break;
    case 2: PUT("@%%even "); break;
    default: break;
    }
}

static void put_load(struct writer *writer) {
    const uint32_t loaded = below(writer, LOADED);
    static const char *const kinds[] = {"ld.global.u32",          "ld.global.u32",    "ld.global.u32",
                                        "ld.global.u32",          "ld.u32",           "ld.global.nc.u32",
                                        "ld.volatile.global.u32", "ld.global.v2.u32", "ld.global.v4.u32"};
    const uint32_t kind = below(writer, sizeof kinds / sizeof *kinds), wide = kind < 7 ? 1 : 2 * (kind - 6);
    put_address(writer, wide);
    if (strcmp(kinds[kind], "ld.u32") == 0 && writer->profile != PROFILE_ORDERED && chance(writer, 30))
        PUT("mov.u64 %%y, kept;\ncvta.shared.u64 %%y, %%y;\nselp.b64 %%x, %%x, %%y, %%p%u;\n", loaded % 2);
    put_guard(writer);
    PUT("%s ", kinds[kind]);
    if (wide == 1)
        PUT("%%d%u", loaded);
    else if (wide == 2)
        PUT("{%%d%u, %%d%u}", loaded, (loaded + 1) % LOADED);
    else
        PUT("{%%d%u, %%d%u, %%d%u, %%d%u}", loaded, (loaded + 1) % LOADED, (loaded + 2) % LOADED,
            (loaded + 3) % LOADED);
    PUT(", [%%x];\n");
    if (chance(writer, 40)) PUT("add.u32 %%sum, %%sum, %%d%u;\n", loaded);
}

static void put_store(struct writer *writer) {
    if (writer->profile == PROFILE_LOADS && !chance(writer, 15)) return;
    static const char *const kinds[] = {
        "st.global.u32 [%x], %gid;\n",
        "st.global.u32 [%x], %gid;\n",
        "st.u32 [%x], %gid;\n",
        "st.volatile.global.u32 [%x], %gid;\n",
        "red.global.add.u32 [%x], %gid;\n",
        "atom.global.add.u32 %d0, [%x], %gid;\n",
        "atom.global.exch.b32 %d1, [%x], %gid;\n",
    };
    put_address(writer, 1);
    put_guard(writer);
    text_string(&writer->body, kinds[below(writer, sizeof kinds / sizeof *kinds)]);
}

static void put_private(struct writer *writer) {
    if (!writer->has_private) {
        put_load(writer);
        return;
    }
    if (chance(writer, 70))
        put_unknown_word(writer, PRIVATE_WORDS);
    else
        PUT("mov.u32 %%t, %u;\n", below(writer, PRIVATE_WORDS));
    PUT("mul.wide.u32 %%x, %%t, 4;\nadd.s64 %%x, %%x, %%private;\n");
    put_guard(writer);
    if (chance(writer, 50))
        PUT("ld.local.u32 %%d%u, [%%x];\n", below(writer, LOADED));
    else
        PUT("st.local.u32 [%%x], %%gid;\n");
}

/* Copies to shared memory, their groups, and waits for them. */
static void put_copy(struct writer *writer) {
    switch (below(writer, 5)) {
    case 0:
    case 1:
        put_address(writer, 1);
        put_guard(writer);
        PUT("cp.async.ca.shared.global [%%kept], [%%x], 4;\n");
        if (chance(writer, 50)) PUT("cp.async.commit_group;\n");
        break;
    case 2:
        put_guard(writer);
        PUT("cp.async.commit_group;\n");
        break;
    case 3: PUT("cp.async.wait_group %u;\n", below(writer, 3)); break;
    default: PUT("cp.async.wait_all;\n"); break;
    }
}

/* The block's data decides on the barrier by chance: then facts say that all threads meet there. */
static void put_barrier(struct writer *writer, const struct place *place) {
    if (!place->uniform || !writer->has_barriers) return;
    if (place->asks) {
        PUT("$L%u:\n", ++writer->labels);
        if (vec_push(&writer->kernel->together, writer->labels) != WB_OK) abort();
    }
    PUT("bar.sync 0;\n");
}

static void put_straight(struct writer *writer, const struct place *place) {
    const uint32_t steer = below(writer, STEERS), loaded = below(writer, LOADED);
    char name[16];
    if (writer->profile == PROFILE_COPIES && chance(writer, 35)) {
        put_copy(writer);
        return;
    }
    if (writer->profile == PROFILE_LOADS && chance(writer, 60)) {
        put_load(writer);
        return;
    }
    if (writer->profile == PROFILE_PRIVATE && chance(writer, 35)) {
        put_private(writer);
        return;
    }
    switch (below(writer, 20)) {
    case 0:
    case 1:
        (void)snprintf(name, sizeof name, "%%v%u", steer);
        put_steer(writer, name, false);
        break;
    case 2: PUT("mov.u32 %%v%u, %%d%u;\n", steer, loaded); break;
    case 3:
        PUT("and.b32 %%t, %%v%u, %u;\nsetp.ne.u32 %%p%u, %%t, 0;\n", steer, 1 + loaded % 3, loaded % 2);
        break;
    case 4: PUT("add.u32 %%sum, %%sum, %%d%u;\n", loaded); break;
    case 5: PUT("mul.lo.u32 %%sum, %%sum, %%sum;\n"); break;
    case 6:
    case 7: put_private(writer); break;
    case 8:
    case 9:
    case 10: put_barrier(writer, place); break;
    case 11:
    case 12:
    case 13: put_store(writer); break;
    default: put_load(writer); break;
    }
}

static void put_sequence(struct writer *writer, const struct place *place);

/* Sets %q by data or, by chance, by what is known. */
static void put_condition(struct writer *writer, bool uniform, bool *asks) {
    static const char *const known[] = {"setp.lt.u32 %q, %lane, 9;\n", "setp.eq.u32 %q, %warp, 0;\n",
                                        "setp.lt.u32 %q, %blk, 1;\n"};
    *asks = writer->profile != PROFILE_ORDERED && chance(writer, 75);
    if (!*asks) {
        text_string(&writer->body, known[uniform ? 2 : below(writer, 3)]);
        return;
    }
    put_steer(writer, "%t", uniform);
    PUT("and.b32 %%t, %%t, %u;\nsetp.%s.u32 %%q, %%t, 0;\n", 1u << below(writer, 3),
        chance(writer, 50) ? "eq" : "ne");
}

static struct place inside(const struct place *place, bool uniform, bool asks) {
    struct place inner = *place;
    inner.depth++;
    inner.uniform = place->uniform && uniform;
    inner.asks = place->asks || asks;
    return inner;
}

static void put_if(struct writer *writer, const struct place *place) {
    const bool uniform = place->uniform && writer->has_barriers && chance(writer, 40);
    const uint32_t otherwise = ++writer->labels, end = ++writer->labels;
    const bool has_else = chance(writer, 50);
    bool asks;
    put_condition(writer, uniform, &asks);
    const struct place inner = inside(place, uniform, asks);
    PUT("@!%%q bra $L%u;\n", otherwise);
    put_sequence(writer, &inner);
    if (has_else) PUT("bra.uni $L%u;\n", end);
    PUT("$L%u:\n", otherwise);
    if (has_else) put_sequence(writer, &inner);
    PUT("$L%u:\n", end);
}

/* A loop with a limit that data gives by chance. */
static void put_loop(struct writer *writer, const struct place *place) {
    const bool asks = writer->profile != PROFILE_ORDERED && chance(writer, 60), uniform = !asks;
    const uint32_t header = ++writer->labels, end = ++writer->labels, c = writer->counters++;
    const uint32_t most = 1 + 2 * below(writer, 2);
    struct place inner = inside(place, uniform, asks);
    inner.end[inner.loops++] = end;
    if (asks) put_steer(writer, "%t", false);
    if (asks)
        PUT("and.b32 %%m%u, %%t, %u;\n", c, most);
    else
        PUT("mov.u32 %%m%u, %u;\n", c, most);
    PUT("mov.u32 %%c%u, 0;\n$L%u:\nsetp.ge.u32 %%q, %%c%u, %%m%u;\n@%%q bra $L%u;\n", c, header, c, c, end);
    PUT("mov.u32 %%turn, %%c%u;\n", c);
    put_sequence(writer, &inner);
    PUT("add.u32 %%c%u, %%c%u, 1;\nbra.uni $L%u;\n$L%u:\n", c, c, header, end);
    const struct steered_loop loop = {header, most + 1};
    if (vec_push(&writer->kernel->loops, loop) != WB_OK) abort();
}

/* Leaves a loop, or ends threads, where no barrier keeps the others waiting for them to come. */
static void put_leave(struct writer *writer, const struct place *place) {
    bool asks;
    if (place->loops > 0 && (!writer->has_barriers || !place->uniform) && chance(writer, 60)) {
        put_condition(writer, false, &asks);
        PUT("@%%q bra $L%u;\n", place->end[place->loops - 1]);
    } else if (chance(writer, 30) && (!writer->has_barriers || place->uniform)) {
        put_condition(writer, false, &asks);
        PUT("@%%q exit;\n");
    }
}

static void put_statement(struct writer *writer, const struct place *place) {
    const size_t length = writer->body.length, loops = writer->kernel->loops.count;
    const size_t together = writer->kernel->together.count;
    const uint32_t number = writer->kernel->statements++, kind = below(writer, 100);
    if (place->depth < DEPTH_MAX && kind < 18)
        put_if(writer, place);
    else if (place->depth < DEPTH_MAX - 1 && kind < 26)
        put_loop(writer, place);
    else if (kind < 30)
        put_leave(writer, place);
    else
        put_straight(writer, place);
    if (writer->omitted == NULL || number >= STEERED_STATEMENTS_MAX || !writer->omitted[number]) return;
    writer->body.length = length;
    writer->kernel->loops.count = loops;
    writer->kernel->together.count = together;
}

static void put_sequence(struct writer *writer, const struct place *place) {
    const uint32_t length = place->depth == 0 ? (writer->few_steps ? 4 : 8) : 1;
    for (uint32_t left = length + below(writer, place->depth == 0 ? length : 3); left > 0; left--)
        put_statement(writer, place);
}

static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b32 data[1024];\n"
    ".global .align 16 .b32 near_by[20];\n.global .align 16 .b32 behind[40];\n"
    ".visible .entry k(.param .u64 first, .param .u64 second, .param .u32 scalar)\n{\n"
    ".reg .pred %q, %p<2>, %even, %some;\n.reg .b64 %x, %y, %table, %other, %data, %private;\n"
    ".reg .b32 %t, %s, %d<6>, %v<4>, %gid, %gwarp, %blk, %lane, %warp, %kept, %sum, %turn;\n"
    ".shared .align 8 .b8 kept[8192];\n";

static const char prologue[] =
    "ld.param.u64 %table, [first];\ncvta.to.global.u64 %table, %table;\n"
    "ld.param.u64 %other, [second];\ncvta.to.global.u64 %other, %other;\n"
    "mov.u64 %data, data;\n"
    "mov.u32 %t, %tid.x;\nmov.u32 %blk, %ctaid.x;\nmov.u32 %s, %ntid.x;\n"
    "mad.lo.u32 %gid, %blk, %s, %t;\nshr.u32 %gwarp, %gid, 5;\nshr.u32 %warp, %t, 5;\n"
    "and.b32 %lane, %t, 31;\nmov.u32 %kept, kept;\nshl.b32 %t, %t, 3;\nadd.u32 %kept, %kept, %t;\n"
    "mov.u32 %sum, 1;\nmov.u32 %turn, 0;\n"
    "and.b32 %t, %lane, 1;\nsetp.eq.u32 %even, %t, 0;\n"
    "mov.u32 %d0, 1;\nmov.u32 %d1, 1;\nmov.u32 %d2, 1;\nmov.u32 %d3, 1;\nmov.u32 %d4, 1;\nmov.u32 %d5, 1;\n"
    "ld.param.u32 %v0, [scalar];\n";

static void put_kernel(struct writer *writer, struct text *ptx) {
    const struct place top = {.uniform = true};
    put_sequence(writer, &top);
    struct text body = writer->body;
    writer->body = (struct text){0};
    text_string(&writer->body, prologue);
    put_steer(writer, "%v1", false);
    put_steer(writer, "%v2", false);
    PUT("mov.u32 %%v3, %%v1;\nand.b32 %%t, %%v1, 1;\nsetp.eq.u32 %%p0, %%t, 0;\n"
        "and.b32 %%t, %%v2, 2;\nsetp.eq.u32 %%p1, %%t, 0;\nsetp.eq.or.u32 %%some, %%lane, 3, %%p0;\n");
    text_string(ptx, head);
    text_printf(ptx, ".reg .b32 %%c<%u>, %%m<%u>;\n", writer->counters + 1, writer->counters + 1);
    if (writer->has_private) text_string(ptx, ".local .align 4 .b32 own[8];\nmov.u64 %private, own;\n");
    text_append(ptx, writer->body.data, writer->body.length);
    text_append(ptx, body.data == NULL ? "" : body.data, body.length);
    text_string(ptx, "ret;\n}\n");
    text_free(&body);
    text_free(&writer->body);
}

void steered_kernel_make(uint64_t seed, const bool omitted[STEERED_STATEMENTS_MAX],
                         struct steered_kernel *kernel) {
    struct writer writer = {.random = random_seeded(seed), .omitted = omitted, .kernel = kernel};
    struct text ptx = {0};
    *kernel = (struct steered_kernel){.seed = seed};
    kernel->threads = 32 * (1 + below(&writer, 3)) - (chance(&writer, 15) ? below(&writer, 31) : 0);
    kernel->blocks = 1 + below(&writer, 6);
    kernel->table = 32u << below(&writer, 5);
    kernel->other = 32u << below(&writer, 3);
    kernel->behind = 4 * below(&writer, 4);
    kernel->raised = below(&writer, 60) == 0;
    writer.has_barriers = chance(&writer, 50);
    writer.few_steps = chance(&writer, 50);
    writer.profile = (enum profile)below(&writer, PROFILES);
    writer.has_private = writer.profile == PROFILE_PRIVATE || chance(&writer, 25);
    if (writer.profile == PROFILE_LOADS) kernel->table = 32u << below(&writer, 3);
    put_kernel(&writer, &ptx);
    kernel->ptx = text_take(&ptx);
    if (kernel->ptx == NULL) abort();
}

void steered_kernel_free(struct steered_kernel *kernel) {
    free(kernel->ptx);
    vec_free(&kernel->loops);
    vec_free(&kernel->together);
    *kernel = (struct steered_kernel){0};
}

void steered_kernel_put_facts(const struct steered_kernel *kernel, struct text *out) {
    for (size_t i = 0; i < kernel->together.count; i++)
        text_printf(out, "together $L%u;\n", kernel->together.items[i]);
    for (size_t i = 0; i < kernel->loops.count; i++)
        text_printf(out, "loop $L%u <= %u;\n", kernel->loops.items[i].label,
                    kernel->loops.items[i].headers + (kernel->raised ? RAISED : 0));
}

wb_facts *steered_kernel_facts(const struct steered_kernel *kernel, const wb_kernel *parsed,
                               wb_diagnostics *diagnostics) {
    struct text text = {0};
    wb_facts *facts = NULL;
    uint64_t checksum;
    if (facts_checksum(parsed, &checksum) != WB_OK) abort();
    facts_put_header(parsed, checksum, &text);
    for (size_t i = 0; i < kernel->loops.count; i++)
        text_printf(&text, "loop $L%u <= %u;\n", kernel->loops.items[i].label,
                    kernel->loops.items[i].headers);
    if (text.failed ||
        wb_facts_parse("steered.facts", text.data, text.length, parsed, diagnostics, &facts) != WB_OK)
        facts = NULL;
    text_free(&text);
    return facts;
}

/* Contents that are the first words of `data`. */
static void give(struct wb_launch *launch, struct launch_contents *contents, const uint32_t *data) {
    const uint64_t bytes = launch_contents_size(contents);
    contents->fill = LAUNCH_FILL_FILE;
    contents->file_bytes = arena_alloc(&launch->arena, bytes);
    contents->file_size = bytes;
    if (contents->file_bytes == NULL) abort();
    memcpy(contents->file_bytes, data, bytes);
}

wb_launch *steered_kernel_launch(const struct steered_kernel *kernel, const uint32_t *data) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = wb_launch_new();
    char first[32], second[32], scalar[32] = "u32:?";
    const uint32_t blocks[] = {kernel->blocks, 1, 1}, threads[] = {kernel->threads, 1, 1};
    (void)snprintf(first, sizeof first, "buf:u32[%u]", kernel->table);
    (void)snprintf(second, sizeof second, "buf:u32[%u]+%u", kernel->other + kernel->behind, kernel->behind);
    if (data != NULL) (void)snprintf(scalar, sizeof scalar, "u32:%u", data[STEERED_DATA - 1]);
    if (wb_launch_set_grid(launch, blocks, diagnostics) != WB_OK ||
        wb_launch_set_block(launch, threads, diagnostics) != WB_OK ||
        wb_launch_add_argument(launch, first, diagnostics) != WB_OK ||
        wb_launch_add_argument(launch, second, diagnostics) != WB_OK ||
        wb_launch_add_argument(launch, scalar, diagnostics) != WB_OK ||
        wb_launch_set_variable(launch, "data=u32[1024]=zero", diagnostics) != WB_OK ||
        wb_launch_assume(launch, WB_TAKE_ALL, diagnostics) != WB_OK) {
        (void)fprintf(stderr, "%s", wb_diagnostics_text(diagnostics));
        abort();
    }
    wb_diagnostics_free(diagnostics);
    if (data == NULL) {
        launch->variables.items[0].contents.fill = LAUNCH_FILL_UNKNOWN;
        return launch;
    }
    give(launch, &launch->variables.items[0].contents, data);
    give(launch, &launch->arguments.items[0].contents, data + 7);
    give(launch, &launch->arguments.items[1].contents, data + 300);
    return launch;
}

void steered_data_make(uint64_t seed, uint32_t data[STEERED_DATA]) {
    struct random_state random = random_seeded(seed ^ UINT64_C(0xdadadada));
    const bool mixed = random_below(&random, 2) != 0;
    uint64_t pattern = random_below(&random, 12);
    const uint32_t sets = 1u << random_below(&random, 4);
    for (uint32_t i = 0; i < STEERED_DATA; i++) {
        if (mixed && i % 64 == 0) pattern = random_below(&random, 12);
        const uint32_t noise = (uint32_t)random_next(&random);
        switch (pattern) {
        case 0: data[i] = 0; break;
        case 1: data[i] = UINT32_MAX; break;
        case 2: data[i] = i; break;
        case 3: data[i] = 32 * i; break;
        case 4: data[i] = (i / 32 % 2) != 0 ? UINT32_MAX : 0; break;
        case 5: data[i] = i % 2 != 0 ? UINT32_MAX : 0; break;
        case 6: data[i] = noise % 4; break;
        case 7: data[i] = 32 * sets * (noise % 16); break; /* one set of a cache */
        case 8: data[i] = (i / 32 % 3) == 0 ? UINT32_MAX - i : i / 64; break;
        case 9: data[i] = noise % 8 == 0 ? 0 : UINT32_MAX; break;
        default: data[i] = noise; break;
        }
    }
}
