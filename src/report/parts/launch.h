/* What reports say of a launch: the inputs that a result holds for, and the registers of a thread. */
#ifndef WB_REPORT_PARTS_LAUNCH_H
#define WB_REPORT_PARTS_LAUNCH_H

#include <jansson.h>

#include "base/text.h"
#include "launch/launch_inputs.h"
#include "machine/occupancy.h"

/* Two lines of a heading: the arguments, and whether contents are as given or may be anything; registers. */
void report_put_launch(struct text *out, const struct launch_inputs *inputs, const struct wb_machine *machine,
                       const struct block_demand *demand);

/* Adds the keys "inputs", "launch_file", "arguments", "variables" and "registers". */
void report_add_launch(const struct launch_inputs *inputs, const struct wb_machine *machine,
                       const struct block_demand *demand, json_t **object);

/* How many registers a thread has, and how that is known: "16 to 255 a thread: not given, ...". */
void report_put_register_range(struct text *out, const struct register_range *range);

json_t *report_registers_json(const struct register_range *range);

/* The instruction cache of a machine, where it has one, behind what else the line says of the machine. */
void report_put_fetch(struct text *out, const struct machine_fetch *fetch);

#endif
