/* Runs a launch on the GPU again and again, and times it by events. */
#include "wings/device/runs.h"

#include <inttypes.h>
#include <string.h>

#include "wings/device/timer.h"

/* Launches that nobody times, by which the clock of a GPU that was idle rises. */
#define WARMING_RUNS 3u

/* Events count by half microseconds. */
#define EVENT_NS 500u

/* What runs beside, on every other SM: each thread reads 16 bytes of `memory` and writes them, further on and
 * further on, until `control` says that it is enough, or `ns` have passed. It counts there what it did. */
static const char beside_kernel[] =
    ".version 6.0\n.target sm_50\n.address_size 64\n"
    ".visible .entry warpbound_beside(.param .u64 memory, .param .u64 bytes, .param .u64 control,\n"
    ".param .u64 ns)\n{\n"
    "\t.reg .u64 %a<9>;\n\t.reg .u32 %r<12>;\n\t.reg .pred %p;\n"
    "\tmov.u32 %r1, %smid;\n\tand.b32 %r1, %r1, 1;\n\tsetp.eq.u32 %p, %r1, 0;\n\t@%p ret;\n"
    "\tld.param.u64 %a1, [memory];\n\tld.param.u64 %a2, [bytes];\n\tld.param.u64 %a3, [control];\n"
    "\tld.param.u64 %a4, [ns];\n\tmov.u64 %a5, %globaltimer;\n\tadd.u64 %a4, %a4, %a5;\n"
    "\tmov.u32 %r2, %ctaid.x;\n\tmov.u32 %r3, %ntid.x;\n\tmov.u32 %r4, %tid.x;\n"
    "\tmad.lo.u32 %r2, %r2, %r3, %r4;\n\tmul.wide.u32 %a6, %r2, 16;\n"
    "\tmov.u32 %r5, %nctaid.x;\n\tmul.lo.u32 %r5, %r5, %r3;\n\tmul.wide.u32 %a7, %r5, 16;\n"
    "again:\n\tadd.u64 %a8, %a1, %a6;\n"
    "\tld.global.cg.v4.u32 {%r6, %r7, %r8, %r9}, [%a8];\n"
    "\tst.global.cg.v4.u32 [%a8], {%r6, %r7, %r8, %r9};\n"
    "\tadd.u64 %a6, %a6, %a7;\n\tadd.u64 %a5, %a6, 16;\n\tsetp.gt.u64 %p, %a5, %a2;\n"
    "\t@%p mul.wide.u32 %a6, %r2, 16;\n"
    "\tred.global.add.u32 [%a3+4], 1;\n"
    "\tld.volatile.global.u32 %r10, [%a3];\n\tsetp.ne.u32 %p, %r10, 0;\n\t@%p ret;\n"
    "\tmov.u64 %a5, %globaltimer;\n\tsetp.lt.u64 %p, %a5, %a4;\n\t@%p bra again;\n\tret;\n}\n";

#define BESIDE_THREADS 1024u

/* A launch on the GPU. */
struct placed {
    CUfunction function;
    uint64_t *addresses; /* per object of its image; 0: a variable that the driver does not name */
    uint8_t **contents;  /* per object: what is in it before each run */
    uint8_t *params;
    size_t param_bytes;
};

struct session {
    const struct launch_image *images; /* `count` launches, one after another */
    struct placed *placed;
    size_t count;
    const wb_measure_options *options;
    struct exchange *exchange;
    wb_diagnostics *diagnostics;
    struct device device;
    CUmodule module;
    CUfunction beside;
    struct timer timer;
    CUstream beside_stream;
    uint64_t beside_control; /* memory: whether that kernel is to end, and a count of what it did */
    struct arena arena;
    uint64_t swept; /* memory for that */
};

#define CALL(session, name, ...) DEVICE_CALL(&(session)->device, name, __VA_ARGS__)

/* ---- The launch in memory ------------------------------------------------------------------------------ */

