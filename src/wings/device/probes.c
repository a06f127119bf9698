#include "wings/device/probes.h"

#include "ptx/ptx.h"

#include <string.h>

#define ROW(enumerator, called, text, sass, where, of_a_warp)                                                \
    {.name = called, .access = text, .class = sass, .place = where, .of_warp = of_a_warp},

static const struct probe_row {
    const char *name, *access;
    enum sass_class class;
    enum probe_place place;
    bool of_warp;
} rows[] = {PROBES(ROW)};

const char *probe_name(enum probe probe) {
    return rows[probe].name;
}

enum sass_class probe_class(enum probe probe) {
    return rows[probe].class;
}

enum sass_class probe_class_before(enum probe probe) {
    return probe == PROBE_STORE ? SASS_CLASS_STORE_GLOBAL : SASS_CLASS_COUNT;
}

enum probe_place probe_place(enum probe probe) {
    return rows[probe].place;
}

uint32_t probe_threads(enum probe probe) {
    return rows[probe].of_warp ? PROBE_LANES : 1;
}

/* ---- PTX ----------------------------------------------------------------------------------------------- */

static_assert(PROBE_TIMED_MAX * 4 == 8192 && PROBE_SHARED_ELEMENTS * 8 == 4096 && PROBE_STEP == 37 &&
                  sizeof(struct probe_left) == 16 && sizeof(struct block_left) == 24 && STREAM_BYTES == 65536,
              "numbers in the text");

static const char head[] = "(.param .u64 out, .param .u64 starts, .param .u32 warm, .param .u32 timed)\n{\n"
                           "\t.reg .u64 %p, %base, %way, %zero, %at, %from, %to;\n"
                           "\t.reg .u32 %block, %thread, %i, %n, %sample, %cycles, %z, %l, %h;\n"
                           "\t.reg .pred %first, %end, %keep, %more;\n"
                           "\t.shared .align 8 .b8 samples[8192];\n"
                           "\t.shared .align 8 .b8 chain[4096];\n"
                           "\tmov.u32 %thread, %tid.x;\n\tsetp.eq.u32 %first, %thread, 0;\n"
                           "\tmov.u32 %block, %ctaid.x;\n\tld.param.u64 %at, [starts];\n"
                           "\tmad.wide.u32 %at, %block, 8, %at;\n\tld.global.u64 %p, [%at];\n"
                           "\tld.param.u32 %i, [warm];\n\tld.param.u32 %n, [timed];\n"
                           "\tshr.u32 %z, %i, 31;\n\tcvt.u64.u32 %zero, %z;\n"
                           "\tmov.u64 %base, 0;\n";

/* Chain element i is at 8 i, the next one of it i + 37; PROBE_SHARED_ELEMENTS, PROBE_STEP. */
static const char shared_chain[] = "\tmov.u64 %base, chain;\n\tmov.u32 %l, 0;\n"
                                   "link:\n\tmad.wide.u32 %at, %l, 8, %base;\n"
                                   "\tadd.u32 %h, %l, 37;\n\tand.b32 %h, %h, 511;\n"
                                   "\tmad.wide.u32 %to, %h, 8, %base;\n\tst.shared.u64 [%at], %to;\n"
                                   "\tadd.u32 %l, %l, 1;\n\tsetp.lt.u32 %more, %l, 512;\n"
                                   "\t@%more bra link;\n\tmov.u64 %p, %base;\n";

/* Zeros, by which a lane comes to its own word again. */
static const char bank_words[] = "\tmov.u64 %way, chain;\n\tmad.wide.u32 %way, %thread, 128, %way;\n"
                                 "\tst.shared.u32 [%way], %z;\n";

/* The same of global memory, where they are. */
static const char line_words[] = "\tmad.wide.u32 %way, %thread, 128, %p;\n\tmov.u64 %p, 0;\n";

/* The first accesses, by which the loop comes into the caches, leave no sample. No chain ends (-1), but what
 * waits to know that reads no clock before. The zero, which the compiler does not know, keeps the comparison
 * of the empty probe, which is subtracted, in its loop. */
static const char loop[] = "\tmov.u32 %sample, samples;\n\tshl.b32 %l, %i, 2;\n"
                           "\tsub.u32 %sample, %sample, %l;\n\tneg.s32 %i, %i;\n"
                           "again:\n\tmov.u64 %from, %clock64;\n";
