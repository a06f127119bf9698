/* Task files (docs/task.md): their keys, and the order that `after` and `stream` give. */
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "wings/task/task.h"

#define NAME_MAX_BYTES 64u
#define PATH_MAX_BYTES 512u

/* A node as it stands in the file. */
struct node_fields {
    char launch[PATH_MAX_BYTES], partition[NAME_MAX_BYTES], host[NAME_MAX_BYTES], engine[NAME_MAX_BYTES],
        core[NAME_MAX_BYTES], stream[NAME_MAX_BYTES];
    uint32_t copy, bandwidth; /* bytes, and bytes a microsecond; 0: not given */
    const struct ytree_node *after;
};

static wb_status read_after(const struct ytree *document, const struct ytree_node *value, void *target) {
    (void)document;
    ((struct node_fields *)target)->after = value;
    return WB_OK;
}

static const struct field node_fields[] = {
    TEXT_ROW(node_fields, "launch", launch, FIELD_TEXT, PATH_MAX_BYTES),
    TEXT_ROW(node_fields, "partition", partition, FIELD_TEXT, NAME_MAX_BYTES),
    NUMBER_ROW(node_fields, "copy", copy, 1, UINT32_MAX - 1),
    NUMBER_ROW(node_fields, "bandwidth", bandwidth, 1, UINT32_MAX - 1),
    TEXT_ROW(node_fields, "engine", engine, FIELD_TEXT, NAME_MAX_BYTES),
    TEXT_ROW(node_fields, "host", host, FIELD_TEXT, NAME_MAX_BYTES),
    TEXT_ROW(node_fields, "core", core, FIELD_TEXT, NAME_MAX_BYTES),
    TEXT_ROW(node_fields, "stream", stream, FIELD_TEXT, NAME_MAX_BYTES),
    NESTED_ROW("after", "a node, or a list of nodes", read_after),
    {0},
};

struct task_fields {
    char task[NAME_MAX_BYTES], machine[PATH_MAX_BYTES], deadline[NAME_MAX_BYTES], order[PATH_MAX_BYTES];
    const struct ytree_node *partitions, *nodes;
};

static wb_status read_partitions(const struct ytree *document, const struct ytree_node *value, void *target) {
    ((struct task_fields *)target)->partitions = value;
    return ytree_require(document, value, YTREE_MAPPING, "partitions by their names");
}

static wb_status read_nodes(const struct ytree *document, const struct ytree_node *value, void *target) {
    ((struct task_fields *)target)->nodes = value;
    return ytree_require(document, value, YTREE_MAPPING, "nodes by their names");
}

static const struct field task_fields[] = {
    TEXT_ROW(task_fields, "task", task, FIELD_TEXT, NAME_MAX_BYTES, .required = true),
    TEXT_ROW(task_fields, "machine", machine, FIELD_TEXT, PATH_MAX_BYTES),
    TEXT_ROW(task_fields, "deadline", deadline, FIELD_TEXT, NAME_MAX_BYTES),
    TEXT_ROW(task_fields, "order", order, FIELD_TEXT, PATH_MAX_BYTES),
    NESTED_ROW("partitions", "partitions by their names", read_partitions),
    NESTED_ROW("nodes", "nodes by their names", read_nodes, .required = true),
    {0},
};

/* What is being read. */
struct task_reader {
    const struct ytree *document;
    const char *dot; /* in place of what the file names, or NULL */
    struct wb_task *task;
    struct task_fields fields;
    const char *streams[TASK_NODES_MAX]; /* of each node; "": none */
    wb_status status;
};

static const char *keep(struct task_reader *reader, const char *text) {
    return arena_string(&reader->task->arena, text, strlen(text));
}

/* ---- Partitions ---------------------------------------------------------------------------------------- */

static wb_status read_part(struct task_reader *reader, const struct ytree_node *value) {
    struct task_part part = {.name = keep(reader, value->key), .at = value->at};
    WB_TRY(partition_read(reader->document, value, &part.partition));
    if (reader->task->parts.count == TASK_PARTS_MAX)
        return ytree_error(reader->document, value, "more than %u partitions", TASK_PARTS_MAX);
    arena_push(&reader->task->arena, &reader->task->parts, part);
    return WB_OK;
}

static wb_status find_part(const struct task_reader *reader, const struct ytree_node *value, const char *name,
                           uint32_t *part) {
    *part = WHOLE_GPU;
    if (name[0] == '\0') return WB_OK;
    for (size_t p = 0; p < reader->task->parts.count; p++)
        if (strcmp(reader->task->parts.items[p].name, name) == 0) *part = (uint32_t)p;
    if (*part != WHOLE_GPU) return WB_OK;
    return ytree_error(reader->document, ytree_find(value, "partition"), "'%s' is none of the partitions",
                       name);
}

/* ---- Nodes --------------------------------------------------------------------------------------------- */

