/* Structs by fields as they are used: a kernel that takes a struct is bounded as one that takes the same
 * values one by one; init has the fields where the program has debug information; images are chosen in files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "run_cli.h"

#define OBJECT "tests/data/fatbin/fields.o"
#define STRUCT                                                                                               \
    "struct {in: buf:f32[1024]=iota, out: buf:f32[1024], size: struct {w: i32:64, h: i32:16},\n"             \
    "    gain: f32[2]={1, 2}, # of which one is read\n"                                                      \
    "    bias: float4:{0, 0, 0, 5}}"

/* A launch file of `argument` lines in the test's folder, and a command about it. */
static struct run run_with(const char *head, const char *argument, const char *command) {
    char text[3000];
    const int length =
        snprintf(text, sizeof text,
                 "cp " OBJECT " $D/fields.o; printf '%%s' 'code: fields.o\n%sgrid: 16\nblock: 64\n"
                 "machine: jetson-agx-orin\narguments:\n  - p: %s\n' > $D/x.yaml; %s",
                 head, argument, command);
    assert_true(length > 0 && (size_t)length < sizeof text);
    return run_beside_folder(text);
}

/* The cycles of the bound that a report begins with. */
static unsigned long bound_of(const struct run *run) {
    const char *line = strstr(run->out, "  bound ");
    if (line == NULL) fail_msg("%s%s", run->out, run->err);
    return strtoul(line + strlen("  bound "), NULL, 10);
}

static void test_as_flat(void **state) {
    (void)state;
    static const char *const commands[] = {
        "$WB analyze $D/x.yaml --method kernel",
        "$WB print --image compute " OBJECT " > $D/x.ptx; sed -i s/fields.o/x.ptx/ $D/x.yaml; "
        "$WB analyze $D/x.yaml -m ecrts2025-orin --accept ptx-model --method kernel"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct run by_fields = run_with("kernel: scale\n", STRUCT, commands[i]);
        struct run flat = run_with("kernel: flat\n",
                                   "buf:f32[1024]=iota\n  - buf:f32[1024]\n  - i32:64\n  - i32:16\n"
                                   "  - f32:2\n  - f32:5",
                                   commands[i]);
        struct run opaque = run_with("kernel: scale\n", "bytes[48]", commands[i]);
        const unsigned long own = bound_of(&by_fields), other = bound_of(&flat);
        /* Translations may be charged by pages to one and by accesses to the other. */
        if (own > other + other / 10 || other > own + own / 10) fail_msg("%lu cycles, %lu flat", own, other);
        assert_true(bound_of(&opaque) > own);
        run_free(&by_fields);
        run_free(&flat);
        run_free(&opaque);
    }
}

/* What is loaded and stored is where the buffers are, with what is in them. */
static void test_accesses(void **state) {
    (void)state;
    struct run run = run_with("kernel: scale\n", STRUCT, "$WB path $D/x.yaml --accesses");
    assert_contains(run.out, "4 bytes of global at 0x79d200000000 + 4 * lane");
    assert_contains(run.out, "4 bytes of global at 0x79d200002000 + 4 * lane");
    run_free(&run);
    run = run_with("kernel: scale\n", STRUCT, "$WB path $D/x.yaml --accesses -a p.out=buf:p.in+16");
    assert_contains(run.out, "4 bytes of global at 0x79d200000000 + 4 * lane");
    assert_contains(run.out, "4 bytes of global at 0x79d200000040 + 4 * lane");
    run_free(&run);
    run = run_with("kernel: scale\n", STRUCT, "$WB path $D/x.yaml --accesses -a p.size.h=0");
    assert_null(strstr(run.out, "bytes of global"));
    run_free(&run);
}

/* With the declaration of the source in the launch file everything is the same; a wrong one has another size.
 */
static void test_as_declared(void **state) {
    (void)state;
    static const char declared[] =
        "kernel: scale\ntypes: |\n  struct size2 { int w, h; };\n"
        "  struct image { const float *in; float *out; size2 size; float gain[2]; float4 bias; };\n";
    static const char bare[] = "struct image {size: {h: 16, w: 64}, bias: {0, 0, 0, 5}, gain: {1, 2},\n"
                               "    out: buf:f32[1024], in: buf:f32[1024]=iota}";
    static const char *const commands[] = {
        "$WB analyze $D/x.yaml --policy gto | sed /^kernel/q",
        "$WB path $D/x.yaml --accesses -a p.out=buf:p.in+16 -a p.size.h=15 "
        "| sed /inputs/,/registers/d"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct run with_types = run_with("kernel: scale\n", STRUCT, commands[i]);
        struct run as_declared = run_with(declared, bare, commands[i]);
        assert_string_equal(as_declared.out, with_types.out);
        assert_contains(as_declared.out, "scale");
        run_free(&with_types);
        run_free(&as_declared);
    }
    struct run run = run_with("kernel: scale\ntypes: |\n  struct image { float *in; int w; };\n",
                              "struct image {w: 3, in: buf:f32[1]}", "$WB analyze $D/x.yaml");
    assert_int_equal(run.status, 2);
    assert_contains(run.err,
                    "x.yaml:9:8: error: argument 1 of _Z5scale5image is a struct of 16 bytes, and .b8 "
                    "param_0[48] has 48; its fields are at in 0, w 8\n");
    run_free(&run);
}