static wb_status allow_shared(struct session *session, CUfunction function, uint64_t bytes) {
    if (bytes == 0) return WB_OK;
    CALL(session, cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
    return WB_OK;
}

/* Where the variables of the module stand now. */
static wb_status find_variables(struct session *session, const struct launch_image *image,
                                const struct placed *placed) {
    for (size_t i = 0; i < image->objects.count; i++) {
        const struct image_object *object = &image->objects.items[i];
        size_t bytes = 0;
        if (!object->is_variable) continue;
        const int result = session->device.driver.cuModuleGetGlobal(&placed->addresses[i], &bytes,
                                                                    session->module, object->name);
        if (result != CUDA_SUCCESS || bytes < object->size) placed->addresses[i] = 0;
        if (object->is_given || session->options->results)
            WB_TRY(driver_result(&session->device.driver, "cuModuleGetGlobal", result, session->diagnostics));
    }
    return WB_OK;
}

static wb_status load_module(struct session *session) {
    if (session->module != NULL) CALL(session, cuModuleUnload, session->module);
    session->module = NULL;
    CALL(session, cuModuleLoadData, &session->module, session->images[0].code);
    for (size_t i = 0; i < session->count; i++) {
        const struct launch_image *image = &session->images[i];
        struct placed *placed = &session->placed[i];
        CALL(session, cuModuleGetFunction, &placed->function, session->module,
             wb_kernel_name(image->run.kernel));
        WB_TRY(allow_shared(session, placed->function, image->run.launch->shared_bytes));
        WB_TRY(find_variables(session, image, placed));
    }
    return WB_OK;
}

/* Lets a kernel that does nothing be launched as those measured are. */
static wb_status open_timer(struct session *session) {
    uint64_t shared = 0; /* the most of a launch */
    for (size_t i = 0; i < session->count; i++)
        if (session->images[i].run.launch->shared_bytes > shared)
            shared = session->images[i].run.launch->shared_bytes;
    WB_TRY(timer_open(&session->device, &session->timer));
    return allow_shared(session, session->timer.empty, shared);
}

/* What runs beside, in a stream of its own. */
static wb_status load_beside(struct session *session) {
    CUmodule module;
    CALL(session, cuModuleLoadData, &module, beside_kernel);
    CALL(session, cuModuleGetFunction, &session->beside, module, "warpbound_beside");
    CALL(session, cuStreamCreate, &session->beside_stream, CU_STREAM_NON_BLOCKING);
    CALL(session, cuMemAlloc, &session->beside_control, 2 * sizeof(uint32_t));
    return WB_OK;
}

/* What is in an object before each run: what the launch gives, or of a variable what the module gives. */
static wb_status find_contents(struct session *session, const struct launch_image *image,
                               const struct placed *placed, size_t object) {
    const struct image_object *of = &image->objects.items[object];
    uint8_t *bytes = arena_alloc(&session->arena, of->size + 1);
    if (bytes == NULL) return diagnose_out_of_memory(session->diagnostics, of->name);
    placed->contents[object] = bytes;
    if (!of->is_variable || of->is_given)
        memcpy(bytes, image_bytes(image, object), of->size);
    else if (placed->addresses[object] != 0)
        CALL(session, cuMemcpyDtoH, bytes, placed->addresses[object], of->size);
    return WB_OK;
}

/* Memory for the buffers; the parameters with its addresses. */
static wb_status place_launch(struct session *session, const struct launch_image *image,
                              struct placed *placed) {
    for (size_t i = 0; i < image->objects.count; i++) {
        const struct image_object *object = &image->objects.items[i];
        if (!object->is_variable) CALL(session, cuMemAlloc, &placed->addresses[i], object->size + 1);
        WB_TRY(find_contents(session, image, placed, i));
    }
    placed->param_bytes = image->param_bytes;
    if (image->param_bytes > 0) memcpy(placed->params, image->params, image->param_bytes);
    for (size_t i = 0; i < image->pointers.count; i++) {
        const struct image_pointer *pointer = &image->pointers.items[i];
        const uint64_t address = placed->addresses[pointer->object] + pointer->offset;
        memcpy(placed->params + pointer->at, &address, sizeof address);
    }
    return WB_OK;
}

static wb_status place_launches(struct session *session) {
    struct arena *arena = &session->arena;
    session->placed = arena_array(arena, session->count, sizeof *session->placed);
    bool failed = session->placed == NULL;
    for (size_t i = 0; i < session->count && !failed; i++) {
        const struct launch_image *image = &session->images[i];
        struct placed *placed = &session->placed[i];
        placed->addresses = arena_array(arena, image->objects.count + 1, sizeof *placed->addresses);
        placed->contents = arena_array(arena, image->objects.count + 1, sizeof *placed->contents);
        placed->params = arena_alloc(arena, image->param_bytes + 1);
        failed = placed->addresses == NULL || placed->contents == NULL || placed->params == NULL;
    }
    if (failed) return diagnose_out_of_memory(session->diagnostics, "measure");
    WB_TRY(load_module(session));
    for (size_t i = 0; i < session->count; i++)
        WB_TRY(place_launch(session, &session->images[i], &session->placed[i]));
    return WB_OK;
}

static wb_status write_memory(struct session *session) {
    for (size_t l = 0; l < session->count; l++) {
        const struct placed *placed = &session->placed[l];
        for (size_t i = 0; i < session->images[l].objects.count; i++)
            if (placed->addresses[i] != 0 && session->images[l].objects.items[i].size > 0)
                CALL(session, cuMemcpyHtoD, placed->addresses[i], placed->contents[i],
                     session->images[l].objects.items[i].size);
    }
    return WB_OK;
}

/* ---- Runs ---------------------------------------------------------------------------------------------- */

/* Launches all, or one that does nothing in the place of each. */
static wb_status launch(struct session *session, CUfunction empty) {
    for (size_t i = 0; i < session->count; i++) {
        const struct wb_launch *given = session->images[i].run.launch;
        struct placed *placed = &session->placed[i];
        void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, placed->params, CU_LAUNCH_PARAM_BUFFER_SIZE,
                         &placed->param_bytes, CU_LAUNCH_PARAM_END};
        const bool has_params = empty == NULL && placed->param_bytes > 0;
        CALL(session, cuLaunchKernel, empty != NULL ? empty : placed->function, given->grid[0],
             given->grid[1], given->grid[2], given->block[0], given->block[1], given->block[2],
             (unsigned)given->shared_bytes, session->device.stream, NULL, has_params ? extra : NULL);
    }
    return WB_OK;
}

