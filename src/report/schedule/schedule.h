/* The schedule of one simulation: what its formats have in common, and one writer per format. */
#ifndef WB_REPORT_SCHEDULE_SCHEDULE_H
#define WB_REPORT_SCHEDULE_SCHEDULE_H

#include "base/arena.h"
#include "base/text.h"
#include "bound/analysis/analysis.h"
#include "report/write/json.h"
#include "report/write/sheet.h"
#include "sim/gpu/gpu_results.h"

/* Most instructions that a schedule is written for: some 200 bytes each. */
#define SCHEDULE_EVENTS_MAX ((uint64_t)10000000)

struct schedule_report {
    const struct wb_machine *machine;
    const struct timed_code *code;
    const struct wb_block *block; /* NULL: written by hand, or of a grid */
    const struct wb_grid *grid;   /* or NULL */
    const char *policy, *scheme;  /* scheme: of a grid */
    uint32_t warp_count;          /* of a block */
    uint32_t sms, slots;          /* of a grid: those in use */
    struct text out;
    struct sheet table;         /* of the table, as far as it is not printed */
    struct json json;           /* of the trace */
    uint64_t events;            /* written so far */
    VEC(struct sim_event) kept; /* of a format that writes them when all are known */
    wb_diagnostics *diagnostics;
};

/* How a format writes a schedule; each leaves a message when it fails. */
struct schedule_writer {
    wb_status (*begin)(struct schedule_report *report);
    wb_status (*event)(struct schedule_report *report, uint32_t sm, const struct sim_event *event);
    wb_status (*end)(struct schedule_report *report);
};

extern const struct schedule_writer schedule_table, schedule_trace, schedule_svg;

/* Appends the name of a unit, with its sub-core and its instance where there are several. */
void schedule_put_unit(struct text *out, const struct wb_machine *machine, uint32_t unit, uint32_t sub_core,
                       uint32_t instance);

/* What an instruction is called: its opcode, or "" in a block written by hand. */
const char *schedule_opcode(const struct schedule_report *report, uint32_t instruction);

/* WB_ERR_LIMIT with a message. */
wb_status schedule_refuse_length(wb_diagnostics *diagnostics, const char *origin);

#endif
