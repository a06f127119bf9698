/*
 * Warpbound: launches on the GPU of this machine, by its driver (docs/measure.md).
 *
 * The driver (libcuda.so.1), and NVML for clocks, are opened by name at run time. All that they do happens in
 * a child process, which is ended when it hangs.
 */
#ifndef WARPBOUND_DEVICE_H
#define WARPBOUND_DEVICE_H

#include "warpbound.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WB_MEASURE_RUNS_USUAL 100
#define WB_MEASURE_RUNS_MAX 1000000
#define WB_MEASURE_PATIENCE_USUAL 30

/* What is in the caches when a measured run begins. */
typedef enum {
    WB_MEASURED_COLD, /* as little as possible: the module is loaded anew, and other memory written */
    WB_MEASURED_WARM, /* what the same launch left there */
    WB_MEASURED_STATES
} wb_measured_state;

/* "cold", "warm" */
const char *wb_measured_state_name(wb_measured_state state);

typedef struct {
    size_t size;        /* sizeof(wb_measure_options) */
    const char *driver; /* the file of the driver's library; NULL: libcuda.so.1, as the system finds it */
    uint32_t runs;      /* that are kept of each state; 0: WB_MEASURE_RUNS_USUAL */
    bool cold, warm;    /* which states; none: both */
    double patience;    /* seconds after which a call of the driver hangs; 0: WB_MEASURE_PATIENCE_USUAL */
    bool results;       /* hold what the GPU leaves in memory against what the interpreter leaves */
    bool beside;        /* a kernel on every other SM reads and writes memory meanwhile */
    wb_watch watch;
} wb_measure_options;

/* A run. */
typedef struct {
    uint64_t ns; /* that the kernel took at least: the time between the events around it, less the largest one
                    of an empty kernel of the same shape and what events are off by */
    uint32_t clock; /* of the SMs, in MHz, before the run and behind it; 0: not known */
} wb_measured_run;

/* The runs of one state, the shortest first. */
typedef struct {
    const wb_measured_run *runs;
    size_t count;
    uint64_t discarded; /* others, whose clock moved or was throttled, or that the GPU waited for */
    uint64_t median, p99, longest; /* ns */
} wb_measured_runs;

typedef struct wb_measurement wb_measurement;

/* Runs a launch of a kernel on the GPU, with zeros where it leaves contents open. WB_ERR_DECLINED when there
 * is no driver or GPU, a call of it fails or hangs, no run keeps its clock, or the launch leaves an argument
 * open; with `results` also when the interpreter declines the launch. WB_ERR_LIMIT when `watch` stopped it.
 * The kernel must outlive the measurement. */
wb_status wb_measurement_new(const wb_kernel *kernel, const wb_launch *launch,
                             const wb_measure_options *options, wb_diagnostics *diagnostics,
                             wb_measurement **measurement);
void wb_measurement_free(wb_measurement *measurement);

/* The same of a list of launches of one module, one after another without a pause, and of each of them by
 * itself. Nothing is compared. WB_ERR_DECLINED, too, when launches give variables of the module, which all of
 * them share. */
wb_status wb_measurement_new_list(const wb_module *module, const wb_launches *launches,
                                  const wb_measure_options *options, wb_diagnostics *diagnostics,
                                  wb_measurement **measurement);

/* A launch of such a list by itself; NULL past the end, and of what is no list. */
const wb_measurement *wb_measurement_part(const wb_measurement *measurement, size_t index);

/* The longest run of all, for wb_analysis_set_measured. */
const wb_measured *wb_measurement_longest(const wb_measurement *measurement);

/* The runs of a state; `count` is 0 where it was not measured. */
wb_measured_runs wb_measurement_runs(const wb_measurement *measurement, wb_measured_state state);

/* Bytes of memory that the interpreter knows and the GPU left otherwise; 0, too, when nobody asked. */
uint64_t wb_measurement_differences(const wb_measurement *measurement);

/* Text or JSON: the report of `analysis`, which was given the longest run, and the runs; the runs alone where
 * it is NULL: then a deadline of the options is in nanoseconds, unless its unit is cycles. */
wb_status wb_measurement_report(const wb_measurement *measurement, const wb_analysis *analysis,
                                wb_report_format format, const wb_report_options *options,
                                wb_diagnostics *diagnostics, char **text);

/* How the times of the runs are spread, as SVG. */
wb_status wb_measurement_picture(const wb_measurement *measurement, wb_diagnostics *diagnostics, char **svg);

/* Whether a run took longer than a deadline of such a report. */
bool wb_measurement_misses(const wb_measurement *measurement, const wb_report_options *options);

/* ---- Calibration --------------------------------------------------------------------------------------- */

#define WB_CALIBRATION_SAMPLES_USUAL 4096
#define WB_CALIBRATION_SAMPLES_MAX 10000000
#define WB_CALIBRATION_MARGIN_MAX 1000

typedef struct {
    size_t size;        /* sizeof(wb_gpu_calibration_options) */
    const char *driver; /* as of wb_measure_options */
    uint32_t samples;   /* accesses of each kind that each SM times; 0: WB_CALIBRATION_SAMPLES_USUAL */
    uint32_t margin;    /* percent that figures are larger than the slowest access of all */
    double patience;    /* as of wb_measure_options */
    wb_watch watch;
} wb_gpu_calibration_options;

/* What accesses of one kind after the other took on every SM of the first GPU, by small kernels of our own,
 * whose machine code is looked at where the driver gives it. */
typedef struct wb_gpu_calibration wb_gpu_calibration;

/* WB_ERR_DECLINED when there is no driver or GPU, a call of it fails or hangs, the machine code is other than
 * what is to be timed, or no clock can be relied on. WB_ERR_LIMIT when `watch` stopped it. */
wb_status wb_gpu_calibration_new(const wb_gpu_calibration_options *options, wb_diagnostics *diagnostics,
                                 wb_gpu_calibration **calibration);
void wb_gpu_calibration_free(wb_gpu_calibration *calibration);

/* The preset for this GPU. WB_ERR_INPUT when there is none of its architecture. */
wb_status wb_gpu_calibration_preset(const wb_gpu_calibration *calibration, wb_diagnostics *diagnostics,
                                    wb_machine **machine);

/* A machine file that stands on `machine`, a preset of the GPU's architecture, with a source for each figure
 * that was measured. A warning for each that is smaller in the preset than what was measured, and for what of
 * the measurement is in doubt. */
wb_status wb_gpu_calibration_file(const wb_gpu_calibration *calibration, const wb_machine *machine,
                                  wb_diagnostics *diagnostics, char **text);

/* A page of HTML with how the times of each kind are spread, and what the machine has. */
wb_status wb_gpu_calibration_page(const wb_gpu_calibration *calibration, const wb_machine *machine,
                                  wb_diagnostics *diagnostics, char **html);

#ifdef __cplusplus
}
#endif

#endif
