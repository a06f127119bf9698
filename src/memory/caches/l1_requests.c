#include "memory/caches/caches.h"

#include <assert.h>
#include <string.h>

/* Stand for lines that nobody knows: no address has such a number. */
#define ANY_LINE(place) (UINT64_MAX - (place))

/* Notes which objects are asked for. */
static void note_asked(const struct traffic *traffic, struct objects_lines *lines) {
    for (size_t p = 0; p < traffic->patterns.count; p++) {
        const struct traffic_pattern *pattern = &traffic->patterns.items[p];
        for (uint32_t a = 0; a < pattern->access_count; a++) {
            const struct traffic_access *access = &pattern->accesses[a];
            if (!access->is_unknown || access->request_count == 0) continue;
            lines->objects[access->object].asked = lines->some_asked = true;
        }
    }
}

/* Lists the lines of an object, until all sets have as many as are listed. */
static void list_lines(const struct cache_index *index, uint32_t most, struct object_lines *object) {
    uint32_t full = 0;
    if (object->anywhere) {
        for (uint32_t set = 0; set < index->set_count; set++) {
            object->set_counts[set] = most;
            for (uint32_t i = 0; i < most; i++)
                object->listed[(size_t)set * most + i] = ANY_LINE(i);
        }
        return;
    }
    for (uint64_t l = 0; l < object->count && full < index->set_count; l++) {
        const uint32_t set = cache_set_of_line(index, object->first + l);
        uint32_t *count = &object->set_counts[set];
        if (*count == most) continue;
        object->listed[(size_t)set * most + (*count)++] = object->first + l;
        full += *count == most;
    }
}

/* The lines of the objects that accesses of the traffic are to. */
static struct objects_lines objects_lines_make(const struct traffic *traffic, const struct cache_index *index,
                                               uint32_t ways, struct arena *arena) {
    const struct memory_objects *objects = &traffic->grid->cover.objects;
    struct objects_lines lines = {.count = (uint32_t)objects->items.count + 1, .most = ways + 1};
    lines.objects = arena_array(arena, lines.count, sizeof *lines.objects);
    note_asked(traffic, &lines);
    for (uint32_t o = 0; o < lines.count; o++) {
        struct object_lines *object = &lines.objects[o];
        if (!object->asked) continue;
        object->anywhere = o == 0 || objects->items.items[o - 1].size == 0;
        if (!object->anywhere) {
            const struct memory_object *memory = &objects->items.items[o - 1];
            object->first = cache_line_number(index, memory->base);
            object->count = cache_line_number(index, memory->base + memory->size - 1) - object->first + 1;
        }
        object->set_counts = arena_array(arena, index->set_count, sizeof *object->set_counts);
        object->listed = arena_array(arena, (size_t)index->set_count * lines.most, sizeof *object->listed);
        list_lines(index, lines.most, object);
    }
    return lines;
}

/* A unit that no machine has. */
#define NO_UNIT_YET UINT32_MAX

/* Whether all instructions of a pattern that make requests are of one unit: of *unit, if that is one. */
static bool same_unit(const struct traffic_pattern *pattern, const struct timed_code *code, uint32_t *unit) {
    for (uint32_t a = 0; a < pattern->access_count; a++) {
        const struct traffic_access *access = &pattern->accesses[a];
        if (access->request_count == 0) continue;
        uint32_t of_access = code->insts[access->instruction].unit;
        if (*unit != NO_UNIT_YET && of_access != *unit) return false;
        *unit = of_access;
    }
    return true;
}

enum port_order port_order_of(const struct traffic *traffic, const struct timed_code *code) {
    const struct wb_machine *machine = traffic->machine;
    /* If warps only maybe wait at a barrier, it orders nothing for sure. */
    const enum port_order most = traffic->grid->cover.meets_maybe ? PORT_PROGRAM_ORDER : PORT_ISSUE_ORDER;
    uint32_t unit = NO_UNIT_YET;
    if (machine->dispatch_depth == 0) return most;
    for (size_t p = 0; p < traffic->patterns.count; p++) {
        if (!same_unit(&traffic->patterns.items[p], code, &unit)) return PORT_ANY_ORDER;
    }
    if (unit >= machine->unit_count) return most; /* there is nothing to order */
    return machine->units[unit].shared || machine->sub_cores == 1 ? most : PORT_PROGRAM_ORDER;
}

struct l1_requests l1_requests_make(const struct traffic *traffic, enum port_order order,
                                    struct arena *arena) {
    struct l1_requests requests = {.arena = arena,
                                   .traffic = traffic,
                                   .index = cache_index_of(&traffic->machine->memory.l1),
                                   .order = order};
    const uint32_t sets = requests.index.set_count, ways = traffic->machine->memory.l1.ways;
    requests.objects = objects_lines_make(traffic, &requests.index, ways, arena);
    const uint32_t objects = requests.objects.count;
    requests.slice_of = arena_array(arena, sets, sizeof *requests.slice_of);
    requests.unknown = arena_array(arena, objects, sizeof *requests.unknown);
    requests.known_at = arena_array(arena, sets, sizeof *requests.known_at);
    requests.asked_at = arena_array(arena, (size_t)sets * objects, sizeof *requests.asked_at);
    return requests;
}

/* Reads the requests of one access; room for them is reserved. `like` has what they have in common. */
static void read_access(struct l1_requests *requests, const struct traffic_pattern *pattern,
                        const struct traffic_access *access, uint64_t base, struct l1_request like) {
    const struct cache_index *index = &requests->index;
    for (uint32_t r = 0; r < access->request_count; r++) {
        uint64_t address = base + pattern->offsets[access->first_request + r];
        like.request = access->first_request + r;
        like.line = cache_line_number(index, address);
        like.set = cache_set_of_line(index, like.line);
        assert(like.set < index->set_count);
        like.sector = (uint32_t)cache_sector_number(index, address) & index->sector_mask;
        like.maybe_executed =
            like.unknown || (pattern->maybe_executed != NULL && pattern->maybe_executed[like.request]);
        requests->known_at[like.set] = ++requests->now;
        requests->items.items[requests->items.count++] = like;
    }
}

