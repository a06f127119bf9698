/* Runs the probes on the GPU: lays out their chains, launches them on every SM, and counts what they left. */
#include <inttypes.h>
#include <string.h>

#include "base/containers.h"
#include "ptx/ptx.h"
#include "wings/device/probes.h"

#define LINE 128u
#define PAGE ((uint64_t)2 << 20)

/* The lines of an SM that stay in its first level; the pages of the probe of translations at the most. */
#define L1_LINES 32u
#define PAGES_MOST 1024u

/* Of the second level the chains take a part at the most. */
#define L2_PART 4u

/* Launches that are tried for each that is kept. */
#define ATTEMPTS 4u

/* By which elements of chains come in no order. */
#define SEED UINT64_C(40)

/* An element of a chain, as the kernel that links them reads it. */
struct link {
    uint64_t at, next;
};

static const char link_kernel[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                  ".visible .entry warpbound_link(.param .u64 links, .param .u32 count)\n{\n"
                                  "\t.reg .u64 %a, %at, %next;\n\t.reg .u32 %i, %n, %b, %t;\n"
                                  "\t.reg .pred %past;\n\tmov.u32 %b, %ctaid.x;\n\tmov.u32 %t, %tid.x;\n"
                                  "\tmad.lo.u32 %i, %b, 128, %t;\n\tld.param.u32 %n, [count];\n"
                                  "\tsetp.ge.u32 %past, %i, %n;\n\t@%past bra done;\n"
                                  "\tld.param.u64 %a, [links];\n\tmad.wide.u32 %a, %i, 16, %a;\n"
                                  "\tld.global.u64 %at, [%a];\n\tld.global.u64 %next, [%a+8];\n"
                                  "\tst.global.u64 [%at], %next;\ndone:\n\tret;\n}\n";

/* The chains of a probe, one an SM, which go round; and what a launch does with them. */
struct chains {
    struct link *links; /* `length` of the first SM, of the second ...; NULL: the kernel makes its own */
    uint32_t length;
    uint32_t warm, timed; /* accesses of a launch: that leave no sample, and others */
};

struct session {
    struct probe_exchange *exchange;
    wb_diagnostics *diagnostics;
    struct device device;
    CUmodule module;
    CUfunction link;
    uint64_t memory, memory_bytes; /* for the chains */
    uint64_t swept, swept_bytes;
    uint64_t links, starts, out; /* memory for what their kernels read and write */
    uint32_t samples;
    struct arena arena;
    uint64_t *host_starts, *ends; /* per SM */
    uint8_t *host_out;
};

#define CALL(session, name, ...) DEVICE_CALL(&(session)->device, name, __VA_ARGS__)

static uint32_t sms_of(const struct session *session) {
    return session->exchange->facts.sms;
}

static size_t left_bytes(uint32_t timed) {
    return sizeof(struct probe_left) + timed * sizeof(uint32_t);
}

/* ---- Code ---------------------------------------------------------------------------------------------- */

static void set_unchecked(struct session *session, const char *why) {
    (void)text_format(session->exchange->unchecked, sizeof session->exchange->unchecked, "%s", why);
}

/* What the driver's compiler makes of the PTX; NULL, and why the exchange says, where it cannot be had. */
static wb_status compile(struct session *session, const struct text *ptx, void **code, size_t *bytes) {
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
static wb_status check_code(struct session *session, const void *code, size_t bytes) {
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

static wb_status load(struct session *session) {
    struct text ptx = {.arena = &session->arena};
    CUmodule own;
    void *code;
    size_t bytes = 0;
    probes_put(&ptx);
    if (ptx.failed) return diagnose_out_of_memory(session->diagnostics, "calibrate");
    WB_TRY(compile(session, &ptx, &code, &bytes));
    if (code != NULL) WB_TRY(check_code(session, code, bytes));
    CALL(session, cuModuleLoadData, &session->module, code != NULL ? code : ptx.data);
    CALL(session, cuModuleLoadData, &own, link_kernel);
    CALL(session, cuModuleGetFunction, &session->link, own, "warpbound_link");
    return WB_OK;
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

/* Memory for all chains: as many pages as there are of it, at least what the others take. */
static wb_status place_memory(struct session *session) {
    const uint32_t sms = sms_of(session);
    const uint64_t least = (uint64_t)sms * (PROBE_WARM + PROBE_TIMED_MAX + 1) * LINE;
    const size_t links = (size_t)sms * (PROBE_WARM + PROBE_TIMED_MAX + 1) * sizeof(struct link);
    session->memory_bytes = PAGES_MOST * PAGE;
    while (session->memory_bytes / 2 >= least &&
           session->device.driver.cuMemAlloc(&session->memory, session->memory_bytes) != CUDA_SUCCESS)
        session->memory_bytes /= 2;
    if (session->memory == 0) CALL(session, cuMemAlloc, &session->memory, session->memory_bytes);
    WB_TRY(device_sweep_memory(&session->device, session->exchange->facts.l2_bytes, &session->swept,
                               &session->swept_bytes));
    CALL(session, cuMemAlloc, &session->links, links);
    CALL(session, cuMemAlloc, &session->starts, sms * sizeof(uint64_t));
    CALL(session, cuMemAlloc, &session->out, sms * left_bytes(PROBE_TIMED_MAX));
    session->host_starts = arena_array(&session->arena, sms, sizeof *session->host_starts);
    session->ends = arena_array(&session->arena, sms, sizeof *session->ends);
    session->host_out = arena_alloc(&session->arena, sms * left_bytes(PROBE_TIMED_MAX));
    if (session->host_starts == NULL || session->ends == NULL || session->host_out == NULL)
        return diagnose_out_of_memory(session->diagnostics, "calibrate");
    return WB_OK;
}

static uint32_t least_of(uint64_t a, uint64_t b) {
    return (uint32_t)(a < b ? a : b);
}

/* How long chains are, and how much of them a launch times. */
static struct chains measure_chains(const struct session *session, enum probe probe) {
    const uint32_t sms = sms_of(session);
    const uint64_t l2_lines = session->exchange->facts.l2_bytes / L2_PART / LINE / sms;
    const uint32_t most = least_of(session->samples, PROBE_TIMED_MAX);
    struct chains chains = {.warm = PROBE_WARM, .timed = most};
    switch (probe_place(probe)) {
    case IN_WORD: chains.length = 1; break;
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
    default: break;
    }
    return chains;
}

/* Where the elements of all chains are, in no order: lines one behind the other, or one in each page. */
static void place_elements(const struct session *session, enum probe probe, const struct chains *chains) {
    const uint32_t sms = sms_of(session);
    const bool pages = probe_place(probe) == IN_PAGES;
    struct random_state random = random_seeded(SEED);
    for (uint32_t s = 0; s < sms; s++)
        for (uint32_t i = 0; i < chains->length; i++) {
            const uint64_t line = (uint64_t)s * chains->length + i;
            const uint64_t in_page = (s * UINT64_C(37) + i) * LINE % PAGE;
            chains->links[line].at = session->memory + (pages                           ? i * PAGE + in_page
                                                        : probe_place(probe) == IN_WORD ? 0
                                                                                        : line * LINE);
        }
    /* What is within an SM's part stays there for the first level and for pages. */
    const bool apart = pages || probe_place(probe) == IN_L1;
    for (size_t i = (size_t)sms * chains->length - 1; i > 0; i--) {
        const size_t first = apart ? i / chains->length * chains->length : 0;
        const size_t other = first + random_below(&random, i - first + 1);
        const uint64_t at = chains->links[i].at;
        chains->links[i].at = chains->links[other].at;
        chains->links[other].at = at;
    }
}

/* Writes the chains into the GPU's memory. */
static wb_status make_chains(struct session *session, enum probe probe, struct chains *chains) {
    *chains = measure_chains(session, probe);
    uint32_t count = sms_of(session) * chains->length;
    void *params[] = {&session->links, &count};
    if (chains->length == 0) return WB_OK;
    chains->links = arena_array(&session->arena, count, sizeof *chains->links);
    if (chains->links == NULL) return diagnose_out_of_memory(session->diagnostics, "calibrate");
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

/* The chain of constants, which all SMs share: offsets. */
static wb_status make_constants(struct session *session) {
    uint64_t address, elements[PROBE_CONSTANT_ELEMENTS][PROBE_CONSTANT_STRIDE / sizeof(uint64_t)] = {{0}};
    size_t bytes;
    for (uint32_t i = 0; i < PROBE_CONSTANT_ELEMENTS; i++)
        elements[i][0] = (uint64_t)(i + PROBE_STEP) % PROBE_CONSTANT_ELEMENTS * PROBE_CONSTANT_STRIDE;
    CALL(session, cuModuleGetGlobal, &address, &bytes, session->module, PROBE_CONSTANTS);
    CALL(session, cuMemcpyHtoD, address, elements, sizeof elements);
    return WB_OK;
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

/* Where each block begins, in the chain of another SM than in the launch before, and where it ends. */
static wb_status set_starts(struct session *session, enum probe probe, const struct chains *chains,
                            uint32_t launch) {
    const uint32_t sms = sms_of(session), steps = chains->warm + chains->timed;
    for (uint32_t s = 0; s < sms; s++) {
        const struct link *links = chains->links + (size_t)((s + launch) % sms) * chains->length;
        uint64_t start = 0, end = 0;
        switch (probe_place(probe)) {
        case IN_REGISTER:
        case IN_BANKS: break;
        case IN_SHARED: end = (uint64_t)steps * PROBE_STEP % PROBE_SHARED_ELEMENTS * 8; break;
        case IN_CONSTANT:
            end = (uint64_t)steps * PROBE_STEP % PROBE_CONSTANT_ELEMENTS * PROBE_CONSTANT_STRIDE;
            break;
        default: start = links[0].at; end = links[steps % chains->length].at;
        }
        session->host_starts[s] = start;
        session->ends[s] = end;
    }
    CALL(session, cuMemcpyHtoD, session->starts, session->host_starts, sms * sizeof *session->host_starts);
    return WB_OK;
}

static wb_status launch(struct session *session, CUfunction function, enum probe probe,
                        const struct chains *chains) {
    uint32_t warm = chains->warm, timed = chains->timed;
    void *params[] = {&session->out, &session->starts, &warm, &timed};
    CALL(session, cuCtxSynchronize);
    CALL(session, cuLaunchKernel, function, sms_of(session), 1, 1, probe_threads(probe), 1, 1, 0,
         session->device.stream, params, NULL);
    CALL(session, cuStreamSynchronize, session->device.stream);
    return WB_OK;
}

static void count_cycles(struct probe_seen *seen, uint32_t sm, uint32_t cycles) {
    if (seen->count++ == 0 || cycles < seen->least) seen->least = cycles;
    if (cycles > seen->most) seen->most = cycles;
    if (cycles > seen->most_of[sm]) seen->most_of[sm] = cycles;
    seen->bins[cycles < PROBE_BINS ? cycles : PROBE_BINS - 1]++;
}

/* What block `block` left. */
static wb_status take_block(struct session *session, enum probe probe, uint32_t block, uint32_t timed) {
    const struct probe_left *left = (const void *)(session->host_out + block * left_bytes(timed));
    struct probe_seen *seen = &session->exchange->seen[probe];
    if (left->end != session->ends[block]) {
        diagnose(session->diagnostics, SEVERITY_ERROR, probe_name(probe),
                 "block %u went another way through memory than its chain leads: this GPU does not do as it "
                 "is told",
                 block);
        return WB_ERR_DECLINED;
    }
    if (left->sm >= PROBE_SMS_MAX) {
        diagnose(session->diagnostics, SEVERITY_ERROR, probe_name(probe), "block %u ran on SM %u of %u",
                 block, left->sm, sms_of(session));
        return WB_ERR_DECLINED;
    }
    for (uint32_t i = 0; i < timed; i++) {
        if (left->cycles[i] == UINT32_MAX) {
            diagnose(session->diagnostics, SEVERITY_ERROR, probe_name(probe),
                     "the clock of SM %u went backwards: no time is known", left->sm);
            return WB_ERR_DECLINED;
        }
        count_cycles(seen, left->sm, left->cycles[i]);
    }
    return WB_OK;
}

/* A launch, which counts if its clock did not move. */
static wb_status run_once(struct session *session, CUfunction function, enum probe probe,
                          const struct chains *chains, bool *counts) {
    struct probe_exchange *exchange = session->exchange;
    bool throttled = false;
    if (probe_place(probe) == IN_DRAM) CALL(session, cuMemsetD8, session->swept, 0x5a, session->swept_bytes);
    const uint32_t before = device_clock(&session->device, &throttled);
    WB_TRY(launch(session, function, probe, chains));
    const uint32_t after = device_clock(&session->device, &throttled);
    *counts = before == after && !throttled;
    if (!*counts) {
        exchange->seen[probe].discarded++;
        return WB_OK;
    }
    exchange->clock = before;
    CALL(session, cuMemcpyDtoH, session->host_out, session->out, sms_of(session) * left_bytes(chains->timed));
    for (uint32_t block = 0; block < sms_of(session); block++)
        WB_TRY(take_block(session, probe, block, chains->timed));
    return WB_OK;
}

static wb_status run_probe(struct session *session, enum probe probe) {
    struct probe_seen *seen = &session->exchange->seen[probe];
    struct chains chains;
    CUfunction function;
    uint32_t kept = 0;
    CALL(session, cuModuleGetFunction, &function, session->module, probe_name(probe));
    WB_TRY(make_chains(session, probe, &chains));
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
             "in all of %" PRIu64 " launches of %s the clock moved or was throttled: no time is known",
             seen->discarded, probe_name(probe));
    return WB_ERR_DECLINED;
}

static wb_status run(struct session *session, const char *driver) {
    WB_TRY(device_open(driver, &session->exchange->state, session->diagnostics, &session->device,
                       &session->exchange->facts));
    if (sms_of(session) == 0 || sms_of(session) > PROBE_SMS_MAX) {
        diagnose(session->diagnostics, SEVERITY_ERROR, session->exchange->facts.gpu, "has %u SMs",
                 sms_of(session));
        return WB_ERR_DECLINED;
    }
    WB_TRY(load(session));
    WB_TRY(place_memory(session));
    WB_TRY(make_constants(session));
    for (size_t p = 0; p < PROBE_COUNT; p++)
        WB_TRY(run_probe(session, (enum probe)p));
    return WB_OK;
}

wb_status probes_run(const char *driver, uint32_t samples, struct probe_exchange *exchange,
                     wb_diagnostics *diagnostics) {
    struct session session = {.exchange = exchange, .diagnostics = diagnostics, .samples = samples};
    const wb_status status = run(&session, driver);
    arena_free(&session.arena);
    return status;
}
