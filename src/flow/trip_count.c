#include "flow/trip_count.h"

#include "flow/choices.h"
#include "flow/range_arithmetic.h"

/* Steps of one direction round the circle. */
struct steps {
    bool down;
    uint64_t least, greatest; /* how far, at least 1 */
};

/* False when a step may be zero, or lead either way. */
static bool steps_of(const struct value_range *step, struct steps *steps) {
    if (step->empty) return false;
    struct integers words = range_integers(step, true);
    if (words.low <= 0 && words.high >= 0) return false;
    steps->down = words.high < 0;
    steps->least = (uint64_t)(steps->down ? -words.high : words.low);
    steps->greatest = (uint64_t)(steps->down ? -words.low : words.high);
    return true;
}

/* limit - value + addend where the walk goes up, value - limit + addend where it goes down. */
static bool distance_form(const struct induction *walk, const struct walk_limit *limit, bool down,
                          uint64_t addend, struct linear *form) {
    const struct linear *from = down ? &limit->form : &walk->start_form;
    const struct linear *to = down ? &walk->start_form : &limit->form;
    struct linear constant = linear_constant(limit->range.bits, addend), ahead;
    return limit->is_invariant && walk->has_form && linear_add(&constant, to, 1, &ahead) &&
           linear_add(&ahead, from, UINT64_MAX, form);
}

/* A walk in equal steps that ends at one word: it comes there exactly when the way is a multiple of the step.
 */
static bool count_exact(struct value_state *state, const struct induction *walk,
                        const struct walk_limit *limit, const struct steps *steps, uint64_t *count) {
    bool fixed = limit->is_invariant || range_is_single(&limit->range);
    if (limit->relation != RELATION_NE || !fixed || steps->least != steps->greatest) return false;
    const struct value_range *from = steps->down ? &limit->range : &walk->start;
    const struct value_range *to = steps->down ? &walk->start : &limit->range;
    struct value_range way = range_sub(to, from);
    struct linear form;
    if (distance_form(walk, limit, steps->down, 0, &form)) {
        struct value_range exact = choices_linear(state, &form);
        way = range_meet(&way, &exact);
    }
    *count = 0;
    if (way.empty) return true;
    struct integers words = range_integers(&way, false);
    if (words.low % steps->least != 0 || words.stride % steps->least != 0) return false;
    *count = (uint64_t)words.high / steps->least;
    return true;
}

/* The words that the value may have when it passes the test; false when they are all but one, which is not
 * known but the same in all iterations. */
static bool passing_words(const struct walk_limit *limit, struct value_range *words) {
    *words = range_related(limit->relation, limit->is_signed, &limit->range);
    if (limit->relation != RELATION_NE || range_is_single(&limit->range) || !limit->is_invariant) return true;
    words->span = word_mask(words->bits) - 1;
    return false;
}

/* How far the walk can go among the passing words, from the place where it starts. */
static uint64_t room_by_ranges(const struct value_range *start, const struct value_range *words, bool down) {
    struct value_range first = range_single(words->bits, words->low);
    struct value_range places = range_sub(start, &first);
    struct integers offsets = range_integers(&places, false);
    if (down) return offsets.high < (__int128)words->span ? (uint64_t)offsets.high : words->span;
    return offsets.low < (__int128)words->span ? words->span - (uint64_t)offsets.low : 0;
}

/* The same from the difference of start and limit; false when the limit is not where the walk leaves. The
 * first value that passes is at most `span` away from the end. */
static bool room_by_forms(struct value_state *state, const struct induction *walk,
                          const struct walk_limit *limit, bool down, uint64_t span,
                          struct value_range *room) {
    enum relation relation = limit->relation;
    bool bounds_low = relation == RELATION_GT || relation == RELATION_GE;
    bool bounds_high = relation == RELATION_LT || relation == RELATION_LE;
    bool strict = relation == RELATION_LT || relation == RELATION_GT || relation == RELATION_NE;
    struct linear form;
    if ((down && bounds_high) || (!down && bounds_low)) return false;
    if (!distance_form(walk, limit, down, strict ? UINT64_MAX : 0, &form)) return false;
    struct value_range ahead = range_of(limit->range.bits, 0, span, 1), exact = choices_linear(state, &form);
    *room = range_meet(&exact, &ahead);
    return true;
}

bool trip_count(struct value_state *state, const struct induction *walk, const struct walk_limit *limit,
                uint64_t *count) {
    struct value_range words, start = walk->start, room;
    struct steps steps;
    bool placed = passing_words(limit, &words);
    if (placed) start = range_meet(&start, &words);
    *count = 0;
    if (start.empty || words.empty) return true;
    if (!steps_of(&walk->step, &steps)) return false;
    if (limit->relation == RELATION_EQ && limit->is_invariant) {
        *count = 1; /* a step is never a whole circle */
        return true;
    }
    if (steps.least > 1 && count_exact(state, walk, limit, &steps, count)) return true;
    uint64_t gap = word_mask(words.bits) - words.span;
    if (gap < steps.greatest) return false;
    uint64_t farthest = placed ? room_by_ranges(&start, &words, steps.down) : words.span;
    if (room_by_forms(state, walk, limit, steps.down, words.span, &room)) {
        if (room.empty) return true;
        __int128 high = range_integers(&room, false).high;
        if (high < (__int128)farthest) farthest = (uint64_t)high;
    }
    *count = farthest / steps.least + 1;
    return true;
}
