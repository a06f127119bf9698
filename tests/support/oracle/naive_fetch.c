#include "naive_fetch.h"

#include <stdlib.h>
#include <string.h>

void naive_fetch_begin(struct naive_fetch_unit *unit, const struct machine_fetch *config, uint32_t warps) {
    *unit = (struct naive_fetch_unit){.config = config, .warps = warps};
    unit->buffers = calloc(warps + 1, sizeof *unit->buffers);
    if (unit->buffers == NULL) abort();
}

void naive_fetch_end(struct naive_fetch_unit *unit) {
    free(unit->buffers);
    vec_free(&unit->lines);
    vec_free(&unit->misses_under_way);
}

void naive_fetch_clear(struct naive_fetch_unit *unit, uint32_t warp) {
    unit->buffers[warp].count = 0;
}

static bool holds(const struct naive_buffer *buffer, uint64_t address) {
    for (uint32_t i = 0; i < buffer->count; i++)
        if (buffer->held[i] == address) return true;
    return false;
}

static struct naive_code_line *find_line(struct naive_fetch_unit *unit, uint64_t number) {
    for (size_t i = 0; i < unit->lines.count; i++)
        if (unit->lines.items[i].number == number) return &unit->lines.items[i];
    return NULL;
}

/* Room for a line: if its set is full the line of it that was not used for longest is gone. */
static void make_room(struct naive_fetch_unit *unit, uint64_t number) {
    const uint64_t sets = unit->config->size / unit->config->line / unit->config->ways;
    uint32_t of_set = 0;
    size_t oldest = 0;
    for (size_t i = 0; i < unit->lines.count; i++) {
        if (unit->lines.items[i].number % sets != number % sets) continue;
        if (of_set++ == 0 || unit->lines.items[i].used < unit->lines.items[oldest].used) oldest = i;
    }
    if (of_set == unit->config->ways) unit->lines.items[oldest] = unit->lines.items[--unit->lines.count];
}

static uint32_t misses_at(const struct naive_fetch_unit *unit, cycles now) {
    uint32_t count = 0;
    for (size_t i = 0; i < unit->misses_under_way.count; i++)
        count += unit->misses_under_way.items[i] > now;
    return count;
}

/* Fetches for a warp; false: it has to wait for another miss. */
static bool fetch(struct naive_fetch_unit *unit, uint32_t warp, uint64_t address, cycles now) {
    const struct machine_fetch *config = unit->config;
    struct naive_buffer *buffer = &unit->buffers[warp];
    const uint64_t number = address / config->line;
    struct naive_code_line *line = find_line(unit, number);
    if (line == NULL) {
        if (misses_at(unit, now) == config->misses) return false;
        make_room(unit, number);
        const struct naive_code_line missed = {.number = number, .there_at = now + config->miss_latency};
        if (vec_push(&unit->lines, missed) != WB_OK) abort();
        if (vec_push(&unit->misses_under_way, missed.there_at) != WB_OK) abort();
        unit->misses++;
        line = find_line(unit, number);
    }
    line->used = ++unit->fetches;
    buffer->there_at = cycles_max(now, line->there_at) + config->latency;
    buffer->count = 0;
    for (uint32_t i = 0; i < config->buffer; i++) {
        const uint64_t next = address + (uint64_t)i * config->instruction_bytes;
        if (next / config->line == number) buffer->held[buffer->count++] = next;
    }
    return true;
}

void naive_fetch_cycle(struct naive_fetch_unit *unit, cycles now, naive_wanted wanted, void *user) {
    const uint32_t first = unit->next;
    unit->begun = 0;
    for (uint32_t k = 0; k < unit->warps && unit->begun < unit->config->per_cycle; k++) {
        const uint32_t warp = (first + k) % unit->warps;
        uint64_t address;
        if (!wanted(user, warp, &address) || holds(&unit->buffers[warp], address)) continue;
        if (!fetch(unit, warp, address, now)) continue;
        unit->begun++;
        unit->next = (warp + 1) % unit->warps;
    }
}

bool naive_fetch_has(const struct naive_fetch_unit *unit, uint32_t warp, uint64_t address, cycles now) {
    return holds(&unit->buffers[warp], address) && unit->buffers[warp].there_at <= now;
}

void naive_fetch_issue(struct naive_fetch_unit *unit, uint32_t warp, uint64_t address) {
    struct naive_buffer *buffer = &unit->buffers[warp];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < buffer->count; i++)
        if (buffer->held[i] > address) buffer->held[kept++] = buffer->held[i];
    buffer->count = kept;
}
