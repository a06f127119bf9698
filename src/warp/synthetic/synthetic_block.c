#include "warp/synthetic/synthetic.h"

#include <string.h>

#include "base/files.h"

/* Operands that stand for registers of queues until all programs have been read: of copies, since which
 * commit they are waited for; all accesses; the fence. */
#define OPERAND_COPIES UINT32_C(0x80000000)
#define OPERAND_ACCESSES UINT32_C(0x40000000)
#define OPERAND_FENCED UINT32_C(0x20000000)

/* What a unit letter stands for. */
struct unit_kind {
    const char *name;
    size_t length;
    uint8_t unit;
    uint32_t init, latency, latency_least;
};

struct parser {
    struct source source; /* the text being read */
    struct scanner scan;
    struct synthetic_block *block;
    struct unit_kind classes[SYNTHETIC_KINDS_MAX];
    uint32_t kind_count;
    VEC(struct timed_inst) insts;
    VEC(uint32_t) operands;
    VEC(uint32_t) warp_path; /* of the block at hand */
    uint32_t first_path;     /* of the block at hand */
    bool has_fence;
};

static wb_status parse_no_memory(struct parser *parser) {
    return diagnose_out_of_memory(parser->scan.diagnostics, parser->source.name);
}

static bool is_of_name(char c) {
    return ascii_letter(c) || c == '_';
}

/* A name: letters and underscores. */
static wb_status parse_name(struct parser *parser, const char **name, size_t *length) {
    *length = scan_word(&parser->scan, is_of_name, name);
    return *length > 0 ? WB_OK : scan_fail(&parser->scan, "expected the name of a unit");
}

static const struct unit_kind *find_kind(const struct parser *parser, const char *name, size_t length) {
    for (uint32_t i = 0; i < parser->kind_count; i++) {
        const struct unit_kind *kind = &parser->classes[i];
        if (kind->length == length && memcmp(kind->name, name, length) == 0) return kind;
    }
    return NULL;
}

/* A unit of the machine with the name of `kind`. */
static wb_status add_unit(struct parser *parser, const struct unit_kind *kind, bool shared, uint32_t count) {
    struct wb_machine *machine = &parser->block->machine;
    if (machine->unit_count == MACHINE_UNITS_MAX) return scan_fail(&parser->scan, "too many units");
    struct machine_unit *unit = &machine->units[machine->unit_count++];
    if (kind->length >= sizeof unit->name) return scan_fail(&parser->scan, "name too long");
    memcpy(unit->name, kind->name, kind->length);
    unit->count = count;
    unit->shared = shared;
    return WB_OK;
}

/* MOST, or LEAST '..' MOST */
static wb_status parse_latency(struct parser *parser, struct unit_kind *kind) {
    const size_t start = parser->scan.at;
    WB_TRY(scan_u32(&parser->scan, "a number", 0, MACHINE_TIME_MAX, &kind->latency));
    if (!scan_accept(&parser->scan, '.')) return WB_OK;
    kind->latency_least = kind->latency;
    WB_TRY(scan_expect(&parser->scan, '.'));
    WB_TRY(scan_u32(&parser->scan, "a number", 0, MACHINE_TIME_MAX, &kind->latency));
    return kind->latency_least <= kind->latency
               ? WB_OK
               : scan_fail_at(&parser->scan, start, "the least latency is above the most");
}

/* NAME ['/'] ['*' COUNT] '(' INIT ',' LATENCY ')' ['@' UNIT] */
static wb_status parse_kind(struct parser *parser) {
    if (parser->kind_count == SYNTHETIC_KINDS_MAX) return scan_fail(&parser->scan, "too many units");
    struct unit_kind kind = {.unit = (uint8_t)parser->block->machine.unit_count};
    uint32_t count = 1;
    WB_TRY(parse_name(parser, &kind.name, &kind.length));
    if (find_kind(parser, kind.name, kind.length) != NULL)
        return scan_fail(&parser->scan, "a second unit of this name");
    bool shared = !scan_accept(&parser->scan, '/');
    if (scan_accept(&parser->scan, '*'))
        WB_TRY(scan_u32(&parser->scan, "a number", 0, MACHINE_TIME_MAX, &count));
    WB_TRY(scan_expect(&parser->scan, '('));
    WB_TRY(scan_u32(&parser->scan, "a number", 0, MACHINE_TIME_MAX, &kind.init));
    WB_TRY(scan_expect(&parser->scan, ','));
    WB_TRY(parse_latency(parser, &kind));
    WB_TRY(scan_expect(&parser->scan, ')'));
    if (kind.init == 0 || count == 0) return scan_fail(&parser->scan, "an initiation takes 1 cycle or more");
    if (scan_accept(&parser->scan, '@')) {
        const char *name;
        size_t length;
        WB_TRY(parse_name(parser, &name, &length));
        const struct unit_kind *other = find_kind(parser, name, length);
        if (other == NULL) return scan_fail(&parser->scan, "no earlier instruction has a unit of this name");
        kind.unit = other->unit;
    } else {
        WB_TRY(add_unit(parser, &kind, shared, count));
    }
    parser->classes[parser->kind_count++] = kind;
    return WB_OK;
}