static wb_status launch_timed(void *context, CUfunction empty) {
    return launch(context, empty);
}

/* Lets the kernel run that is beside the launches. */
static wb_status begin_beside(struct session *session) {
    uint64_t bytes = session->exchange->swept_bytes, ns = (uint64_t)(session->options->patience * 1e9);
    void *params[] = {&session->swept, &bytes, &session->beside_control, &ns};
    if (session->beside == NULL) return WB_OK;
    CALL(session, cuMemsetD8, session->beside_control, 0, 2 * sizeof(uint32_t));
    CALL(session, cuCtxSynchronize);
    CALL(session, cuLaunchKernel, session->beside, session->exchange->facts.sms, 1, 1, BESIDE_THREADS, 1, 1,
         0, session->beside_stream, params, NULL);
    return WB_OK;
}

/* Ends it; *alone: it did nothing so far. */
static wb_status end_beside(struct session *session, bool *alone) {
    uint32_t control[2] = {0, 0}, enough = 1;
    *alone = false;
    if (session->beside == NULL) return WB_OK;
    CALL(session, cuMemcpyDtoH, control, session->beside_control, sizeof control);
    CALL(session, cuMemcpyHtoD, session->beside_control, &enough, sizeof enough);
    CALL(session, cuStreamSynchronize, session->beside_stream);
    *alone = control[1] == 0;
    return WB_OK;
}

/* *early: no such time is known, or nothing was beside the launches that should be. */
static wb_status time_launch(struct session *session, CUfunction empty, uint64_t *ns, bool *early) {
    bool alone;
    WB_TRY(begin_beside(session));
    WB_TRY(timer_time(&session->device, &session->timer, launch_timed, session, empty, ns, early));
    WB_TRY(end_beside(session, &alone));
    *early |= alone;
    return WB_OK;
}

/* The largest time of a kernel that does nothing. */
static wb_status time_empty(struct session *session) {
    for (uint32_t i = 0; i < session->options->runs + WARMING_RUNS; i++) {
        uint64_t ns;
        bool early;
        WB_TRY(time_launch(session, session->timer.empty, &ns, &early));
        if (i >= WARMING_RUNS && ns > session->exchange->empty_ns) session->exchange->empty_ns = ns;
    }
    return WB_OK;
}