/* Counts the requests of an access to an unknown address. */
static void count_unknown(struct l1_requests *requests, const struct traffic_access *access,
                          enum touch_kind touch) {
    struct unknown_requests *sum = &requests->unknown[access->object];
    const uint64_t count = access->request_count;
    if (access->kind == TRAFFIC_LOAD) sum->loads += count;
    if (access->kind == TRAFFIC_UNCACHED) sum->uncached += count;
    if (access->kind == TRAFFIC_STORE) sum->stores += count;
    if (access->kind == TRAFFIC_ATOMIC) sum->atomics += count;
    if (touch == TOUCH_STORE_EVICTS) sum->drops += count;
}

/* Reads the lines that an access to an unknown address may use; `since`: when its warp began its phase. */
static void read_unknown(struct l1_requests *requests, const struct traffic_access *access,
                         struct l1_request like, uint64_t since) {
    const struct objects_lines *objects = &requests->objects;
    const struct object_lines *object = &objects->objects[access->object];
    count_unknown(requests, access, (enum touch_kind)like.touch);
    if (like.touch == TOUCH_STORE_EVICTS) return;
    like.maybe_executed = like.unknown = true;
    like.touch = TOUCH_LOAD; /* which of the lines is not known: neither that it is one that never comes */
    for (uint32_t set = 0; set < requests->index.set_count; set++) {
        uint64_t *asked_at = &requests->asked_at[(size_t)set * objects->count + access->object];
        if (object->set_counts[set] == 0) continue;
        if (*asked_at > since && *asked_at > requests->known_at[set]) continue;
        *asked_at = ++requests->now;
        arena_reserve(requests->arena, &requests->items, object->set_counts[set]);
        like.set = set;
        for (uint32_t i = 0; i < object->set_counts[set]; i++) {
            like.line = object_set_lines(objects, access->object, set)[i];
            requests->items.items[requests->items.count++] = like;
        }
    }
}

void l1_requests_read(struct l1_requests *requests, uint32_t block) {
    const struct traffic *traffic = requests->traffic;
    enum store_policy policy = traffic->machine->memory.l1_store;
    size_t known = 0;
    for (uint32_t w = 0; w < traffic->grid->warp_count; w++)
        known += traffic_pattern_of(traffic, block, w)->request_count;
    requests->items.count = 0;
    arena_reserve(requests->arena, &requests->items, known);
    memset(requests->unknown, 0, requests->objects.count * sizeof *requests->unknown);
    for (uint32_t w = 0; w < traffic->grid->warp_count; w++) {
        const struct traffic_pattern *pattern = traffic_pattern_of(traffic, block, w);
        const struct access_position *positions = traffic_positions_of(traffic, block, w);
        uint64_t since = ++requests->now; /* when the phase of the warp began */
        uint32_t phase = 0;
        for (uint32_t a = 0; a < pattern->access_count; a++) {
            const struct traffic_access *access = &pattern->accesses[a];
            if (access->request_count == 0) continue;
            struct l1_request like = {.warp = w, .access = a, .kind = access->kind};
            like.phase = requests->order == PORT_ISSUE_ORDER ? positions[a].phase : 0;
            like.touch = (uint8_t)l1_touch(access->kind, policy);
            if (like.phase != phase) since = ++requests->now;
            phase = like.phase;
            if (access->is_unknown) {
                read_unknown(requests, access, like, since);
                continue;
            }
            const uint64_t base = traffic_base(traffic, block, w, access->group);
            const bool around = access->unordered && like.touch != TOUCH_STORE_EVICTS;
            struct l1_request possible = like;
            like.unordered = possible.unknown = around;
            arena_reserve(requests->arena, &requests->items, (size_t)3 * access->request_count);
            if (around) read_access(requests, pattern, access, base, possible);
            read_access(requests, pattern, access, base, like);
            if (around) read_access(requests, pattern, access, base, possible);
        }
    }
}

/* Counts the requests of each set into slices, in the order of their first requests. */
static void count_slices(struct l1_requests *requests) {
    requests->slices.count = 0;
    for (size_t i = 0; i < requests->items.count; i++) {
        size_t *slice = &requests->slice_of[requests->items.items[i].set];
        if (*slice == 0) {
            arena_push(requests->arena, &requests->slices,
                       ((struct set_slice){requests->items.items[i].set, 0, 0}));
            *slice = requests->slices.count;
        }
        requests->slices.items[*slice - 1].count++;
    }
}

void l1_requests_sort(struct l1_requests *requests) {
    for (size_t i = 0; i < requests->slices.count; i++)
        requests->slice_of[requests->slices.items[i].set] = 0;
    count_slices(requests);
    requests->by_set.count = 0;
    arena_reserve(requests->arena, &requests->by_set, requests->items.count);
    requests->by_set.count = requests->items.count;
    size_t first = 0;
    for (size_t i = 0; i < requests->slices.count; i++) {
        struct set_slice *slice = &requests->slices.items[i];
        slice->first = first;
        first += slice->count;
        slice->count = 0;
    }
    assert(first == requests->items.count);
    for (size_t i = 0; i < requests->items.count; i++) {
        const struct l1_request *request = &requests->items.items[i];
        struct set_slice *slice = &requests->slices.items[requests->slice_of[request->set] - 1];
        requests->by_set.items[slice->first + slice->count++] = *request;
    }
}