static wb_status add_source(struct parser *parser, struct timed_inst *inst, uint32_t source) {
    if (inst->source_count == UINT16_MAX) return scan_fail(&parser->scan, "too many operands");
    inst->source_count++;
    return vec_push(&parser->operands, source) == WB_OK ? WB_OK : parse_no_memory(parser);
}

/* The copies that a wait is for: NUMBER groups are left under way, or '*' for every copy. */
static wb_status parse_wait(struct parser *parser, struct timed_inst *inst) {
    struct timed_queue *copies = &parser->block->timed.code.queues[QUEUE_COPIES];
    uint32_t left, since = 0;
    if (!scan_accept(&parser->scan, '*')) {
        WB_TRY(scan_u32(&parser->scan, "a number", 0, WAIT_GROUPS_MAX, &left));
        since = left + 1;
    }
    if (since >= copies->count) copies->count = since + 1;
    return add_source(parser, inst, OPERAND_COPIES | since);
}

/* What an instruction has to do with queues: ['~'] ['^'] ['?' WAIT] ['%'] ['#']. */
static wb_status parse_queues(struct parser *parser, struct timed_inst *inst) {
    if (scan_accept(&parser->scan, '~')) inst->joins |= 1u << QUEUE_COPIES;
    if (scan_accept(&parser->scan, '^')) inst->commits |= 1u << QUEUE_COPIES;
    if (scan_accept(&parser->scan, '?')) WB_TRY(parse_wait(parser, inst));
    if (scan_accept(&parser->scan, '%')) inst->joins |= 1u << QUEUE_ACCESSES;
    const bool fence = scan_accept(&parser->scan, '#');
    if (fence) WB_TRY(add_source(parser, inst, OPERAND_ACCESSES));
    if (parser->has_fence) WB_TRY(add_source(parser, inst, OPERAND_FENCED));
    if (!fence) return WB_OK;
    inst->destination_count++;
    return vec_push(&parser->operands, OPERAND_FENCED) == WB_OK ? WB_OK : parse_no_memory(parser);
}

/* Appends an instruction of the program at hand: NAME ('.' NUMBER)* QUEUES ['!'], or '|'. */
static wb_status parse_inst(struct parser *parser, uint32_t *numbered) {
    struct timed_inst inst = {.first_operand = (uint32_t)parser->operands.count, .unit = UNIT_NONE};
    if (scan_accept(&parser->scan, '|')) {
        inst.barrier = inst.uncounted = true;
        return vec_push(&parser->insts, inst) == WB_OK ? WB_OK : parse_no_memory(parser);
    }
    const char *name;
    size_t length;
    WB_TRY(parse_name(parser, &name, &length));
    const struct unit_kind *kind = find_kind(parser, name, length);
    if (kind == NULL) return scan_fail(&parser->scan, "no unit of this name");
    inst.unit = kind->unit;
    inst.init = kind->init;
    inst.latency = kind->latency;
    inst.latency_least = kind->latency_least;
    while (scan_accept(&parser->scan, '.')) {
        uint32_t source;
        WB_TRY(scan_u32(&parser->scan, "a number", 0, SYNTHETIC_PROGRAM_MAX, &source));
        if (source >= *numbered) return scan_fail(&parser->scan, "an instruction reads only earlier results");
        WB_TRY(add_source(parser, &inst, source));
    }
    WB_TRY(parse_queues(parser, &inst));
    inst.barrier = scan_accept(&parser->scan, '!');
    /* Each instruction of a program writes the register of its own number. */
    inst.destination_count++;
    if (vec_push(&parser->operands, (*numbered)++) != WB_OK || vec_push(&parser->insts, inst) != WB_OK)
        return parse_no_memory(parser);
    return WB_OK;
}

/* The path through instructions `first` to the last. */
static wb_status keep_path(struct parser *parser, uint32_t first) {
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
    return parse_no_memory(parser);
}

/* Whether a program ends before `c`. */
static bool program_ends(const struct parser *parser, char c) {
    return c == '\0' || c == ';' || (c == '/' && parser->block->is_grid);
}

