/* Machine files: what is read, printed and read back, changed by --set, refused with its place; deadlines as
 * cycles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/containers.h"
#include "load_machine.h"
#include "machine/files.h"
#include "messages.h"

/* What a latency can be. */
#define INTERVAL_EXPECTED "expected a whole number from 0 to 1000000, or an interval [least, most] of them"

#define HEAD "name: m\nclock_mhz: 100\ndispatch_depth: 0\nmem_latency: 200\nshared_latency: 20\n"
#define UNITS "units: [{name: A}, {name: B, count: 2, shared: true}]\n"

static char *print(const wb_machine *machine) {
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    char *text = NULL;
    assert_int_equal(wb_machine_print(machine, diagnostics, &text), WB_OK);
    wb_diagnostics_free(diagnostics);
    return text;
}

static void test_presets_are_complete(void **state) {
    (void)state;
    static const char *const names[] = {"ampere-sm80", "fermi-sm20", "hopper-sm90", "kepler-sm35",
                                        "ecrts2025-orin"};
    size_t count = wb_machine_preset_count();
    assert_null(wb_machine_preset_name(count));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t found = 0;
        for (size_t k = 0; k < count; k++)
            found += strcmp(wb_machine_preset_name(k), names[i]) == 0;
        assert_int_equal(found, 1);
    }
    for (size_t i = 0; i < count; i++) {
        const char *name = wb_machine_preset_name(i);
        wb_machine *machine = load_machine(name);
        assert_string_equal(wb_machine_name(machine), name);
        assert_true(machine->limits.blocks > 0 &&
                    machine->limits.warps * machine->warp_width == machine->limits.threads);
        for (uint32_t class = 0; class < PTX_CLASS_COUNT && machine_isa(machine) == ISA_PTX; class ++)
            if (machine->classes[class].given == (class >= PTX_CLASS_VPRINTF && class <= PTX_CLASS_FREE))
                fail_msg("%s: class %s", name, ptx_class_name(class));
        /* Times in seconds are at the lowest clock of the range, unless the user names another. */
        if (machine_isa(machine) == ISA_SASS)
            assert_true(machine->sass.clock_least.stated &&
                        machine->clock_mhz == machine->sass.clock_least.value);
        wb_machine_free(machine);
    }
}

/* Distances of dependent instructions that were measured on the simulator of ECRTS 2025, global latency 200.
 */
static void test_orin_has_the_measured_distances(void **state) {
    (void)state;
    static const struct {
        enum ptx_class class;
        const char *unit;
        uint32_t init, distance;
    } measured[] = {
        {PTX_CLASS_INT_ADD, "INT", 2, 8},       {PTX_CLASS_INT_MUL24, "INT", 3, 9},
        {PTX_CLASS_INT_DIV, "SFU", 2, 25},      {PTX_CLASS_MOVE, "INT", 1, 5},
        {PTX_CLASS_FP32, "SP", 1, 8},           {PTX_CLASS_FP32_DIV, "SFU", 2, 43},
        {PTX_CLASS_FP32_SPECIAL, "SFU", 8, 25}, {PTX_CLASS_FP64, "DP", 64, 68},
        {PTX_CLASS_FP64_DIV, "SFU", 130, 334},  {PTX_CLASS_LOAD_GLOBAL, "MEM", 1, 204},
        {PTX_CLASS_LOAD_SHARED, "LSU", 1, 6},   {PTX_CLASS_ATOMIC_GLOBAL, "LSU", 1, 9},
    };
    wb_machine *machine = load_machine("ecrts2025-orin");
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const struct machine_class *class = &machine->classes[measured[i].class];
        assert_string_equal(machine->units[class->unit].name, measured[i].unit);
        assert_int_equal(class->init, measured[i].init);
        assert_int_equal(class->init + machine_latency(machine, class), measured[i].distance);
    }
    assert_int_equal(machine->classes[PTX_CLASS_EXIT].unit, UNIT_NONE);
    assert_int_equal(machine->sub_cores, 1);
    assert_int_equal(machine->issue_width, 1);
    assert_int_equal(machine->issue_per_warp, 1);
    assert_int_equal(machine->dispatch_depth, DEPTH_UNLIMITED);
    assert_true(machine->clock_mhz == 930);
    wb_machine_free(machine);
}

static void test_file_is_read(void **state) {
    (void)state;
    /* classes stand before the units they name */
    static const char text[] = HEAD "description: \"a: b\"\nsub_cores: 4\nissue_width: 2\n"
                                    "classes:\n  fp32: {unit: B, init: 2, latency: 3, plus: shared_latency}\n"
                                    "  exit: {unit: none}\nlimits: {warps: 48}\n" UNITS;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    assert_int_equal(machine_parse("m.yaml", text, strlen(text), diagnostics, &machine), WB_OK);
    assert_string_equal(machine->description, "a: b");
    assert_int_equal(machine->sub_cores, 4);
    assert_int_equal(machine->issue_width, 2);
    assert_int_equal(machine->unit_count, 2);
    assert_int_equal(machine->units[0].count, 1);
    assert_false(machine->units[0].shared);
    assert_int_equal(machine->units[1].count, 2);
    assert_true(machine->units[1].shared);
    assert_int_equal(machine->classes[PTX_CLASS_FP32].unit, 1);
    assert_int_equal(machine_latency(machine, &machine->classes[PTX_CLASS_FP32]), 23);
    assert_int_equal(machine->classes[PTX_CLASS_EXIT].unit, UNIT_NONE);
    assert_false(machine->classes[PTX_CLASS_FP64].given);
    assert_int_equal(machine->limits.warps, 48);
    assert_int_equal(machine->limits.blocks, 0);
    wb_machine_free(machine);
    wb_diagnostics_free(diagnostics);
}

