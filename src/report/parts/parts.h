/* Parts that several reports have, for people and as JSON. */
#ifndef WB_REPORT_PARTS_PARTS_H
#define WB_REPORT_PARTS_PARTS_H

#include "bound/analysis/analysis.h"
#include "launch/launch.h"
#include "machine/occupancy.h"
#include "memory/requests/requests.h"
#include "method/bound.h"
#include "report/parts/document.h"
#include "report/write/source.h"
#include "warp/path/execution_notes.h"
#include "warp/path/path.h"

/* ---- The headings of reports: the kernel, its launch and what is known of its inputs, the machine. */

/* The data that an execution beside covering paths is of: "with the data that the launch gives". */
const char *report_data_words(bool has_zeros);

/* Two lines: the arguments, and whether contents are as given or may be anything; registers. */
void heading_put_launch(struct text *out, const struct launch_inputs *inputs,
                        const struct wb_machine *machine, const struct block_demand *demand);

/* The line of a kernel: "kernel   f(float*), in PTX _Z1fPf (k.ptx)", or its one name. */
void heading_put_kernel(struct text *out, const char *label, const struct wb_kernel *kernel);

/* The line of a grid: "grid     4x1x1 blocks of 256x1x1 threads: 8 warps a block", and the kernel's before
 * it. */
void heading_put_grid(struct text *out, const struct wb_grid *grid);

/* How many registers a thread has, and how that is known: "16 to 255 a thread: not given, ...". */
void heading_put_registers(struct text *out, const struct register_range *range);

/* The latency of global memory: "200", or "100 to 200" where the machine states a least. */
void heading_put_memory_latency(struct text *out, const struct wb_machine *machine);

/* The instruction cache of a machine, where it has one, behind what else the line says of the machine. */
void heading_put_fetch(struct text *out, const struct machine_fetch *fetch);

/* Kernel, grid and machine of a grid on a GPU, a line each. */
void heading_put_gpu(struct text *out, const struct timed_grid *timed);

/* Members of the innermost object: "inputs", "launch_file", "arguments", "variables" and "registers" of a
 * launch; */
void heading_launch_json(struct json *json, const struct launch_inputs *inputs,
                         const struct wb_machine *machine, const struct block_demand *demand);

/* only "registers"; */
void heading_registers_json(struct json *json, const struct register_range *range);

/* "kernel" and "file": NULL where there is none; */
void heading_kernel_json(struct json *json, const struct wb_kernel *kernel);

/* "machine": name, clock, what issue and latencies depend on; with `with_memory` also SMs and caches; */
void heading_machine_json(struct json *json, const struct wb_machine *machine, bool with_memory);

/* all of them for a grid on a GPU; */
void heading_gpu_json(struct json *json, const struct timed_grid *timed);

/* what it was made from, "inputs"; */
void heading_gpu_inputs_json(struct json *json, const struct timed_grid *timed);

/* what a simulation on the machine has fetched of instructions, where fetch can stall. */
void heading_fetches_json(struct json *json, const struct wb_machine *machine, uint64_t fetches,
                          uint64_t misses);

/* ---- The inputs of a result, for tracing: files and presets with checksums, and the options that overrode
 * keys of the machine. */

/* Two lines for each, the second with its checksum; then what overrode keys of the machine. */
void inputs_put(struct text *out, const struct sources *sources);

/* "inputs" of the innermost object: */
void inputs_json(struct json *json, const struct sources *sources);

/* the same of a list of them; */
void inputs_list_json(struct json *json, const wb_input *inputs, size_t count);

/* and what overrode keys of the machine: "settings". */
void inputs_settings_json(struct json *json, const struct wb_machine *machine);

/* ---- Common parts of reports of bounds, for people and as JSON. */

/* A part in percent of the whole; 0 of nothing. */
double report_percent(uint64_t part, uint64_t whole);

/* Cycles as a time at a clock, in a unit that leaves one to three digits before the point; as a cell; and,
 * for JSON, in microseconds, rounded to nanoseconds. */
void report_put_time(struct text *out, double clock_mhz, uint64_t time);
void report_time_cell(struct sheet *table, double clock_mhz, uint64_t time);
double report_microseconds(double clock_mhz, uint64_t time);

/* The parts of a bound, largest first, in percent: "issue 57 %, tail 27 %", without parts rounded to 0 %; or
 * all of them, with their cycles. */
void report_put_parts(struct text *out, const wb_bound *bound, bool in_cycles, double least);

/* The name of a part, with its unit. */
void report_put_part(struct text *out, const wb_part *part);

/* What is said of a method without a result, by its status (wb_declined): "declined", "limit", "left out". */
const char *report_declined_name(wb_status status);

/* Members of the innermost object: "declined" with each method's reason; "assumptions", of what the execution
 * of a kernel takes for granted; "seconds", null unless they are asked for; "certified", null where nothing
 * is. */
void report_declined_json(struct json *json, const wb_declined *declined, size_t count);
void report_assumed_json(struct json *json, assumed_set assumed);
void report_seconds_json(struct json *json, double seconds, const wb_report_options *options);
void report_certified_json(struct json *json, bool is_certified, uint64_t lower, uint64_t upper);

/* The members of a bound. */
void report_bound_json(struct json *json, const wb_bound *bound, const wb_report_options *options);

