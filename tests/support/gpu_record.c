#include "gpu_record.h"

static wb_status keep_issue(void *user, uint32_t sm, const struct sim_event *event) {
    struct gpu_record *record = user;
    return vec_push(&record->sms[sm].issues, *event);
}

static wb_status keep_access(void *user, uint32_t sm, const struct sm_access *access) {
    struct gpu_record *record = user;
    return vec_push(&record->sms[sm].turns, *access);
}

wb_status gpu_record_make(const struct timed_grid *grid, const struct gpu_scheme *scheme, uint32_t threads,
                          wb_diagnostics *diagnostics, struct gpu_record *record) {
    *record = (struct gpu_record){.sm_count = grid->machine->memory.sms};
    record->sms = arena_array(&record->arena, record->sm_count, sizeof *record->sms);
    record->blocks = arena_array(&record->arena, grid->grid->blocks.count + 1, sizeof *record->blocks);
    if (record->sms == NULL || record->blocks == NULL) return WB_ERR_LIMIT;
    const struct gpu_sink sink = {
        .sm = GPU_EVERY_SM, .issue = keep_issue, .access = keep_access, .user = record};
    const struct gpu_options options = {.threads = threads, .sink = &sink, .block_times = record->blocks};
    return gpu_simulate(grid, scheme, &options, diagnostics, &record->arena, &record->result);
}

void gpu_record_free(struct gpu_record *record) {
    for (uint32_t s = 0; record->sms != NULL && s < record->sm_count; s++) {
        vec_free(&record->sms[s].issues);
        vec_free(&record->sms[s].turns);
    }
    arena_free(&record->arena);
}
