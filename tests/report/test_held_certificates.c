/* Certificates of kernels on machines with caches, with a memory that all SMs share, and with instruction
 * fetch that can stall: the checker proves the least that is told; one request more, and it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <inttypes.h>

#include "certificate_check.h"
#include "kernel_suite.h"

/* A machine with settings, and what is asked of it. */
struct held_case {
    const char *machine, *settings[3];
    bool one_block;
    const char *methods;
};

static const struct held_case cases[] = {
    {"jcse2017", {NULL}, false, "segment-sum"},
    {"jcse2017-64k", {"memory.l1_victim=stall", "memory.l1_mshrs=2"}, false, "segment-sum"},
    {"jcse2017", {"memory.l1_mshrs=2"}, true, "sib,fib,elb"},
    {"ecrts2025-orin", {"service=2", "outstanding=16"}, false, "k-sm,k-area,k-bal"},
    {"ecrts2025-orin", {"service=2", "outstanding=16"}, true, "sib,elb"},
    {"ampere-sm80", {"service=3"}, false, "k-area,k-chain-area,k-chain-bal"},
    {"ampere-sm80", {"service=2", "outstanding=8"}, false, "k-area,k-chain,k-chain-area"},
    {"ampere-sm80", {"service=2", "dispatch=static"}, false, "k-sm"},
    {"ecrts2025-orin", {"fetch.size=4096", "fetch.miss_latency=200"}, true, "sib,fib,elb"},
    {"ecrts2025-orin",
     {"fetch.size=4096", "fetch.miss_latency=200", "fetch.latency=1"},
     false,
     "k-sm,k-area,k-bal"},
    {"ampere-sm80", {"fetch.size=512", "fetch.miss_latency=20", "dispatch=static"}, false, "k-sm,k-chain"},
};

static wb_machine *machine_of(const struct held_case *held, wb_diagnostics *diagnostics) {
    wb_machine *machine;
    kernel_expect_ok(wb_machine_load(held->machine, diagnostics, &machine), "machine", diagnostics);
    for (size_t s = 0; s < 3 && held->settings[s] != NULL; s++)
        kernel_expect_ok(wb_machine_set(machine, held->settings[s], diagnostics), held->settings[s],
                         diagnostics);
    return machine;
}

/* With caches kernels are bounded under a scheme. */
static wb_analyze_options options_of(const struct held_case *held) {
    const bool is_cached = !held->one_block && strncmp(held->machine, "jcse", 4) == 0;
    return (wb_analyze_options){.size = sizeof(wb_analyze_options),
                                .one_block = held->one_block,
                                .scheme = is_cached ? "default" : NULL,
                                .methods = held->methods};
}

/* What is told first is claimed; k-sm of fixed SMs by another name. */
static void expect_least(const wb_analysis *analysis, const char *certificate) {
    size_t count;
    char claim[64], fixed[64];
    const wb_bound *bounds = wb_analysis_bounds(analysis, &count), *least = NULL;
    for (size_t b = 0; b < count; b++)
        if (bounds[b].kind == WB_UPPER && (least == NULL || bounds[b].cycles < least->cycles))
            least = &bounds[b];
    assert_non_null(least);
    const char *name = least->form == NULL ? least->method : claim_of_form(least->form);
    (void)snprintf(claim, sizeof claim, "\nclaim %s %" PRIu64 "\n", name, least->cycles);
    (void)snprintf(fixed, sizeof fixed, "\nclaim %s-static %" PRIu64 "\n", name, least->cycles);
    if (strstr(certificate, claim) == NULL && strstr(certificate, fixed) == NULL)
        fail_msg("not in the certificate:%s%s", claim, certificate);
}

/* The end of the key of the first line that begins with it, and whose numbers come to something. */
static const char *first_of(const char *text, const char *key) {
    uint64_t times, each;
    for (const char *line = text; (line = strstr(line, key)) != NULL; line++) {
        const char *numbers = line + strcspn(line, "0123456789");
        while (numbers[-1] != ' ') /* l2, l1-stalls */
            numbers += strcspn(numbers + 1, "0123456789") + 1;
        assert_true(sscanf(numbers, "%" SCNu64 " %" SCNu64, &times, &each) > 0);
        if (times > 0 && (each > 0 || strcmp(key, "\nheld ") != 0)) return numbers;
    }
    fail_msg("nothing: %s", key);
    return NULL;
}

/* So many more of the first line that begins with `key`: no claim is proven any more. */
static void check_forged(const struct text *text, const char *key, uint64_t more, const char *label) {
    const char *from = strchr(text->data, '\n') + 1, *held = first_of(text->data, key);
    struct text forged = {0};
    char *rest;
    int status;
    const uint64_t times = strtoull(held, &rest, 10);
    text_append(&forged, from, (size_t)(held - from));
    text_printf(&forged, "%" PRIu64, times + more);
    text_append(&forged, rest, (size_t)(strstr(rest, "\nend ") + 1 - rest));
    text_char(&forged, '\0');
    const char *said = check_lines(forged.data, &status);
    if (status != 1 || strstr(said, "cycles: proven") != NULL) fail_msg("%s: %d %s", label, status, said);
    text_free(&forged);
}