static const char compare[] = "\tor.b64 %p, %p, %zero;\n\tsetp.eq.s64 %end, %p, -1;\n\t@%end bra done;\n";
static const char sample[] = "\tmov.u64 %to, %clock64;\n"
                             "\tsub.u64 %to, %to, %from;\n\tmin.u64 %to, %to, 0xffffffff;\n"
                             "\tcvt.u32.u64 %cycles, %to;\n\tsetp.ge.and.s32 %keep, %i, 0, %first;\n"
                             "\t@%keep st.shared.u32 [%sample], %cycles;\n\tadd.u32 %sample, %sample, 4;\n"
                             "\tadd.s32 %i, %i, 1;\n\tsetp.lt.s32 %more, %i, %n;\n\t@%more bra again;\n";
static const char leave[] = "done:\n\t@!%first bra left;\n\tsub.u64 %p, %p, %base;\n"
                            "\tmad.lo.u32 %l, %n, 4, 16;\n\tld.param.u64 %at, [out];\n"
                            "\tmad.wide.u32 %at, %block, %l, %at;\n\tmov.u32 %h, %smid;\n"
                            "\tst.global.u64 [%at], %p;\n\tst.global.u32 [%at+8], %h;\n"
                            "\tmov.u32 %sample, samples;\n\tmov.u32 %i, 0;\n"
                            "copy:\n\tld.shared.u32 %l, [%sample];\n\tst.global.u32 [%at+16], %l;\n"
                            "\tadd.u64 %at, %at, 4;\n\tadd.u32 %sample, %sample, 4;\n"
                            "\tadd.s32 %i, %i, 1;\n\tsetp.lt.s32 %more, %i, %n;\n\t@%more bra copy;\n"
                            "left:\n\tret;\n}\n";

/* A piece of straight code with a sample of its own, about a line of a cache. */
static const char piece[] = "\tmov.u64 %%from, %%clock64;\n\tmad.lo.u32 %%l, %%l, %%l, %%h;\n"
                            "\tmad.lo.u32 %%l, %%l, %%l, %%h;\n\tmov.u64 %%to, %%clock64;\n"
                            "\tsub.u64 %%to, %%to, %%from;\n\tcvt.u32.u64 %%cycles, %%to;\n"
                            "\tst.shared.u32 [samples+%u], %%cycles;\n";

/* Its last result is needed. */
static const char code_end[] = "\tcvt.u64.u32 %at, %l;\n\tand.b64 %at, %at, %zero;\n\tor.b64 %p, %p, %at;\n";

static const char blocks_head[] =
    "(.param .u64 out, .param .u64 memory)\n{\n\t.reg .u64 %at, %to, %from, %sm, %a, %b, %c, %d;\n"
    "\t.reg .u32 %block, %thread, %l;\n\t.reg .pred %other;\n\tmov.u32 %thread, %tid.x;\n"
    "\tmov.u32 %block, %ctaid.x;\n\tld.param.u64 %at, [out];\n"
    "\tmad.wide.u32 %at, %block, 24, %at;\n\tmov.u32 %l, %smid;\n\tcvt.u64.u32 %sm, %l;\n";

/* Each thread loads 64 bytes, 16 at a time beside those of its neighbours. */
static const char stream[] =
    "\tld.param.u64 %to, [memory];\n\tmad.wide.u32 %to, %block, 65536, %to;\n"
    "\tmad.wide.u32 %to, %thread, 16, %to;\n\tbar.sync 0;\n\tmov.u64 %from, %clock64;\n"
    "\tld.global.cg.v2.u64 {%a, %b}, [%to];\n\tld.global.cg.v2.u64 {%c, %d}, [%to+16384];\n"
    "\txor.b64 %a, %a, %c;\n\txor.b64 %b, %b, %d;\n"
    "\tld.global.cg.v2.u64 {%c, %d}, [%to+32768];\n\txor.b64 %a, %a, %c;\n\txor.b64 %b, %b, %d;\n"
    "\tld.global.cg.v2.u64 {%c, %d}, [%to+49152];\n\txor.b64 %a, %a, %c;\n\txor.b64 %b, %b, %d;\n"
    "\txor.b64 %a, %a, %b;\n\tsetp.eq.s64 %other, %a, -1;\n\t@%other bra left;\n\tbar.sync 0;\n";
/* The same of stores, until all have come to memory. */
static const char stores[] =
    "\tld.param.u64 %to, [memory];\n\tmad.wide.u32 %to, %block, 65536, %to;\n"
    "\tmad.wide.u32 %to, %thread, 16, %to;\n\tbar.sync 0;\n\tmov.u64 %from, %clock64;\n"
    "\tst.global.v2.u64 [%to], {%from, %sm};\n\tst.global.v2.u64 [%to+16384], {%from, %sm};\n"
    "\tst.global.v2.u64 [%to+32768], {%from, %sm};\n\tst.global.v2.u64 [%to+49152], {%from, %sm};\n"
    "\tmembar.gl;\n\tbar.sync 0;\n";
