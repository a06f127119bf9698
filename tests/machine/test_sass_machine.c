/* Machine files of code: sass: what is read and printed, what is refused, and where figures come from. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files.h"
#include "lift/lift.h"
#include "machine/files.h"
#include "messages.h"

#define HEAD "name: m\nclock_mhz: 100\ncode: sass\nsub_cores: 2\n"
#define UNITS "units: [{name: A}, {name: Q, queue: 2}, {name: S, shared: true, queue: unlimited}]\n"
#define SASS "sass: {sm: 86, l1: [20, 30], l2: [100, 200], dram: [300, 400], tlb: [0, 50]}\n"
#define SMALL HEAD UNITS "classes: {alu: {unit: A, init: 2, fixed: true}}\n" SASS

static wb_machine *parse(const char *text) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    if (machine_parse("m.yaml", text, strlen(text), diagnostics, &machine) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
    return machine;
}

static char *print(const wb_machine *machine) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char *text = NULL;
    assert_int_equal(wb_machine_print(machine, diagnostics, &text), WB_OK);
    wb_diagnostics_free(diagnostics);
    return text;
}

static void refuses(const char *text, const char *message) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    assert_int_equal(machine_parse("m.yaml", text, strlen(text), diagnostics, &machine), WB_ERR_INPUT);
    if (strstr(wb_diagnostics_text(diagnostics), message) == NULL)
        fail_msg("expected '%s', got %s", message, wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
}

static void set_refuses(wb_machine *machine, const char *assignment, const char *message) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    assert_int_equal(wb_machine_set(machine, assignment, diagnostics), WB_ERR_INPUT);
    if (strstr(wb_diagnostics_text(diagnostics), message) == NULL)
        fail_msg("expected '%s', got %s", message, wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
}

static void set(wb_machine *machine, const char *assignment) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    if (wb_machine_set(machine, assignment, diagnostics) != WB_OK)
        fail_msg("%s", wb_diagnostics_text(diagnostics));
    wb_diagnostics_free(diagnostics);
}

static void test_file_is_read(void **state) {
    (void)state;
    wb_machine *machine =
        parse(HEAD "classes:\n  alu: {unit: A, init: 2, fixed: true}\n  nop: {unit: none, fixed: true}\n"
                   "  load_global: {unit: Q, init: 4, unit_2: S, init_2: 2, each_2: 3, count_2: passes, "
                   "transfer: 5, write: [6, 7], read: 8, plus: memory}\n" UNITS SASS);
    const struct machine_sass_class *load = &machine->sass.classes[SASS_CLASS_LOAD_GLOBAL];
    assert_true(machine_isa(machine) == ISA_SASS);
    assert_int_equal(machine->sass.sm, 86);
    assert_int_equal(machine->units[1].queue, 2);
    assert_int_equal(machine->units[2].queue, DEPTH_UNLIMITED);
    assert_true(machine->units[2].shared);
    assert_true(machine->sass.classes[SASS_CLASS_ALU].fixed);
    assert_int_equal(machine->sass.classes[SASS_CLASS_NOP].stage_count, 0);
    assert_true(machine->sass.classes[SASS_CLASS_NOP].given);
    assert_false(machine->sass.classes[SASS_CLASS_FMA].given);
    assert_int_equal(load->stage_count, 2);
    assert_int_equal(load->stages[0].unit, 1);
    assert_int_equal(load->stages[0].transfer, 5);
    assert_int_equal(load->stages[1].unit, 2);
    assert_int_equal(load->stages[1].init, 2);
    assert_int_equal(load->stages[1].each, 3);
    assert_int_equal(load->stages[1].count, SASS_COUNT_PASSES);
    assert_int_equal(load->write_least.value, 6);
    assert_int_equal(load->write_most, 7);
    assert_int_equal(load->read_least.value, 0);
    assert_int_equal(load->read_most, 8);
    assert_int_equal(load->plus, SASS_PLUS_MEMORY);
    wb_machine_free(machine);
}

/* At a lower clock DRAM takes longer, and what has its time in it; at a higher one not less. */
static void test_memory_clock(void **state) {
    (void)state;
    static const char *const files[] = {
        "name: m\nbase: jetson-agx-orin\n",
        "name: m\nbase: jetson-agx-orin\nsass: {sm: 87, memory_clock: 1600}\n",
        "name: m\nbase: jetson-orin-nx\nsass: {sm: 87, memory_clock: 1600, dram: 900}\n"};
    static const char *const settings[] = {"sass.memory_clock=1600", "sass.l2=210", "sass.memory_clock=2000"};
    for (size_t f = 0; f < 3; f++) {
        wb_machine *machine = parse(files[f]);
        const struct machine_sass *sass = &machine->sass;
        set(machine, "resident=code-l1");
        set(machine, settings[f]);
        const struct machine_sass_class *load = &sass->classes[SASS_CLASS_LOAD_GLOBAL];
        assert_int_equal(sass->dram_most, f == 2 ? 900 : 1496); /* 748 * 3199 / 1600, rounded up */
        assert_int_equal(sass->tlb_most, 944);
        assert_int_equal(load->stages[2].init, 32);
        assert_int_equal(load->stages[2].each, 32);
        assert_int_equal(load->stages[1].init, 2);
        assert_int_equal(load->write_most, 2);
        assert_int_equal(sass->classes[SASS_CLASS_FENCE].stages[2].init, 32);
        assert_int_equal(sass->classes[SASS_CLASS_TEXTURE].write_most, 3439);
        assert_int_equal(sass->classes[SASS_CLASS_LOAD_SHARED].write_most, 25);
        assert_int_equal(sass->memory_clock, f == 2 ? 2000 : 1600);
        set_refuses(machine, "sass.memory_clock=1", "becomes too large");
        set_refuses(machine, "sass.memory_clock=0", "expected a clock");
        wb_machine_free(machine);
    }
    refuses("name: m\nbase: jetson-agx-orin\nsass: {sm: 87, memory_clock: 1}\n",
            "m.yaml:3:30: error: memory_clock: a figure of DRAM becomes too large");
    wb_machine *machine = parse("name: m\nbase: rtx-a6000\n");
    set_refuses(machine, "sass.memory_clock=5000", "does not say which memory clock");
    wb_machine_free(machine);
}

