/* A block alone by its busiest sub-cores: theorem 1 of docs/sub-core-bounds.md. */
#include "check.h"

#include <stdlib.h>

uint64_t row_work(const struct block *of, uint64_t row, uint64_t *private) {
    uint64_t shared = 0;
    for (uint64_t c = 0; c < machine.sub_cores; c++)
    private[c] = 0;
    for (uint64_t g = 0; g < of->warps.count; g++) {
        const struct warps *warps = &of->warps.items[g];
        const struct section *section = section_of(of, row, warps->path);
        for (uint64_t u = 0; u < machine.units; u++) {
            uint64_t *sum = machine.shared[u] ? &shared : &private[warps->sub_core];
            *sum = add(*sum, mul(section->work[u], warps->count));
        }
    }
    return shared;
}

uint64_t busiest_of(const struct block *of) {
    uint64_t *private = zeroed(machine.sub_cores, sizeof *private), sum = 0;
    for (struct rows at = {0}; next_row(of, &at);) {
        const uint64_t shared = row_work(of, at.row, private);
        uint64_t most = 0;
        for (uint64_t c = 0; c < machine.sub_cores; c++)
            most = max(most, private[c]);
        sum = add(sum, mul(add(most, shared), at.often));
    }
    free(private);
    return sum;
}

uint64_t chain(struct block *of) {
    return add(busiest_of(of), latency_of(of));
}
