/* Runs the probes on the GPU: lays out their chains, launches them on every SM, and counts what they left. */
#include <inttypes.h>
#include <string.h>

#include "ptx/ptx.h"
#include "wings/device/probe_session.h"

/* Launches that are tried for each that is kept. */
#define ATTEMPTS 4u

static const char link_kernel[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                  ".visible .entry warpbound_link(.param .u64 links, .param .u32 count)\n{\n"
                                  "\t.reg .u64 %a, %at, %next;\n\t.reg .u32 %i, %n, %b, %t;\n"
                                  "\t.reg .pred %past;\n\tmov.u32 %b, %ctaid.x;\n\tmov.u32 %t, %tid.x;\n"
                                  "\tmad.lo.u32 %i, %b, 128, %t;\n\tld.param.u32 %n, [count];\n"
                                  "\tsetp.ge.u32 %past, %i, %n;\n\t@%past bra done;\n"
                                  "\tld.param.u64 %a, [links];\n\tmad.wide.u32 %a, %i, 16, %a;\n"
                                  "\tld.global.u64 %at, [%a];\n\tld.global.u64 %next, [%a+8];\n"
                                  "\tst.global.u64 [%at], %next;\ndone:\n\tret;\n}\n";

/* ---- Code ---------------------------------------------------------------------------------------------- */

static void set_unchecked(struct probe_session *session, const char *why) {
    (void)text_format(session->exchange->unchecked, sizeof session->exchange->unchecked, "%s", why);
}

/* What the driver's compiler makes of the PTX; NULL, and why the exchange says, where it cannot be had. */
static wb_status compile(struct probe_session *session, const struct text *ptx, void **code, size_t *bytes) {
    const struct driver *driver = &session->device.driver;
    struct linker linker;
    CUlinkState state;
    *code = NULL;
    const bool opened = linker_open(driver, &linker);
    const int made = opened ? linker.cuLinkCreate(0, NULL, NULL, &state) : CUDA_ERROR_NOT_SUPPORTED;
    if (made == CUDA_ERROR_NOT_SUPPORTED || made == CUDA_ERROR_JIT_COMPILER_NOT_FOUND) {
        set_unchecked(session, "the driver gives nobody the machine code that it makes");
        return WB_OK;
    }
    WB_TRY(driver_result(driver, "cuLinkCreate", made, session->diagnostics));
    WB_TRY(driver_result(
        driver, "cuLinkAddData",
        linker.cuLinkAddData(state, CU_JIT_INPUT_PTX, ptx->data, ptx->length + 1, "probes", 0, NULL, NULL),
        session->diagnostics));
    return driver_result(driver, "cuLinkComplete", linker.cuLinkComplete(state, code, bytes),
                         session->diagnostics);
}

/* Looks at the machine code that is run. */
static wb_status check_code(struct probe_session *session, const void *code, size_t bytes) {
    wb_diagnostics *messages = wb_diagnostics_new();
    wb_module *module = NULL;
    const char *unknown = "it cannot be read here";
    wb_status status = WB_OK;
    if (messages == NULL) return diagnose_out_of_memory(session->diagnostics, "calibrate");
    if (wb_module_parse("machine code of the probes", code, bytes, messages, &module) == WB_OK)
        status = probes_check(module, &unknown, session->diagnostics);
    if (unknown != NULL) set_unchecked(session, unknown);
    wb_module_free(module);
    wb_diagnostics_free(messages);
    return status;
}

static wb_status load(struct probe_session *session) {
    struct text ptx = {.arena = &session->arena}, long_ptx = {.arena = &session->arena};
    CUmodule own;
    void *code;
    size_t bytes = 0;
    probes_put(&ptx);
    probes_put_code(&long_ptx);
    if (ptx.failed || long_ptx.failed) return diagnose_out_of_memory(session->diagnostics, "calibrate");
    WB_TRY(compile(session, &ptx, &code, &bytes));
    if (code != NULL) WB_TRY(check_code(session, code, bytes));
    CALL(session, cuModuleLoadData, &session->module, code != NULL ? code : ptx.data);
    CALL(session, cuModuleLoadData, &session->code, long_ptx.data);
    CALL(session, cuModuleLoadData, &own, link_kernel);
    CALL(session, cuModuleGetFunction, &session->link, own, "warpbound_link");
    return WB_OK;
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

/* Where each block begins, in the chain of another SM than in the launch before, and where it ends. */
static wb_status set_starts(struct probe_session *session, enum probe probe, const struct chains *chains,
                            uint32_t turn) {
    const uint32_t sms = session_sms(session), steps = chains->warm + chains->timed;
    for (uint32_t s = 0; s < sms; s++) {
        const size_t first = (size_t)((s + turn) % sms) * chains->length;
        uint64_t start = 0, end = 0;
        switch (probe_place(probe)) {
        case IN_SHARED: end = (uint64_t)steps * PROBE_STEP % PROBE_SHARED_ELEMENTS * 8; break;
        case IN_LINES: start = session->memory + (uint64_t)s * PROBE_LANES * LINE; break;
        case IN_CONSTANT:
            end = (uint64_t)steps * PROBE_STEP % PROBE_CONSTANT_ELEMENTS * PROBE_CONSTANT_STRIDE;
            break;
        default:
            if (chains->length == 0) break;
            start = chains->links[first].at;
            end = chains->links[first + steps % chains->length].at;
        }
        session->host_starts[s] = start;
        session->ends[s] = end;
    }
    CALL(session, cuMemcpyHtoD, session->starts, session->host_starts, sms * sizeof *session->host_starts);
    return WB_OK;
}

static wb_status launch(struct probe_session *session, CUfunction function, enum probe probe,
                        const struct chains *chains) {
    uint32_t warm = chains->warm, timed = chains->timed;
    void *params[] = {&session->out, &session->starts, &warm, &timed};
    CALL(session, cuCtxSynchronize);
    CALL(session, cuLaunchKernel, function, session_sms(session), 1, 1, probe_threads(probe), 1, 1, 0,
         session->device.stream, params, NULL);
    CALL(session, cuStreamSynchronize, session->device.stream);
    return WB_OK;
}

wb_status session_check_sm(const struct probe_session *session, enum probe probe, uint64_t sm) {
    if (sm < PROBE_SMS_MAX) return WB_OK;
    diagnose(session->diagnostics, SEVERITY_ERROR, probe_name(probe), "a block ran on SM %" PRIu64 " of %u",
             sm, session_sms(session));
    return WB_ERR_DECLINED;
}

wb_status session_backwards(const struct probe_session *session, enum probe probe, uint64_t sm) {
    diagnose(session->diagnostics, SEVERITY_ERROR, probe_name(probe),
             "the clock of SM %" PRIu64 " went backwards: no time is known", sm);
    return WB_ERR_DECLINED;
}

/* What block `block` left. */
static wb_status take_block(struct probe_session *session, enum probe probe, uint32_t block, uint32_t timed,
                            struct probe_seen *seen) {
    const struct probe_left *left = (const void *)(session->host_out + block * probe_left_bytes(timed));
    if (left->end != session->ends[block]) {
        diagnose(session->diagnostics, SEVERITY_ERROR, probe_name(probe),
                 "block %u went another way through memory than its chain leads: this GPU does not do as it "
                 "is told",
                 block);
        return WB_ERR_DECLINED;
    }
    WB_TRY(session_check_sm(session, probe, left->sm));
    for (uint32_t i = 0; i < timed; i++) {
        if (left->cycles[i] > INT32_MAX) return session_backwards(session, probe, left->sm);
        seen_count(seen, left->sm, left->cycles[i]);
    }
    return WB_OK;
}

static wb_status take_launch(struct probe_session *session, enum probe probe, uint32_t timed,
                             struct probe_seen *seen) {
    CALL(session, cuMemcpyDtoH, session->host_out, session->out,
         session_sms(session) * probe_left_bytes(timed));
    for (uint32_t block = 0; block < session_sms(session); block++)
        WB_TRY(take_block(session, probe, block, timed, seen));
    return WB_OK;
}

/* What has to come from memory comes from there. */
static wb_status sweep(struct probe_session *session, enum probe probe) {
    if (probe_place(probe) == IN_DRAM || probe_place(probe) == IN_CODE || probe == PROBE_STREAM ||
        probe == PROBE_STORES)
        CALL(session, cuMemsetD8, session->swept, 0x5a, session->swept_bytes);
    return WB_OK;
}

/* A launch, which counts if its clock did not move. */
static wb_status run_once(struct probe_session *session, CUfunction function, enum probe probe,
                          const struct chains *chains, bool *counts) {
    struct probe_exchange *exchange = session->exchange;
    struct probe_seen *seen = &exchange->seen[probe];
    bool throttled = false, late = false;
    WB_TRY(sweep(session, probe));
    const uint32_t before = device_clock(&session->device, &throttled);
    if (probe_place(probe) == IN_BLOCKS)
        WB_TRY(blocks_run(session, function, probe, &late));
    else
        WB_TRY(launch(session, function, probe, chains));
    const uint32_t after = device_clock(&session->device, &throttled);
    *counts = before == after && !throttled && !late;
    exchange->clock = before;
    seen->discarded += !*counts;
    if (!*counts) return WB_OK;
    if (probe_place(probe) == IN_BLOCKS) return blocks_take(session, probe, seen);
    return take_launch(session, probe, chains->timed, seen);
}

static wb_status run_probe(struct probe_session *session, enum probe probe) {
    struct probe_seen *seen = &session->exchange->seen[probe];
    struct chains chains = chains_of(session, probe);
    CUfunction function;
    uint32_t kept = 0;
    CALL(session, cuModuleGetFunction, &function,
         probe_place(probe) == IN_CODE ? session->code : session->module, probe_name(probe));
    WB_TRY(chains_make(session, probe, &chains));
    WB_TRY(timer_settle(&session->device, &session->timer));
    const uint32_t wanted = (session->samples + chains.timed - 1) / chains.timed;
    WB_TRY(set_starts(session, probe, &chains, 0));
    if (probe_place(probe) == IN_L2 || probe_place(probe) == IN_PAGES)
        WB_TRY(launch(session, function, probe, &chains)); /* brings the lines to the second level */
    for (uint32_t i = 0; i < ATTEMPTS * wanted && kept < wanted; i++) {
        bool counts;
        WB_TRY(set_starts(session, probe, &chains, i + 1));
        WB_TRY(run_once(session, function, probe, &chains, &counts));
        kept += counts;
    }
    for (size_t s = 0; s < PROBE_SMS_MAX; s++)
        seen->sms += seen->most_of[s] > 0;
    session->exchange->state.done++;
    if (kept > 0) return WB_OK;
    diagnose(session->diagnostics, SEVERITY_ERROR, session->exchange->facts.gpu,
             "in all of %" PRIu64
             " launches of %s the clock moved or was throttled, or the host was late: no time is known",
             seen->discarded, probe_name(probe));
    return WB_ERR_DECLINED;
}

/* ---- What levels keep ---------------------------------------------------------------------------------- */

/* Of a level: the probe that visits it, whose accesses are hits and misses there; what an element of its
 * chains is. */
static const struct level {
    enum probe probe, hits, misses;
    uint64_t bytes;
    bool of_all; /* SMs together; else of each */
} levels[KEPT_LEVELS] = {{PROBE_L1, PROBE_L1, PROBE_L2, LINE, false},
                         {PROBE_L2, PROBE_L2, PROBE_DRAM, LINE, true},
                         {PROBE_PAGES, PROBE_L2, PROBE_PAGES, 1, false}};

/* It is found to this part of it. */
#define KEPT_PART 64u

/* Whether chains of that length, which went round twice, are found in the level the third time. */
static wb_status is_kept(struct probe_session *session, CUfunction function, const struct level *level,
                         uint32_t length, uint32_t limit, bool *kept) {
    struct probe_seen *seen = &session->exchange->other;
    struct chains chains = {.length = length, .warm = 2 * length + PROBE_WARM};
    chains.timed = length < PROBE_TIMED_MAX ? (length + 1) / 2 * 2 : PROBE_TIMED_MAX;
    memset(seen, 0, sizeof *seen);
    WB_TRY(chains_make(session, level->probe, &chains));
    WB_TRY(set_starts(session, level->probe, &chains, 0));
    if (level->of_all) CALL(session, cuMemsetD8, session->swept, 0x5a, session->swept_bytes);
    WB_TRY(launch(session, function, level->probe, &chains));
    WB_TRY(take_launch(session, level->probe, chains.timed, seen));
    *kept = seen->most <= limit;
    return WB_OK;
}

/* The longest chains that are kept, by doubling, and halving what is between. */
static wb_status find_kept(struct probe_session *session, enum kept_level number) {
    const struct level *level = &levels[number];
    const struct probe_seen *hits = &session->exchange->seen[level->hits];
    const struct probe_seen *misses = &session->exchange->seen[level->misses];
    const uint32_t miss = number == KEPT_PAGES ? misses->most : misses->least;
    const uint32_t most =
        number == KEPT_PAGES ? (uint32_t)(session->memory_bytes / PAGE) : session->most_links;
    const uint32_t limit = hits->most + (miss - hits->most) / 2;
    uint32_t kept = 1, lost = 2;
    bool fits = true;
    CUfunction function;
    if (miss <= hits->most + 1) return WB_OK; /* could not be told from a hit */
    CALL(session, cuModuleGetFunction, &function, session->module, probe_name(level->probe));
    while (fits && lost <= most) {
        WB_TRY(is_kept(session, function, level, lost, limit, &fits));
        if (fits) kept = lost;
        if (fits) lost *= 2;
    }
    while (!fits && lost - kept > 1 + kept / KEPT_PART) {
        const uint32_t tried = kept + (lost - kept) / 2;
        bool is_there;
        WB_TRY(is_kept(session, function, level, tried, limit, &is_there));
        if (is_there)
            kept = tried;
        else
            lost = tried;
    }
    session->exchange->keeps[number] = kept * level->bytes * (level->of_all ? session_sms(session) : 1);
    return WB_OK;
}

/* ---- All of it ----------------------------------------------------------------------------------------- */

static wb_status run(struct probe_session *session, const char *driver) {
    WB_TRY(device_open(driver, &session->exchange->state, session->diagnostics, &session->device,
                       &session->exchange->facts));
    if (session_sms(session) == 0 || session_sms(session) > PROBE_SMS_MAX) {
        diagnose(session->diagnostics, SEVERITY_ERROR, session->exchange->facts.gpu, "has %u SMs",
                 session_sms(session));
        return WB_ERR_DECLINED;
    }
    WB_TRY(timer_open(&session->device, &session->timer));
    WB_TRY(load(session));
    WB_TRY(session_place_memory(session));
    WB_TRY(constants_make(session));
    for (size_t p = 0; p < PROBE_COUNT; p++)
        WB_TRY(run_probe(session, (enum probe)p));
    for (size_t level = 0; level < KEPT_LEVELS; level++)
        WB_TRY(find_kept(session, (enum kept_level)level));
    return WB_OK;
}

wb_status probes_run(const char *driver, uint32_t samples, struct probe_exchange *exchange,
                     wb_diagnostics *diagnostics) {
    struct probe_session session = {.exchange = exchange, .diagnostics = diagnostics, .samples = samples};
    const wb_status status = run(&session, driver);
    arena_free(&session.arena);
    return status;
}
