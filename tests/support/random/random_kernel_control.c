/* Branches, loops and early ends of random kernels. */
#include <string.h>

#include "random_kernel_writer.h"

/* What decides a branch or how often a loop runs. */
enum decider {
    BY_CONSTANT,
    BY_SCALAR,
    BY_WARP,   /* the number of the warp */
    BY_THREAD, /* the number of the thread */
    BY_COMMON, /* an element of the input, the same for all threads */
    BY_DATA,   /* an element of the input */
    BY_POOL    /* whatever is in the registers */
};

enum { DECIDERS = BY_POOL + 1, UNIFORM_DECIDERS = BY_SCALAR + 1 };

#define NO_LABEL 0u

static uint32_t new_label(struct kernel_writer *writer) {
    return ++writer->labels;
}

static void emit_label(struct kernel_writer *writer, uint32_t label) {
    text_printf(&writer->body, "$L%u:\n", label);
}

static void emit_jump(struct kernel_writer *writer, uint32_t label) {
    text_printf(&writer->body, "bra.uni $L%u;\n", label);
}

/* A branch on %q, or where it does not hold. */
static void emit_branch(struct kernel_writer *writer, bool holds, uint32_t label) {
    text_printf(&writer->body, "@%s%%q bra $L%u;\n", holds ? "" : "!", label);
}

/* Sets %t to a number from 0 to `mask`, a power of two less one. Returns the largest. */
static uint32_t emit_number(struct kernel_writer *writer, enum decider decider, uint32_t mask) {
    struct text *body = &writer->body;
    uint32_t constant = writer_below(writer, mask + 1);
    switch (decider) {
    case BY_CONSTANT: text_printf(body, "mov.u32 %%t, %u;\n", constant); return constant;
    case BY_SCALAR:
        writer_emit(writer, writer_chance(writer, 50) ? "mov.u32 %t, %n;" : "mov.u32 %t, %m;");
        break;
    case BY_WARP: writer_emit(writer, "shr.u32 %t, %id, 5;"); break;
    case BY_THREAD: writer_emit(writer, "shr.u32 %t, %id, #k;\nxor.b32 %t, %t, %id;"); break;
    case BY_COMMON:
        text_printf(body, "ld.global.u32 %%t, [%%in+%u];\n", 4 * writer_below(writer, INPUT_ELEMENTS));
        break;
    case BY_DATA:
        writer_emit(writer, "and.b32 %t, #i, 255;\nmul.wide.u32 %x, %t, 4;\nadd.s64 %x, %x, %in;\n"
                            "ld.global.u32 %t, [%x];");
        break;
    case BY_POOL: writer_emit(writer, "mov.b32 %t, #i;"); break;
    }
    text_printf(body, "and.b32 %%t, %%t, %u;\n", mask);
    return mask;
}

/* What is to decide. Where little is data, mostly what is in the registers. */
static enum decider choose_decider(struct kernel_writer *writer, bool uniform) {
    if (uniform && writer->data_meets && writer_chance(writer, 50)) return BY_COMMON;
    if (!uniform && writer->knows_much && writer_chance(writer, 70)) return BY_POOL;
    return (enum decider)writer_below(writer, uniform ? UNIFORM_DECIDERS : DECIDERS);
}

/* Sets %q. */
static void emit_condition(struct kernel_writer *writer, bool uniform) {
    static const char *const relations[] = {"eq", "ne", "lt", "ge"};
    enum decider decider = choose_decider(writer, uniform);
    if (!uniform && writer_chance(writer, 20)) {
        writer_emit(writer, writer_chance(writer, 50) ? "mov.pred %q, #q;" : "setp.lt.f32 %q, #g, #g;");
        return;
    }
    uint32_t most = emit_number(writer, decider, (2u << writer_below(writer, 4)) - 1);
    text_printf(&writer->body, "setp.%s.u32 %%q, %%t, %u;\n", relations[writer_below(writer, 4)],
                writer_below(writer, most + 1));
}

/* The place inside a branch. */
static struct writer_place inner_place(const struct writer_place *place, bool uniform) {
    struct writer_place inner = *place;
    inner.depth++;
    inner.uniform = place->uniform && uniform;
    return inner;
}

/* if (...) {...} [else {...}], by chance with a second condition that is asked only if the first holds. */
static void emit_if(struct kernel_writer *writer, const struct writer_place *place) {
    const bool uniform = place->uniform && writer_chance(writer, 40), has_else = writer_chance(writer, 50);
    const struct writer_place inner = inner_place(place, uniform);
    const uint32_t otherwise = new_label(writer), end = new_label(writer);
    for (uint32_t conditions = writer_chance(writer, 20) ? 2 : 1; conditions > 0; conditions--) {
        emit_condition(writer, uniform);
        emit_branch(writer, writer_chance(writer, 50), otherwise);
    }
    writer_sequence(writer, &inner);
    if (has_else) emit_jump(writer, end);
    emit_label(writer, otherwise);
    if (has_else) writer_sequence(writer, &inner);
    emit_label(writer, end);
}