/* From the last warp that comes to a barrier to the last that goes on, the fourth time. */
static const char barriers[] =
    "\t.reg .u32 %turn;\n\t.shared .align 8 .b8 came[16];\n\tmov.u32 %turn, 0;\n"
    "again:\n\tmov.u64 %a, 0;\n\tst.shared.u64 [came], %a;\n\tst.shared.u64 [came+8], %a;\n"
    "\tbar.sync 0;\n\tmov.u64 %from, %clock64;\n\tbar.sync 0;\n\tmov.u64 %to, %clock64;\n"
    "\tatom.shared.max.u64 %a, [came], %from;\n\tatom.shared.max.u64 %b, [came+8], %to;\n"
    "\tbar.sync 0;\n\tld.shared.u64 %from, [came];\n\tld.shared.u64 %to, [came+8];\n\tbar.sync 0;\n"
    "\tadd.u32 %turn, %turn, 1;\n\tsetp.lt.u32 %other, %turn, 4;\n\t@%other bra again;\n";
static const char dispatch[] = "\tmov.u64 %from, %clock64;\n";
static const char blocks_leave[] = "\tsetp.ne.u32 %other, %thread, 0;\n\t@%other bra left;\n"
                                   "\tst.global.u64 [%at], %sm;\n\tst.global.u64 [%at+8], %from;\n";
static const char until_now[] = "\tmov.u64 %to, %clock64;\n";
static const char blocks_end[] = "\tst.global.u64 [%at+16], %to;\nleft:\n\tret;\n}\n";

/* What stands between the head and the loop. */
static void put_chain(enum probe_place place, struct text *out) {
    if (place == IN_SHARED) text_string(out, shared_chain);
    if (place == IN_BANKS) text_string(out, bank_words);
    if (place == IN_LINES) text_string(out, line_words);
    if (place == IN_CONSTANT) text_string(out, "\tmov.u64 %way, " PROBE_CONSTANTS ";\n");
}

static void put_loop(const struct probe_row *row, struct text *out) {
    const bool waits = row->class == SASS_CLASS_BARRIER; /* the clock is not read before it is over */
    put_chain(row->place, out);
    text_printf(out, "%s\t%s\n%s%s", loop, row->access, waits ? "" : compare, sample);
}

static void put_blocks(enum probe probe, struct text *out) {
    const char *body = probe == PROBE_STREAM     ? stream
                       : probe == PROBE_STORES   ? stores
                       : probe == PROBE_BARRIERS ? barriers
                                                 : dispatch;
    text_printf(out, ".visible .entry %s%s%s%s", rows[probe].name, blocks_head, body, blocks_leave);
    if (probe != PROBE_BARRIERS) text_string(out, until_now);
    text_string(out, blocks_end);
}

void probes_put(struct text *out) {
    text_printf(out, ".version 6.3\n.target sm_70\n.address_size 64\n.const .align 8 .b8 %s[%u];\n",
                PROBE_CONSTANTS, PROBE_CONSTANT_ELEMENTS * PROBE_CONSTANT_STRIDE);
    for (size_t p = 0; p < PROBE_COUNT; p++) {
        if (rows[p].place == IN_BLOCKS) put_blocks((enum probe)p, out);
        if (rows[p].place == IN_BLOCKS || rows[p].place == IN_CODE) continue;
        text_printf(out, ".visible .entry %s%s", rows[p].name, head);
        put_loop(&rows[p], out);
        text_string(out, leave);
    }
}

void probes_put_code(struct text *out) {
    text_printf(out, ".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry %s%s",
                rows[PROBE_CODE].name, head);
    text_string(out, "\tmov.u32 %l, %z;\n\tadd.u32 %h, %z, 3;\n");
    for (uint32_t i = 0; i < PROBE_TIMED_MAX; i++)
        text_printf(out, piece, i * 4);
    text_printf(out, "%s%s", code_end, leave);
}

/* ---- Machine code -------------------------------------------------------------------------------------- */

/* The number of SR_CLOCKLO. */
#define CLOCK_REGISTER 0x50u

/* What stands between the reads of the clock. */
struct timed_code {
    uint32_t clocks;   /* reads so far */
    uint32_t before;   /* what is to stand in front of the access */
    uint32_t accesses; /* of the class */
    uint8_t counter;   /* of the last access's result, or SASS_NO_COUNTER */
    bool waited;       /* something waited for it */
    uint32_t beside;   /* other instructions */
    const char *other; /* what else is there, that is no arithmetic */
};

