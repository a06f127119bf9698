/* What the child process has while it runs probes. */
#ifndef WB_WINGS_DEVICE_PROBE_SESSION_H
#define WB_WINGS_DEVICE_PROBE_SESSION_H

#include "wings/device/probes.h"
#include "wings/device/timer.h"

#define LINE 128u
#define PAGE ((uint64_t)2 << 20)

/* An element of a chain, as the kernel that links them reads it. */
struct link {
    uint64_t at, next;
};

/* The chains of a probe, one an SM, which go round; and what a launch does with them. */
struct chains {
    struct link *links; /* `length` of the first SM, of the second ...; NULL: the kernel makes its own */
    uint32_t length;
    uint32_t warm, timed; /* accesses of a launch: that leave no sample, and others */
};

struct probe_session {
    struct probe_exchange *exchange;
    wb_diagnostics *diagnostics;
    struct device device;
    CUmodule module, code;
    CUfunction link;
    struct timer timer;
    uint64_t launch_ns;            /* of the last launch of that probe */
    uint64_t memory, memory_bytes; /* for the chains */
    uint64_t swept, swept_bytes;
    uint64_t links, starts, out; /* memory for what their kernels read and write */
    uint32_t samples;
    struct arena arena;
    struct link *links_here;      /* `most_links` an SM */
    uint64_t *host_starts, *ends; /* per SM */
    uint8_t *host_out;
    uint32_t most_links;
};

#define CALL(session, name, ...) DEVICE_CALL(&(session)->device, name, __VA_ARGS__)

static inline uint32_t session_sms(const struct probe_session *session) {
    return session->exchange->facts.sms;
}

/* Counts what an access on an SM took. */
static inline void seen_count(struct probe_seen *seen, uint64_t sm, uint32_t took) {
    if (seen->count++ == 0 || took < seen->least) seen->least = took;
    if (took > seen->most) seen->most = took;
    if (took > seen->most_of[sm]) seen->most_of[sm] = took;
    seen->bins[took < PROBE_BINS ? took : PROBE_BINS - 1]++;
}

/* WB_ERR_DECLINED with a message where that is no SM, or a clock went backwards. */
wb_status session_check_sm(const struct probe_session *session, enum probe probe, uint64_t sm);
wb_status session_backwards(const struct probe_session *session, enum probe probe, uint64_t sm);

/* probe_chains.c: memory for the chains of all probes, and what their kernels read and write. */
wb_status session_place_memory(struct probe_session *session);

/* How long the chains of a probe are, and how much of them a launch times. */
struct chains chains_of(const struct probe_session *session, enum probe probe);

/* Writes such chains into the GPU's memory. */
wb_status chains_make(struct probe_session *session, enum probe probe, struct chains *chains);

/* The chain of constants, which all SMs share: offsets. */
wb_status constants_make(struct probe_session *session);

/* Bytes of struct probe_left with so many samples. */
static inline size_t probe_left_bytes(uint32_t timed) {
    return sizeof(struct probe_left) + timed * sizeof(uint32_t);
}

/* probe_blocks.c: a launch of a probe whose blocks are timed as a whole, and what it showed. `late`: the host
 * was, and it shows nothing. */
wb_status blocks_run(struct probe_session *session, CUfunction function, enum probe probe, bool *late);
wb_status blocks_take(struct probe_session *session, enum probe probe, struct probe_seen *seen);

#endif
