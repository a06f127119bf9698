#include "memory/object_lines.h"

/* Stand for lines that nobody knows: no address has such a number. */
#define ANY_LINE(place) (UINT64_MAX - (place))

/* Notes which objects are asked for. */
static void note_asked(const struct traffic *traffic, struct objects_lines *lines) {
    for (size_t p = 0; p < traffic->patterns.count; p++) {
        const struct traffic_pattern *pattern = &traffic->patterns.items[p];
        for (uint32_t a = 0; a < pattern->access_count; a++) {
            const struct traffic_access *access = &pattern->accesses[a];
            if (access->is_unknown && access->request_count > 0) lines->objects[access->object].asked = true;
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

wb_status objects_lines_make(const struct traffic *traffic, const struct cache_index *index, uint32_t ways,
                             struct arena *arena, struct objects_lines *lines) {
    const struct memory_objects *objects = &traffic->grid->cover.objects;
    *lines = (struct objects_lines){.count = (uint32_t)objects->items.count + 1, .most = ways + 1};
    lines->objects = arena_array(arena, lines->count, sizeof *lines->objects);
    if (lines->objects == NULL) return WB_ERR_LIMIT;
    note_asked(traffic, lines);
    for (uint32_t o = 0; o < lines->count; o++) {
        struct object_lines *object = &lines->objects[o];
        if (!object->asked) continue;
        object->anywhere = o == 0 || objects->items.items[o - 1].size == 0;
        if (!object->anywhere) {
            const struct memory_object *memory = &objects->items.items[o - 1];
            object->first = cache_line_number(index, memory->base);
            object->count = cache_line_number(index, memory->base + memory->size - 1) - object->first + 1;
        }
        object->set_counts = arena_array(arena, index->set_count, sizeof *object->set_counts);
        object->listed = arena_array(arena, (size_t)index->set_count * lines->most, sizeof *object->listed);
        if (object->set_counts == NULL || object->listed == NULL) return WB_ERR_LIMIT;
        list_lines(index, lines->most, object);
    }
    return WB_OK;
}
