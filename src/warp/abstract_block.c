#include "warp/abstract_block.h"

#include <ctype.h>
#include <string.h>

/* What a unit letter stands for. */
struct abstract_kind {
    const char *name;
    size_t length;
    uint8_t unit;
    uint32_t init, latency;
};

struct abstract_parser {
    struct source source; /* the text being read */
    size_t at;
    wb_diagnostics *diagnostics;
    struct abstract_block *block;
    struct abstract_kind kinds[ABSTRACT_KINDS_MAX];
    uint32_t kind_count;
    VEC(struct timed_inst) insts;
    VEC(uint32_t) operands;
    VEC(uint32_t) warp_path;
};

static wb_status abstract_error(struct abstract_parser *parser, const char *message) {
    diagnose_at(parser->diagnostics, SEVERITY_ERROR, &parser->source, parser->at, "%s", message);
    return WB_ERR_INPUT;
}

static wb_status abstract_no_memory(struct abstract_parser *parser) {
    diagnose(parser->diagnostics, SEVERITY_ERROR, parser->source.name, "out of memory");
    return WB_ERR_LIMIT;
}

/* The next character behind white space, or NUL at the end. */
static char abstract_peek(struct abstract_parser *parser) {
    while (parser->at < parser->source.size && isspace((unsigned char)parser->source.text[parser->at]))
        parser->at++;
    return parser->at < parser->source.size ? parser->source.text[parser->at] : '\0';
}

/* Whether `c` comes next; it is then read. */
static bool abstract_accept(struct abstract_parser *parser, char c) {
    if (abstract_peek(parser) != c) return false;
    parser->at++;
    return true;
}

static wb_status abstract_expect(struct abstract_parser *parser, char c) {
    if (abstract_accept(parser, c)) return WB_OK;
    char message[] = "expected '?'";
    message[sizeof message - 3] = c;
    return abstract_error(parser, message);
}

/* A decimal number up to `max`. */
static wb_status abstract_number(struct abstract_parser *parser, uint32_t max, uint32_t *number) {
    if (!isdigit((unsigned char)abstract_peek(parser))) return abstract_error(parser, "expected a number");
    uint64_t value = 0;
    for (; isdigit((unsigned char)parser->source.text[parser->at]); parser->at++) {
        value = value * 10 + (uint64_t)(parser->source.text[parser->at] - '0');
        if (value > max) return abstract_error(parser, "number too large");
    }
    *number = (uint32_t)value;
    return WB_OK;
}

/* A name: letters and underscores. */
static wb_status abstract_name(struct abstract_parser *parser, const char **name, size_t *length) {
    (void)abstract_peek(parser);
    size_t first = parser->at;
    while (parser->at < parser->source.size) {
        unsigned char c = (unsigned char)parser->source.text[parser->at];
        if (!isalpha(c) && c != '_') break;
        parser->at++;
    }
    if (parser->at == first) return abstract_error(parser, "expected the name of a unit");
    *name = parser->source.text + first;
    *length = parser->at - first;
    return WB_OK;
}

static const struct abstract_kind *abstract_find(const struct abstract_parser *parser, const char *name,
                                                 size_t length) {
    for (uint32_t i = 0; i < parser->kind_count; i++) {
        const struct abstract_kind *kind = &parser->kinds[i];
        if (kind->length == length && memcmp(kind->name, name, length) == 0) return kind;
    }
    return NULL;
}

/* A unit of the machine with the name of `kind`. */
static wb_status abstract_add_unit(struct abstract_parser *parser, const struct abstract_kind *kind,
                                   bool shared, uint32_t count) {
    struct wb_machine *machine = &parser->block->machine;
    if (machine->unit_count == MACHINE_UNITS_MAX) return abstract_error(parser, "too many units");
    struct machine_unit *unit = &machine->units[machine->unit_count++];
    if (kind->length >= sizeof unit->name) return abstract_error(parser, "name too long");
    memcpy(unit->name, kind->name, kind->length);
    unit->count = count;
    unit->shared = shared;
    return WB_OK;
}

