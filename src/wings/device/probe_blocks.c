/* Probes of whole blocks: when they begin and end, and how long launches take. */
#include "wings/device/probe_session.h"

static uint32_t blocks_of(const struct probe_session *session, enum probe probe) {
    return session_sms(session) * (probe == PROBE_DISPATCH ? DISPATCHED : 1);
}

/* Where the blocks of a launch leave what they do, and where they load from. */
struct blocks {
    struct probe_session *session;
    uint32_t count, threads;
};

static wb_status launch_blocks(void *context, CUfunction function) {
    struct blocks *blocks = context;
    struct probe_session *session = blocks->session;
    void *params[] = {&session->out, &session->memory};
    CALL(session, cuLaunchKernel, function, blocks->count, 1, 1, blocks->threads, 1, 1, 0,
         session->device.stream, params, NULL);
    return WB_OK;
}

wb_status blocks_run(struct probe_session *session, CUfunction function, enum probe probe, bool *late) {
    struct blocks blocks = {session, blocks_of(session, probe), BLOCK_THREADS};
    *late = false;
    if (probe == PROBE_LAUNCH) {
        blocks.count = blocks.threads = 1;
        return timer_time(&session->device, &session->timer, launch_blocks, &blocks, function,
                          &session->launch_ns, late);
    }
    CALL(session, cuCtxSynchronize);
    WB_TRY(launch_blocks(&blocks, function));
    CALL(session, cuStreamSynchronize, session->device.stream);
    return WB_OK;
}

/* By SM, and when they began there. */
static int compare_blocks(const void *a, const void *b) {
    const struct block_left *first = a, *second = b;
    if (first->sm != second->sm) return first->sm < second->sm ? -1 : 1;
    return first->from < second->from ? -1 : first->from > second->from;
}

/* From the end of a block to the beginning of the next one on its SM: behind the last one that had ended, as
 * it is in the place of that one at the latest. */
static void count_gaps(struct block_left *left, uint32_t count, struct probe_seen *seen) {
    qsort(left, count, sizeof *left, compare_blocks);
    for (uint32_t i = 1; i < count; i++) {
        uint64_t ended = 0;
        for (uint32_t j = i; j-- > 0 && left[j].sm == left[i].sm;)
            if (left[j].to <= left[i].from && left[j].to > ended) ended = left[j].to;
        if (ended > 0) seen_count(seen, left[i].sm, (uint32_t)(left[i].from - ended));
    }
}

wb_status blocks_take(struct probe_session *session, enum probe probe, struct probe_seen *seen) {
    const uint32_t count = blocks_of(session, probe);
    struct block_left *left = (void *)session->host_out;
    if (probe == PROBE_LAUNCH) { /* in cycles, if the clock is known */
        const uint64_t took = session->launch_ns * session->exchange->clock / 1000;
        if (took > 0) seen_count(seen, 0, took < INT32_MAX ? (uint32_t)took : INT32_MAX);
        return WB_OK;
    }
    CALL(session, cuMemcpyDtoH, left, session->out, count * sizeof *left);
    for (uint32_t i = 0; i < count; i++) {
        WB_TRY(session_check_sm(session, probe, left[i].sm));
        if (left[i].to < left[i].from || left[i].to - left[i].from > INT32_MAX)
            return session_backwards(session, probe, left[i].sm);
        if (probe != PROBE_DISPATCH) seen_count(seen, left[i].sm, (uint32_t)(left[i].to - left[i].from));
    }
    if (probe == PROBE_DISPATCH) count_gaps(left, count, seen);
    return WB_OK;
}