/* Without `unit` a class changes what its base has; with one it replaces that. */
static void test_classes_of_a_base(void **state) {
    (void)state;
    wb_machine *base = parse("name: m\nbase: rtx-a6000\n");
    wb_machine *machine =
        parse("name: m\nbase: rtx-a6000\nclasses: {load_global: {init_3: 9}, alu: {unit: FMA, "
              "init: 7}}\n");
    const struct machine_sass_class *before = &base->sass.classes[SASS_CLASS_LOAD_GLOBAL];
    struct machine_sass_class changed = machine->sass.classes[SASS_CLASS_LOAD_GLOBAL];
    assert_int_equal(changed.stages[2].init, 9);
    changed.stages[2].init = before->stages[2].init;
    assert_memory_equal(&changed, before, sizeof changed);
    assert_true(base->sass.classes[SASS_CLASS_ALU].fixed);
    assert_false(machine->sass.classes[SASS_CLASS_ALU].fixed);
    wb_machine_free(machine);
    wb_machine_free(base);
    refuses(HEAD UNITS "classes: {alu: {init: 2}}\n" SASS,
            "alu: key 'unit' is missing, and no base has the class");
}

/* Each promise lowers what it is about: a miss of code and constants, what LDC takes with one, an access of
 * global memory, a sector of one. A figure that is lower already stays. */
