#include "wings/record/recording.h"

#include <string.h>

#include "base/containers.h"

/* Memory of GPUs begins at multiples of this; memory of the host, which may begin anywhere, is taken to begin
 * at the one before, so that the lowest bits of addresses are those of the program. */
#define ALLOCATION_ALIGN UINT64_C(512)

enum handle_kind { HANDLE_MODULE, HANDLE_FUNCTION, HANDLE_STREAM, HANDLE_GRAPH };

/* Most launches of a recording, as graphs multiply them. */
#define RECORDED_MAX ((size_t)1 << 22)

/* A handle of a process. */
struct handle {
    uint64_t number;
    uint32_t process;
    uint32_t kind;
};

struct allocation {
    uint64_t base, size;
    uint32_t process, number;
};

/* A kernel of a graph. */
struct node {
    struct log_launch launch;
    const uint8_t *params;
    size_t param_bytes;
    uint32_t next; /* of the same graph; or RECORDED_NONE */
};

struct graph {
    uint32_t first, last; /* of its nodes, or RECORDED_NONE */
    bool in_order;
};

/* A log being read. */
struct reading {
    struct recording *recording;
    const char *name;
    const uint8_t *bytes;
    size_t size, at; /* `at`: of the record that is being read */
    wb_diagnostics *diagnostics;
    struct table handles;                  /* each with its place in */
    VEC(uint32_t) meanings;                /* what it stands for at this place of the log */
    VEC(struct allocation) allocations;    /* those that are there, by process and base; none meets another */
    uint32_t allocation_count;             /* all that there were */
    VEC(struct recorded_pointer) pointers; /* of the launch that is being read */
    VEC(struct graph) graphs;
    VEC(struct node) nodes;
};

/* A record, and what follows its struct. */
struct record {
    uint32_t process;
    const uint8_t *rest;
    size_t rest_bytes;
};

_Noreturn static void refuse(const struct reading *reading, const char *what) {
    diagnose(reading->diagnostics, SEVERITY_ERROR, reading->name, "the log is damaged at byte %zu: %s",
             reading->at, what);
    arena_fail(&reading->recording->arena, WB_ERR_INPUT);
}

/* ---- Handles ------------------------------------------------------------------------------------------- */

static bool same_handle(const struct table_slot *slot, const void *wanted) {
    const struct handle *a = slot->key, *b = wanted;
    return a->number == b->number && a->process == b->process && a->kind == b->kind;
}

static const struct table_slot *handle_find(const struct reading *reading, const struct handle *handle) {
    return table_find(&reading->handles, hash_bytes(handle, sizeof *handle), same_handle, handle);
}

/* What it stands for, or RECORDED_NONE. */
static uint32_t handle_value(const struct reading *reading, enum handle_kind kind, uint32_t process,
                             uint64_t number) {
    const struct handle wanted = {number, process, kind};
    const struct table_slot *slot = handle_find(reading, &wanted);
    return slot != NULL ? reading->meanings.items[slot->value] : RECORDED_NONE;
}

static void handle_set(struct reading *reading, enum handle_kind kind, uint32_t process, uint64_t number,
                       uint32_t value) {
    struct arena *arena = &reading->recording->arena;
    const struct handle wanted = {number, process, kind};
    const struct table_slot *slot = handle_find(reading, &wanted);
    if (slot != NULL) {
        reading->meanings.items[slot->value] = value;
        return;
    }
    struct handle *kept = arena_alloc(arena, sizeof *kept);
    *kept = wanted;
    const uint32_t place = (uint32_t)reading->meanings.count;
    arena_push(arena, &reading->meanings, value);
    if (table_insert(&reading->handles, hash_bytes(kept, sizeof *kept), kept, place) != WB_OK)
        arena_fail(arena, WB_ERR_LIMIT);
}

/* ---- Modules and functions ----------------------------------------------------------------------------- */