/* What a node is, and that it has no keys of other kinds. */
static wb_status find_kind(const struct task_reader *reader, const struct ytree_node *value,
                           const struct node_fields *fields, enum task_kind *kind) {
    const bool is_kernel = fields->launch[0] != '\0', is_copy = fields->copy > 0,
               is_host = fields->host[0] != '\0';
    static const char *const own[] = {[TASK_KERNEL] = "launch", [TASK_COPY] = "copy", [TASK_HOST] = "host"};
    static const struct {
        const char *key;
        enum task_kind of;
    } keys[] = {
        {"partition", TASK_KERNEL}, {"bandwidth", TASK_COPY}, {"engine", TASK_COPY}, {"core", TASK_HOST}};
    if (is_kernel + is_copy + is_host != 1)
        return ytree_error(reader->document, value,
                           "expected one of launch (a kernel), copy (bytes) and host (a time)");
    *kind = is_kernel ? TASK_KERNEL : is_copy ? TASK_COPY : TASK_HOST;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const struct ytree_node *wrong = ytree_find(value, keys[k].key);
        if (wrong != NULL && keys[k].of != *kind)
            return ytree_key_error(reader->document, wrong, "%s: only with %s", keys[k].key, own[keys[k].of]);
    }
    if (is_copy && fields->bandwidth == 0)
        return ytree_error(reader->document, value,
                           "expected a bandwidth: the bytes a microsecond that the copy moves at least");
    return WB_OK;
}

/* The path of a file that stands beside the task file. */
static const char *beside(struct task_reader *reader, const char *file) {
    const char *own = reader->document->source.name, *slash = strrchr(own, '/');
    struct text path = {.arena = &reader->task->arena};
    if (file[0] != '/' && slash != NULL) text_printf(&path, "%.*s/", (int)(slash - own), own);
    text_string(&path, file);
    return path.data;
}

static wb_status read_node(struct task_reader *reader, const struct ytree_node *value) {
    struct wb_task *task = reader->task;
    struct node_fields fields = {.after = NULL};
    struct task_node node = {.name = keep(reader, value->key), .at = value->key_at};
    WB_TRY(ytree_require(reader->document, value, YTREE_MAPPING, "a node, such as {launch: k.yaml}"));
    WB_TRY(ytree_read_fields(reader->document, value, node_fields, &fields));
    WB_TRY(find_kind(reader, value, &fields, &node.kind));
    WB_TRY(find_part(reader, value, fields.partition, &node.part));
    if (task->nodes.count == TASK_NODES_MAX)
        return ytree_error(reader->document, value, "more than %u nodes", TASK_NODES_MAX);
    const char *place = node.kind == TASK_COPY ? fields.engine : fields.core;
    node.place = keep(reader, place[0] != '\0' ? place : node.kind == TASK_COPY ? "copies" : "host");
    node.duration = keep(reader, fields.host);
    if (node.kind == TASK_KERNEL) node.launch = beside(reader, fields.launch);
    node.bytes = fields.copy;
    node.rate = fields.bandwidth;
    reader->streams[task->nodes.count] = keep(reader, fields.stream);
    arena_push(&task->arena, &task->nodes, node);
    return WB_OK;
}

/* ---- Their order --------------------------------------------------------------------------------------- */

static wb_status read_name(struct task_reader *reader, const struct ytree_node *item,
                           struct task_node *node) {
    struct wb_task *task = reader->task;
    WB_TRY(ytree_require(reader->document, item, YTREE_SCALAR, "a node"));
    for (uint32_t n = 0; n < task->nodes.count; n++) {
        if (strcmp(task->nodes.items[n].name, item->text) != 0) continue;
        arena_push(&task->arena, &node->after, n);
        return WB_OK;
    }
    return ytree_error(reader->document, item, "'%.60s' is none of the nodes", item->text);
}

/* What `after` names, and the one before in the same stream. */
static wb_status read_order(struct task_reader *reader, const struct ytree_node *value, uint32_t number) {
    struct wb_task *task = reader->task;
    struct task_node *node = &task->nodes.items[number];
    const struct ytree_node *after = ytree_find(value, "after");
    const char *stream = reader->streams[number];
    if (after != NULL && after->kind != YTREE_LIST) WB_TRY(read_name(reader, after, node));
    if (after != NULL && after->kind == YTREE_LIST)
        for (const struct ytree_node *item = after->first; item != NULL; item = item->next)
            WB_TRY(read_name(reader, item, node));
    uint32_t previous = number;
    while (stream[0] != '\0' && previous > 0 && strcmp(reader->streams[previous - 1], stream) != 0)
        previous--;
    if (stream[0] != '\0' && previous > 0) {
        previous--;
        arena_push(&task->arena, &node->after, previous);
    }
    return WB_OK;
}

