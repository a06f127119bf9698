#include "wings/makespan/states/multiset_rank.h"

#include <assert.h>

uint64_t multiset_count(uint32_t kinds, uint32_t size) {
    /* C(kinds + size, smaller of both): every partial product is itself a binomial. */
    uint64_t least = kinds < size ? kinds : size;
    uint64_t most = kinds < size ? size : kinds;
    unsigned __int128 count = 1;
    for (uint64_t i = 1; i <= least; i++) {
        count = count * (most + i) / i;
        if (count > UINT64_MAX) return UINT64_MAX;
    }
    return (uint64_t)count;
}

/* A multiset is the descending sequence of its items' distances to the way out, `size` of them with zeros for
 * items that are out. Before it come, for every i, the sequences that agree with it in front of i and are
 * less at i: as many as there are multisets of size - i items of less than that distance. `least` sums them
 * up over the first items at one distance; summed by parts over the kinds, steps are its differences. */
void multiset_rank_make(uint32_t kinds, uint32_t size, struct arena *arena, struct multiset_rank *rank) {
    *rank = (struct multiset_rank){.kinds = kinds, .size = size, .count = multiset_count(kinds, size)};
    assert(rank->count != UINT64_MAX);
    uint64_t width = (uint64_t)size + 1;
    rank->steps = arena_array(arena, kinds * width, sizeof *rank->steps);
    rank->least = arena_array(arena, kinds * width, sizeof *rank->least);
    for (uint32_t kind = kinds; kind-- > 0;) {
        uint64_t *least = rank->least + kind * width;
        const uint64_t *behind = kind + 1 < kinds ? least + width : NULL;
        for (uint32_t i = 0; i < size; i++)
            least[i + 1] = least[i] + multiset_count(kinds - kind - 1, size - i);
        for (uint32_t c = 0; c <= size; c++)
            rank->steps[kind * width + c] = least[c] - (behind != NULL ? behind[c] : 0);
    }
}

uint64_t multiset_number(const struct multiset_rank *rank, const uint32_t *counts) {
    uint64_t number = 0;
    uint32_t cumulative = 0;
    for (uint32_t kind = 0; kind < rank->kinds; kind++) {
        cumulative += counts[kind];
        assert(cumulative <= rank->size);
        number += multiset_steps(rank, kind)[cumulative];
    }
    return number;
}

void multiset_at(const struct multiset_rank *rank, uint64_t number, uint32_t *counts) {
    assert(number < rank->count);
    uint32_t cumulative = 0;
    for (uint32_t kind = 0; kind < rank->kinds; kind++) {
        uint32_t before = cumulative;
        const uint64_t *least = rank->least + (uint64_t)kind * (rank->size + 1);
        while (cumulative < rank->size && least[cumulative + 1] <= number)
            cumulative++;
        counts[kind] = cumulative - before;
        number -= multiset_steps(rank, kind)[cumulative];
    }
}

bool multiset_next(const struct multiset_rank *rank, uint32_t *counts, uint32_t *rest) {
    uint32_t kind = rank->kinds;
    uint32_t lowest = *rest; /* items of the last kind that has some; "out" is one, too */
    while (lowest == 0) {
        if (kind == 0) return false;
        lowest = counts[--kind];
    }
    if (kind == 0) return false;
    if (kind < rank->kinds) counts[kind] = 0;
    counts[kind - 1]++;
    *rest = lowest - 1;
    return true;
}