static uint32_t code_of(struct reading *reading, const struct recorded_code *code) {
    struct recording *recording = reading->recording;
    for (uint32_t i = 0; i < recording->codes.count; i++) {
        const struct recorded_code *other = &recording->codes.items[i];
        if (other->bytes == code->bytes && other->architecture == code->architecture &&
            memcmp(other->image, code->image, code->bytes) == 0)
            return i;
    }
    arena_push(&recording->arena, &recording->codes, *code);
    return (uint32_t)recording->codes.count - 1;
}

static void read_module(struct reading *reading, const struct record *record,
                        const struct log_module *module) {
    const struct recorded_code code = {record->rest, record->rest_bytes, module->architecture};
    if (code.bytes == 0) refuse(reading, "a module without an image");
    handle_set(reading, HANDLE_MODULE, record->process, module->handle, code_of(reading, &code));
}

static void read_function(struct reading *reading, const struct record *record, const struct log_pair *pair) {
    struct recording *recording = reading->recording;
    if (record->rest_bytes == 0 || memchr(record->rest, 0, record->rest_bytes) != NULL)
        refuse(reading, "a function without a name");
    const struct recorded_function function = {
        .code = handle_value(reading, HANDLE_MODULE, record->process, pair->b),
        .name = arena_string(&recording->arena, (const char *)record->rest, record->rest_bytes)};
    arena_push(&recording->arena, &recording->functions, function);
    handle_set(reading, HANDLE_FUNCTION, record->process, pair->a, (uint32_t)recording->functions.count - 1);
}

/* Another handle for what a handle stands for. */
static void read_alias(struct reading *reading, const struct record *record, enum handle_kind kind,
                       const struct log_pair *pair) {
    handle_set(reading, kind, record->process, pair->a,
               handle_value(reading, kind, record->process, pair->b));
}

/* ---- Memory -------------------------------------------------------------------------------------------- */