static void test_preset_files_load_by_path(void **state) {
    (void)state;
    wb_machine *machine = load_machine("machines/ecrts2025-orin.yaml");
    assert_string_equal(wb_machine_name(machine), "ecrts2025-orin");
    wb_machine_free(machine);
}

/* A file with a base states what differs; its units would take the place of the base's with their classes. */
static void test_base(void **state) {
    (void)state;
    static const char text[] = "name: \"small\"\nbase: jcse2017-32k\nsub_cores: 2\n"
                               "classes:\n  fp32: {unit: SFU, init: 3, latency: 5}\n"
                               "memory: {l1_latency: 7}\n";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    assert_int_equal(machine_parse("m.yaml", text, strlen(text), diagnostics, &machine), WB_OK);
    assert_string_equal(machine->name, "small");
    assert_int_equal(machine->sub_cores, 2);
    assert_int_equal(machine->unit_count, 3);
    assert_int_equal(machine->classes[PTX_CLASS_FP32].init, 3);
    assert_int_equal(machine->classes[PTX_CLASS_FP64].init, 8);
    assert_int_equal(machine->memory.l1.bytes, 32768); /* of jcse2017-32k */
    assert_int_equal(machine->memory.l1.ways, 8);
    assert_int_equal(machine->memory.l1_latency, 7);
    assert_int_equal(machine->memory.l1_mshrs, 32); /* of jcse2017 */
    wb_machine_free(machine);
    wb_diagnostics_free(diagnostics);
}

/* Single overrides may leave parts that do not fit together; the check says so. */
static void test_check(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    assert_int_equal(wb_machine_load("jcse2017", diagnostics, &machine), WB_OK);
    assert_int_equal(wb_machine_set(machine, "l1_ways=3", diagnostics), WB_OK);
    assert_int_equal(wb_machine_check(machine, diagnostics), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics),
                           "l1_size: 16384 bytes are not a whole number of sets of 3 lines of 128 bytes"));
    assert_int_equal(wb_machine_set(machine, "memory.l1_size=49152", diagnostics), WB_OK);
    assert_int_equal(wb_machine_check(machine, diagnostics), WB_OK);
    assert_int_equal(wb_machine_set(machine, "l2_partitions=3", diagnostics), WB_OK);
    assert_int_equal(wb_machine_check(machine, diagnostics), WB_ERR_INPUT);
    assert_non_null(strstr(
        wb_diagnostics_text(diagnostics),
        "l2_size: 262144 bytes in 3 partitions are not a whole number of sets of 8 lines of 128 bytes"));
    assert_int_equal(wb_machine_set(machine, "l2_sector=64", diagnostics), WB_OK);
    assert_int_equal(wb_machine_check(machine, diagnostics), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "a sector of at least 128 bytes"));
    wb_machine_free(machine);
    wb_diagnostics_free(diagnostics);
}

