/* Units of a shard, and which of them a database has. */
#include <stdlib.h>

#include "sweep.h"

wb_status shard_next(wb_sweep *sweep, struct shard shard, const struct known *known, uint64_t *next,
                     wb_diagnostics *diagnostics, wb_sweep_unit **unit) {
    uint64_t skipped = *next == 0 ? shard.index : shard.count - 1;
    for (; known->is != NULL && *next < known->units && known->is[*next]; ++*next)
        skipped += shard.count;
    ++*next;
    wb_sweep_skip(sweep, skipped);
    return wb_sweep_next(sweep, diagnostics, unit);
}

static wb_status look_up(const struct sweep_options *options, const wb_results *results,
                         const wb_sweep_unit *unit, wb_diagnostics *diagnostics, bool *is_known,
                         struct known *known) {
    wb_outcome outcome = {0};
    const wb_status status = wb_results_has(results, unit, options->retry, diagnostics, is_known, &outcome);
    if (status != WB_OK || !*is_known) return status;
    known->count++;
    known->failed += !outcome.done;
    known->missed += outcome.missed;
    known->contradicted += outcome.contradicted;
    return WB_OK;
}

wb_status known_find(const struct sweep_options *options, wb_sweep *sweep, struct shard shard,
                     const wb_results *results, wb_diagnostics *diagnostics, struct known *known) {
    static const struct known nothing = {0};
    const uint64_t units = shard_size(shard, wb_sweep_count(sweep));
    uint64_t next = 0;
    *known = (struct known){.is = calloc(units + 1, sizeof *known->is), .units = units};
    if (known->is == NULL) return WB_ERR_LIMIT;
    wb_status status = WB_OK;
    wb_sweep_rewind(sweep);
    for (uint64_t i = 0; status == WB_OK && i < units; i++) {
        wb_sweep_unit *unit = NULL;
        status = shard_next(sweep, shard, &nothing, &next, diagnostics, &unit);
        if (status == WB_OK) status = look_up(options, results, unit, diagnostics, &known->is[i], known);
        if (unit != NULL) wb_sweep_unit_free(unit);
    }
    wb_sweep_rewind(sweep);
    return status;
}
