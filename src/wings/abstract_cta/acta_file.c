#include "wings/abstract_cta/acta_file.h"

#include <inttypes.h>
#include <string.h>

#include "base/base.h"
#include "base/files.h"
#include "machine/machine.h"

/* Deepest nesting of branches and loops, longest pattern. */
#define NOTATION_DEPTH_MAX 64u
#define PATTERN_MAX 64u

struct notation_parser {
    struct scanner scan;
    uint32_t depth;
    struct acta_notation *notation;
};

static wb_status parse_number(struct notation_parser *parser, cycles *number) {
    return scan_number(&parser->scan, "a number of cycles", 0, MACHINE_TIME_MAX, number);
}

static wb_status parse_sequence(struct notation_parser *parser, struct acta_sequence *sequence);

static wb_status parse_time(struct notation_parser *parser, struct acta_sequence *sequence) {
    cycles instr, shift = 0;
    WB_TRY(parse_number(parser, &instr));
    if (scan_here(&parser->scan) == '/') {
        parser->scan.at++;
        WB_TRY(parse_number(parser, &shift));
    }
    return acta_add_time(&parser->notation->warp, instr, shift, sequence);
}

/* "@0110": in which iterations the first side is executed. */
static wb_status parse_pattern(struct notation_parser *parser, struct acta_node *branch) {
    if (!scan_accept(&parser->scan, '@')) return WB_OK;
    for (char c; (c = scan_here(&parser->scan)) == '0' || c == '1'; parser->scan.at++) {
        if (branch->pattern_length == PATTERN_MAX)
            return scan_fail(&parser->scan, "expected at most 64 iterations");
        branch->pattern |= (uint64_t)(c == '1') << branch->pattern_length++;
    }
    return branch->pattern_length > 0 ? WB_OK
                                      : scan_fail(&parser->scan, "expected a 0 or 1 for each iteration");
}

static wb_status parse_branch(struct notation_parser *parser, char close, struct acta_sequence *sequence) {
    struct acta_sequence sides[2] = {ACTA_SEQUENCE_EMPTY, ACTA_SEQUENCE_EMPTY};
    struct acta_node branch = {.diverges = close == '>', .block = ACTA_NONE};
    parser->scan.at++;
    WB_TRY(parse_sequence(parser, &sides[0]));
    if (scan_accept(&parser->scan, ';')) WB_TRY(parse_sequence(parser, &sides[1]));
    if (!scan_accept(&parser->scan, close))
        return scan_fail(&parser->scan, "expected the end of the branch, '}' or '>'");
    if (close == '}') WB_TRY(parse_pattern(parser, &branch));
    if (sides[0].has_barrier || sides[1].has_barrier)
        return scan_fail(&parser->scan, "a branch cannot have barriers: warps would not meet");
    return acta_add_branch(&parser->notation->warp, &branch, sides, sequence);
}

static wb_status parse_name(struct notation_parser *parser, struct acta_loop_name *name) {
    size_t length = 0;
    *name = (struct acta_loop_name){0};
    for (char c; c = scan_here(&parser->scan), ascii_letter(c) || ascii_digit(c) || c == '_';
         parser->scan.at++) {
        if (length + 1 == sizeof name->text)
            return scan_fail(&parser->scan, "the name of a loop has at most 31 letters");
        name->text[length++] = c;
    }
    for (size_t i = 0; i < parser->notation->names.count; i++)
        if (strcmp(parser->notation->names.items[i].text, name->text) == 0)
            return scan_fail(&parser->scan, "there already is a loop of that name");
    return WB_OK;
}

static wb_status parse_loop(struct notation_parser *parser, struct acta_sequence *sequence) {
    struct acta_sequence header = ACTA_SEQUENCE_EMPTY, rest = ACTA_SEQUENCE_EMPTY;
    struct acta_loop_name name;
    WB_TRY(parse_name(parser, &name));
    if (!scan_accept(&parser->scan, '('))
        return scan_fail(&parser->scan, "expected '(' after the name of a loop");
    WB_TRY(parse_sequence(parser, &header));
    if (scan_accept(&parser->scan, ':')) WB_TRY(parse_sequence(parser, &rest));
    if (!scan_accept(&parser->scan, ')'))
        return scan_fail(&parser->scan, "expected ')' at the end of the loop");
    WB_TRY(vec_push(&parser->notation->names, name)); /* numbered as loops are: when they end */
    return acta_add_loop(&parser->notation->warp, ACTA_NONE, &header, &rest, sequence);
}

static wb_status parse_element(struct notation_parser *parser, char c, struct acta_sequence *sequence) {
    struct acta_warp *warp = &parser->notation->warp;
    if (ascii_digit(c)) return parse_time(parser, sequence);
    if (ascii_upper(c)) return parse_loop(parser, sequence);
    switch (c) {
    case 'm':
    case 'w': parser->scan.at++; return acta_add_memory(warp, c == 'w', sequence);
    case '|': parser->scan.at++; return acta_add_barrier(warp, sequence);
    case '{': return parse_branch(parser, '}', sequence);
    case '<': return parse_branch(parser, '>', sequence);
    default: return scan_fail(&parser->scan, "expected a number, m, w, |, {...}, <...> or LOOP(...)");
    }
}