static void check_case(const struct loaded_kernel *loaded, const struct held_case *held, const char *label) {
    const wb_analyze_options options = options_of(held);
    wb_machine *machine = machine_of(held, loaded->diagnostics);
    wb_analysis *analysis = NULL;
    int status;
    kernel_expect_ok(
        wb_analyze(loaded->kernel, loaded->launch, machine, &options, loaded->diagnostics, &analysis), label,
        loaded->diagnostics);
    struct text text = certificate_of(analysis, held->methods, NULL);
    const char *said = check_text(text.data, text.length, &status);
    if (status != 0 || (strcmp(held->methods, "segment-sum") == 0 && proves_less(said)))
        fail_msg("%s on %s: %s", label, held->machine, said);
    expect_least(analysis, text.data);
    if (strncmp(held->settings[0] != NULL ? held->settings[0] : "", "fetch", 5) == 0 && !held->one_block)
        check_forged(&text, "\nfetches ", 10000, label);
    else
        check_forged(&text, "\nheld ", 1, label);
    text_free(&text);
    wb_analysis_free(analysis);
    wb_machine_free(machine);
}

static void test_kernels(void **state) {
    static const char *const kernels[] = {"sgemm_tiled", "reduce", "histogram", "transpose"};
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        char ptx[64], launch[64];
        (void)snprintf(ptx, sizeof ptx, "kernels/%s.ptx", kernels[k]);
        (void)snprintf(launch, sizeof launch, "kernels/%s.yaml", kernels[k]);
        struct loaded_kernel loaded = kernel_load(ptx, launch);
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            check_case(&loaded, &cases[c], kernels[k]);
        kernel_unload(&loaded);
    }
}

/* What blocks of machine code ask the second level for is shown with each: all claims are just that long. */
static void test_blocks_that_keep_loads(void **state) {
    static const char *const kernels[] = {"stencil5", "pathfinder"};
    static const struct held_case few = {
        "rtx-a6000", {"resident=block-l1", "sms=2", "limits.blocks=1"}, false, "kernel"};
    (void)state;
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        char cubin[64], launch[64];
        int status;
        (void)snprintf(cubin, sizeof cubin, "kernels/cubin/%s.sm_86.cubin", kernels[k]);
        (void)snprintf(launch, sizeof launch, "kernels/%s.yaml", kernels[k]);
        struct loaded_kernel loaded = kernel_load(cubin, launch);
        wb_machine *machine = machine_of(&few, loaded.diagnostics);
        const wb_analyze_options options = options_of(&few);
        wb_analysis *analysis = NULL;
        kernel_expect_ok(
            wb_analyze(loaded.kernel, loaded.launch, machine, &options, loaded.diagnostics, &analysis),
            kernels[k], loaded.diagnostics);
        struct text text = certificate_of(analysis, few.methods, NULL);
        const char *said = check_text(text.data, text.length, &status);
        if (status != 0 || proves_less(said)) fail_msg("%s: %s", kernels[k], said);
        check_forged(&text, "\nstalled ", 100000, kernels[k]);
        text_free(&text);
        wb_analysis_free(analysis);
        wb_machine_free(machine);
        kernel_unload(&loaded);
    }
}

/* What there are no certificates of is said. */
static void test_refusals(void **state) {
    static const struct {
        struct held_case held;
        const char *words;
    } refused[] = {
        {{"jcse2017", {"dispatch=greedy"}, false, "segment-sum"}, "whose blocks go to fixed SMs"},
        {{"jcse2017", {"fetch.size=4096"}, true, "elb"}, "beside caches of data"},
        {{"ecrts2025-orin", {"fetch.size=4096", "service=2"}, false, "k-sm"}, "beside caches of data"},
        {{"ecrts2025-orin", {"fetch.size=4096", "service=2"}, true, "elb"}, "beside caches of data"},
    };
    (void)state;
    for (size_t r = 0; r < sizeof refused / sizeof *refused; r++) {
        struct loaded_kernel loaded = kernel_load("kernels/reduce.ptx", "kernels/reduce.yaml");
        const struct held_case *held = &refused[r].held;
        const wb_analyze_options options = options_of(held);
        wb_machine *machine = machine_of(held, loaded.diagnostics);
        wb_analysis *analysis = NULL;
        struct text text = {0};
        const wb_writer writer = {take, &text};
        kernel_expect_ok(
            wb_analyze(loaded.kernel, loaded.launch, machine, &options, loaded.diagnostics, &analysis),
            refused[r].words, loaded.diagnostics);
        assert_int_equal(wb_analysis_certificate(analysis, &writer, loaded.diagnostics), WB_ERR_DECLINED);
        assert_non_null(strstr(wb_diagnostics_text(loaded.diagnostics), refused[r].words));
        assert_int_equal(text.length, 0);
        wb_analysis_free(analysis);
        wb_machine_free(machine);
        kernel_unload(&loaded);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_blocks_that_keep_loads),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
