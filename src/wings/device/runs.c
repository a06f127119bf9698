/* Runs a launch on the GPU again and again, and times it by events. */
#include "wings/device/runs.h"

#include <inttypes.h>
#include <string.h>

#include "wings/device/timer.h"

/* Launches that nobody times, by which the clock of a GPU that was idle rises. */
#define WARMING_RUNS 3u

/* Events count by half microseconds. */
#define EVENT_NS 500u

struct session {
    const struct launch_image *image;
    const wb_measure_options *options;
    struct exchange *exchange;
    wb_diagnostics *diagnostics;
    struct device device;
    CUmodule module;
    CUfunction function;
    struct timer timer;
    struct arena arena;
    uint64_t *addresses; /* per object of the image; 0: a variable that the driver does not name */
    uint8_t **contents;  /* per object: what is in it before each run */
    uint8_t *params;
    size_t param_bytes;
    uint64_t swept; /* memory for that */
};

#define CALL(session, name, ...) DEVICE_CALL(&(session)->device, name, __VA_ARGS__)

/* ---- The launch in memory ------------------------------------------------------------------------------ */

static wb_status allow_shared(struct session *session, CUfunction function) {
    const uint64_t bytes = session->image->run.launch->shared_bytes;
    if (bytes == 0) return WB_OK;
    CALL(session, cuFuncSetAttribute, function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes);
    return WB_OK;
}

/* Where the variables of the module stand now. */
static wb_status find_variables(struct session *session) {
    for (size_t i = 0; i < session->image->objects.count; i++) {
        const struct image_object *object = &session->image->objects.items[i];
        size_t bytes = 0;
        if (!object->is_variable) continue;
        const int result = session->device.driver.cuModuleGetGlobal(&session->addresses[i], &bytes,
                                                                    session->module, object->name);
        if (result != CUDA_SUCCESS || bytes < object->size) session->addresses[i] = 0;
        if (object->is_given || session->options->results)
            WB_TRY(driver_result(&session->device.driver, "cuModuleGetGlobal", result, session->diagnostics));
    }
    return WB_OK;
}

static wb_status load_module(struct session *session) {
    if (session->module != NULL) CALL(session, cuModuleUnload, session->module);
    session->module = NULL;
    CALL(session, cuModuleLoadData, &session->module, session->image->code);
    CALL(session, cuModuleGetFunction, &session->function, session->module,
         wb_kernel_name(session->image->run.kernel));
    WB_TRY(allow_shared(session, session->function));
    return find_variables(session);
}

/* What is in an object before each run: what the launch gives, or of a variable what the module gives. */
static wb_status find_contents(struct session *session, size_t object) {
    const struct image_object *of = &session->image->objects.items[object];
    uint8_t *bytes = arena_alloc(&session->arena, of->size + 1);
    if (bytes == NULL) return diagnose_out_of_memory(session->diagnostics, of->name);
    session->contents[object] = bytes;
    if (!of->is_variable || of->is_given)
        memcpy(bytes, image_bytes(session->image, object), of->size);
    else if (session->addresses[object] != 0)
        CALL(session, cuMemcpyDtoH, bytes, session->addresses[object], of->size);
    return WB_OK;
}

/* Memory for the buffers; the parameters with its addresses. */
static wb_status place_launch(struct session *session) {
    const struct launch_image *image = session->image;
    const size_t count = image->objects.count;
    session->addresses = arena_array(&session->arena, count + 1, sizeof *session->addresses);
    session->contents = arena_array(&session->arena, count + 1, sizeof *session->contents);
    session->params = arena_alloc(&session->arena, image->param_bytes + 1);
    if (session->addresses == NULL || session->contents == NULL || session->params == NULL)
        return diagnose_out_of_memory(session->diagnostics, "measure");
    WB_TRY(load_module(session));
    for (size_t i = 0; i < count; i++) {
        const struct image_object *object = &image->objects.items[i];
        if (!object->is_variable) CALL(session, cuMemAlloc, &session->addresses[i], object->size + 1);
        WB_TRY(find_contents(session, i));
    }
    session->param_bytes = image->param_bytes;
    if (image->param_bytes > 0) memcpy(session->params, image->params, image->param_bytes);
    for (size_t i = 0; i < image->pointers.count; i++) {
        const struct image_pointer *pointer = &image->pointers.items[i];
        const uint64_t address = session->addresses[pointer->object] + pointer->offset;
        memcpy(session->params + pointer->at, &address, sizeof address);
    }
    return WB_OK;
}