static wb_status parse_sequence(struct notation_parser *parser, struct acta_sequence *sequence) {
    wb_status status = WB_OK;
    if (++parser->depth > NOTATION_DEPTH_MAX) return scan_fail(&parser->scan, "nested too deeply");
    for (char c; status == WB_OK && (c = scan_peek(&parser->scan)) != '\0' && strchr(";:)}>", c) == NULL;)
        status = parse_element(parser, c, sequence);
    parser->depth--;
    return status;
}

wb_status acta_notation_parse(const char *program, wb_diagnostics *diagnostics,
                              struct acta_notation *notation) {
    struct notation_parser parser = {.scan = {.text = program,
                                              .size = strlen(program),
                                              .skips = SCAN_SPACES,
                                              .subject = {.where = "program"},
                                              .diagnostics = diagnostics},
                                     .notation = notation};
    struct acta_sequence sequence = ACTA_SEQUENCE_EMPTY;
    size_t errors = wb_diagnostics_errors(diagnostics);
    *notation = (struct acta_notation){.warp = {.first = ACTA_NONE}};
    wb_status status = parse_sequence(&parser, &sequence);
    if (status == WB_OK && !scan_at_end(&parser.scan))
        status = scan_fail(&parser.scan, "nothing is open here");
    if (status == WB_ERR_LIMIT && wb_diagnostics_errors(diagnostics) == errors)
        return diagnose_out_of_memory(diagnostics, "program");
    notation->warp.first = sequence.first;
    return status;
}

void acta_notation_free(struct acta_notation *notation) {
    acta_warp_free(&notation->warp);
    vec_free(&notation->names);
}

#define KEY "abstract_warp"
#define ABOUT_MAX 4096u
#define PROGRAM_MAX 65536u

/* Most warps, and most iterations of a loop. */
#define WARPS_MAX 1024u
#define ITERATIONS_MAX 1000000u

#define LOOPS_EXPECTED "a mapping from loops to their iterations: one number, or one for each warp"
#define SET_EXPECTED "a list of settings of the machine such as \"mem_latency=9\""

/* The file's fields, before the program is read. */
struct file_fields {
    char name[MACHINE_NAME_MAX], machine[MACHINE_NAME_MAX];
    char about[ABOUT_MAX];
    char program[PROGRAM_MAX];
    uint32_t warps;
    const struct ytree_node *set, *loops; /* or NULL */
};

static wb_status keep_set(const struct ytree *document, const struct ytree_node *value, void *target) {
    ((struct file_fields *)target)->set = value;
    return ytree_require(document, value, YTREE_LIST, SET_EXPECTED);
}

static wb_status keep_loops(const struct ytree *document, const struct ytree_node *value, void *target) {
    ((struct file_fields *)target)->loops = value;
    return ytree_require(document, value, YTREE_MAPPING, LOOPS_EXPECTED);
}

static const struct field file_fields[] = {
    {.key = KEY,
     .kind = FIELD_TEXT,
     .required = true,
     .offset = offsetof(struct file_fields, name),
     .maximum = MACHINE_NAME_MAX},
    {.key = "about",
     .kind = FIELD_LINES,
     .offset = offsetof(struct file_fields, about),
     .maximum = ABOUT_MAX},
    {.key = "machine",
     .kind = FIELD_TEXT,
     .offset = offsetof(struct file_fields, machine),
     .maximum = MACHINE_NAME_MAX},
    {.key = "set", .kind = FIELD_NESTED, .what = SET_EXPECTED, .read = keep_set},
    {.key = "warps",
     .kind = FIELD_U32,
     .required = true,
     .offset = offsetof(struct file_fields, warps),
     .minimum = 1,
     .maximum = WARPS_MAX},
    {.key = "program",
     .kind = FIELD_LINES,
     .required = true,
     .offset = offsetof(struct file_fields, program),
     .maximum = PROGRAM_MAX},
    {.key = "loops", .kind = FIELD_NESTED, .what = LOOPS_EXPECTED, .read = keep_loops},
    {0},
};

bool acta_warp_file_is(const char *text, size_t size) {
    const size_t length = strlen(KEY ":");
    for (const char *line = text, *end = text + size; (size_t)(end - line) >= length;) {
        if (memcmp(line, KEY ":", length) == 0) return true;
        line = memchr(line, '\n', (size_t)(end - line));
        if (line == NULL) return false;
        line++;
    }
    return false;
}