/* Classes of which a few may stand beside an access: to compute where it goes, and whether it was the end. */
static bool is_beside(enum sass_class class) {
    switch (class) {
    case SASS_CLASS_ALU:
    case SASS_CLASS_FMA:
    case SASS_CLASS_IMAD:
    case SASS_CLASS_IMAD_WIDE:
    case SASS_CLASS_UNIFORM:
    case SASS_CLASS_UNIFORM_CONSTANT:
    case SASS_CLASS_BRANCH:
    case SASS_CLASS_CONVERGENCE:
    case SASS_CLASS_NOP: return true;
    default: return false;
    }
}

static void take_inst(const struct sass_inst *inst, enum probe probe, struct timed_code *code) {
    const enum sass_class wanted = rows[probe].class, before = probe_class_before(probe);
    const enum sass_class class = sass_class_of(inst);
    if (class == SASS_CLASS_CLOCK && sass_field(inst, SASS_FIELD_SPECIAL) == CLOCK_REGISTER) {
        code->clocks++;
        return;
    }
    if (code->clocks != 1) return;
    if (code->counter != SASS_NO_COUNTER && (inst->control.waits >> code->counter & 1) != 0)
        code->waited = true;
    if (class == before && before != SASS_CLASS_COUNT && code->accesses == 0) {
        code->before++;
        return;
    }
    if (class == wanted && wanted != SASS_CLASS_COUNT) {
        code->accesses++;
        code->counter = inst->control.write_counter;
        return;
    }
    code->beside++;
    if (!is_beside(class)) code->other = class < SASS_CLASS_COUNT ? sass_class_name(class) : "unknown";
}

/* What is wrong with the code of a probe, or NULL. `subtracted`: of the empty one, or no less. */
static const char *find_fault(const struct timed_code *code, enum probe probe, uint32_t subtracted) {
    const enum sass_class class = rows[probe].class;
    const bool is_timed = class != SASS_CLASS_COUNT;
    if (code->clocks != 2) return "it does not read the clock twice";
    if (code->other != NULL) return "between the reads of the clock stands something else, too: ";
    if (code->before != (probe_class_before(probe) != SASS_CLASS_COUNT))
        return "not one store stands in front of the load";
    if (is_timed && code->accesses != 1) return "not one access stands between the reads of the clock";
    if (is_timed && code->counter != SASS_NO_COUNTER && !code->waited)
        return "nothing waits for the access before the clock is read again";
    if (code->beside < subtracted) return "less stands beside the access than is subtracted";
    return NULL;
}

/* Reads a kernel; false: there is none of that name. */
static bool read_kernel(const struct machine_code *code, enum probe probe, struct timed_code *timed) {
    *timed = (struct timed_code){.counter = SASS_NO_COUNTER};
    for (uint32_t k = 0; k < code->kernel_count; k++) {
        const struct machine_kernel *kernel = &code->kernels[k];
        if (strcmp(kernel->name, rows[probe].name) != 0) continue;
        for (uint32_t i = 0; i < kernel->count; i++)
            take_inst(&code->insts[kernel->first + i].sass, probe, timed);
        return true;
    }
    return false;
}

static wb_status check_kernel(const struct machine_code *code, enum probe probe,
                              wb_diagnostics *diagnostics) {
    struct timed_code timed, empty;
    const bool is_there = read_kernel(code, probe, &timed) && read_kernel(code, PROBE_EMPTY, &empty);
    const bool waits = rows[probe].class == SASS_CLASS_BARRIER; /* nothing is subtracted */
    const char *fault = is_there ? find_fault(&timed, probe, waits ? 0 : empty.beside) : "it is not there";
    if (fault == NULL) return WB_OK;
    diagnose(diagnostics, SEVERITY_ERROR, rows[probe].name,
             "the machine code of this kernel is not what it is to time: %s%s", fault,
             is_there && timed.other != NULL ? timed.other : "");
    return WB_ERR_DECLINED;
}

wb_status probes_check(const wb_module *module, const char **unknown, wb_diagnostics *diagnostics) {
    *unknown = NULL;
    for (uint32_t i = 0; module->code != NULL && i < module->code->inst_count; i++)
        if (module->code->insts[i].unknown != NULL) *unknown = "some of its instructions are not known here";
    if (module->code == NULL) *unknown = "the driver's compiler makes something else";
    for (size_t p = 0; p < PROBE_COUNT && *unknown == NULL; p++)
        if (rows[p].place < IN_CODE) WB_TRY(check_kernel(module->code, (enum probe)p, diagnostics));
    return WB_OK;
}
