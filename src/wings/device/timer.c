#include "wings/device/timer.h"

/* For so long the GPU waits before a launch that is timed, so that the launch is in its queue when it comes
 * to the first event: the host, which other processes may hold up, is no part of the time. */
#define WAIT_NS 200000u

/* A clock that is the same so often, after so long each time, stays; how often it is looked at. */
#define SETTLED 10u
#define SETTLE_NS 5000000u
#define SETTLE_MOST 400u

static const char own_kernels[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                                  ".visible .entry warpbound_empty()\n{\n\tret;\n}\n"
                                  ".visible .entry warpbound_wait(.param .u64 ns)\n{\n"
                                  "\t.reg .u64 %t<4>;\n\t.reg .pred %p;\n"
                                  "\tld.param.u64 %t1, [ns];\n\tmov.u64 %t2, %globaltimer;\n"
                                  "\tadd.u64 %t1, %t1, %t2;\n"
                                  "again:\n\tmov.u64 %t3, %globaltimer;\n"
                                  "\tsetp.lt.u64 %p, %t3, %t1;\n\t@%p bra again;\n\tret;\n}\n";

wb_status timer_open(struct device *device, struct timer *timer) {
    CUmodule module;
    DEVICE_CALL(device, cuEventCreate, &timer->start, 0);
    DEVICE_CALL(device, cuEventCreate, &timer->stop, 0);
    DEVICE_CALL(device, cuModuleLoadData, &module, own_kernels);
    DEVICE_CALL(device, cuModuleGetFunction, &timer->wait, module, "warpbound_wait");
    DEVICE_CALL(device, cuModuleGetFunction, &timer->empty, module, "warpbound_empty");
    return WB_OK;
}

static wb_status wait_for(struct device *device, const struct timer *timer, uint64_t ns) {
    void *params[] = {&ns};
    DEVICE_CALL(device, cuLaunchKernel, timer->wait, 1, 1, 1, 1, 1, 1, 0, device->stream, params, NULL);
    return WB_OK;
}

wb_status timer_settle(struct device *device, const struct timer *timer) {
    uint32_t last = 0, same = 0;
    for (uint32_t i = 0; i < SETTLE_MOST && same < SETTLED; i++) {
        bool throttled = false;
        WB_TRY(wait_for(device, timer, SETTLE_NS));
        DEVICE_CALL(device, cuStreamSynchronize, device->stream);
        const uint32_t clock = device_clock(device, &throttled);
        same = clock == last ? same + 1 : 0;
        last = clock;
    }
    return WB_OK;
}

wb_status timer_time(struct device *device, const struct timer *timer,
                     wb_status (*launch)(void *context, CUfunction function), void *context,
                     CUfunction function, uint64_t *ns, bool *early) {
    float milliseconds = 0;
    WB_TRY(wait_for(device, timer, WAIT_NS));
    DEVICE_CALL(device, cuEventRecord, timer->start, device->stream);
    WB_TRY(launch(context, function));
    DEVICE_CALL(device, cuEventRecord, timer->stop, device->stream);
    const int passed = device->driver.cuEventQuery(timer->start);
    *early = passed == CUDA_SUCCESS;
    if (passed != CUDA_ERROR_NOT_READY)
        WB_TRY(driver_result(&device->driver, "cuEventQuery", passed, device->diagnostics));
    DEVICE_CALL(device, cuEventSynchronize, timer->stop);
    DEVICE_CALL(device, cuEventElapsedTime, &milliseconds, timer->start, timer->stop);
    *ns = milliseconds > 0 ? (uint64_t)((double)milliseconds * 1e6 + 0.5) : 0;
    return WB_OK;
}