/* [COUNT 'x'] instruction* */
static wb_status parse_program(struct parser *parser) {
    uint32_t copies = 1;
    if (ascii_digit(scan_peek(&parser->scan))) {
        WB_TRY(scan_u32(&parser->scan, "a number", 0, SYNTHETIC_WARPS_MAX, &copies));
        if (copies == 0) return scan_fail(&parser->scan, "a program has one warp or more");
        WB_TRY(scan_expect(&parser->scan, 'x'));
    }
    uint32_t first = (uint32_t)parser->insts.count, numbered = 0;
    while (!program_ends(parser, scan_peek(&parser->scan))) {
        if (numbered == SYNTHETIC_PROGRAM_MAX) return scan_fail(&parser->scan, "program too long");
        WB_TRY(parse_inst(parser, &numbered));
    }
    WB_TRY(keep_path(parser, first));
    struct timed_code *code = &parser->block->timed.code;
    if (numbered > code->register_count) code->register_count = numbered;
    for (uint32_t i = 0; i < copies; i++) {
        if (parser->warp_path.count == SYNTHETIC_WARPS_MAX) return scan_fail(&parser->scan, "too many warps");
        uint32_t path = (uint32_t)parser->block->paths.count - 1 - parser->first_path;
        if (vec_push(&parser->warp_path, path) != WB_OK) return parse_no_memory(parser);
    }
    return WB_OK;
}

/* Copies an array of the parser into the block's arena. */
static void *keep(struct parser *parser, const void *items, size_t count, size_t size) {
    void *copy = arena_array(&parser->block->timed.arena, count + 1, size);
    if (copy != NULL && count > 0) memcpy(copy, items, count * size);
    return copy;
}

/* [COUNT '*'] program (';' program)*: blocks that are alike. */
static wb_status parse_blocks(struct parser *parser) {
    struct synthetic_blocks kind = {.count = 1};
    const size_t start = parser->scan.at;
    if (parser->block->is_grid && ascii_digit(scan_peek(&parser->scan))) {
        WB_TRY(scan_u32(&parser->scan, "a number", 0, SYNTHETIC_BLOCKS_MAX, &kind.count));
        if (!scan_accept(&parser->scan, '*')) { /* the number is of a program's warps */
            parser->scan.at = start;
            kind.count = 1;
        }
    }
    if (kind.count == 0 || kind.count > SYNTHETIC_BLOCKS_MAX - parser->block->block_count)
        return scan_fail(&parser->scan, "a grid has one block to a million");
    parser->warp_path.count = 0;
    parser->first_path = (uint32_t)parser->block->paths.count;
    do {
        WB_TRY(parse_program(parser));
    } while (scan_accept(&parser->scan, ';'));
    kind.timed.warp_count = (uint32_t)parser->warp_path.count;
    kind.timed.path_count = (uint32_t)parser->block->paths.count - parser->first_path;
    kind.timed.warp_path =
        keep(parser, parser->warp_path.items, parser->warp_path.count, sizeof *kind.timed.warp_path);
    if (kind.timed.warp_path == NULL || vec_push(&parser->block->classes, kind) != WB_OK)
        return parse_no_memory(parser);
    parser->block->block_count += kind.count;
    return WB_OK;
}

/* Numbers the registers of queues, behind those of results, and puts them where operands stand for them. */
static void number_queues(struct parser *parser) {
    struct timed_code *code = &parser->block->timed.code;
    code->queues[QUEUE_ACCESSES].count = parser->has_fence;
    for (uint32_t q = 0; q < QUEUE_COUNT; q++) {
        code->queues[q].first = code->register_count;
        code->register_count += code->queues[q].count;
    }
    const uint32_t fenced = code->register_count;
    code->register_count += parser->has_fence;
    for (size_t o = 0; o < parser->operands.count; o++) {
        uint32_t *operand = &parser->operands.items[o];
        if (*operand & OPERAND_COPIES)
            *operand = code->queues[QUEUE_COPIES].first + (*operand & ~OPERAND_COPIES);
        else if (*operand & OPERAND_ACCESSES)
            *operand = code->queues[QUEUE_ACCESSES].first;
        else if (*operand & OPERAND_FENCED)
            *operand = fenced;
    }
}