static void test_promises(void **state) {
    (void)state;
    static const char text[] =
        HEAD UNITS "classes:\n"
                   "  alu: {unit: A, init: 2, fixed: true}\n"
                   "  load_global: {unit: A, init: 1, unit_2: S, init_2: 14, each_2: 3, count_2: sectors, "
                   "plus: memory}\n"
                   "  load_constant: {unit: A, init: 1, each: 480, count: passes, write: [0, 470]}\n"
                   "sass: {sm: 86, l1: [20, 30], l2: [100, 200], dram: [300, 400], tlb: [0, 50],"
                   " l1_instruction_miss: 450, l2_sector: 4}\n";
    static const struct {
        const char *setting;
        uint32_t miss, each, write, memory, init;
    } cases[] = {
        {NULL, 450, 480, 470, 450, 14},
        {"resident=translations", 400, 430, 420, 400, 14},
        {"resident=data", 450, 480, 470, 250, 4},
        {"resident=code", 250, 280, 270, 450, 14},
        {"resident=code-l1", 0, 30, 20, 450, 14},
        {"resident=translations,data", 400, 430, 420, 200, 4},
        {"resident=data,code", 250, 280, 270, 250, 4},
        {"resident=translations,code", 200, 230, 220, 400, 14},
        {"resident=all", 0, 30, 20, 200, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_machine *machine = parse(text);
        if (cases[i].setting != NULL) set(machine, cases[i].setting);
        const struct machine_sass_class *classes = machine->sass.classes;
        assert_int_equal(machine->sass.l1_instructions.miss, cases[i].miss);
        assert_int_equal(classes[SASS_CLASS_LOAD_CONSTANT].stages[0].each, cases[i].each);
        assert_int_equal(classes[SASS_CLASS_LOAD_CONSTANT].write_most, cases[i].write);
        assert_int_equal(sass_memory_most(&machine->sass), cases[i].memory);
        assert_int_equal(sass_memory_least(&machine->sass), 20);
        assert_int_equal(classes[SASS_CLASS_LOAD_GLOBAL].stages[1].init, cases[i].init);
        assert_int_equal(classes[SASS_CLASS_LOAD_GLOBAL].stages[1].each, 3);
        if (cases[i].setting != NULL) set_refuses(machine, "resident=data", "given twice");
        wb_machine_free(machine);
    }
    /* Without a miss of the TLB a stated miss takes that much less at most, and no less than DRAM does. */
    static const uint32_t stated[] = {5000, 440, 400, 300, 0}, left[] = {4950, 400, 400, 300, 0};
    for (size_t i = 0; i < sizeof stated / sizeof *stated; i++) {
        wb_machine *machine = parse(SMALL);
        char setting[64];
        (void)snprintf(setting, sizeof setting, "sass.l1_instruction_miss=%u", stated[i]);
        set(machine, setting);
        set(machine, "resident=translations");
        assert_int_equal(machine->sass.l1_instructions.miss, left[i]);
        wb_machine_free(machine);
    }
    wb_machine *machine = parse(SMALL);
    set_refuses(machine, "resident=l2", "'l2'");
    wb_machine_free(machine);
}

static void test_errors_of_files(void **state) {
    (void)state;
    refuses(HEAD UNITS SASS, "m.yaml:1:1: error: key 'classes' is missing");
    refuses(HEAD UNITS "classes: {}\n", "key 'sass' is missing");
    refuses(SMALL "mem_latency: 3\n",
            "mem_latency is a key of machines that time PTX (code: ptx), but this one times machine code");
    refuses(
        "name: m\nclock_mhz: 100\ndispatch_depth: 0\nmem_latency: 1\nshared_latency: 1\nunits: [{name: A}]\n"
        "classes: {}\nsass: {sm: 86}\n",
        "m.yaml:8:1: error: sass is a key of machines that time machine code (code: sass), but this one "
        "times "
        "PTX");
    refuses("name: m\nbase: ampere-sm80\ncode: sass\n",
            "m.yaml:3:7: error: code: a machine times the same code as its base");
    refuses("name: m\nbase: rtx-a6000\ncode: ptx\n", "which is not ptx");
    refuses("name: m\nclock_mhz: 100\ncode: c\n" UNITS SASS, "code: expected 'ptx' or 'sass', got 'c'");
    refuses(HEAD UNITS "classes: {alo: {unit: A, init: 2}}\n" SASS, "did you mean 'alu'?");
    refuses(HEAD UNITS "classes: {alu: {unit: B, init: 2}}\n" SASS, "no unit is named 'B'");
    refuses(HEAD UNITS "classes: {alu: {unit: A}}\n" SASS, "also expected init, the cycles that it is held");
    refuses(HEAD UNITS "classes: {alu: {unit: A, init: 1, init_2: 2}}\n" SASS, "expected unit_2");
    refuses(HEAD UNITS "classes: {alu: {unit: A, init: 1, unit_3: Q, init_3: 2}}\n" SASS, "expected unit_2");
    refuses(HEAD UNITS "classes: {alu: {unit: Q, init: 1, unit_2: Q, init_2: 1}}\n" SASS,
            "is also an earlier stage");
    refuses(HEAD UNITS "classes: {alu: {unit: Q, init: 1, fixed: true}}\n" SASS, "unit 'Q' has a queue");
    refuses(HEAD UNITS "classes: {alu: {unit: S, init: 1, transfer: 1, unit_2: Q, init_2: 1}}\n" SASS,
            "transfer: expected 0 before unit 'Q', whose queue is not unlimited");
    refuses(HEAD UNITS "classes: {alu: {unit: A, init: 1, fixed: true, write: 3}}\n" SASS,
            "expected no write and read");
    refuses(HEAD UNITS "classes: {}\nsass: {sm: 86, l0_line: 48}\n",
            "l0_line: expected a power of two, got 48");
    refuses(HEAD UNITS "classes: {}\nsass: {sm: 86, constant_size: 96}\n",
            "constant_size: 96 bytes are not a whole number");
    refuses(SMALL "sources: [{mark: sure, from: x, keys: [class]}]\n",
            "'assumed', 'second-hand', 'published' or 'measured'");
    refuses(SMALL "sources: [{mark: assumed, keys: [class]}]\n", "key 'from' is missing");
    refuses(SMALL "sources: [{mark: assumed, from: x}]\n", "key 'keys' is missing");
}

static void test_set(void **state) {
    (void)state;
    wb_machine *machine = parse(SMALL);
    set(machine, "class.alu.init=7");
    assert_int_equal(machine->sass.classes[SASS_CLASS_ALU].stages[0].init, 7);
    set(machine, "class.mufu.unit=Q");
    assert_int_equal(machine->sass.classes[SASS_CLASS_MUFU].stages[0].init, 1);
    set(machine, "class.mufu.write=3..9");
    assert_int_equal(machine->sass.classes[SASS_CLASS_MUFU].write_most, 9);
    set(machine, "unit.Q.queue=unlimited");
    assert_int_equal(machine->units[1].queue, DEPTH_UNLIMITED);
    set(machine, "sass.long_stall=46");
    assert_int_equal(machine->sass.long_stall, 46);
    set_refuses(machine, "mem_latency=3", "mem_latency is a key of machines that time PTX");
    set_refuses(machine, "fetch.size=3", "fetch is a key of machines that time PTX");
    set_refuses(machine, "model=plain", "model is a key of machines that time PTX");
    set_refuses(machine, "class.aluu.init=3", "did you mean 'alu'?");
    set_refuses(machine, "class.alu.write=3", "expected no write and read");
    set_refuses(machine, "sass.long_stal=3", "did you mean sass.long_stall=3?");
    set_refuses(machine, "class.alu.latency=3", "unknown key");
    wb_machine_free(machine);
}

/* No interval, of whatever mapping, has a least above its most. */
static void test_intervals_are_in_order(void **state) {
    (void)state;
    static const struct {
        const char *prefix;
        const struct field *fields;
        const char *preset;
    } mappings[] = {{"class.load_global.", sass_class_fields, "rtx-a6000"},
                    {"sass.", machine_sass_fields, "rtx-a6000"},
                    {"class.fp32.", machine_class_fields, "ampere-sm80"},
                    {"", machine_fields, "ampere-sm80"}};
    unsigned intervals = 0;
    for (size_t m = 0; m < sizeof mappings / sizeof *mappings; m++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_machine *machine;
        assert_int_equal(wb_machine_load(mappings[m].preset, diagnostics, &machine), WB_OK);
        for (const struct field *field = mappings[m].fields; field->key != NULL; field++) {
            char setting[200];
            if (field->kind != FIELD_INTERVAL) continue;
            (void)snprintf(setting, sizeof setting, "%s%s=[6, 5]", mappings[m].prefix, field->key);
            set_refuses(machine, setting, "or an interval [least, most] of them, got '[6, 5]'");
            (void)snprintf(setting, sizeof setting, "%s%s=[5, 5]", mappings[m].prefix, field->key);
            set(machine, setting);
            intervals++;
        }
        wb_machine_free(machine);
        wb_diagnostics_free(diagnostics);
    }
    assert_true(intervals >= 10);
}

/* A unit may get a queue that its class cannot have, or caches what they cannot: found before anything is
 * timed. */
static void test_check(void **state) {
    (void)state;
    static const char *const settings[] = {"unit.A.queue=3", "warp_width=16",  "sass.l0_size=100",
                                           "l1_size=4096",   "requests=ideal", "sass.clock=[200, 300]"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_machine *machine = parse(SMALL);
        assert_int_equal(wb_machine_check(machine, diagnostics), WB_OK);
        set(machine, settings[i]);
        assert_int_equal(wb_machine_check(machine, diagnostics), WB_ERR_INPUT);
        wb_machine_free(machine);
        wb_diagnostics_free(diagnostics);
    }
}

/* Ways in a circle of units, each of which has to wait for room behind it, could end in a deadlock: files
 * that have one are refused at the class that goes against the others, settings by the check behind the last
 * of them. A queue without limit, or a queue at the start of the way, breaks the circle. */
static void test_circles_of_ways(void **state) {
    (void)state;
#define CIRCLE(queues, ways) HEAD "units: [" queues "]\n" SASS "classes:\n" ways
#define THREE "{name: A, queue: 1}, {name: Q, queue: 2}, {name: S, shared: true, queue: 0}"
#define ALU "  alu: {unit: A, init: 1, unit_2: Q, init_2: 1}\n"
#define MUFU "  mufu: {unit: Q, init: 1, unit_2: S, init_2: 1}\n"
#define IMAD "  imad: {unit: S, init: 1, unit_2: A, init_2: 1}\n"
#define BACK "  imad: {unit: Q, init: 1, unit_2: A, init_2: 1}\n"
    refuses(CIRCLE(THREE, ALU BACK "  fma: {unit: A, init: 1, unit_2: Q, init_2: 3}\n"),
            "m.yaml:9:9: error: A waits for a place at Q (alu, fma), Q waits for a place at A (imad): ");
    refuses(
        CIRCLE(THREE, ALU MUFU IMAD),
        "m.yaml:10:9: error: S waits for a place at A (imad), A waits for a place at Q (alu), Q waits for "
        "a place at S (mufu): ");
    static const char *const fine[] = {
        CIRCLE(THREE, ALU MUFU),
        CIRCLE("{name: A, queue: unlimited}, {name: Q, queue: 2}, {name: S}", ALU MUFU IMAD),
        CIRCLE("{name: A}, {name: Q, queue: unlimited}, {name: S}", ALU BACK)};
    static const char *const settings[][2] = {{"class.mufu.unit_2=A", "class.mufu.init=2"},
                                              {"unit.A.queue=1", "unit.S.queue=3"},
                                              {"unit.Q.queue=0", "unit.A.queue=4"}};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_machine *machine = parse(fine[i]);
        assert_int_equal(wb_machine_check(machine, diagnostics), WB_OK);
        set(machine, settings[i][0]);
        set(machine, settings[i][1]);
        assert_int_equal(wb_machine_check(machine, diagnostics), WB_ERR_INPUT);
        assert_non_null(strstr(wb_diagnostics_text(diagnostics), "m: error: "));
        assert_non_null(strstr(wb_diagnostics_text(diagnostics), " waits for a place at "));
        wb_machine_free(machine);
        wb_diagnostics_free(diagnostics);
    }
}