static void test_errors_of_files(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {HEAD UNITS, "m.yaml:1:1: error: key 'classes' is missing: expected a mapping from opcode classes to "
                     "{unit: NAME, init: CYCLES, latency: CYCLES}"},
        {HEAD "classes: {}\n",
         "m.yaml:1:1: error: key 'units' is missing: expected a list of units such as {name: INT, count: 1}"},
        {HEAD UNITS "classes: []\n", "m.yaml:7:10: error: classes: expected a mapping from opcode classes to "
                                     "{unit: NAME, init: CYCLES, latency: CYCLES}, got a list"},
        {HEAD "units: []\nclasses: {}\n", "m.yaml:6:8: error: units: expected at least one unit"},
        {HEAD "units: A\nclasses: {}\n",
         "m.yaml:6:8: error: units: expected a list of units such as {name: INT, count: 1}, got 'A'"},
        {HEAD "units: [{count: 1}]\nclasses: {}\n",
         "m.yaml:6:9: error: key 'name' is missing: expected a name of letters, digits and '_', at most 63 "
         "long"},
        {HEAD "units: [{name: A}, {name: A}]\nclasses: {}\n", "m.yaml:6:27: error: unit 'A' is given twice"},
        {HEAD "units: [{name: none}]\nclasses: {}\n",
         "m.yaml:6:16: error: a unit cannot be named 'none': it stands for no unit"},
        {HEAD "units: [{name: A, count: 65}]\nclasses: {}\n",
         "m.yaml:6:26: error: count: expected a whole number from 1 to 64, got '65'"},
        {HEAD "units: [{name: A, shared: 1}]\nclasses: {}\n",
         "m.yaml:6:27: error: shared: expected 'true' or 'false', got '1'"},
        {HEAD UNITS "classes:\n  int_ad: {unit: A, init: 1, latency: 1}\n",
         "m.yaml:8:3: error: unknown opcode class 'int_ad'; did you mean 'int_add'?"},
        {HEAD UNITS "classes:\n  fp32: {unit: C, init: 1, latency: 1}\n",
         "m.yaml:8:16: error: fp32: no unit is named 'C'; expected A, B, or none"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, latency: 1}\n",
         "m.yaml:8:9: error: key 'init' is missing: expected a whole number from 1 to 1000000"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, init: 1}\n",
         "m.yaml:8:9: error: key 'latency' is missing: expected a whole number from 0 to 1000000, or an "
         "interval [least, most] of them"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, init: 0, latency: 1}\n",
         "m.yaml:8:25: error: init: expected a whole number from 1 to 1000000, got '0'"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, init: 1, latency: 1000001}\n",
         "m.yaml:8:37: error: latency: " INTERVAL_EXPECTED ", got '1000001'"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, init: 1, latency: [3, 2]}\n",
         "m.yaml:8:37: error: latency: " INTERVAL_EXPECTED ", got [3, 2]"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, init: 1, latency: 3..2}\n",
         "m.yaml:8:37: error: latency: " INTERVAL_EXPECTED ", got '3..2'"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, init: 1, latency: [-1, 2]}\n",
         "m.yaml:8:37: error: latency: " INTERVAL_EXPECTED ", got [-1, 2]"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, init: 1, latency: [1, 1000001]}\n",
         "m.yaml:8:37: error: latency: " INTERVAL_EXPECTED ", got [1, 1000001]"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, init: 1, latency: [1, x]}\n",
         "m.yaml:8:37: error: latency: " INTERVAL_EXPECTED ", got [1, x]"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, init: 1, latency: ['1', 2]}\n",
         "m.yaml:8:37: error: latency: " INTERVAL_EXPECTED ", got ['1', 2]"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, init: 1, latency: [1, 2, 3]}\n",
         "m.yaml:8:37: error: latency: " INTERVAL_EXPECTED ", got a list"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, init: 1, latency: [1, {a: 2}]}\n",
         "m.yaml:8:37: error: latency: " INTERVAL_EXPECTED ", got a list"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, init: 1, latency: {a: 2}}\n",
         "m.yaml:8:37: error: latency: " INTERVAL_EXPECTED ", got a mapping"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, init: [1, 2], latency: 3}\n",
         "m.yaml:8:25: error: init: expected a whole number from 1 to 1000000, got a list"},
        {HEAD UNITS "classes: {}\nexact_arithmetic: 1\n",
         "m.yaml:8:19: error: exact_arithmetic: expected 'true' or 'false', got '1'"},
        {HEAD UNITS "classes:\n  exit: {unit: none, latency: [0, 1]}\n",
         "m.yaml:8:9: error: key 'init' is missing: expected a whole number from 1 to 1000000"},
        {HEAD UNITS "classes:\n  fp32: {unit: A, init: 1, latency: 1, plus: l2}\n",
         "m.yaml:8:46: error: plus: expected 'none', 'mem_latency' or 'shared_latency', got 'l2'"},
        {HEAD UNITS "classes:\n  exit: {unit: none, init: 1, latency: 1}\n",
         "m.yaml:8:16: error: exit: a class without a unit takes no time: expected no init, latency and "
         "plus"},
        {HEAD UNITS "classes:\n  fp32: A\n",
         "m.yaml:8:9: error: fp32: expected a mapping with the keys unit, init, latency, plus, got 'A'"},
        {HEAD UNITS "classes: {}\nsub_cores: 17\n",
         "m.yaml:8:12: error: sub_cores: expected a whole number from 1 to 16, got '17'"},
        {HEAD UNITS "classes: {}\nissue_width: 0\n",
         "m.yaml:8:14: error: issue_width: expected a whole number from 1 to 8, got '0'"},
        {HEAD UNITS "classes: {}\nlimits: {warp: 48}\n",
         "m.yaml:8:10: error: unknown key 'warp'; did you mean 'warps'?"},
        {HEAD UNITS "classes: {}\nmemory: {l1_size: 16384}\n",
         "m.yaml:8:9: error: memory: a machine with l1_size needs requests: fermi or volta"},
        {HEAD UNITS "classes: {}\nmemory: {l1_size: 16384, requests: fermi, l1_sector: 64}\n",
         "m.yaml:8:9: error: memory: l1_line and l1_sector: expected powers of two, a sector of at least 128 "
         "bytes (one request) and a line of 1 to 32 sectors, got 128 and 64"},
        {HEAD UNITS "classes: {}\nfetch: {size: 1000}\n",
         "m.yaml:8:8: error: fetch: size: 1000 bytes are not a whole number of sets of 4 lines of 128 bytes"},
        {HEAD UNITS "classes: {}\nfetch: {size: 512, instruction_bytes: 12}\n",
         "m.yaml:8:8: error: fetch: instruction_bytes: expected 8 or 16, got 12"},
        {HEAD UNITS "classes: {}\nfetch: {size: 512, line: 8}\n",
         "m.yaml:8:8: error: fetch: line: expected a power of two of at least one instruction (16 bytes), "
         "got "
         "8"},
        {HEAD UNITS "classes: {}\nfetch: {size: 480, line: 120}\n",
         "m.yaml:8:8: error: fetch: line: expected a power of two of at least one instruction (16 bytes), "
         "got "
         "120"},
        {HEAD UNITS "classes: {}\nfetch: {misses: 0}\n",
         "m.yaml:8:17: error: misses: expected a whole number from 1 to 1024, got '0'"},
        {HEAD UNITS "classes: {}\nfetch: {hit_latency: 1}\n",
         "m.yaml:8:9: error: unknown key 'hit_latency'; did you mean 'miss_latency'?"},
        {HEAD UNITS "classes: {}\nfetch: 512\n",
         "m.yaml:8:8: error: fetch: expected a mapping with the keys size, ways, line, instruction_bytes, "
         "buffer, per_cycle, latency, miss_latency, misses, got '512'"},
        {"base: jcse\nname: m\n", "m.yaml:1:7: error: base: expected the name of a preset, got 'jcse'"},
        {"name: m\nclock_mhz: -5\n",
         "m.yaml:2:12: error: clock_mhz: expected a number of MHz from 10 to 100000, with at most 6 decimal "
         "places, or with a unit, MHz or GHz, got '-5'"},
        {"name: m\nclock_mhz: 1.3\n",
         "m.yaml:2:12: error: clock_mhz: expected a number of MHz from 10 to 100000, with at most 6 decimal "
         "places, or with a unit, MHz or GHz, got '1.3'"},
        {"name: m\nclock_mhz: 1.3THz\n",
         "m.yaml:2:12: error: clock_mhz: expected a number of MHz from 10 to 100000, with at most 6 decimal "
         "places, or with a unit, MHz or GHz, got '1.3THz'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_machine *machine = NULL;
        wb_status status =
            machine_parse("m.yaml", cases[i].text, strlen(cases[i].text), diagnostics, &machine);
        assert_first_message(diagnostics, cases[i].message, cases[i].text);
        assert_int_equal(status, WB_ERR_INPUT);
        assert_null(machine);
        wb_diagnostics_free(diagnostics);
    }
}

