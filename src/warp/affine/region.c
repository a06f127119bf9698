/* The blocks that a class has: constraints on their places. */
#include "warp/affine/affine.h"

#include <string.h>

/* A class with more is not worth having. */
#define CONSTRAINTS_MAX 4096u

static __int128 gcd(__int128 a, __int128 b) {
    while (b != 0) {
        const __int128 rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static __int128 floor_div(__int128 a, __int128 b) {
    assert(b > 0);
    return a / b - (a % b < 0);
}

static void tighten(struct affine_constraint *constraint, __int128 low, __int128 high) {
    if (low > constraint->low) constraint->low = low;
    if (high < constraint->high) constraint->high = high;
}

/* To a constraint of the same coefficients if there is one. */
void affine_constrain(struct affine_space *space, const struct affine_constraint *added) {
    for (size_t i = space->constraints.count; i-- > 0;) {
        struct affine_constraint *known = &space->constraints.items[i];
        if (memcmp(known->c, added->c, sizeof known->c) != 0) continue;
        tighten(known, added->low, added->high);
        return;
    }
    space->failed |= space->constraints.count >= CONSTRAINTS_MAX;
    if (!space->failed && vec_push(&space->constraints, *added) != WB_OK) space->failed = true;
}

static bool same_coefficients(const struct affine_demand *recent, const __int128 c[AXES]) {
    return recent->c[0] == c[0] && recent->c[1] == c[1] && recent->c[2] == c[2];
}

/* Whether demands that were met lately ask for no less. */
static bool is_met(struct affine_space *space, const __int128 c[AXES], __int128 less, __int128 more) {
    for (uint32_t i = 0; i < AFFINE_RECENT; i++) {
        const uint32_t at = (space->last_met + i) % AFFINE_RECENT; /* other lanes ask for the same */
        const struct affine_demand *recent = &space->recent[at];
        if (!same_coefficients(recent, c)) continue;
        space->last_met = at;
        return recent->less <= less && recent->more <= more;
    }
    return false;
}

static void remember(struct affine_space *space, const __int128 c[AXES], __int128 less, __int128 more) {
    uint32_t at = 0;
    while (at < AFFINE_RECENT && !same_coefficients(&space->recent[at], c))
        at++;
    if (at == AFFINE_RECENT) {
        at = space->next_recent++ % AFFINE_RECENT;
        space->recent[at] = (struct affine_demand){{c[0], c[1], c[2]}, less, more};
    }
    struct affine_demand *recent = &space->recent[at];
    if (less < recent->less) recent->less = less;
    if (more < recent->more) recent->more = more;
}

bool affine_require(struct affine_space *space, __int128 v, const __int128 c[AXES], __int128 low,
                    __int128 high, uint8_t *axes) {
    struct affine_constraint added;
    __int128 divisor = 0;
    uint8_t beyond = 0;
    assert(low <= v && v <= high);
    if ((c[0] == 0 && c[1] == 0 && c[2] == 0) || is_met(space, c, v - low, high - v)) return true;
    for (uint32_t j = 0; j < AXES; j++) {
        added.c[j] = space->step[j] == 0 ? 0 : c[j];
        divisor = gcd(divisor, added.c[j]);
        if (v + added.c[j] < low || v + added.c[j] > high) beyond |= (uint8_t)(1u << j);
    }
    *axes |= beyond;
    if (beyond != 0) return false;
    if (divisor == 0) return true;
    for (uint32_t j = 0; j < AXES; j++)
        added.c[j] /= divisor;
    added.low = -floor_div(v - low, divisor);
    added.high = floor_div(high - v, divisor);
    affine_constrain(space, &added);
    remember(space, c, v - low, high - v);
    return true;
}

/* Steps from the origin to an index along an axis; false: it is not whole steps away. */
static bool steps_to(const struct affine_space *space, uint32_t axis, uint32_t index, int64_t *q) {
    const int64_t away = (int64_t)index - space->origin[axis];
    *q = 0;
    if (space->step[axis] == 0) return away == 0;
    *q = away / (int64_t)space->step[axis];
    return away % (int64_t)space->step[axis] == 0;
}

bool affine_row(const struct affine_space *space, const uint32_t grid[AXES], const uint32_t index[AXES],
                int64_t *first, int64_t *last, int64_t q[AXES]) {
    const int64_t step = space->step[0], origin = space->origin[0];
    *first = *last = 0;
    q[0] = 0;
    if (!steps_to(space, 1, index[1], &q[1]) || !steps_to(space, 2, index[2], &q[2])) return false;
    if (step != 0) {
        *first = -(origin / step);
        *last = ((int64_t)grid[0] - 1 - origin) / step;
    }
    for (size_t i = 0; i < space->constraints.count; i++) {
        const struct affine_constraint *constraint = &space->constraints.items[i];
        const __int128 rest = constraint->c[1] * q[1] + constraint->c[2] * q[2];
        const __int128 c = constraint->c[0], low = constraint->low - rest, high = constraint->high - rest;
        if (c == 0) {
            if (low > 0 || high < 0) return false;
            continue;
        }
        const __int128 least = c > 0 ? -floor_div(-low, c) : -floor_div(high, -c);
        const __int128 most = c > 0 ? floor_div(high, c) : floor_div(-low, -c);
        if (least > *last || most < *first) return false;
        if (least > *first) *first = (int64_t)least;
        if (most < *last) *last = (int64_t)most;
    }
    return *first <= *last;
}

int64_t affine_reach(const struct affine_space *space, const int64_t last[AXES], uint32_t axis,
                     int64_t most) {
    for (size_t i = 0; i < space->constraints.count; i++) {
        const struct affine_constraint *constraint = &space->constraints.items[i];
        const __int128 c = constraint->c[axis];
        __int128 low = constraint->low, high = constraint->high; /* less what the other axes add */
        for (uint32_t j = 0; j < AXES; j++) {
            const __int128 added = j == axis ? 0 : constraint->c[j] * last[j];
            *(added < 0 ? &low : &high) -= added;
        }
        assert(low <= 0 && high >= 0);
        if (c != 0 && (c > 0 ? high / c : low / c) < most) most = (int64_t)(c > 0 ? high / c : low / c);
    }
    return most;
}
