/* Random kernels all of whose accesses are surely made, at addresses and by lanes that depend on data: the
 * order of their accesses under reordering is known. What is said of it, of hits and of times holds for
 * executions with data that nobody told the analysis of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/containers.h"
#include "random_block.h"
#include "steered_check.h"
#include "steered_machine.h"

static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.const .align 4 .b32 data[1024];\n"
    ".visible .entry k(.param .u64 first, .param .u64 second, .param .u32 scalar)\n{\n"
    ".reg .pred %p, %q;\n.reg .b64 %x, %table, %other;\n"
    ".reg .b32 %d, %g, %t, %u, %i, %lane;\n.shared .align 4 .b8 kept[1024];\n"
    "ld.param.u64 %table, [first];\ncvta.to.global.u64 %table, %table;\n"
    "ld.param.u64 %other, [second];\ncvta.to.global.u64 %other, %other;\n"
    "mov.u32 %t, %tid.x;\nand.b32 %lane, %t, 31;\nmov.u32 %g, %ctaid.x;\nmov.u32 %u, %ntid.x;\n"
    "mad.lo.u32 %g, %g, %u, %t;\nand.b32 %u, %g, 1023;\nmul.wide.u32 %x, %u, 4;\nmov.u64 %table, %table;\n"
    "ld.param.u32 %d, [scalar];\n";

/* Appends %x = array + 4 * ((by * factor + offset) & mask). */
static void put_address(struct text *out, struct random_state *random, const char *by, const char *array,
                        uint32_t mask) {
    text_printf(out,
                "mad.lo.u32 %%u, %s, %u, %u;\nand.b32 %%u, %%u, %u;\nmul.wide.u32 %%x, %%u, 4;\n"
                "add.s64 %%x, %%x, %s;\n",
                by, (unsigned)random_below(random, 40), (unsigned)random_below(random, 512), mask, array);
}

/* A load, a store or an atomic; `guard` stands in front of it. */
static void put_access(struct text *out, struct random_state *random, const char *guard) {
    const char *by = random_below(random, 3) == 0 ? "%d" : "%g";
    switch (random_below(random, 5)) {
    case 0:
        put_address(out, random, by, "%other", 127);
        text_printf(out, "%s st.global.u32 [%%x], %%g;\n", guard);
        break;
    case 1:
        put_address(out, random, by, "%other", 127);
        text_printf(out, "%s red.global.add.u32 [%%x], 1;\n", guard);
        break;
    default:
        put_address(out, random, by, "%table", random_below(random, 2) == 0 ? 511 : 63);
        text_printf(out, "%s ld.global.u32 %%d, [%%x];\n", guard);
    }
}

static void put_statement(struct text *out, struct random_state *random, uint32_t number) {
    switch (random_below(random, 9)) {
    case 0: /* control that depends on data, without accesses that make requests */
        text_printf(out,
                    "and.b32 %%u, %%d, %u;\nsetp.eq.u32 %%p, %%u, 0;\n@%%p bra $S%u;\nshl.b32 %%u, %%u, 2;\n"
                    "mov.u32 %%t, kept;\nadd.u32 %%t, %%t, %%u;\nld.shared.u32 %%u, [%%t];\n"
                    "add.u32 %%d, %%d, %%u;\n$S%u:\n",
                    1u << random_below(random, 6), number, number);
        break;
    case 1: text_string(out, "bar.sync 0;\n"); break;
    case 2: /* one lane surely, the others perhaps */
        text_printf(out,
                    "and.b32 %%u, %%d, %u;\nsetp.eq.u32 %%p, %%u, 0;\nsetp.eq.u32 %%q, %%lane, %u;\n"
                    "or.pred %%p, %%p, %%q;\n",
                    1u << random_below(random, 6), (unsigned)random_below(random, 32));
        put_access(out, random, "@%p");
        break;
    case 3: /* lanes that are known */
        text_printf(out, "setp.lt.u32 %%p, %%lane, %u;\n", 1 + (unsigned)random_below(random, 32));
        put_access(out, random, "@%p");
        break;
    case 4: /* a loop of known length */
        text_printf(out, "mov.u32 %%i, 0;\n$S%u:\n", number);
        put_access(out, random, "");
        text_printf(
            out, "add.u32 %%g, %%g, %u;\nadd.u32 %%i, %%i, 1;\nsetp.lt.u32 %%q, %%i, %u;\n@%%q bra $S%u;\n",
            8 * (unsigned)random_below(random, 9), 2 + (unsigned)random_below(random, 3), number);
        break;
    default: put_access(out, random, "");
    }
}

static void make_kernel(uint64_t seed, struct steered_kernel *kernel) {
    struct random_state random = random_seeded(seed);
    struct text out = {0};
    text_string(&out, head);
    for (uint32_t left = 3 + (uint32_t)random_below(&random, 9); left > 0; left--)
        put_statement(&out, &random, left);
    text_string(&out, "ret;\n}\n");
    *kernel = (struct steered_kernel){.ptx = text_take(&out),
                                      .threads = 32 * (1 + (uint32_t)random_below(&random, 3)),
                                      .blocks = 1 + (uint32_t)random_below(&random, 4),
                                      .table = 512,
                                      .other = 128};
    assert_non_null(kernel->ptx);
}

static void test_kernels(void **state) {
    (void)state;
    struct steered_census census = {0};
    struct text violation = {0};
    for (uint64_t seed = 1; seed <= random_rounds(60); seed++) {
        struct steered_kernel kernel;
        make_kernel(seed, &kernel);
        wb_machine *machine = steered_machine_make(seed, 0);
        if (!steered_check_kernel(&kernel, machine, seed, &census, &violation))
            fail_msg("%s\n%s", violation.failed ? "out of memory" : violation.data, kernel.ptx);
        wb_machine_free(machine);
        steered_kernel_free(&kernel);
    }
    print_message(
        "%u kernels, %u ordered, %u simulations: %u accesses; requests: %u hit, %u miss, %u unsure\n",
        (unsigned)census.kernels, (unsigned)census.ordered, (unsigned)census.simulations,
        (unsigned)census.order.accesses, (unsigned)census.order.hits, (unsigned)census.order.misses,
        (unsigned)census.order.unsure);
    assert_true(census.ordered > census.kernels / 2);
    assert_true(census.order.hits > census.order.accesses / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kernels)};
    return cmocka_run_group_tests_name("kernels with data, in the order of accesses", tests, NULL, NULL);
}
