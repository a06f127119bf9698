/* A task: nodes that run in an order, each on what it has to itself (docs/task.md). */
#ifndef WB_WINGS_TASK_TASK_H
#define WB_WINGS_TASK_TASK_H

#include "analyze/request.h"
#include "base/base.h"
#include "base/containers.h"
#include "bound/method/method.h"
#include "machine/machine.h"
#include "report/parts/parts.h"
#include "report/write/json.h"
#include "warpbound_task.h"

#define TASK_NODES_MAX 512u
#define TASK_PARTS_MAX 64u
#define WHOLE_GPU UINT32_MAX

enum task_kind { TASK_KERNEL, TASK_COPY, TASK_HOST };

/* Some of the SMs, apart from those of all other parts. */
struct task_part {
    const char *name;
    struct machine_partition partition;
    uint32_t at; /* in the file */
};

struct task_node {
    const char *name;
    enum task_kind kind;
    uint32_t at;          /* in the file */
    const char *launch;   /* of a kernel: its file */
    uint32_t part;        /* of a kernel: of wb_task.parts, or WHOLE_GPU */
    const char *place;    /* of a copy: its engine; of work of the host: its core */
    const char *duration; /* of the host */
    uint64_t bytes, rate; /* of a copy: what DRAM moves, and bytes a microsecond */
    VEC(uint32_t) after;  /* nodes that end before it starts */
    bool shared;          /* of a kernel: another one may run on its SMs at the same time */

    /* Once bounded, in cycles. */
    struct wb_machine machine; /* of a kernel: what it runs on; its arrays are the task's machine's */
    struct launched of;
    struct wb_analysis *analysis;
    cycles time, overhead, slowest;
    cycles held;             /* of a copy: memory serves it so long; of a kernel: the dispatcher */
    cycles atomics;          /* of a kernel: memory serves its atomics so long */
    cycles beside;           /* of a kernel: what copies and kernels add that may run at the same time */
    cycles alone_end;        /* when it has ended without these, on the longest path to it, */
    cycles end, slowest_end; /* with them, and of an execution that was found */
    uint32_t waits_for;      /* the node of `after` that ends last; or none: TASK_NODES_MAX */
    bool critical;
};

struct wb_task {
    struct arena arena;
    struct source source;
    const char *name, *machine_name, *deadline;
    const struct wb_machine *machine;
    VEC(struct task_part) parts;
    VEC(struct task_node) nodes;
    VEC(uint32_t) order; /* all nodes, each behind those that it waits for */
    uint64_t *before;    /* TASK_WORDS of bits per node: all nodes that end before it starts */
    unsigned accept;
    cycles time, slowest;
    bool of_model, shared; /* some kernel shares its SMs */
    bool federated;        /* other tasks may have other SMs at the same time */
};

#define TASK_WORDS (TASK_NODES_MAX / 64)

/* task_file.c: a task file in memory; `name` stands for it in messages, and `dot` for what the file says that
 * has the order; NULL: that is read. As wb_task_read. */
wb_status task_parse(const char *name, const char *text, size_t size, const char *dot,
                     wb_diagnostics *diagnostics, wb_task **task);

/* dot.c: adds the edges of a graph, within a protected pass; `name` stands for it in messages. */
wb_status task_read_dot(struct wb_task *task, const char *name, const char *text,
                        wb_diagnostics *diagnostics);

/* graph.c: whether one of two nodes ends before the other starts. */
bool task_are_ordered(const struct wb_task *task, uint32_t a, uint32_t b);

/* Whether they are kernels that may run at the same time on the same SMs. */
bool task_share(const struct wb_task *task, uint32_t a, uint32_t b);

/* Finds `order`, `before` and which nodes share SMs, within a protected pass. WB_ERR_INPUT where nodes wait
 * for each other, or two that use the same have no order. */
wb_status task_order(struct wb_task *task, wb_diagnostics *diagnostics);

/* What other nodes add to a kernel: all, or those that do not share its SMs. */
cycles task_delays(const struct wb_task *task, uint32_t kernel, bool shared);

/* Finds when all nodes have ended, by their times, and which are critical. */
void task_find_ends(struct wb_task *task);

/* kernels.c: reads what a kernel executes; and, when all are there, finds its time. */
wb_status task_load_kernel(struct wb_task *task, uint32_t number, wb_diagnostics *diagnostics);
wb_status task_bound_kernel(struct wb_task *task, uint32_t number, const wb_analyze_options *options,
                            wb_diagnostics *diagnostics);

/* picture.c: appends the picture of a task that is bounded. `deadline`: or NULL. */
void task_picture(const struct wb_task *task, const cycles *deadline, struct text *out);

/* shared.c: the bound of a kernel that holds whatever other kernels run on its SMs, besides what these take.
 */
#define TASK_SHARED_METHOD "shared"
extern const struct bound_method bound_shared;

/* Of a node that was bounded so: on any M SMs it takes (work + (M - 1) span) / M, beside copies and kernels
 * on other SMs of the task. */
struct task_span {
    cycles work, span;
};
struct task_span task_span_of_node(const struct wb_task *task, uint32_t number);

/* report.c: what the time of a node assumes, in order. */
struct condition_list task_conditions(const struct task_node *node);

/* export.c: the members of a node that say what it comes behind, and assumes. */
void task_node_json(struct json *json, const struct wb_task *task, const struct task_node *node);

#endif
