/* The verdict, in words and as JSON: what every report of an analysis begins with. */
#ifndef WB_REPORT_PARTS_VERDICT_H
#define WB_REPORT_PARTS_VERDICT_H

#include "base/base.h"
#include "bound/analysis/analysis.h"
#include "report/write/json.h"
#include "report/write/layout.h"

/* How a verdict is put into words. */
struct verdict_words {
    double clock_mhz;
    wb_unit unit;   /* in which deadlines are shown */
    bool line_only; /* nothing but the line */
};

/* One line that says it all, without a line break: "met: the kernel takes at most ...". */
void verdict_put_line(struct text *out, const wb_verdict *verdict, const struct verdict_words *words);

/* The lines below it: the bound with its method and parts, the deadline, the slowest execution found, the
 * meaning of the state. */
void verdict_put_details(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                         const struct verdict_words *words);

/* One detail: a name and its words, which are freed. */
void verdict_put_detail(struct text *out, const struct layout *layout, const char *name, struct text *words);

/* Both, laid out. */
void verdict_put(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                 const struct verdict_words *words);

/* The limits of a model's bounds, in a sentence without a full stop; NULL if they are of no model. */
const char *verdict_model(wb_model model);

/* The time that stall counts prove (verdict->stalls), its slowest execution (verdict->code), and whether
 * these refute a bound of the machine (verdict->refuted). */
void verdict_put_code(struct text *out, const wb_verdict *verdict);
void verdict_put_stalls(struct text *out, const wb_verdict *verdict);
void verdict_put_refuted(struct text *out, const wb_verdict *verdict);

/* The same as details of a stream: of a launch, the first of so many that are refuted. */
void verdict_put_refuted_launch(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                                size_t number, size_t refuted);

/* The isolated block or the kernel: "the kernel", "block (0,0,0) alone", "the stream". */
void verdict_put_subject(struct text *out, const wb_verdict *verdict);

/* The member "verdict" of the innermost object. */
void verdict_json(struct json *json, const wb_verdict *verdict, double clock_mhz);

#endif