/* A jump to one of four cases, some of which go on with the next one. */
static void emit_switch(struct kernel_writer *writer, const struct writer_place *place) {
    const bool uniform = place->uniform && writer_chance(writer, 40);
    const struct writer_place inner = inner_place(place, uniform);
    const uint32_t table = new_label(writer), end = new_label(writer), first = end + 1;
    writer->labels += 4;
    (void)emit_number(writer, choose_decider(writer, uniform), 3);
    text_printf(&writer->body, "$L%u: .branchtargets $L%u, $L%u, $L%u, $L%u;\nbrx.idx %%t, $L%u;\n", table,
                first, first + 1, first + 2, first + 3, table);
    for (uint32_t i = 0; i < 4; i++) {
        emit_label(writer, first + i);
        if (writer_chance(writer, 50)) writer_sequence(writer, &inner);
        if (writer_chance(writer, 70)) emit_jump(writer, end);
    }
    emit_label(writer, end);
}

/* Where a loop's variable starts, when it goes on, how it steps; %c0 is the variable, %c1 the limit. `trips`
 * is what the largest limit comes to. */
struct counting {
    const char *start, *goes_on, *step;
    uint32_t (*trips)(uint32_t limit);
};

static uint32_t trips_by_one(uint32_t limit) {
    return limit;
}

static uint32_t trips_by_three(uint32_t limit) {
    return (limit + 2) / 3;
}

static uint32_t bits_of(uint32_t limit) {
    return limit == 0 ? 0 : 32 - (uint32_t)__builtin_clz(limit);
}

static const struct counting countings[] = {
    {"mov.u32 C, 0;", "setp.lt.u32 %q, C, E;", "add.u32 C, C, 1;", trips_by_one},
    {"mov.u32 C, 0;", "setp.lt.u32 %q, C, E;", "add.u32 C, C, 3;", trips_by_three},
    {"mov.u32 C, 0;", "setp.ne.u32 %q, C, E;", "add.u32 C, C, 1;", trips_by_one},
    {"mov.u32 C, E;", "setp.gt.s32 %q, C, 0;", "sub.u32 C, C, 1;", trips_by_one},
    {"mov.u32 C, 1;", "setp.le.u32 %q, C, E;", "shl.b32 C, C, 1;", bits_of},
    {"mov.u32 C, E;", "setp.ne.u32 %q, C, 0;", "shr.u32 C, C, 1;", bits_of},
};

enum { COUNTINGS = sizeof countings / sizeof *countings, COUNTING_TO_EQUAL = 2 };

/* A line in which C and E stand for the loop's variable and its limit. */
static void emit_counting(struct kernel_writer *writer, const char *line, uint32_t counter) {
    for (const char *at = line; *at != '\0'; at++) {
        if (*at == 'C' || *at == 'E')
            text_printf(&writer->body, "%%c%u", counter + (*at == 'E'));
        else
            text_char(&writer->body, *at);
    }
    text_char(&writer->body, '\n');
}

static void add_loop(struct kernel_writer *writer, uint32_t label, uint32_t headers, enum decider decider) {
    struct random_loop loop = {label, headers, decider >= BY_COMMON, writer->in_function};
    if (vec_push(&writer->kernel->loops, loop) != WB_OK) writer->body.failed = true;
}

/* The place inside a loop's body. */
static struct writer_place loop_place(struct kernel_writer *writer, const struct writer_place *place,
                                      bool uniform, uint32_t end) {
    struct writer_place inner = inner_place(place, uniform);
    inner.loops[inner.loop_count++] = (struct writer_loop){end, new_label(writer), inner.uniform};
    return inner;
}

/* A loop's body up to and with its step. */
static void emit_body(struct kernel_writer *writer, const struct writer_place *inner,
                      const struct counting *counting, uint32_t counter) {
    writer_sequence(writer, inner);
    emit_label(writer, inner->loops[inner->loop_count - 1].latch);
    emit_counting(writer, counting->step, counter);
}

/* while: the header asks and runs once more than the body. */
static void emit_while(struct kernel_writer *writer, const struct writer_place *inner, uint32_t header,
                       const struct counting *counting, uint32_t counter) {
    const uint32_t end = inner->loops[inner->loop_count - 1].end;
    emit_label(writer, header);
    emit_counting(writer, counting->goes_on, counter);
    emit_branch(writer, false, end);
    emit_body(writer, inner, counting, counter);
    emit_jump(writer, header);
    emit_label(writer, end);
}