static wb_status prepare(struct session *session, wb_measured_state state) {
    if (state == WB_MEASURED_COLD) WB_TRY(load_module(session));
    WB_TRY(write_memory(session));
    if (state == WB_MEASURED_COLD)
        CALL(session, cuMemsetD8, session->swept, 0x5a, session->exchange->swept_bytes);
    CALL(session, cuCtxSynchronize);
    return WB_OK;
}

/* A run, which is kept if its clock did not move, and the GPU did not wait for the host. */
static wb_status run_once(struct session *session, wb_measured_state state) {
    struct exchange *exchange = session->exchange;
    bool throttled = false, early;
    uint64_t ns;
    WB_TRY(prepare(session, state));
    const uint32_t before = device_clock(&session->device, &throttled);
    WB_TRY(time_launch(session, NULL, &ns, &early));
    const uint32_t after = device_clock(&session->device, &throttled);
    if (before != after || throttled || early) {
        exchange->discarded[state]++;
        return WB_OK;
    }
    const uint64_t beside = exchange->empty_ns + EVENT_NS;
    exchange->state.done++;
    exchange->runs[state][exchange->counts[state]++] =
        (wb_measured_run){ns > beside ? ns - beside : 0, before};
    return WB_OK;
}

static wb_status run_state(struct session *session, wb_measured_state state) {
    const uint64_t runs = session->options->runs;
    const uint32_t *count = &session->exchange->counts[state];
    for (uint32_t i = 0; i < WARMING_RUNS; i++) {
        WB_TRY(prepare(session, WB_MEASURED_WARM));
        WB_TRY(launch(session, NULL));
    }
    CALL(session, cuStreamSynchronize, session->device.stream);
    for (uint64_t i = 0; i < RUN_ATTEMPTS * runs && *count < runs; i++)
        WB_TRY(run_once(session, state));
    if (*count > 0) return WB_OK;
    diagnose(session->diagnostics, SEVERITY_ERROR, session->exchange->facts.gpu,
             "in all of %" PRIu64
             " %s runs the clock moved or was throttled, or the host was late%s: no time is known",
             session->exchange->discarded[state], wb_measured_state_name(state),
             session->beside != NULL ? ", or nothing ran beside it" : "");
    return WB_ERR_DECLINED;
}

/* What a run of one launch leaves in memory. */
static wb_status read_results(struct session *session) {
    uint8_t *to = session->exchange->results;
    if (to == NULL) return WB_OK;
    WB_TRY(prepare(session, WB_MEASURED_WARM));
    WB_TRY(launch(session, NULL));
    CALL(session, cuStreamSynchronize, session->device.stream);
    for (size_t i = 0; i < session->images[0].objects.count; i++) {
        const struct image_object *object = &session->images[0].objects.items[i];
        if (object->size > 0) CALL(session, cuMemcpyDtoH, to, session->placed[0].addresses[i], object->size);
        to += object->size;
    }
    return WB_OK;
}

static wb_status make(struct session *session) {
    const wb_measure_options *options = session->options;
    WB_TRY(device_open(options->driver, &session->exchange->state, session->diagnostics, &session->device,
                       &session->exchange->facts));
    WB_TRY(place_launches(session));
    WB_TRY(open_timer(session));
    if (options->cold || options->beside)
        WB_TRY(device_sweep_memory(&session->device, session->exchange->facts.l2_bytes, &session->swept,
                                   &session->exchange->swept_bytes));
    if (options->beside) WB_TRY(load_beside(session));
    WB_TRY(time_empty(session));
    if (options->cold) WB_TRY(run_state(session, WB_MEASURED_COLD));
    if (options->warm) WB_TRY(run_state(session, WB_MEASURED_WARM));
    return read_results(session);
}

wb_status runs_make(const struct launch_image *images, size_t count, const wb_measure_options *options,
                    struct exchange *exchange, wb_diagnostics *diagnostics) {
    struct session session = {.images = images,
                              .count = count,
                              .options = options,
                              .exchange = exchange,
                              .diagnostics = diagnostics};
    const wb_status status = make(&session);
    arena_free(&session.arena);
    return status;
}