static void test_too_many_units(void **state) {
    (void)state;
    struct text text = {0};
    text_string(&text, HEAD "classes: {}\nunits:\n");
    for (uint32_t i = 0; i <= MACHINE_UNITS_MAX; i++)
        text_printf(&text, "  - {name: U%u}\n", i);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    assert_int_equal(machine_parse("m.yaml", text.data, text.length, diagnostics, &machine), WB_ERR_INPUT);
    assert_first_message(diagnostics, "m.yaml:40:5: error: more than 32 units", "33 units");
    wb_diagnostics_free(diagnostics);
    text_free(&text);
}

/* A class of its own has the times of the wider one until it is given others, by a file or a setting. */
static void test_classes_of_their_own(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = load_machine("ecrts2025-orin");
    const struct machine_class *wide = &machine->classes[PTX_CLASS_INT_MUL64];
    const struct machine_class *narrow = &machine->classes[PTX_CLASS_INT_MUL];
    assert_int_equal(wide->latency, narrow->latency);
    assert_int_equal(wb_machine_set(machine, "class.int_mul.latency=77", diagnostics), WB_OK);
    assert_int_equal(wide->latency, 77);
    char *text = print(machine);
    assert_null(strstr(text, "int_mul64"));
    free(text);
    assert_int_equal(wb_machine_set(machine, "class.int_mul64.init=9", diagnostics), WB_OK);
    assert_int_equal(wb_machine_set(machine, "class.int_mul.latency=5", diagnostics), WB_OK);
    assert_true(wide->init == 9 && wide->latency == 77 && narrow->latency == 5);
    text = print(machine);
    assert_non_null(strstr(text, "  int_mul64:        {unit: INT, init: 9, latency: 77}\n"));
    free(text);
    wb_machine_free(machine);
    wb_diagnostics_free(diagnostics);
}

/* Machines that time PTX say, too, where their figures come from. */
static void test_sources_of_ptx_machines(void **state) {
    (void)state;
    wb_machine *machine = load_machine("ampere-sm80");
    for (uint32_t c = 0; c < PTX_CLASS_COUNT; c++) {
        char key[80];
        (void)text_format(key, sizeof key, "class.%s.latency", ptx_class_name((enum ptx_class)c));
        assert_non_null(machine_source_of(machine, key));
    }
    assert_int_equal(machine_figure_mark(machine, "class.match.latency"), FIGURE_SECOND_HAND);
    char *text = print(machine);
    assert_non_null(strstr(text, "\nsources:\n  - mark: assumed\n"));
    free(text);
    wb_machine_free(machine);
}

/* A preset's old name is another name of it: in a call and as a base, each with one warning. */
static void test_old_name_of_preset(void **state) {
    (void)state;
    static const char warning[] =
        "warning: the preset is called ecrts2025-orin now: it is the GPU of ECRTS 2025, "
        "which models an Orin as one sub-core";
    static const char file[] = "name: mine\nbase: orin-sm86\n";
    wb_machine *preset = load_machine("ecrts2025-orin");
    for (int as_base = 0; as_base <= 1; as_base++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        wb_machine *machine = NULL;
        const wb_status status = as_base
                                     ? machine_parse("m.yaml", file, sizeof file - 1, diagnostics, &machine)
                                     : wb_machine_load("orin-sm86", diagnostics, &machine);
        assert_int_equal(status, WB_OK);
        const char *text = wb_diagnostics_text(diagnostics);
        const char *where = as_base ? "m.yaml:2:7: " : "orin-sm86: ";
        assert_true(strncmp(text, where, strlen(where)) == 0);
        assert_true(strncmp(text + strlen(where), warning, sizeof warning - 1) == 0);
        assert_null(strstr(text + strlen(where) + sizeof warning, "warning"));
        assert_string_equal(wb_machine_name(machine), as_base ? "mine" : "ecrts2025-orin");
        assert_memory_equal(machine->classes, preset->classes, sizeof machine->classes);
        wb_machine_free(machine);
        wb_diagnostics_free(diagnostics);
    }
    wb_machine_free(preset);
}

static void test_names_that_are_no_machine(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    assert_int_equal(wb_machine_load("ecrts2052-orin", diagnostics, &machine), WB_ERR_INPUT);
    const char *text = wb_diagnostics_text(diagnostics);
    static const char start[] =
        "ecrts2052-orin: error: no such file and no preset of that name; presets: a10, a100-80gb, a100, a2, "
        "a30, a40, ampere-sm80, ecrts2025-orin, fermi-sm20, ";
    assert_true(strncmp(text, start, sizeof start - 1) == 0);
    assert_non_null(strstr(
        text, ", rtx-4080, rtx-4090, rtx-a6000, t4, turing-rtx2080; did you mean 'ecrts2025-orin'?\n"));
    wb_diagnostics_free(diagnostics);
    diagnostics = wb_diagnostics_new();
    assert_int_equal(wb_machine_load("tests", diagnostics, &machine), WB_ERR_INPUT);
    assert_first_message(diagnostics, "tests: error: cannot read: Is a directory", "tests");
    wb_diagnostics_free(diagnostics);
    assert_null(machine);
}

static bool least_equal(const struct field_least *a, const struct field_least *b) {
    return a->stated == b->stated && a->value == b->value;
}

