#ifndef WARPBOUND_TASK_H
#define WARPBOUND_TASK_H

#include "warpbound.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tasks: kernels, copies and work of the host, in an order --------------------------------------------
 */

/* A YAML file that names them (docs/task.md). */
typedef struct wb_task wb_task;

/* Reads a task file, and checks that its order is one, and that copies, and work of the host, that may run at
 * the same time use different engines or cores. WB_ERR_INPUT with messages. */
wb_status wb_task_read(const char *path, wb_diagnostics *diagnostics, wb_task **task);
void wb_task_free(wb_task *task);

/* Whether the file at `path` has the keys of one. */
bool wb_is_task_file(const char *path);

/* What the file says of the machine and the deadline; NULL: nothing. */
const char *wb_task_machine(const wb_task *task);
const char *wb_task_deadline(const wb_task *task);

/* Bounds every kernel of the task, and how long the task takes, once. The machine outlives the task. Of
 * `options` accept, methods, memory_limit, instruction_limit and watch count. WB_ERR_DECLINED with messages
 * where a kernel has no bound. */
wb_status wb_task_bound(wb_task *task, const wb_machine *machine, const wb_analyze_options *options,
                        wb_diagnostics *diagnostics);

/* Before that: other tasks may run on other SMs at the same time, and kernels are bounded by work and span,
 * as WB_TASK_RTGPU needs. */
void wb_task_federate(wb_task *task);

typedef struct {
    const char *name;
    const char *kind;  /* "kernel", "copy" or "host" */
    const char *place; /* a partition, an engine or a core; NULL: the whole GPU */
    uint64_t cycles;   /* it takes at most, */
    uint64_t overhead; /* with so many for a launch, */
    uint64_t beside;   /* and for copies, and kernels on its SMs, that may run beside it */
    uint64_t end;      /* it has ended by then, from the start of the task */
    uint64_t slowest;  /* of an execution that was found, with the overhead; of copies and the host `cycles`;
                          of kernels that share SMs 0: none was looked for */
    bool critical;     /* it is on the longest path */
    const wb_analysis *analysis; /* of a kernel; else NULL */
} wb_task_node;

/* The nodes in the order of the file; false past the end. */
bool wb_task_node_at(const wb_task *task, size_t index, wb_task_node *node);

/* How long the task takes at most, in cycles of the machine; and the state of that, of WB_BOUNDED, WB_MET,
 * WB_OPEN and WB_MODEL_ONLY. */
uint64_t wb_task_cycles(const wb_task *task);
wb_state wb_task_judge(const wb_task *task, const uint64_t *deadline);

/* One page of HTML: when nodes end at the latest, as a picture, and the text with all assumptions in words.
 */
wb_status wb_task_html_report(const wb_task *task, const wb_report_options *options,
                              wb_diagnostics *diagnostics, char **text);

/* What analyses of response times take: segments as in GCAPS (JSON), work and span as in RTGPU and federated
 * scheduling (JSON), the graph with the time of each node (DOT, CSV); that in JSON is wb_task_report's.
 * `deadline` and `preemption`, what a preemption costs (GCAPS: epsilon), are in cycles; NULL: not stated.
 * WB_ERR_DECLINED with a message where work of the host has no order with other nodes (GCAPS). */
typedef enum { WB_TASK_GCAPS, WB_TASK_RTGPU, WB_TASK_DOT, WB_TASK_CSV } wb_task_format;
wb_status wb_task_export(const wb_task *task, wb_task_format format, const uint64_t *deadline,
                         const uint64_t *preemption, wb_diagnostics *diagnostics, char **text);

/* Text or JSON. */
wb_status wb_task_report(const wb_task *task, wb_report_format format, const wb_report_options *options,
                         wb_diagnostics *diagnostics, char **text);

#ifdef __cplusplus
}
#endif

#endif
