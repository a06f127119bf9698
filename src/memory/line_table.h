/* Numbers for lines (or sectors) of memory: 0, 1, 2, ... in the order in which they are first asked for. */
#ifndef WB_MEMORY_LINE_TABLE_H
#define WB_MEMORY_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct line_slot {
    uint64_t line;
    uint32_t number;
    uint32_t filling; /* that it belongs to; 0: empty */
};

/* Zero-initialised it is empty. */
struct line_table {
    struct line_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
    uint32_t count;    /* lines that have numbers */
    uint32_t filling;  /* grows when the table is emptied, which leaves the slots alone */
};

/* The number of a line, which gets the next one if it has none. WB_ERR_LIMIT when memory is exhausted. */
wb_status line_table_number(struct line_table *table, uint64_t line, uint32_t *number);

/* Whether a line has a number; then it is in *number. */
bool line_table_find(const struct line_table *table, uint64_t line, uint32_t *number);

/* Empties the table in constant time. */
void line_table_clear(struct line_table *table);

void line_table_free(struct line_table *table);

#endif