/* Asserts that the machine's text reads back as the same machine. */
static void assert_reads_back(wb_machine *machine, uint64_t seed) {
    machine_take_over_classes(machine); /* which were made without it */
    char *text = print(machine);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *again = NULL;
    if (machine_parse("printed", text, strlen(text), diagnostics, &again) != WB_OK)
        fail_msg("seed %llu: %s\n%s", (unsigned long long)seed, wb_diagnostics_text(diagnostics), text);
    char *second = print(again);
    assert_string_equal(second, text);
    assert_true(again->clock_mhz == machine->clock_mhz);
    assert_int_equal(again->unit_count, machine->unit_count);
    for (uint32_t i = 0; i < machine->unit_count; i++) {
        assert_string_equal(again->units[i].name, machine->units[i].name);
        assert_int_equal(again->units[i].count, machine->units[i].count);
        assert_int_equal(again->units[i].shared, machine->units[i].shared);
    }
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++) {
        const struct machine_class *a = &machine->classes[i];
        const struct machine_class *b = &again->classes[i];
        if (a->given != b->given || a->unit != b->unit || a->init != b->init || a->latency != b->latency ||
            a->plus != b->plus || !least_equal(&a->latency_least, &b->latency_least))
            fail_msg("seed %llu: class %s differs", (unsigned long long)seed, ptx_class_name(i));
    }
    assert_memory_equal(&again->limits, &machine->limits, sizeof again->limits);
    assert_string_equal(again->name, machine->name);
    assert_string_equal(again->description, machine->description);
    assert_int_equal(again->dispatch_depth, machine->dispatch_depth);
    assert_int_equal(again->mem_latency, machine->mem_latency);
    assert_int_equal(again->shared_latency, machine->shared_latency);
    assert_true(least_equal(&again->mem_least, &machine->mem_least));
    assert_true(least_equal(&again->shared_least, &machine->shared_least));
    assert_int_equal(again->exact_arithmetic, machine->exact_arithmetic);
    assert_int_equal(again->policy, machine->policy);
    assert_int_equal(again->sub_cores, machine->sub_cores);
    assert_int_equal(again->issue_width, machine->issue_width);
    assert_int_equal(again->issue_per_warp, machine->issue_per_warp);
    wb_machine_free(again);
    wb_diagnostics_free(diagnostics);
    free(second);
    free(text);
}

static struct field_least random_least(struct random_state *random, uint32_t most) {
    struct field_least least = {.stated = random_below(random, 2) == 0};
    if (least.stated) least.value = (uint32_t)random_below(random, (uint64_t)most + 1);
    return least;
}

static void random_machine(struct random_state *random, struct wb_machine *machine) {
    machine_defaults(machine);
    strcpy(machine->name, random_below(random, 2) == 0 ? "a \"quoted\" name" : "plain");
    if (random_below(random, 2) == 0) strcpy(machine->description, "5 \xc2\xb5s: {a}, # b");
    machine->clock_mhz = (double)(1 + random_below(random, 99999999999)) / 1e6;
    machine->sub_cores = 1 + (uint32_t)random_below(random, 16);
    machine->issue_width = 1 + (uint32_t)random_below(random, 8);
    machine->issue_per_warp = 1 + (uint32_t)random_below(random, 8);
    machine->dispatch_depth =
        random_below(random, 2) == 0 ? DEPTH_UNLIMITED : (uint32_t)random_below(random, MACHINE_TIME_MAX + 1);
    machine->mem_latency = (uint32_t)random_below(random, MACHINE_TIME_MAX + 1);
    machine->shared_latency = (uint32_t)random_below(random, MACHINE_TIME_MAX + 1);
    machine->mem_least = random_least(random, machine->mem_latency);
    machine->shared_least = random_least(random, machine->shared_latency);
    machine->exact_arithmetic = random_below(random, 2) == 0;
    machine->policy = (uint32_t)random_below(random, 2);
    machine->unit_count = 1 + (uint32_t)random_below(random, MACHINE_UNITS_MAX);
    for (uint32_t i = 0; i < machine->unit_count; i++) {
        machine->units[i].name[0] = (char)('A' + i % 26);
        machine->units[i].name[1] = (char)('0' + i / 26);
        machine->units[i].count = 1 + (uint32_t)random_below(random, 64);
        machine->units[i].shared = random_below(random, 2) == 0;
    }
    for (uint32_t i = 0; i < PTX_CLASS_COUNT; i++) {
        uint64_t kind = random_below(random, 10);
        struct machine_class *class = &machine->classes[i];
        class->given = kind > 0;
        if (kind == 1) class->unit = UNIT_NONE;
        if (kind <= 1) continue;
        class->unit = (uint8_t)random_below(random, machine->unit_count);
        class->init = 1 + (uint32_t)random_below(random, MACHINE_TIME_MAX);
        class->latency = (uint32_t)random_below(random, MACHINE_TIME_MAX + 1);
        class->latency_least = random_least(random, class->latency);
        class->plus = (enum latency_base)random_below(random, 3);
    }
    machine->limits.registers = (uint32_t)random_below(random, 100000);
    machine->limits.shared_reserved = (uint32_t)random_below(random, 100000);
}

static void test_printed_machines_read_back(void **state) {
    (void)state;
    for (size_t i = 0; i < wb_machine_preset_count(); i++) {
        wb_machine *machine = load_machine(wb_machine_preset_name(i));
        assert_reads_back(machine, 0);
        wb_machine_free(machine);
    }
    struct wb_machine *machine = test_malloc(sizeof *machine);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct random_state random = random_seeded(seed);
        random_machine(&random, machine);
        assert_reads_back(machine, seed);
    }
    test_free(machine);
}