static void test_messages(void **state) {
    (void)state;
    static const char *const cases[][3] = {
        {"struct {in: buf:f32[1024], out: buf:f32[1024], w: i32:1}", "",
         "x.yaml:7:8: error: argument 1 of _Z5scale5image is a struct of 24 bytes, and .b8 param_0[48] has "
         "48; its "
         "fields are at in 0, out 8, w 16\n"},
        {"struct {in: buf:f32[___], n: u64:___}", "",
         "x.yaml:7:20: error: argument 1 of _Z5scale5image: p.in is blank: replace ___ in 'buf:f32[___]' by "
         "the number "
         "of elements\n"},
        {"struct {in: buf:f32[4], n: u64:___}", "",
         "x.yaml:7:35: error: argument 1 of _Z5scale5image: p.n is blank: replace ___ in 'u64:___' by the "
         "value, or ? "
         "for any value\n"},
        {"\"struct {___}\"", "",
         "p.___ is blank: replace ___ in '___' by the fields, such as in: buf:f32[1024], n: i32:7\n"},
        {"struct {in: buf:f32[1024], out: buf:p.in+1025, n: bytes[32]}", "",
         "x.yaml:7:40: error: argument 1 of _Z5scale5image is 'buf:p.in+1025', and that buffer has 1024 "
         "elements\n"},
        {"struct {in: buf:p.out, out: buf:f32[1024], n: bytes[32]}", "",
         "x.yaml:7:20: error: argument 1 of _Z5scale5image is 'buf:p.out', and no buffer before it is called "
         "'p.out': a buffer of its own is buf:TYPE[COUNT]\n"},
        {STRUCT, "-a p.width=3",
         "there is no argument 'p.width'; there are 1 (p) with .in, .out, .size.w, .size.h,"},
        {"struct {in: buf:f32[1024]=@none.bin}", "", "x.yaml:7:20: note: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[100];
        (void)snprintf(command, sizeof command, "$WB analyze $D/x.yaml %s", cases[i][1]);
        struct run run = run_with("kernel: scale\n", cases[i][0], command);
        assert_int_equal(run.status, 2);
        assert_contains(run.err, cases[i][2]);
        run_free(&run);
    }
}

/* A launch file that says the same on the command line. */
static void test_options(void **state) {
    (void)state;
    struct run run =
        run_command("analyze " OBJECT " -k scale -m jetson-agx-orin -g 16 -b 64 --policy gto -a 'struct {in: "
                    "buf:f32[1024], out: buf:f32[1024], size: struct {w: i32:64, h: i32:16}, gain: "
                    "f32[2], bias: float4:?}'");
    assert_int_equal(run.status, 0);
    run_free(&run);
    run = run_command("analyze " OBJECT " -k scale -g 16 -b 64 -a 'struct {in: buf:f32[4]=@" OBJECT
                      "}' --report " OBJECT);
    assert_int_equal(run.status, 2);
    assert_contains(run.err, "fields.o: error: this input");
    run_free(&run);
}

static void test_images(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"image: sm_87\n", "code     machine code for sm_87, "},
        {"image: [compute_87]\n", "code     PTX for compute_87, "},
        {"image: sm_90\n", "there is no code 'sm_90' in this file"},
        {"image: []\n",
         "x.yaml:2:8: error: image: expected the name of an image of a program, or a list of them"},
        {"image: {a: b}\n",
         "x.yaml:2:8: error: image: expected the name of an image of a program, or a list of them"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char head[100];
        (void)snprintf(head, sizeof head, "%skernel: scale\n", cases[i][0]);
        struct run run = run_with(head, STRUCT,
                                  i == 1 ? "$WB analyze $D/x.yaml -m ecrts2025-orin --accept ptx-model 2>&1"
                                         : "$WB analyze $D/x.yaml --policy gto 2>&1");
        assert_contains(run.out, cases[i][1]);
        run_free(&run);
    }
    /* The option, and other code, go before it. */
    struct run run =
        run_with("image: sm_90\nkernel: scale\n", STRUCT, "$WB analyze $D/x.yaml --policy gto --image sm");
    assert_contains(run.out, "code     machine code for sm_87, ");
    run_free(&run);
    run =
        run_with("image: sm_90\nkernel: scale\n", STRUCT, "$WB analyze " OBJECT " -l $D/x.yaml --policy gto");
    assert_contains(run.out, "code     machine code for sm_87, ");
    run_free(&run);
}