static void test_sources(void **state) {
    (void)state;
    wb_machine *machine =
        parse(SMALL "sources:\n"
                    "  - {mark: assumed, from: nobody, keys: [class, sass]}\n"
                    "  - {mark: measured, date: 2025, from: somebody, keys: [class.alu, sass.l1]}\n"
                    "  - {mark: published, from: vendor, keys: [class.alu.init]}\n");
    assert_int_equal(machine_figure_mark(machine, "class.alu.init"), FIGURE_PUBLISHED);
    assert_int_equal(machine_figure_mark(machine, "class.alu.unit"), FIGURE_MEASURED);
    assert_int_equal(machine_figure_mark(machine, "class.alue"), FIGURE_ASSUMED);
    assert_int_equal(machine_figure_mark(machine, "sass.l1"), FIGURE_MEASURED);
    assert_int_equal(machine_figure_mark(machine, "sass.l1_instruction_size"), FIGURE_ASSUMED);
    assert_int_equal(machine_figure_mark(machine, "limits.warps"), FIGURE_UNSTATED);
    set(machine, "class.alu.init=3");
    assert_int_equal(machine_figure_mark(machine, "class.alu.init"), FIGURE_GIVEN);
    assert_string_equal(machine_source_of(machine, "class.alu.init")->from, "vendor");
    wb_machine_free(machine);
}