static wb_status make_machine(const struct ytree *document, const struct file_fields *fields,
                              wb_diagnostics *diagnostics, struct wb_machine **machine) {
    WB_TRY(wb_machine_load(fields->machine, diagnostics, machine));
    const struct ytree_node *setting = fields->set == NULL ? NULL : fields->set->first;
    for (; setting != NULL; setting = setting->next) {
        WB_TRY(ytree_require(document, setting, YTREE_SCALAR, "a setting such as \"mem_latency=9\""));
        WB_TRY(wb_machine_set(*machine, setting->text, diagnostics));
    }
    return wb_machine_check(*machine, diagnostics);
}

/* Iterations as a file gives them. */
static wb_status read_iterations(const struct ytree *document, const struct ytree_node *value,
                                 uint64_t *iterations) {
    if (value->kind != YTREE_SCALAR || !number_u64(value->text, strlen(value->text), iterations) ||
        *iterations > ITERATIONS_MAX)
        return ytree_expected(document, value, "a number of iterations, at most 1000000");
    return WB_OK;
}

/* The iterations of one loop: the same for all warps, or of each warp its own. */
static wb_status read_loop(const struct ytree *document, const struct ytree_node *value, size_t loop,
                           struct acta_group *cta) {
    const size_t loops = cta->warp.loops.count;
    const struct ytree_node *one = value->kind == YTREE_LIST ? value->first : value;
    if (value->kind == YTREE_LIST && value->count != cta->warp_count)
        return ytree_expected(document, value, "as many numbers of iterations as there are warps");
    for (uint32_t w = 0; w < cta->warp_count; w++) {
        WB_TRY(read_iterations(document, one, &cta->iterations[w * loops + loop]));
        if (value->kind == YTREE_LIST) one = one->next;
    }
    return WB_OK;
}

/* The iterations of all loops of the program. */
static wb_status read_loops(const struct ytree *document, const struct ytree_node *loops,
                            const struct acta_notation *notation, struct acta_group *cta) {
    for (size_t l = 0; l < notation->names.count; l++) {
        const char *name = notation->names.items[l].text;
        const struct ytree_node *value = loops == NULL ? NULL : ytree_find(loops, name);
        if (value == NULL)
            return ytree_error(document, document->root, "loops: the iterations of loop '%s' are missing",
                               name);
        WB_TRY(read_loop(document, value, l, cta));
    }
    if (loops == NULL || loops->count == notation->names.count) return WB_OK;
    return ytree_error(document, loops, "loops: no loop of the program has one of these names");
}

static wb_status make_cta(const struct ytree *document, const struct file_fields *fields,
                          wb_diagnostics *diagnostics, struct acta_group *cta) {
    struct acta_notation notation;
    wb_status status = acta_notation_parse(fields->program, diagnostics, &notation);
    if (status == WB_OK) {
        cta->warp = notation.warp;
        notation.warp = (struct acta_warp){0};
        status = acta_group_allocate(cta, fields->warps);
        if (status != WB_OK) (void)diagnose_out_of_memory(diagnostics, fields->name);
    }
    if (status == WB_OK) status = read_loops(document, fields->loops, &notation, cta);
    acta_notation_free(&notation);
    return status;
}

/* A convention that the program leaves without effect would be taken for one that it has. */
static wb_status check_branches(const struct ytree *document, const struct acta_warp_file *file) {
    if (file->machine->abstract_cta.uniform_branch != BRANCH_EXECUTED_SIDE || !file->cta.warp.has_open_branch)
        return WB_OK;
    return ytree_error(document, ytree_find(document->root, "program"),
                       "abstract_cta.uniform_branch is executed, but nothing says which side of a branch "
                       "{...} is executed: give each a pattern, such as {4 m}@01");
}

static wb_status read_file(const struct ytree *document, struct file_fields *fields,
                           wb_diagnostics *diagnostics, struct acta_warp_file *file) {
    WB_TRY(ytree_read_fields(document, document->root, file_fields, fields));
    (void)text_format(file->name, sizeof file->name, "%s", fields->name);
    WB_TRY(make_machine(document, fields, diagnostics, &file->machine));
    WB_TRY(make_cta(document, fields, diagnostics, &file->cta));
    return check_branches(document, file);
}

wb_status acta_warp_file_parse(const char *name, const char *text, size_t size, wb_diagnostics *diagnostics,
                               struct acta_warp_file *file) {
    struct file_fields *fields = calloc(1, sizeof *fields);
    if (fields == NULL) return diagnose_out_of_memory(diagnostics, name);
    struct ytree document = {0};
    (void)text_format(fields->machine, sizeof fields->machine, "hirvisalo");
    wb_status status = ytree_parse(name, text, size, diagnostics, &document);
    if (status == WB_OK) status = read_file(&document, fields, diagnostics, file);
    ytree_free(&document);
    free(fields);
    return status;
}

void acta_warp_file_free(struct acta_warp_file *file) {
    wb_machine_free(file->machine);
    acta_group_free(&file->cta);
    *file = (struct acta_warp_file){0};
}
