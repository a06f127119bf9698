/* Parts that several JSON reports have in common; docs/json.md documents every key. */
#ifndef WB_REPORT_JSON_PARTS_H
#define WB_REPORT_JSON_PARTS_H

#include <jansson.h>

#include "machine/machine.h"

/* Three numbers as an array: a place in a grid, or a size. */
json_t *json_three_numbers(const uint32_t numbers[3]);

/* The machine: name, clock, and what issue and latencies depend on. */
json_t *json_machine(const struct wb_machine *machine);

#endif