/* What a class is promised to take at least: its own, and what it has of memory. */
static void test_least_latencies(void **state) {
    (void)state;
    static const struct {
        const char *setting;
        uint32_t fp32, load_global, load_shared, store_global;
    } steps[] = {
        {"mem_latency=200", 0, 0, 0, 0},
        {"mem_latency=[150,200]", 0, 150, 0, 0},
        {"exact_arithmetic=true", 7, 150, 0, 0},
        {"class.load_global.latency=2..3", 7, 152, 0, 0},
        {"class.fp32.latency=[ 1 , 7 ]", 1, 152, 0, 0},
        {"shared_latency=1..2", 1, 152, 1, 0},
        {"class.fp32.latency=0..7", 0, 152, 1, 0},
        {"class.fp32.latency=7", 7, 152, 1, 0},
        {"mem_latency=300", 7, 2, 1, 0},
        {"exact_arithmetic=false", 0, 2, 1, 0},
    };
    wb_machine *machine = load_machine("ecrts2025-orin");
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_int_equal(wb_machine_set(machine, steps[i].setting, diagnostics), WB_OK);
        assert_int_equal(machine_latency_least(machine, PTX_CLASS_FP32), steps[i].fp32);
        assert_int_equal(machine_latency_least(machine, PTX_CLASS_LOAD_GLOBAL), steps[i].load_global);
        assert_int_equal(machine_latency_least(machine, PTX_CLASS_LOAD_SHARED), steps[i].load_shared);
        assert_int_equal(machine_latency_least(machine, PTX_CLASS_STORE_GLOBAL), steps[i].store_global);
        assert_int_equal(machine_latency(machine, &machine->classes[PTX_CLASS_FP32]), 7);
    }
    wb_diagnostics_free(diagnostics);
    wb_machine_free(machine);
}

static void test_set(void **state) {
    (void)state;
    static const char *const good[] = {
        "mem_latency=50",
        "dispatch_depth=0",
        "clock_mhz=1300.5",
        "class.fp32.latency=3",
        "class.fp32.init=2",
        "class.fp32.unit=INT",
        "class.fp32.plus=mem_latency",
        "unit.INT.count=2",
        "unit.INT.shared=true",
        "limits.warps=32",
        "name=mine",
        "class.exit.unit=INT",
        "class.branch.unit=none",
        "sub_cores=2",
        "issue_width=2",
        "description=by hand",
        "shared_latency=9",
    };
    wb_machine *machine = load_machine("ecrts2025-orin");
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (wb_machine_set(machine, good[i], diagnostics) != WB_OK)
            fail_msg("%s", wb_diagnostics_text(diagnostics));
    const struct machine_class *fp32 = &machine->classes[PTX_CLASS_FP32];
    assert_int_equal(machine->mem_latency, 50);
    assert_int_equal(machine->dispatch_depth, 0);
    assert_true(machine->clock_mhz == 1300.5);
    assert_string_equal(machine->units[fp32->unit].name, "INT");
    assert_int_equal(machine->units[fp32->unit].count, 2);
    assert_true(machine->units[fp32->unit].shared);
    assert_int_equal(fp32->init, 2);
    assert_int_equal(machine_latency(machine, fp32), 53);
    assert_int_equal(machine->limits.warps, 32);
    assert_string_equal(wb_machine_name(machine), "mine");
    assert_int_equal(machine->classes[PTX_CLASS_EXIT].init, 1);
    assert_int_equal(machine->classes[PTX_CLASS_BRANCH].unit, UNIT_NONE);
    assert_int_equal(machine->classes[PTX_CLASS_BRANCH].latency, 0);
    assert_int_equal(machine->sub_cores, 2);
    assert_int_equal(wb_machine_set(machine, "dispatch_depth=unlimited", diagnostics), WB_OK);
    assert_int_equal(machine->dispatch_depth, DEPTH_UNLIMITED);
    assert_reads_back(machine, 0);
    wb_diagnostics_free(diagnostics);
    wb_machine_free(machine);
}

static void test_fetch(void **state) {
    (void)state;
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = load_machine("ecrts2025-orin");
    assert_false(fetch_can_stall(&machine->fetch));
    char *before = print(machine);
    assert_null(strstr(before, "\nfetch:"));
    free(before);
    assert_int_equal(wb_machine_set(machine, "fetch.size=2048", diagnostics), WB_OK);
    assert_int_equal(wb_machine_set(machine, "fetch.miss_latency=40", diagnostics), WB_OK);
    assert_int_equal(wb_machine_set(machine, "fetch.instruction_bytes=8", diagnostics), WB_OK);
    assert_int_equal(wb_machine_check(machine, diagnostics), WB_OK);
    assert_reads_back(machine, 0);
    char *printed = print(machine);
    assert_non_null(strstr(printed, "\nfetch: {size: 2048, ways: 4, line: 128, instruction_bytes: 8, "
                                    "buffer: 2, per_cycle: 1, latency: 0, miss_latency: 40, misses: 1}\n"));
    free(printed);
    assert_int_equal(wb_machine_set(machine, "fetch.ways=3", diagnostics), WB_OK);
    assert_int_equal(wb_machine_check(machine, diagnostics), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics),
                           "size: 2048 bytes are not a whole number of sets of 3 lines of 128 bytes"));
    assert_int_equal(wb_machine_set(machine, "fetch.hits=3", diagnostics), WB_ERR_INPUT);
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), "one of: fetch.size, fetch.ways, "));
    assert_non_null(strstr(wb_diagnostics_text(diagnostics), ", fetch.misses\n"));
    wb_machine_free(machine);
    wb_diagnostics_free(diagnostics);
}