/* What is printed reads back as the same, and states every figure that the file did. */
static void test_printed_machines_read_back(void **state) {
    (void)state;
    wb_machine *machine = parse(SMALL "sources: [{mark: assumed, from: \"a: b\", keys: [class, \"x y\"]}]\n");
    set(machine, "class.mufu.unit=Q");
    set(machine, "class.mufu.read=[2, 4]");
    char *text = print(machine);
    wb_machine *again = parse(text);
    char *second = print(again);
    assert_string_equal(text, second);
    assert_non_null(strstr(text, "  mufu:               {unit: Q, init: 1, read: [2, 4]}\n"));
    assert_non_null(strstr(text, "  - {name: S, shared: true, queue: unlimited, any_order: false}\n"));
    assert_null(strstr(text, "mem_latency"));
    free(text);
    free(second);
    wb_machine_free(machine);
    wb_machine_free(again);
}

/* The figures of a mapping of a preset. */
static void check_sources(const wb_machine *machine, const char *prefix, const struct ytree_node *mapping) {
    for (const struct ytree_node *value = mapping->first; value != NULL; value = value->next) {
        const struct ytree_node *name = value->key == NULL ? ytree_find(value, "name") : NULL;
        char key[200];
        (void)text_format(key, sizeof key, "%s.%s", prefix, name != NULL ? name->text : value->key);
        if (value->kind == YTREE_MAPPING)
            check_sources(machine, key, value);
        else if (machine_source_of(machine, key) == NULL)
            fail_msg("%s: %s has no source", machine->name, key);
    }
}