/* NAME ['/'] ['*' COUNT] '(' INIT ',' LATENCY ')' ['@' UNIT] */
static wb_status abstract_kind(struct abstract_parser *parser) {
    if (parser->kind_count == ABSTRACT_KINDS_MAX) return abstract_error(parser, "too many units");
    struct abstract_kind kind = {.unit = (uint8_t)parser->block->machine.unit_count};
    uint32_t count = 1;
    WB_TRY(abstract_name(parser, &kind.name, &kind.length));
    if (abstract_find(parser, kind.name, kind.length) != NULL)
        return abstract_error(parser, "a second unit of this name");
    bool shared = !abstract_accept(parser, '/');
    if (abstract_accept(parser, '*')) WB_TRY(abstract_number(parser, MACHINE_TIME_MAX, &count));
    WB_TRY(abstract_expect(parser, '('));
    WB_TRY(abstract_number(parser, MACHINE_TIME_MAX, &kind.init));
    WB_TRY(abstract_expect(parser, ','));
    WB_TRY(abstract_number(parser, MACHINE_TIME_MAX, &kind.latency));
    WB_TRY(abstract_expect(parser, ')'));
    if (kind.init == 0 || count == 0) return abstract_error(parser, "an initiation takes 1 cycle or more");
    if (abstract_accept(parser, '@')) {
        const char *name;
        size_t length;
        WB_TRY(abstract_name(parser, &name, &length));
        const struct abstract_kind *other = abstract_find(parser, name, length);
        if (other == NULL) return abstract_error(parser, "no unit of this name stands before");
        kind.unit = other->unit;
    } else {
        WB_TRY(abstract_add_unit(parser, &kind, shared, count));
    }
    parser->kinds[parser->kind_count++] = kind;
    return WB_OK;
}

/* Appends an instruction of the program at hand: NAME ('.' NUMBER)* ['!'], or '|'. */
static wb_status abstract_inst(struct abstract_parser *parser, uint32_t *numbered) {
    struct timed_inst inst = {.first_operand = (uint32_t)parser->operands.count, .unit = UNIT_NONE};
    if (abstract_accept(parser, '|')) {
        inst.barrier = inst.uncounted = true;
        return vec_push(&parser->insts, inst) == WB_OK ? WB_OK : abstract_no_memory(parser);
    }
    const char *name;
    size_t length;
    WB_TRY(abstract_name(parser, &name, &length));
    const struct abstract_kind *kind = abstract_find(parser, name, length);
    if (kind == NULL) return abstract_error(parser, "no unit of this name");
    inst.unit = kind->unit;
    inst.init = kind->init;
    inst.latency = kind->latency;
    while (abstract_accept(parser, '.')) {
        uint32_t source;
        WB_TRY(abstract_number(parser, ABSTRACT_PROGRAM_MAX, &source));
        if (source >= *numbered) return abstract_error(parser, "an instruction reads only earlier results");
        if (inst.source_count == UINT16_MAX) return abstract_error(parser, "too many operands");
        inst.source_count++;
        if (vec_push(&parser->operands, source) != WB_OK) return abstract_no_memory(parser);
    }
    inst.barrier = abstract_accept(parser, '!');
    /* Each instruction of a program writes the register of its own number. */
    inst.destination_count = 1;
    if (vec_push(&parser->operands, (*numbered)++) != WB_OK || vec_push(&parser->insts, inst) != WB_OK)
        return abstract_no_memory(parser);
    return WB_OK;
}

/* The path through instructions `first` to the last. */
static wb_status abstract_path(struct abstract_parser *parser, uint32_t first) {
    struct path_writer writer = {0};
    struct path path = {0};
    wb_status status = WB_OK;
    for (uint32_t i = first; status == WB_OK && i < parser->insts.count; i++)
        status = path_append(&writer, i, UINT32_MAX);
    if (status == WB_OK) status = path_finish(&writer, &path);
    path_writer_free(&writer);
    if (status == WB_OK) status = vec_push(&parser->block->paths, path);
    if (status == WB_OK) return WB_OK;
    path_free(&path);
    return abstract_no_memory(parser);
}