/* do-while, by chance behind a question whether it runs at all; counting until equality needs that. */
static void emit_do_while(struct kernel_writer *writer, const struct writer_place *inner, uint32_t header,
                          const struct counting *counting, uint32_t counter) {
    const uint32_t end = inner->loops[inner->loop_count - 1].end;
    if (counting == &countings[COUNTING_TO_EQUAL] || writer_chance(writer, 50)) {
        emit_counting(writer, counting->goes_on, counter);
        emit_branch(writer, false, end);
    }
    emit_label(writer, header);
    emit_body(writer, inner, counting, counter);
    emit_counting(writer, counting->goes_on, counter);
    emit_branch(writer, true, header);
    emit_label(writer, end);
}

/* A loop over a variable. */
static void emit_counted_loop(struct kernel_writer *writer, const struct writer_place *place) {
    const bool uniform = place->uniform && writer_chance(writer, 60);
    const struct counting *counting = &countings[writer_below(writer, COUNTINGS)];
    const enum decider decider = choose_decider(writer, uniform);
    const uint32_t counter = writer->counters, header = new_label(writer);
    const struct writer_place inner = loop_place(writer, place, uniform, new_label(writer));
    const bool asks_first = writer_chance(writer, 50);
    writer->counters += 2;
    uint32_t trips = counting->trips(emit_number(writer, decider, writer->shape->trips));
    text_printf(&writer->body, "mov.u32 %%c%u, %%t;\n", counter + 1);
    emit_counting(writer, counting->start, counter);
    add_loop(writer, header, asks_first ? trips + 1 : trips > 0 ? trips : 1, decider);
    if (asks_first)
        emit_while(writer, &inner, header, counting, counter);
    else
        emit_do_while(writer, &inner, header, counting, counter);
}

/* A loop up to its test: x begins with a value from data, and is x = (5 x + 1) mod (mask + 1) at the end of
 * each iteration, so that all values come up in turn. */
static void emit_congruential_body(struct kernel_writer *writer, const struct writer_place *inner,
                                   uint32_t header, uint32_t mask) {
    const uint32_t counter = writer->counters++;
    (void)emit_number(writer, BY_DATA, mask);
    text_printf(&writer->body, "mov.u32 %%c%u, %%t;\n", counter);
    add_loop(writer, header, mask + 1, BY_DATA);
    emit_label(writer, header);
    writer_sequence(writer, inner);
    emit_label(writer, inner->loops[inner->loop_count - 1].latch);
    text_printf(&writer->body, "mad.lo.u32 %%c%u, %%c%u, 5, 1;\nand.b32 %%c%u, %%c%u, %u;\n", counter,
                counter, counter, counter, mask);
}

/* A loop that ends when x has a certain value. */
static void emit_congruential_loop(struct kernel_writer *writer, const struct writer_place *place) {
    const uint32_t mask = writer->shape->trips, counter = writer->counters, header = new_label(writer);
    const struct writer_place inner = loop_place(writer, place, false, new_label(writer));
    const struct writer_loop *loop = &inner.loops[inner.loop_count - 1];
    emit_congruential_body(writer, &inner, header, mask);
    text_printf(&writer->body, "setp.ne.u32 %%q, %%c%u, %u;\n", counter, writer_below(writer, mask + 1));
    emit_branch(writer, true, header);
    emit_label(writer, loop->end);
}

/* Two loops with one header: x goes through its values as above, and the first of two branches back is taken
 * while something else holds, too. */
static void emit_twin_loops(struct kernel_writer *writer, const struct writer_place *place) {
    const uint32_t mask = writer->shape->trips, counter = writer->counters, header = new_label(writer);
    const uint32_t last = writer_below(writer, mask + 1);
    const struct writer_place inner = loop_place(writer, place, false, new_label(writer));
    const struct writer_loop *loop = &inner.loops[inner.loop_count - 1];
    emit_congruential_body(writer, &inner, header, mask);
    emit_condition(writer, false);
    text_printf(&writer->body, "setp.ne.and.u32 %%q, %%c%u, %u, %%q;\n", counter, last);
    emit_branch(writer, true, header);
    writer_straight(writer, &inner);
    text_printf(&writer->body, "setp.ne.u32 %%q, %%c%u, %u;\n", counter, last);
    emit_branch(writer, true, header);
    emit_label(writer, loop->end);
}