/* What a launch file names and does not exist is an error with its place there. */
static void test_places_of_names(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"s/fields.o/gone.o/",
         "gone.o: error: cannot read: No such file or directory\n|x.yaml:1:7: note: it is named here"},
        {"s/: scale/: none/", "error: there is no kernel 'none'|x.yaml:2:9: note: it is named here"},
        {"s/jetson-agx-orin/board/",
         "board: error: no such file and no preset|x.yaml:5:10: note: it is named here"},
        {"s/jetson-agx-orin/___/", "the machine is still ___|x.yaml:5:10: note: it is named here"},
        {"s/^grid/image: sm_90\\ngrid/", "no code 'sm_90' in this file|x.yaml:3:8: note: it is named here"},
        {"s/- p:.*/- i32:1/", "x.yaml:7:5: error: argument 1|x.yaml:7:5"},
        {"s/^arguments/variables/", "x.yaml:7:3: error: variables: expected a mapping|x.yaml"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char command[200];
        const char *second = strchr(cases[i][1], '|') + 1;
        (void)snprintf(command, sizeof command, "sed -i '%s' $D/x.yaml; $WB analyze $D/x.yaml", cases[i][0]);
        struct run run = run_with("kernel: scale\n", "bytes[48]", command);
        assert_int_equal(run.status, 2);
        assert_int_equal(count_of(run.err, "error: "), 1);
        assert_contains(run.err, second);
        if (memmem(run.err, strlen(run.err), cases[i][1], (size_t)(second - 1 - cases[i][1])) == NULL)
            fail_msg("%s: %s", cases[i][0], run.err);
        run_free(&run);
    }
}

/* What init writes is what is to be filled in, nothing else. */
static void test_init(void **state) {
    (void)state;
    static const char written[] = "\n  - struct {              # 1, param_0: image\n"
                                  "      in: buf:f32[___],   # float const *\n"
                                  "      out: buf:f32[___],  # float *\n"
                                  "      size: struct {      # size2\n"
                                  "          w: i32:___,     # int\n"
                                  "          h: i32:___      # int\n"
                                  "      },\n"
                                  "      gain: f32[2]=___,   # float\n"
                                  "      bias: float4:{___, ___, ___, ___} # float4\n"
                                  "  }\n";
    static const char unknown[] =
        "\n  - \"struct {___}\"        # 1, param_0: image; 48 bytes: fields such as in: "
        "buf:f32[1024], n: i32:7; or bytes[48] for all\n";
    struct run run = run_command("init " OBJECT " -k scale --image sm -o -");
    const bool has_types = strstr(run.out, "struct {___}") == NULL; /* built with libdw */
    assert_int_equal(run.status, 0);
    assert_contains(run.out, has_types ? written : unknown);
    run_free(&run);
    run = run_beside_folder("objcopy --strip-debug " OBJECT
                            " $D/s.o && $WB init $D/s.o -k scale --image sm -o -");
    if (run.status == 0) assert_contains(run.out, unknown);
    run_free(&run);
    if (!has_types) skip();
    run = run_beside_folder(
        "cp " OBJECT " $D/fields.o; $WB init $D/fields.o -k scale --image sm -o $D/x.yaml >&2; sed -i "
        "'s/\\[___\\]/[1024]/; s/grid: ___/grid: 16/; s/block: ___/block: 64/; s/=___/=zero/; "
        "s/w: i32:___/w: i32:64/; s/___/2/g; s/^machine: 2/machine: jetson-agx-orin/' $D/x.yaml; "
        "$WB analyze $D/x.yaml --method kernel");
    assert_int_equal(run.status, 0);
    assert_contains(run.out, "bounded: ");
    run_free(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_flat),         cmocka_unit_test(test_accesses),
        cmocka_unit_test(test_as_declared),     cmocka_unit_test(test_messages),
        cmocka_unit_test(test_options),         cmocka_unit_test(test_images),
        cmocka_unit_test(test_places_of_names), cmocka_unit_test(test_init),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