void synthetic_block_connect(struct synthetic_block *block) {
    const struct path *paths = block->paths.items;
    for (size_t k = 0; k < block->classes.count; k++) {
        struct timed_block *timed = &block->classes.items[k].timed;
        timed->machine = &block->machine;
        timed->code = block->timed.code;
        timed->paths = paths;
        paths += timed->path_count;
    }
    const struct timed_block *first = &block->classes.items[0].timed;
    block->timed.machine = &block->machine;
    block->timed.paths = first->paths;
    block->timed.path_count = first->path_count;
    block->timed.warp_path = first->warp_path;
    block->timed.warp_count = first->warp_count;
}

/* Completes the code, which the kinds share. */
static wb_status finish(struct parser *parser) {
    struct synthetic_block *block = parser->block;
    struct timed_code *code = &block->timed.code;
    number_queues(parser);
    code->insts = keep(parser, parser->insts.items, parser->insts.count, sizeof *code->insts);
    code->operands = keep(parser, parser->operands.items, parser->operands.count, sizeof *code->operands);
    if (code->insts == NULL || code->operands == NULL) return parse_no_memory(parser);
    code->inst_count = (uint32_t)parser->insts.count;
    synthetic_block_connect(block);
    return WB_OK;
}

/* Begins to read a text, which messages call `name`. */
static void begin_text(struct parser *parser, const char *name, const char *text) {
    parser->source = (struct source){name, text, strlen(text)};
    parser->scan = scanner_of(&parser->source, SCAN_SPACES, parser->scan.diagnostics);
}

static wb_status synthetic_read(struct parser *parser, const char *units, const char *warps) {
    begin_text(parser, "units", units);
    do {
        WB_TRY(parse_kind(parser));
    } while (scan_peek(&parser->scan) != '\0');
    begin_text(parser, parser->block->is_grid ? "blocks" : "warps", warps);
    do {
        WB_TRY(parse_blocks(parser));
    } while (parser->block->is_grid && scan_accept(&parser->scan, '/'));
    return finish(parser);
}

static wb_status synthetic_parse(const char *units, const char *blocks, bool is_grid,
                                 wb_diagnostics *diagnostics, struct synthetic_block *block) {
    *block = (struct synthetic_block){.machine = {.name = "abstract",
                                                  .clock_mhz = 1000,
                                                  .sub_cores = 1,
                                                  .issue_width = 1,
                                                  .issue_per_warp = 1,
                                                  .dispatch_depth = DEPTH_UNLIMITED},
                                      .memory_unit = UNIT_NONE,
                                      .is_grid = is_grid};
    machine_memory_defaults(&block->machine.memory);
    struct parser parser = {
        .scan = {.diagnostics = diagnostics}, .block = block, .has_fence = strchr(blocks, '#') != NULL};
    wb_status status = synthetic_read(&parser, units, blocks);
    vec_free(&parser.insts);
    vec_free(&parser.operands);
    vec_free(&parser.warp_path);
    if (status != WB_OK) synthetic_block_free(block);
    return status;
}

wb_status synthetic_block_parse(const char *units, const char *warps, wb_diagnostics *diagnostics,
                                struct synthetic_block *block) {
    return synthetic_parse(units, warps, false, diagnostics, block);
}

wb_status synthetic_grid_parse(const char *units, const char *blocks, wb_diagnostics *diagnostics,
                               struct synthetic_block *block) {
    return synthetic_parse(units, blocks, true, diagnostics, block);
}

wb_status synthetic_block_set_memory(struct synthetic_block *block, const char *unit, const char **problem) {
    struct wb_machine *machine = &block->machine;
    for (uint32_t u = 0; u < machine->unit_count; u++)
        if (strcmp(machine->units[u].name, unit) == 0) block->memory_unit = (uint8_t)u;
    *problem = "memory_unit: no unit has this name";
    if (block->memory_unit == UNIT_NONE) return WB_ERR_INPUT;
    if (machine->memory.requests == REQUESTS_IDEAL) machine->memory.requests = REQUESTS_VOLTA;
    *problem =
        "memory_unit: an instruction of this unit makes a request a cycle that it keeps it, 32 at most, and "
        "needs a latency";
    for (uint32_t i = 0; i < block->timed.code.inst_count; i++) {
        struct timed_inst *inst = &block->timed.code.insts[i];
        if (inst->unit != block->memory_unit) continue;
        if (inst->init > SYNTHETIC_REQUESTS_MAX || inst->latency == 0) return WB_ERR_INPUT;
        inst->memory_latency = inst->latency;
    }
    return WB_OK;
}

void synthetic_block_free(struct synthetic_block *block) {
    for (size_t i = 0; i < block->paths.count; i++)
        path_free(&block->paths.items[i]);
    vec_free(&block->paths);
    vec_free(&block->classes);
    timed_block_free(&block->timed);
    *block = (struct synthetic_block){0};
}