/* [COUNT 'x'] instruction* */
static wb_status abstract_program(struct abstract_parser *parser) {
    uint32_t copies = 1;
    if (isdigit((unsigned char)abstract_peek(parser))) {
        WB_TRY(abstract_number(parser, ABSTRACT_WARPS_MAX, &copies));
        if (copies == 0) return abstract_error(parser, "a program has one warp or more");
        WB_TRY(abstract_expect(parser, 'x'));
    }
    uint32_t first = (uint32_t)parser->insts.count, numbered = 0;
    for (char c = abstract_peek(parser); c != '\0' && c != ';'; c = abstract_peek(parser)) {
        if (numbered == ABSTRACT_PROGRAM_MAX) return abstract_error(parser, "program too long");
        WB_TRY(abstract_inst(parser, &numbered));
    }
    WB_TRY(abstract_path(parser, first));
    struct timed_code *code = &parser->block->timed.code;
    if (numbered > code->register_count) code->register_count = numbered;
    for (uint32_t i = 0; i < copies; i++) {
        if (parser->warp_path.count == ABSTRACT_WARPS_MAX) return abstract_error(parser, "too many warps");
        uint32_t path = (uint32_t)parser->block->paths.count - 1;
        if (vec_push(&parser->warp_path, path) != WB_OK) return abstract_no_memory(parser);
    }
    return WB_OK;
}

/* Copies an array of the parser into the block's arena. */
static void *abstract_keep(struct abstract_parser *parser, const void *items, size_t count, size_t size) {
    void *copy = arena_array(&parser->block->timed.arena, count + 1, size);
    if (copy != NULL && count > 0) memcpy(copy, items, count * size);
    return copy;
}

static wb_status abstract_finish(struct abstract_parser *parser) {
    struct timed_block *timed = &parser->block->timed;
    struct timed_code *code = &timed->code;
    code->insts = abstract_keep(parser, parser->insts.items, parser->insts.count, sizeof *code->insts);
    code->operands =
        abstract_keep(parser, parser->operands.items, parser->operands.count, sizeof *code->operands);
    timed->warp_path =
        abstract_keep(parser, parser->warp_path.items, parser->warp_path.count, sizeof *timed->warp_path);
    if (code->insts == NULL || code->operands == NULL || timed->warp_path == NULL)
        return abstract_no_memory(parser);
    code->inst_count = (uint32_t)parser->insts.count;
    timed->warp_count = (uint32_t)parser->warp_path.count;
    timed->machine = &parser->block->machine;
    timed->paths = parser->block->paths.items;
    timed->path_count = (uint32_t)parser->block->paths.count;
    return WB_OK;
}

static wb_status abstract_read(struct abstract_parser *parser, const char *units, const char *warps) {
    parser->source = (struct source){"units", units, strlen(units)};
    do {
        WB_TRY(abstract_kind(parser));
    } while (abstract_peek(parser) != '\0');
    parser->source = (struct source){"warps", warps, strlen(warps)};
    parser->at = 0;
    do {
        WB_TRY(abstract_program(parser));
    } while (abstract_accept(parser, ';'));
    return abstract_finish(parser);
}

wb_status abstract_block_parse(const char *units, const char *warps, wb_diagnostics *diagnostics,
                               struct abstract_block *block) {
    *block = (struct abstract_block){.machine = {.name = "abstract",
                                                 .clock_mhz = 1000,
                                                 .sub_cores = 1,
                                                 .issue_width = 1,
                                                 .dispatch_depth = DEPTH_UNLIMITED}};
    struct abstract_parser parser = {.diagnostics = diagnostics, .block = block};
    wb_status status = abstract_read(&parser, units, warps);
    vec_free(&parser.insts);
    vec_free(&parser.operands);
    vec_free(&parser.warp_path);
    if (status != WB_OK) abstract_block_free(block);
    return status;
}

void abstract_block_free(struct abstract_block *block) {
    for (size_t i = 0; i < block->paths.count; i++)
        path_free(&block->paths.items[i]);
    vec_free(&block->paths);
    timed_block_free(&block->timed);
    *block = (struct abstract_block){0};
}
