/* The chains of the probes in the GPU's memory. */
#include <string.h>

#include "base/containers.h"
#include "wings/device/probe_session.h"

/* The lines of an SM that stay in its first level; the pages of the probe of translations at the most. */
#define L1_LINES 32u
#define PAGES_MOST 1024u

/* Of the second level the chains take a part at the most. */
#define L2_PART 4u

/* Of the second level, how much is tried to be kept. */
#define L2_TRIED 2u

/* By which elements of chains come in no order. */
#define SEED UINT64_C(40)

/* ---- Memory -------------------------------------------------------------------------------------------- */

/* As many pages as there are of it, at least what the lines of all chains take. */
wb_status session_place_memory(struct probe_session *session) {
    const uint32_t sms = session_sms(session);
    const uint64_t l2_lines = L2_TRIED * session->exchange->facts.l2_bytes / LINE / sms + 1;
    session->most_links = PROBE_WARM + PROBE_TIMED_MAX + 1;
    if (l2_lines > session->most_links) session->most_links = (uint32_t)l2_lines;
    const uint64_t least = (uint64_t)sms * session->most_links * LINE;
    const size_t links = (size_t)sms * session->most_links * sizeof(struct link);
    session->memory_bytes = PAGES_MOST * PAGE;
    while (session->memory_bytes / 2 >= least &&
           session->device.driver.cuMemAlloc(&session->memory, session->memory_bytes) != CUDA_SUCCESS)
        session->memory_bytes /= 2;
    if (session->memory == 0) CALL(session, cuMemAlloc, &session->memory, session->memory_bytes);
    WB_TRY(device_sweep_memory(&session->device, session->exchange->facts.l2_bytes, &session->swept,
                               &session->swept_bytes));
    CALL(session, cuMemAlloc, &session->links, links);
    CALL(session, cuMemAlloc, &session->starts, sms * sizeof(uint64_t));
    CALL(session, cuMemAlloc, &session->out, sms * probe_left_bytes(PROBE_TIMED_MAX));
    session->links_here = arena_alloc(&session->arena, links);
    session->host_starts = arena_array(&session->arena, sms, sizeof *session->host_starts);
    session->ends = arena_array(&session->arena, sms, sizeof *session->ends);
    session->host_out = arena_alloc(&session->arena, sms * probe_left_bytes(PROBE_TIMED_MAX));
    if (session->links_here == NULL || session->host_starts == NULL || session->ends == NULL ||
        session->host_out == NULL)
        return diagnose_out_of_memory(session->diagnostics, "calibrate");
    return WB_OK;
}

static uint32_t least_of(uint64_t a, uint64_t b) {
    return (uint32_t)(a < b ? a : b);
}

struct chains chains_of(const struct probe_session *session, enum probe probe) {
    const uint32_t sms = session_sms(session);
    const uint64_t l2_lines = session->exchange->facts.l2_bytes / L2_PART / LINE / sms;
    const uint32_t most =
        (least_of(session->samples, PROBE_TIMED_MAX) + 1) / 2 * 2; /* what is left is aligned */
    struct chains chains = {.warm = PROBE_WARM, .timed = most};
    switch (probe_place(probe)) {
    case IN_WORD:
    case IN_WORDS: chains.length = 1; break;
    case IN_L1:
        chains.length = L1_LINES;
        chains.warm = 2 * L1_LINES;
        break;
    case IN_DRAM: chains.length = PROBE_WARM + most + 1; break;
    case IN_L2:
        chains.length = least_of(l2_lines, PROBE_WARM + most + 1);
        if (chains.length < 2) chains.length = 2;
        break;
    case IN_PAGES:
        chains.length = least_of(session->memory_bytes / PAGE, l2_lines);
        if (chains.length < 2) chains.length = 2;
        break;
    case IN_CODE: chains.timed = PROBE_TIMED_MAX; break;
    case IN_BLOCKS: chains.timed = DISPATCHED; break;
    default: break;
    }
    return chains;
}

/* Where in the memory element `i` of an SM's chain is, of so many, before they are put in no order: lines one
 * behind the other, or one in each page. */
static uint64_t element_at(enum probe_place place, uint32_t sm, uint32_t i, uint32_t length) {
    switch (place) {
    case IN_WORD: return 0;
    case IN_WORDS: return sm * sizeof(uint64_t);
    case IN_PAGES: return i * PAGE + (sm * UINT64_C(37) + i) * LINE % PAGE;
    default: return ((uint64_t)sm * length + i) * LINE;
    }
}

static void place_elements(const struct probe_session *session, enum probe probe,
                           const struct chains *chains) {
    const uint32_t sms = session_sms(session);
    const enum probe_place place = probe_place(probe);
    struct random_state random = random_seeded(SEED);
    for (uint32_t s = 0; s < sms; s++)
        for (uint32_t i = 0; i < chains->length; i++)
            chains->links[(size_t)s * chains->length + i].at =
                session->memory + element_at(place, s, i, chains->length);
    /* What is within an SM's part stays there for the first level and for pages. */
    const bool apart = place == IN_PAGES || place == IN_L1;
    for (size_t i = (size_t)sms * chains->length - 1; i > 0; i--) {
        const size_t first = apart ? i / chains->length * chains->length : 0;
        const size_t other = first + random_below(&random, i - first + 1);
        const uint64_t at = chains->links[i].at;
        chains->links[i].at = chains->links[other].at;
        chains->links[other].at = at;
    }
}

wb_status chains_make(struct probe_session *session, enum probe probe, struct chains *chains) {
    uint32_t count = session_sms(session) * chains->length;
    void *params[] = {&session->links, &count};
    if (probe_place(probe) == IN_LINES)
        CALL(session, cuMemsetD8, session->memory, 0, session_sms(session) * (uint64_t)PROBE_LANES * LINE);
    if (chains->length == 0) return WB_OK;
    assert(chains->length <= session->most_links);
    chains->links = session->links_here;
    place_elements(session, probe, chains);
    for (uint32_t i = 0; i < count; i++) {
        const bool last = i % chains->length == chains->length - 1;
        chains->links[i].next = chains->links[last ? i + 1 - chains->length : i + 1].at;
    }
    CALL(session, cuMemcpyHtoD, session->links, chains->links, count * sizeof *chains->links);
    CALL(session, cuLaunchKernel, session->link, (count + 127) / 128, 1, 1, 128, 1, 1, 0,
         session->device.stream, params, NULL);
    CALL(session, cuStreamSynchronize, session->device.stream);
    return WB_OK;
}

wb_status constants_make(struct probe_session *session) {
    uint64_t address, elements[PROBE_CONSTANT_ELEMENTS][PROBE_CONSTANT_STRIDE / sizeof(uint64_t)] = {{0}};
    size_t bytes;
    for (uint32_t i = 0; i < PROBE_CONSTANT_ELEMENTS; i++)
        elements[i][0] = (uint64_t)(i + PROBE_STEP) % PROBE_CONSTANT_ELEMENTS * PROBE_CONSTANT_STRIDE;
    CALL(session, cuModuleGetGlobal, &address, &bytes, session->module, PROBE_CONSTANTS);
    CALL(session, cuMemcpyHtoD, address, elements, sizeof elements);
    return WB_OK;
}