/* A loop unrolled by four: body times four, then the remainder one by one, as compilers write it. */
static void emit_unrolled_loop(struct kernel_writer *writer, const struct writer_place *place) {
    const bool uniform = place->uniform && writer_chance(writer, 60);
    const enum decider decider = choose_decider(writer, uniform);
    const uint32_t counter = writer->counters, header = new_label(writer), rest = new_label(writer);
    const uint32_t end = new_label(writer), between = new_label(writer);
    const struct writer_place inner = inner_place(place, uniform);
    writer->counters += 2; /* iterations of the remainder, and of the main loop times four */
    uint32_t most = emit_number(writer, decider, 7);
    text_printf(&writer->body, "and.b32 %%c%u, %%t, 3;\nsub.u32 %%c%u, %%t, %%c%u;\n", counter, counter + 1,
                counter);
    text_printf(&writer->body, "setp.eq.u32 %%q, %%c%u, 0;\n", counter + 1);
    emit_branch(writer, true, between);
    add_loop(writer, header, most / 4 > 0 ? most / 4 : 1, decider);
    emit_label(writer, header);
    for (uint32_t i = 0; i < 4; i++)
        writer_straight(writer, &inner);
    text_printf(&writer->body, "sub.u32 %%c%u, %%c%u, 4;\nsetp.ne.u32 %%q, %%c%u, 0;\n", counter + 1,
                counter + 1, counter + 1);
    emit_branch(writer, true, header);
    emit_label(writer, between);
    text_printf(&writer->body, "setp.eq.u32 %%q, %%c%u, 0;\n", counter);
    emit_branch(writer, true, end);
    add_loop(writer, rest, 3, decider);
    emit_label(writer, rest);
    writer_straight(writer, &inner);
    text_printf(&writer->body, "sub.u32 %%c%u, %%c%u, 1;\nsetp.ne.u32 %%q, %%c%u, 0;\n", counter, counter,
                counter);
    emit_branch(writer, true, rest);
    emit_label(writer, end);
}

/* Leaves a loop, not always the innermost, or goes on with its next iteration. Out of a loop with barriers
 * only all threads together. */
static void emit_leave(struct kernel_writer *writer, const struct writer_place *place) {
    if (place->loop_count == 0) {
        writer_straight(writer, place);
        return;
    }
    const struct writer_loop *loop = &place->loops[place->loop_count - 1];
    if (place->loop_count > 1 && writer_chance(writer, 20)) loop--;
    if (loop->meets && !place->uniform) {
        writer_straight(writer, place);
        return;
    }
    emit_condition(writer, loop->meets);
    emit_branch(writer, writer_chance(writer, 50), writer_chance(writer, 50) ? loop->end : loop->latch);
}

/* Ends some threads. Where barriers follow that must not keep the others from meeting again. */
static void emit_return(struct kernel_writer *writer, const struct writer_place *place) {
    if (writer->kernel->has_barriers && !place->uniform) {
        writer_straight(writer, place);
        return;
    }
    emit_condition(writer, false);
    if (writer->kernel->has_barriers || writer_chance(writer, 50)) {
        writer_emit(writer, writer_chance(writer, 50) ? "@%q ret;" : "@%q exit;");
    } else {
        const uint32_t behind = new_label(writer);
        emit_branch(writer, false, behind);
        writer_straight(writer, place);
        writer_emit(writer, "ret;");
        emit_label(writer, behind);
    }
}

static void emit_compound(struct kernel_writer *writer, const struct writer_place *place) {
    switch (writer_below(writer, 12)) {
    case 0: emit_switch(writer, place); break;
    case 1: emit_twin_loops(writer, place); break;
    case 2: emit_congruential_loop(writer, place); break;
    case 3:
    case 4: emit_unrolled_loop(writer, place); break;
    case 5:
    case 6:
    case 7: emit_counted_loop(writer, place); break;
    default: emit_if(writer, place); break;
    }
}

/* One statement, or nothing where it is to be omitted. */
static void emit_statement(struct kernel_writer *writer, const struct writer_place *place) {
    const size_t length = writer->body.length, loops = writer->kernel->loops.count;
    const size_t together = writer->kernel->together.count;
    const uint32_t number = writer->kernel->statements++;
    const uint32_t kind = writer_below(writer, 100);
    if (place->depth < writer->shape->depth && kind < 30)
        emit_compound(writer, place);
    else if (kind < 38 && place->depth > 0)
        emit_leave(writer, place);
    else if (kind > 95 && writer->may_return)
        emit_return(writer, place);
    else
        writer_straight(writer, place);
    if (writer->omitted == NULL || number >= RANDOM_STATEMENTS_MAX || !writer->omitted[number]) return;
    writer->body.length = length;
    writer->kernel->loops.count = loops;
    writer->kernel->together.count = together;
}

void writer_sequence(struct kernel_writer *writer, const struct writer_place *place) {
    const uint32_t length = writer->shape->length, least = place->depth == 0 ? length : 1;
    for (uint32_t left = least + writer_below(writer, length); left > 0; left--)
        emit_statement(writer, place);
}