/* How many of the allocations lie before the address. */
static size_t allocations_before(const struct reading *reading, uint32_t process, uint64_t address) {
    size_t from = 0, to = reading->allocations.count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        const struct allocation *at = &reading->allocations.items[middle];
        if (at->process < process || (at->process == process && at->base <= address))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* The allocation that the address is in, or that it ends; NULL: there is none. */
static const struct allocation *allocation_at(const struct reading *reading, uint32_t process,
                                              uint64_t address) {
    const size_t before = allocations_before(reading, process, address);
    const struct allocation *at = before > 0 ? &reading->allocations.items[before - 1] : NULL;
    return at != NULL && at->process == process && address - at->base <= at->size ? at : NULL;
}

static void remove_allocations(struct reading *reading, size_t first, size_t count) {
    struct allocation *items = reading->allocations.items;
    if (count == 0) return;
    reading->allocations.count -= count;
    memmove(items + first, items + first + count, (reading->allocations.count - first) * sizeof *items);
}

/* What was there before, and was freed in a way that nobody saw, is gone. */
static void read_allocation(struct reading *reading, const struct record *record,
                            const struct log_pair *pair) {
    const uint64_t base = pair->a / ALLOCATION_ALIGN * ALLOCATION_ALIGN, size = pair->a - base + pair->b;
    if (size < pair->b || base + size < base) refuse(reading, "memory beyond all addresses");
    if (pair->b == 0) return;
    size_t first = allocations_before(reading, record->process, base);
    const size_t end = allocations_before(reading, record->process, base + size - 1);
    if (first > 0) {
        const struct allocation *before = &reading->allocations.items[first - 1];
        first -= before->process == record->process && base - before->base < before->size;
    }
    remove_allocations(reading, first, end - first);
    const struct allocation made = {base, size, record->process, reading->allocation_count++};
    arena_push(&reading->recording->arena, &reading->allocations, made);
    struct allocation *items = reading->allocations.items;
    memmove(items + first + 1, items + first, (reading->allocations.count - 1 - first) * sizeof *items);
    items[first] = made;
}

static void read_free(struct reading *reading, const struct record *record, const struct log_pair *pair) {
    const uint64_t base = pair->a / ALLOCATION_ALIGN * ALLOCATION_ALIGN;
    const size_t before = allocations_before(reading, record->process, base);
    if (before == 0) return;
    const struct allocation *at = &reading->allocations.items[before - 1];
    if (at->process == record->process && at->base == base) remove_allocations(reading, before - 1, 1);
}

/* ---- Launches ------------------------------------------------------------------------------------------ */

static uint32_t stream_of(struct reading *reading, const struct record *record, uint64_t handle) {
    struct recording *recording = reading->recording;
    const uint32_t known = handle_value(reading, HANDLE_STREAM, record->process, handle);
    if (known != RECORDED_NONE) return known;
    arena_push(&recording->arena, &recording->streams, false);
    handle_set(reading, HANDLE_STREAM, record->process, handle, (uint32_t)recording->streams.count - 1);
    return (uint32_t)recording->streams.count - 1;
}

/* Every word of the parameters that is an address of memory that is there is a pointer. */
static void find_pointers(struct reading *reading, const struct record *record,
                          struct recorded_launch *launch) {
    struct arena *arena = &reading->recording->arena;
    reading->pointers.count = 0;
    for (uint32_t at = 0; at + sizeof(uint64_t) <= launch->param_bytes; at += sizeof(uint64_t)) {
        uint64_t address;
        memcpy(&address, launch->params + at, sizeof address);
        const struct allocation *to = allocation_at(reading, record->process, address);
        if (to == NULL) continue;
        const struct recorded_pointer pointer = {at, to->number, to->size, address - to->base};
        arena_push(arena, &reading->pointers, pointer);
    }
    struct recorded_pointer *kept = arena_array(arena, reading->pointers.count + 1, sizeof *kept);
    if (reading->pointers.count > 0)
        memcpy(kept, reading->pointers.items, reading->pointers.count * sizeof *kept);
    launch->pointers = kept;
    launch->pointer_count = reading->pointers.count;
}

static void read_launch(struct reading *reading, const struct record *record,
                        const struct log_launch *logged) {
    struct recording *recording = reading->recording;
    struct recorded_launch launch = {
        .function = handle_value(reading, HANDLE_FUNCTION, record->process, logged->function),
        .stream = stream_of(reading, record, logged->stream),
        .shared = logged->shared,
        .flags = logged->flags,
        .registers = logged->registers,
        .params = record->rest,
        .param_bytes = (uint32_t)record->rest_bytes};
    if (record->rest_bytes > LOG_PARAMS_MAX) refuse(reading, "a launch with too many parameters");
    if (recording->launches.count >= RECORDED_MAX) refuse(reading, "there are too many launches");
    memcpy(launch.grid, logged->grid, sizeof launch.grid);
    memcpy(launch.block, logged->block, sizeof launch.block);
    find_pointers(reading, record, &launch);
    arena_push(&recording->arena, &recording->launches, launch);
}

/* ---- Graphs -------------------------------------------------------------------------------------------- */

static struct graph *graph_of(struct reading *reading, const struct record *record, uint64_t handle) {
    const uint32_t number = handle_value(reading, HANDLE_GRAPH, record->process, handle);
    return number != RECORDED_NONE ? &reading->graphs.items[number] : NULL;
}

static void read_exec(struct reading *reading, const struct record *record, const struct log_pair *pair) {
    struct graph *known = graph_of(reading, record, pair->a);
    const struct graph made = {RECORDED_NONE, RECORDED_NONE, false};
    if (pair->b != 0 && known == NULL) refuse(reading, "a graph that was not made");
    if (pair->b != 0) {
        known->in_order = true;
        return;
    }
    arena_push(&reading->recording->arena, &reading->graphs, made);
    handle_set(reading, HANDLE_GRAPH, record->process, pair->a, (uint32_t)reading->graphs.count - 1);
}

static void read_node(struct reading *reading, const struct record *record, const struct log_launch *logged) {
    struct graph *graph = graph_of(reading, record, logged->stream);
    const uint32_t number = (uint32_t)reading->nodes.count;
    const struct node node = {*logged, record->rest, record->rest_bytes, RECORDED_NONE};
    if (graph == NULL) refuse(reading, "a kernel of no graph");
    arena_push(&reading->recording->arena, &reading->nodes, node);
    if (graph->first == RECORDED_NONE)
        graph->first = number;
    else
        reading->nodes.items[graph->last].next = number;
    graph->last = number;
}

/* Its kernels are launched in that stream, with what is in memory then. */
static void read_graph(struct reading *reading, const struct record *record, const struct log_pair *pair) {
    const uint32_t stream = stream_of(reading, record, pair->a);
    const struct graph *graph = graph_of(reading, record, pair->b);
    if (graph == NULL || !graph->in_order) reading->recording->streams.items[stream] = true;
    for (uint32_t i = graph != NULL ? graph->first : RECORDED_NONE; i != RECORDED_NONE;
         i = reading->nodes.items[i].next) {
        const struct node *node = &reading->nodes.items[i];
        struct log_launch launch = node->launch;
        launch.stream = pair->a;
        read_launch(reading, &(struct record){record->process, node->params, node->param_bytes}, &launch);
    }
}

/* ---- The log ------------------------------------------------------------------------------------------- */

/* The struct that a record begins with; what follows it is left in the record. */
static void take(const struct reading *reading, struct record *record, void *fixed, size_t bytes) {
    if (record->rest_bytes < bytes) refuse(reading, "a record that is too short");
    memcpy(fixed, record->rest, bytes);
    record->rest += bytes;
    record->rest_bytes -= bytes;
}

static void read_record(struct reading *reading, enum log_kind kind, struct record *record) {
    struct log_module module;
    struct log_launch launch;
    struct log_pair pair;
    if (kind == LOG_MODULE) {
        take(reading, record, &module, sizeof module);
        read_module(reading, record, &module);
        return;
    }
    if (kind == LOG_LAUNCH || kind == LOG_NODE) {
        take(reading, record, &launch, sizeof launch);
        (kind == LOG_NODE ? read_node : read_launch)(reading, record, &launch);
        return;
    }
    take(reading, record, &pair, sizeof pair);
    switch (kind) {
    case LOG_MODULE_OF: read_alias(reading, record, HANDLE_MODULE, &pair); break;
    case LOG_FUNCTION: read_function(reading, record, &pair); break;
    case LOG_FUNCTION_OF: read_alias(reading, record, HANDLE_FUNCTION, &pair); break;
    case LOG_ALLOCATE: read_allocation(reading, record, &pair); break;
    case LOG_FREE: read_free(reading, record, &pair); break;
    case LOG_GRAPH: read_graph(reading, record, &pair); break;
    case LOG_EXEC: read_exec(reading, record, &pair); break;
    default: refuse(reading, "a record of an unknown kind");
    }
}

static void read_log(void *context) {
    struct reading *reading = context;
    struct log_head head;
    if (reading->size < LOG_MAGIC_BYTES || memcmp(reading->bytes, LOG_MAGIC, LOG_MAGIC_BYTES) != 0)
        refuse(reading, "it does not begin as a log does");
    for (reading->at = LOG_MAGIC_BYTES; reading->at < reading->size;
         reading->at += sizeof head + (size_t)head.bytes) {
        const size_t left = reading->size - reading->at;
        reading->recording->truncated = left < sizeof head;
        if (reading->recording->truncated) return;
        memcpy(&head, reading->bytes + reading->at, sizeof head);
        reading->recording->truncated = head.bytes > left - sizeof head;
        if (reading->recording->truncated) return;
        struct record record = {head.process, reading->bytes + reading->at + sizeof head, (size_t)head.bytes};
        read_record(reading, (enum log_kind)head.kind, &record);
        reading->recording->record_count++;
    }
}

wb_status recording_read(const char *name, const void *bytes, size_t size, wb_diagnostics *diagnostics,
                         struct recording *recording) {
    struct reading reading = {
        .recording = recording, .name = name, .bytes = bytes, .size = size, .diagnostics = diagnostics};
    *recording = (struct recording){0};
    const wb_status status = arena_protect(&recording->arena, read_log, &reading);
    table_free(&reading.handles);
    return status == WB_ERR_LIMIT ? diagnose_out_of_memory(diagnostics, name) : status;
}

void recording_free(struct recording *recording) {
    arena_free(&recording->arena);
}