/* Assignments whose key is no key: the message lists the keys, of a mapping that the key names its own. */
static void test_unknown_keys_of_set_are_answered_with_the_keys(void **state) {
    (void)state;
    static const char all[] =
        "name, description, model, clock_mhz, sub_cores, warp_width, issue_width, issue_per_warp, "
        "policy, dispatch_depth, mem_latency, shared_latency, exact_arithmetic, barrier_release, "
        "launch_overhead, "
        "requests, ";
    static const char all_end[] = ", channel_depth, unit.NAME.KEY, class.NAME.KEY, limits.KEY, memory.KEY, "
                                  "fetch.KEY"
#ifdef WB_WING_GPGPUSIM
                                  ", gpgpusim.KEY"
#endif
#ifdef WB_WING_ABSTRACT_CTA
                                  ", abstract_cta.KEY"
#endif
                                  "\n";
    static const char limits[] = "limits.blocks, limits.warps, limits.threads, limits.threads_per_block, "
                                 "limits.registers, limits.shared_bytes, limits.thread_registers, "
                                 "limits.shared_per_block, limits.register_unit, limits.warp_unit, "
                                 "limits.shared_unit, limits.shared_reserved\n";
    static const char classes[] = "class.NAME.unit, class.NAME.init, class.NAME.latency, class.NAME.plus\n";
    static const char units[] = "unit.NAME.count, unit.NAME.shared\n";
    static const struct {
        const char *assignment, *start, *end;
    } cases[] = {
        {"", all, all_end},
        {"mem_latency", all, all_end},
        {"=3", all, all_end},
        {"latency=3", all, all_end},
        {"units=3", all, all_end},
        {"limits=3", limits, ""},
        {"limits.zebras=3", limits, ""},
        {"limits.warps.x=3", limits, ""},
        {"class.fp32=3", classes, ""},
        {"class.fp32.time=3", classes, ""},
        {"class.fp32.init.x=3", classes, ""},
        {"unit.INT.name=X", units, ""},
        {"memory.zebras=3", "memory.requests, memory.request_cycles, ", ", memory.channel_depth\n"},
#ifdef WB_WING_ABSTRACT_CTA
        {"abstract_cta.x=3", "abstract_cta.header, ", ", abstract_cta.stores_stall\n"},
#endif
    };
    wb_machine *machine = load_machine("ecrts2025-orin");
    char *before = print(machine);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        char expected[1000];
        assert_int_equal(wb_machine_set(machine, cases[i].assignment, diagnostics), WB_ERR_INPUT);
        const char *text = wb_diagnostics_text(diagnostics);
        (void)snprintf(expected, sizeof expected,
                       "%s: error: unknown key; expected KEY=VALUE with one of: %s", cases[i].assignment,
                       cases[i].start);
        size_t length = strlen(text), end = strlen(cases[i].end);
        if (strncmp(text, expected, strlen(expected)) != 0 || length < end ||
            strcmp(text + length - end, cases[i].end) != 0)
            fail_msg("'%s': %s", cases[i].assignment, text);
        wb_diagnostics_free(diagnostics);
    }
    char *after = print(machine);
    assert_string_equal(after, before);
    free(before);
    free(after);
    wb_machine_free(machine);
}

static void test_errors_of_set(void **state) {
    (void)state;
    static const struct {
        const char *assignment, *message;
    } cases[] = {
        {"mem_latency=x", "mem_latency=x: error: mem_latency: " INTERVAL_EXPECTED ", got 'x'"},
        {"mem_latency=", "mem_latency=: error: mem_latency: " INTERVAL_EXPECTED ", got ''"},
        {"mem_latency=4..3", "mem_latency=4..3: error: mem_latency: " INTERVAL_EXPECTED ", got '4..3'"},
        {"mem_latency=3..", "mem_latency=3..: error: mem_latency: " INTERVAL_EXPECTED ", got '3..'"},
        {"mem_latency=..3", "mem_latency=..3: error: mem_latency: " INTERVAL_EXPECTED ", got '..3'"},
        {"mem_latency=1..2..3",
         "mem_latency=1..2..3: error: mem_latency: " INTERVAL_EXPECTED ", got '1..2..3'"},
        {"mem_latency=[3]", "mem_latency=[3]: error: mem_latency: " INTERVAL_EXPECTED ", got '[3]'"},
        {"mem_latency=[3,4", "mem_latency=[3,4: error: mem_latency: " INTERVAL_EXPECTED ", got '[3,4'"},
        {"mem_latency=[1..4]", "mem_latency=[1..4]: error: mem_latency: " INTERVAL_EXPECTED ", got '[1..4]'"},
        {"dispatch_depth=-1", "dispatch_depth=-1: error: dispatch_depth: expected a whole number from 0 to "
                              "1000000 or 'unlimited', got '-1'"},
        {"class.fp33.init=3", "class.fp33.init=3: error: unknown opcode class 'fp33'; did you mean 'fp32'?"},
        {"class.fp32.unit=X", "class.fp32.unit=X: error: no unit is named 'X'; expected SP, INT, SFU, DP, "
                              "TENSOR, MEM, LSU, or none"},
        {"class.fp32.init=0",
         "class.fp32.init=0: error: init: expected a whole number from 1 to 1000000, got '0'"},
        {"class.exit.init=1", "class.exit.init=1: error: a class without a unit takes no time: expected no "
                              "init, latency and plus"},
        {"unit.FPU.count=1",
         "unit.FPU.count=1: error: no unit is named 'FPU'; units: SP, INT, SFU, DP, TENSOR, MEM, LSU"},
        {"unit.none.count=1",
         "unit.none.count=1: error: no unit is named 'none'; units: SP, INT, SFU, DP, TENSOR, MEM, LSU"},
        {"name=\xff", "name=\\xff: error: name: expected a text of 1 to 63 bytes, got '?'"},
    };
    wb_machine *machine = load_machine("ecrts2025-orin");
    char *before = print(machine);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        assert_int_equal(wb_machine_set(machine, cases[i].assignment, diagnostics), WB_ERR_INPUT);
        assert_first_message(diagnostics, cases[i].message, cases[i].assignment);
        wb_diagnostics_free(diagnostics);
    }
    char *after = print(machine);
    assert_string_equal(after, before);
    free(before);
    free(after);
    wb_machine_free(machine);
}