/* Presets give every class, and say of every figure where it comes from. */
static void test_presets(void **state) {
    (void)state;
    for (size_t i = 0; i < wb_machine_preset_count(); i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_machine *machine;
        struct ytree document;
        assert_int_equal(wb_machine_load(wb_machine_preset_name(i), diagnostics, &machine), WB_OK);
        if (machine_isa(machine) == ISA_SASS) {
            char *text = print(machine);
            assert_int_equal(ytree_parse("m.yaml", text, strlen(text), diagnostics, &document), WB_OK);
            static const char *const prefixes[][2] = {
                {"units", "unit"}, {"classes", "class"}, {"limits", "limits"}, {"sass", "sass"}};
            for (size_t p = 0; p < sizeof prefixes / sizeof *prefixes; p++)
                check_sources(machine, prefixes[p][1], ytree_find(document.root, prefixes[p][0]));
            for (uint32_t class = 0; class < SASS_CLASS_COUNT; class ++)
                if (!machine->sass.classes[class].given)
                    fail_msg("%s: class %s", machine->name, sass_class_name((enum sass_class) class));
            assert_int_equal(wb_machine_check(machine, diagnostics), WB_OK);
            ytree_free(&document);
            free(text);
        }
        wb_machine_free(machine);
        wb_diagnostics_free(diagnostics);
    }
}

/* Whatever is timed by a class of PTX of its own has one of machine code; what is not supported has none. */
static void test_opcodes_have_classes(void **state) {
    (void)state;
    static const struct ptx_form form = {.class_ = PTX_CLASS_OTHER};
    for (uint32_t op = 1; op < SASS_OP_COUNT; op++) {
        const struct sass_inst inst = {.op = (uint16_t)op};
        const enum ptx_class class = lift_class(&inst, &form);
        if (op == SASS_OP_CCTL) continue; /* some of its forms have none */
        if (class != PTX_CLASS_OTHER && class != PTX_CLASS_MOVE && sass_class_of(&inst) == SASS_CLASS_COUNT)
            fail_msg("%s", sass_op_name((enum sass_op)op));
    }
    static const uint16_t without[] = {SASS_OP_TXD, SASS_OP_SURED, SASS_OP_SYNCS_ARRIVE, SASS_OP_UBLKCP,
                                       SASS_OP_HGMMA};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        assert_int_equal(sass_class_of(&(struct sass_inst){.op = without[i]}), SASS_CLASS_COUNT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_is_read),
        cmocka_unit_test(test_memory_clock),
        cmocka_unit_test(test_classes_of_a_base),
        cmocka_unit_test(test_promises),
        cmocka_unit_test(test_errors_of_files),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_intervals_are_in_order),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_circles_of_ways),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_printed_machines_read_back),
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_opcodes_have_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