/* The members of a deadline, and whether it is met. */
void report_deadline_json(struct json *json, const wb_verdict *verdict);

/* ---- The assumptions of numbers, for people: by group, each once, with its permanent id. */

/* Assumptions of several numbers, and, where that matters, of which of them each is. */
struct condition_list {
    wb_assumption items[WB_ASSUMPTION_COUNT];
    size_t count;
    uint64_t of[WB_ASSUMPTION_COUNT]; /* by assumption: bit i for number i, 63 for all from there on */
};

/* Adds what number `number` assumes. */
void conditions_add(struct condition_list *conditions, const wb_assumption *assumptions, size_t count,
                    size_t number);
void conditions_add_bound(struct condition_list *conditions, const wb_bound *bound, size_t number);

/* Appends them in their order. With numbers, the first `numbers` of which exist, an assumption of some of
 * them names these: "(launches 1, 3)". */
void conditions_put(struct text *out, const struct layout *layout, struct condition_list *conditions,
                    size_t numbers);

/* The same under a title and above an empty line; or, not in words, a detail of the verdict with their ids.
 * Nothing where there are none. */
void conditions_put_titled(struct text *out, const struct layout *layout, const char *title,
                           struct condition_list *conditions, size_t numbers, bool in_words);

/* Likewise, as a detail: those that whoever launches the kernel has to see to in words, the others by ids. */
void conditions_put_brief(struct text *out, const struct layout *layout, const char *title,
                          struct condition_list *conditions);

/* The bounds of some owner by index; NULL past the end. */
typedef const wb_bound *(*report_bound_at)(const void *owner, size_t index);

/* Numbers beside the bounds, such as simulations, and what the execution that they are of takes for granted.
 */
struct report_executed {
    const char *who; /* "simulations"; NULL ends a list */
    assumed_set assumed;
};

/* Appends what stands under a table of methods: what each bound assumes, by ids (`at` is NULL where there are
 * none), what those beside them do (a list, or NULL), and what the ids stand for, each once. */
void report_put_conditions(struct text *out, const struct layout *layout, report_bound_at at,
                           const void *owner, const struct report_executed *executed);

/* Appends why an estimate is no bound, and what stopped a search; nothing of a bound without a reason. */
void report_put_reason(struct text *out, const struct layout *layout, const wb_bound *bound);

/* ---- The verdict, in words and as JSON: what every report of an analysis begins with. */

/* How a verdict is put into words. */
struct verdict_words {
    const wb_machine *machine;
    wb_unit unit;   /* in which deadlines are shown */
    bool line_only; /* nothing but the line */
    bool brief;     /* below it only what decides */
};

/* One line that says it all, without a line break: "met: the kernel takes at most ...". */
void verdict_put_line(struct text *out, const wb_verdict *verdict, const struct verdict_words *words);

/* The lines below it: the bound with its method and parts, the deadline, the slowest execution found, the
 * meaning of the state. */
void verdict_put_details(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                         const struct verdict_words *words);

/* Begin and end one detail: a name and the words that are written between these. */
size_t verdict_begin_detail(struct text *out, const char *name);
void verdict_end_detail(struct text *out, const struct layout *layout, size_t start);

/* Both, laid out. */
void verdict_put(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                 const struct verdict_words *words);

/* The limits of a model's bounds, in a sentence without a full stop; NULL if they are of no model. */
const char *verdict_model(wb_model model);

/* Where the launch overhead of a machine comes from. */
void verdict_put_launch_source(struct text *out, const wb_machine *machine);

/* The time that stall counts prove (verdict->stalls), what its machine code takes (verdict->code,
 * code_bound), and whether
 * these refute a bound of the machine (verdict->refuted). */
void verdict_put_sure(struct text *out, const wb_verdict *verdict); /* what no doubt shortens */
void verdict_put_code(struct text *out, const wb_verdict *verdict);
void verdict_put_first_blocks(struct text *out, const wb_verdict *verdict);
void verdict_put_stalls(struct text *out, const wb_verdict *verdict);
void verdict_put_refuted(struct text *out, const wb_verdict *verdict);

/* The same as details of a stream: of a launch, the first of so many that are refuted. */
void verdict_put_refuted_launch(struct text *out, const struct layout *layout, const wb_verdict *verdict,
                                size_t number, size_t refuted);

/* The member "verdict" of the innermost object. */
void verdict_json(struct json *json, const wb_verdict *verdict, const wb_machine *machine);

/* Members of the innermost object: what blocks take of an SM, how many fit, and what would let more fit. */
void occupancy_members_json(struct json *json, const wb_occupancy *occupancy);

/* ---- Reports of covering paths besides the bounds: the unknown values, and their cost. */

/* The lines of a heading about covering paths and the flow facts that they use. */
void cover_put_heading(struct text *out, const struct wb_block *block);

/* Each instruction that depends on an unknown value, and where the value comes from. What fails shows in
 * out->failed.
 */
void cover_put_causes(struct text *out, const struct layout *layout, const struct wb_block *block);

/* A sentence that says how many they are and where, for those who do not ask for all of them. */
void cover_put_summary(struct text *out, const struct layout *layout, const struct wb_block *block);

/* Members of the innermost object: "facts", the flow facts that covering paths use, null without any;
 * "unknown", written by cover_put_causes. */
void cover_json(struct json *json, const struct wb_block *block);

#endif