static void test_class_that_is_not_given_needs_its_unit_first(void **state) {
    (void)state;
    static const char text[] = HEAD UNITS "classes: {}\n";
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_machine *machine = NULL;
    assert_int_equal(machine_parse("m.yaml", text, strlen(text), diagnostics, &machine), WB_OK);
    assert_reads_back(machine, 0);
    assert_int_equal(wb_machine_set(machine, "class.fp32.init=2", diagnostics), WB_ERR_INPUT);
    assert_first_message(diagnostics,
                         "class.fp32.init=2: error: the machine does not give this class; set "
                         "class.fp32.unit first",
                         "class.fp32.init=2");
    assert_int_equal(wb_machine_set(machine, "class.fp32.unit=A", diagnostics), WB_OK);
    assert_int_equal(wb_machine_set(machine, "class.fp32.init=2", diagnostics), WB_OK);
    assert_true(machine->classes[PTX_CLASS_FP32].given);
    assert_int_equal(machine->classes[PTX_CLASS_FP32].init, 2);
    wb_machine_free(machine);
    wb_diagnostics_free(diagnostics);
}

static void test_deadlines(void **state) {
    (void)state;
    static const struct {
        const char *clock, *deadline;
        uint64_t expected;
    } cases[] = {
        {"clock_mhz=930", "4500", 4500},
        {"clock_mhz=930", "4500 cycles", 4500},
        {"clock_mhz=930", "100us", 93000},
        {"clock_mhz=930", "100 us", 93000},
        {"clock_mhz=930", "100\xc2\xb5s", 93000},
        {"clock_mhz=930", "100 \xce\xbcs", 93000},
        {"clock_mhz=930", "1.5ms", 1395000},
        {"clock_mhz=930", "2s", 1860000000},
        {"clock_mhz=930", "300ns", 279},
        {"clock_mhz=930", "1ns", 0}, /* 0.93 cycles */
        {"clock_mhz=930", "0.0000000001s", 0},
        {"clock_mhz=1320.1", "100us", 132010}, /* 132010 exactly: not one less by a rounded product */
        {"clock_mhz=0.1MHz", "30us", 3},
        {"clock_mhz=1.32GHz", "100us", 132000},
        {"clock_mhz=1300.000001MHz", "1s", 1300000001},
        {"clock_mhz=1000.000001", "1s", 1000000001},
        {"clock_mhz=930", "18446744073709551614", UINT64_MAX - 1},
        {"clock_mhz=1000", "18446744073s", UINT64_C(18446744073000000000)},
    };
    wb_machine *machine = load_machine("ecrts2025-orin");
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t got = 0;
        assert_int_equal(wb_machine_set(machine, cases[i].clock, diagnostics), WB_OK);
        assert_int_equal(wb_deadline_cycles(machine, cases[i].deadline, diagnostics, &got), WB_OK);
        if (got != cases[i].expected)
            fail_msg("%s %s: %llu", cases[i].clock, cases[i].deadline, (unsigned long long)got);
    }
    wb_diagnostics_free(diagnostics);
    wb_machine_free(machine);
}

static void test_errors_of_deadlines(void **state) {
    (void)state;
#define FORM "expected a deadline such as '4500', '4500 cycles', '100us', '1.5ms' or '2s'"
    static const struct {
        const char *deadline, *message;
    } cases[] = {
        {"", ": error: " FORM},
        {"soon", "soon: error: " FORM},
        {"-5us", "-5us: error: a deadline cannot be before the start"},
        {"0", "0: error: expected a deadline above 0"},
        {"0.0ms", "0.0ms: error: expected a deadline above 0"},
        {" 5us", " 5us: error: " FORM},
        {"5.us", "5.us: error: " FORM},
        {"99999999999999999999", "99999999999999999999: error: " FORM},
        {"1.5", "1.5: error: expected a whole number of cycles, below 2^64 - 1"},
        {"1.0 cycles", "1.0 cycles: error: expected a whole number of cycles, below 2^64 - 1"},
        {"18446744073709551615",
         "18446744073709551615: error: expected a whole number of cycles, below 2^64 - 1"},
        {"5 min", "5 min: error: unknown unit; expected cycles, ns, us, ms or s"},
        {"5us ", "5us : error: unknown unit; expected cycles, ns, us, ms or s"},
        {"5e3us", "5e3us: error: unknown unit; expected cycles, ns, us, ms or s"},
        {"99999999999s", "99999999999s: error: more cycles than 64 bits can count"},
    };
    wb_machine *machine = load_machine("ecrts2025-orin");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        wb_diagnostics *diagnostics = wb_diagnostics_new();
        uint64_t got = 77;
        assert_int_equal(wb_deadline_cycles(machine, cases[i].deadline, diagnostics, &got), WB_ERR_INPUT);
        assert_first_message(diagnostics, cases[i].message, cases[i].deadline);
        assert_int_equal(got, 77);
        wb_diagnostics_free(diagnostics);
    }
    wb_machine_free(machine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets_are_complete),
        cmocka_unit_test(test_orin_has_the_measured_distances),
        cmocka_unit_test(test_file_is_read),
        cmocka_unit_test(test_preset_files_load_by_path),
        cmocka_unit_test(test_base),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_fetch),
        cmocka_unit_test(test_errors_of_files),
        cmocka_unit_test(test_too_many_units),
        cmocka_unit_test(test_classes_of_their_own),
        cmocka_unit_test(test_sources_of_ptx_machines),
        cmocka_unit_test(test_old_name_of_preset),
        cmocka_unit_test(test_names_that_are_no_machine),
        cmocka_unit_test(test_printed_machines_read_back),
        cmocka_unit_test(test_least_latencies),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_unknown_keys_of_set_are_answered_with_the_keys),
        cmocka_unit_test(test_errors_of_set),
        cmocka_unit_test(test_class_that_is_not_given_needs_its_unit_first),
        cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_errors_of_deadlines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
