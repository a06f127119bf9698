#include "machine/fetch.h"

#include <stddef.h>

#include "base/yaml.h"
#include "machine/machine.h"

/* Most ways, entries and fetches a cycle; largest line and buffer. */
#define FETCH_COUNT_MAX 1024u
#define FETCH_BUFFER_MAX 64u

/* Sizes of machine instructions that there are: up to Pascal, and since Volta. */
#define NARROW_INSTRUCTION 8u
#define WIDE_INSTRUCTION 16u

#define FETCH_FIELD(member, least, most)                                                                     \
    {                                                                                                        \
        .key = #member, .kind = FIELD_U32, .offset = offsetof(struct machine_fetch, member),                 \
        .minimum = (least), .maximum = (most)                                                                \
    }

const struct field machine_fetch_fields[] = {
    FETCH_FIELD(size, 0, FETCH_BYTES_MAX),
    FETCH_FIELD(ways, 1, FETCH_COUNT_MAX),
    FETCH_FIELD(line, NARROW_INSTRUCTION, FETCH_COUNT_MAX),
    FETCH_FIELD(instruction_bytes, NARROW_INSTRUCTION, WIDE_INSTRUCTION),
    FETCH_FIELD(buffer, 1, FETCH_BUFFER_MAX),
    FETCH_FIELD(per_cycle, 1, FETCH_COUNT_MAX),
    FETCH_FIELD(latency, 0, MACHINE_TIME_MAX),
    FETCH_FIELD(miss_latency, 1, MACHINE_TIME_MAX),
    FETCH_FIELD(misses, 1, FETCH_COUNT_MAX),
    {0},
};

void machine_fetch_defaults(struct machine_fetch *fetch) {
    *fetch = (struct machine_fetch){.ways = 4,
                                    .line = MEMORY_LINE_BYTES,
                                    .instruction_bytes = WIDE_INSTRUCTION,
                                    .buffer = 2,
                                    .per_cycle = 1,
                                    .miss_latency = 1,
                                    .misses = 1};
}

bool machine_fetch_check(const struct machine_fetch *fetch, struct text *problem) {
    if (!fetch_can_stall(fetch)) return true;
    if (fetch->instruction_bytes != NARROW_INSTRUCTION && fetch->instruction_bytes != WIDE_INSTRUCTION)
        text_printf(problem, "instruction_bytes: expected %u or %u, got %u", NARROW_INSTRUCTION,
                    WIDE_INSTRUCTION, fetch->instruction_bytes);
    else if ((fetch->line & (fetch->line - 1)) != 0 || fetch->line < fetch->instruction_bytes)
        text_printf(problem, "line: expected a power of two of at least one instruction (%u bytes), got %u",
                    fetch->instruction_bytes, fetch->line);
    else if (fetch->size % (fetch->ways * fetch->line) != 0)
        text_printf(problem, "size: %u bytes are no whole number of sets of %u lines of %u bytes",
                    fetch->size, fetch->ways, fetch->line);
    return problem->length == 0 && !problem->failed;
}

wb_status machine_fetch_read(const struct ytree *document, const struct ytree_node *value,
                             struct machine_fetch *fetch) {
    WB_TRY(ytree_read_fields(document, value, machine_fetch_fields, fetch));
    struct text problem = {0};
    wb_status status = WB_OK;
    if (!machine_fetch_check(fetch, &problem))
        status = ytree_error(document, value, "fetch: %s", problem.failed ? "wrong" : problem.data);
    text_free(&problem);
    return status;
}