static wb_status write_memory(struct session *session) {
    for (size_t i = 0; i < session->image->objects.count; i++)
        if (session->addresses[i] != 0 && session->image->objects.items[i].size > 0)
            CALL(session, cuMemcpyHtoD, session->addresses[i], session->contents[i],
                 session->image->objects.items[i].size);
    return WB_OK;
}

/* ---- Runs ---------------------------------------------------------------------------------------------- */

static wb_status launch(struct session *session, CUfunction function) {
    const struct wb_launch *given = session->image->run.launch;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, session->params, CU_LAUNCH_PARAM_BUFFER_SIZE,
                     &session->param_bytes, CU_LAUNCH_PARAM_END};
    const bool has_params = function == session->function && session->param_bytes > 0;
    CALL(session, cuLaunchKernel, function, given->grid[0], given->grid[1], given->grid[2], given->block[0],
         given->block[1], given->block[2], (unsigned)given->shared_bytes, session->device.stream, NULL,
         has_params ? extra : NULL);
    return WB_OK;
}

static wb_status launch_timed(void *context, CUfunction function) {
    return launch(context, function);
}

static wb_status time_launch(struct session *session, CUfunction function, uint64_t *ns, bool *early) {
    return timer_time(&session->device, &session->timer, launch_timed, session, function, ns, early);
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
    WB_TRY(time_launch(session, session->function, &ns, &early));
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
        WB_TRY(launch(session, session->function));
    }
    CALL(session, cuStreamSynchronize, session->device.stream);
    for (uint64_t i = 0; i < RUN_ATTEMPTS * runs && *count < runs; i++)
        WB_TRY(run_once(session, state));
    if (*count > 0) return WB_OK;
    diagnose(session->diagnostics, SEVERITY_ERROR, session->exchange->facts.gpu,
             "in all of %" PRIu64
             " %s runs the clock moved or was throttled, or the host was late: no time is known",
             session->exchange->discarded[state], wb_measured_state_name(state));
    return WB_ERR_DECLINED;
}

/* What a run leaves in memory. */
static wb_status read_results(struct session *session) {
    uint8_t *to = session->exchange->results;
    if (to == NULL) return WB_OK;
    WB_TRY(prepare(session, WB_MEASURED_WARM));
    WB_TRY(launch(session, session->function));
    CALL(session, cuStreamSynchronize, session->device.stream);
    for (size_t i = 0; i < session->image->objects.count; i++) {
        const struct image_object *object = &session->image->objects.items[i];
        if (object->size > 0) CALL(session, cuMemcpyDtoH, to, session->addresses[i], object->size);
        to += object->size;
    }
    return WB_OK;
}

static wb_status make(struct session *session) {
    const wb_measure_options *options = session->options;
    WB_TRY(device_open(options->driver, &session->exchange->state, session->diagnostics, &session->device,
                       &session->exchange->facts));
    WB_TRY(place_launch(session));
    WB_TRY(timer_open(&session->device, &session->timer));
    WB_TRY(allow_shared(session, session->timer.empty));
    if (options->cold)
        WB_TRY(device_sweep_memory(&session->device, session->exchange->facts.l2_bytes, &session->swept,
                                   &session->exchange->swept_bytes));
    WB_TRY(time_empty(session));
    if (options->cold) WB_TRY(run_state(session, WB_MEASURED_COLD));
    if (options->warm) WB_TRY(run_state(session, WB_MEASURED_WARM));
    return read_results(session);
}

wb_status runs_make(const struct launch_image *image, const wb_measure_options *options,
                    struct exchange *exchange, wb_diagnostics *diagnostics) {
    struct session session = {
        .image = image, .options = options, .exchange = exchange, .diagnostics = diagnostics};
    const wb_status status = make(&session);
    arena_free(&session.arena);
    return status;
}