/* The graph that `order` names. */
static wb_status read_graph(struct task_reader *reader) {
    wb_diagnostics *diagnostics = reader->document->diagnostics;
    char *text = NULL;
    size_t size;
    if (reader->fields.order[0] == '\0') return WB_OK;
    const char *path = beside(reader, reader->fields.order);
    if (reader->dot != NULL) return task_read_dot(reader->task, path, reader->dot, diagnostics);
    WB_TRY(file_read(path, YTREE_SIZE_MAX, diagnostics, &text, &size));
    const char *kept = arena_string(&reader->task->arena, text, strlen(text));
    free(text);
    return task_read_dot(reader->task, path, kept, diagnostics);
}

/* ---- Files --------------------------------------------------------------------------------------------- */

static wb_status read_all(struct task_reader *reader) {
    struct wb_task *task = reader->task;
    const struct task_fields *fields = &reader->fields;
    uint32_t number = 0;
    task->name = keep(reader, fields->task);
    if (fields->machine[0] != '\0') task->machine_name = keep(reader, fields->machine);
    if (fields->deadline[0] != '\0') task->deadline = keep(reader, fields->deadline);
    if (fields->partitions != NULL)
        for (const struct ytree_node *item = fields->partitions->first; item != NULL; item = item->next)
            WB_TRY(read_part(reader, item));
    for (const struct ytree_node *item = fields->nodes->first; item != NULL; item = item->next)
        WB_TRY(read_node(reader, item));
    if (task->nodes.count == 0) return ytree_error(reader->document, fields->nodes, "expected nodes");
    for (const struct ytree_node *item = fields->nodes->first; item != NULL; item = item->next)
        WB_TRY(read_order(reader, item, number++));
    WB_TRY(read_graph(reader));
    return task_order(task, reader->document->diagnostics);
}

static void read_pass(void *context) {
    struct task_reader *reader = context;
    reader->status = read_all(reader);
}

static bool describes_task(const struct ytree_node *root) {
    return root != NULL && root->kind == YTREE_MAPPING &&
           (ytree_find(root, "task") != NULL || ytree_find(root, "nodes") != NULL);
}

static wb_status read_document(const struct ytree *document, const char *dot, struct wb_task *task) {
    struct task_reader *reader = calloc(1, sizeof *reader);
    if (reader == NULL) return diagnose_out_of_memory(document->diagnostics, document->source.name);
    *reader = (struct task_reader){.document = document, .dot = dot, .task = task};
    wb_status status = ytree_require(document, document->root, YTREE_MAPPING, "a task");
    if (status == WB_OK && !describes_task(document->root))
        status = ytree_error(document, document->root, "not a task file: it has neither task nor nodes");
    if (status == WB_OK) status = ytree_read_fields(document, document->root, task_fields, &reader->fields);
    if (status == WB_OK)
        status = arena_protect(&task->arena, read_pass, reader) == WB_OK
                     ? reader->status
                     : diagnose_out_of_memory(document->diagnostics, document->source.name);
    free(reader);
    return status;
}

wb_status task_parse(const char *name, const char *text, size_t size, const char *dot,
                     wb_diagnostics *diagnostics, wb_task **task) {
    struct wb_task *made = calloc(1, sizeof *made);
    struct ytree document = {0};
    if (made == NULL) return diagnose_out_of_memory(diagnostics, name);
    made->source = (struct source){arena_string(&made->arena, name, strlen(name)),
                                   arena_string(&made->arena, text, size), size};
    wb_status status = made->source.name == NULL || made->source.text == NULL
                           ? diagnose_out_of_memory(diagnostics, name)
                           : ytree_parse(made->source.name, made->source.text, size, diagnostics, &document);
    if (status == WB_OK) status = read_document(&document, dot, made);
    ytree_free(&document);
    if (status != WB_OK) {
        wb_task_free(made);
        return status;
    }
    *task = made;
    return WB_OK;
}

wb_status wb_task_read(const char *path, wb_diagnostics *diagnostics, wb_task **task) {
    char *text;
    size_t size;
    WB_TRY(file_read(path, YTREE_SIZE_MAX, diagnostics, &text, &size));
    const wb_status status = task_parse(path, text, size, NULL, diagnostics, task);
    free(text);
    return status;
}

bool wb_is_task_file(const char *path) {
    struct wb_diagnostics unsaid = {0};
    struct ytree document = {0};
    char *text = NULL;
    size_t size = 0;
    const bool is_task = file_read(path, YTREE_SIZE_MAX, &unsaid, &text, &size) == WB_OK &&
                         ytree_parse(path, text, size, &unsaid, &document) == WB_OK &&
                         describes_task(document.root);
    ytree_free(&document);
    free(text);
    diagnostics_clear(&unsaid);
    return is_task;
}

const char *wb_task_machine(const wb_task *task) {
    return task->machine_name;
}

const char *wb_task_deadline(const wb_task *task) {
    return task->deadline;
}
