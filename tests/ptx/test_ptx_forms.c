/* Forms of instructions: opcode, modifiers and types of each row of the opcode table. */
#include "ptx/parser.h"
#include "ptx_support.h"

/* What an opcode must be decoded to. */
struct form_case {
    const char *text;
    enum ptx_op op;
    enum ptx_class class_;
    enum ptx_type type, type2;
    const char *roles;
};

/* clang-format off */
static const struct form_case cases[] = {
    {"add.s32",                PTX_OP_ADD,  PTX_CLASS_INT_ADD,  PTX_S32, PTX_S32, "dss"},
    {"add.rn.ftz.f32",         PTX_OP_ADD,  PTX_CLASS_FP32,     PTX_F32, PTX_F32, "dss"},
    {"add.f64",                PTX_OP_ADD,  PTX_CLASS_FP64,     PTX_F64, PTX_F64, "dss"},
    {"add.f16x2",              PTX_OP_ADD,  PTX_CLASS_FP16,     PTX_F16X2, PTX_F16X2, "dss"},
    {"mad.lo.s32",             PTX_OP_MAD,  PTX_CLASS_INT_MUL,  PTX_S32, PTX_S32, "dsss"},
    {"mul.wide.u16",           PTX_OP_MUL,  PTX_CLASS_INT_MUL,  PTX_U16, PTX_U16, "dss"},
    {"fma.rn.bf16x2",          PTX_OP_FMA,  PTX_CLASS_FP16,     PTX_BF16X2, PTX_BF16X2, "dsss"},
    {"mul24.lo.s32",           PTX_OP_MUL24, PTX_CLASS_INT_MUL24, PTX_S32, PTX_S32, "dss"},
    {"div.rn.f32",             PTX_OP_DIV,  PTX_CLASS_FP32_DIV, PTX_F32, PTX_F32, "dss"},
    {"div.s64",                PTX_OP_DIV,  PTX_CLASS_INT_DIV64, PTX_S64, PTX_S64, "dss"},
    {"div.rn.f64",             PTX_OP_DIV,  PTX_CLASS_FP64_DIV, PTX_F64, PTX_F64, "dss"},
    {"rcp.approx.ftz.f64",     PTX_OP_RCP,  PTX_CLASS_FP64_SPECIAL, PTX_F64, PTX_F64, "ds"},
    {"ex2.approx.ftz.f32",     PTX_OP_EX2,  PTX_CLASS_FP32_SPECIAL, PTX_F32, PTX_F32, "ds"},
    {"neg.f64",                PTX_OP_NEG,  PTX_CLASS_FP32_MOVE, PTX_F64, PTX_F64, "ds"},
    {"neg.s32",                PTX_OP_NEG,  PTX_CLASS_MOVE,     PTX_S32, PTX_S32, "ds"},
    {"mov.f32",                PTX_OP_MOV,  PTX_CLASS_MOVE,     PTX_F32, PTX_F32, "ds"},
    {"cvta.to.global.u64",     PTX_OP_CVTA, PTX_CLASS_MOVE,     PTX_U64, PTX_U64, "ds"},
    {"cvt.rn.f32.s32",         PTX_OP_CVT,  PTX_CLASS_CONVERT,  PTX_F32, PTX_S32, "dsoo"},
    {"cvt.rzi.s32.f64",        PTX_OP_CVT,  PTX_CLASS_CONVERT64, PTX_S32, PTX_F64, "dsoo"},
    {"cvt.s64.s32",            PTX_OP_CVT,  PTX_CLASS_CONVERT,  PTX_S64, PTX_S32, "dsoo"},
    {"cvt.rn.satfinite.e4m3x2.f32", PTX_OP_CVT, PTX_CLASS_CONVERT, PTX_E4M3X2, PTX_F32, "dsoo"},
    {"setp.geu.ftz.f32",       PTX_OP_SETP, PTX_CLASS_COMPARE,  PTX_F32, PTX_F32, "dDsso"},
    {"set.lt.u32.f32",         PTX_OP_SET,  PTX_CLASS_COMPARE,  PTX_U32, PTX_F32, "dsso"},
    {"slct.f32.s32",           PTX_OP_SLCT, PTX_CLASS_COMPARE,   PTX_F32, PTX_S32, "dsss"},
    {"and.pred",               PTX_OP_AND,  PTX_CLASS_LOGIC,    PTX_PRED, PTX_PRED, "dss"},
    {"shf.l.wrap.b32",         PTX_OP_SHF,  PTX_CLASS_LOGIC,    PTX_B32, PTX_B32, "dsss"},
    {"bfi.b64",                PTX_OP_BFI,  PTX_CLASS_BITS,     PTX_B64, PTX_B64, "dssss"},
    {"prmt.b32.rc16",          PTX_OP_PRMT, PTX_CLASS_BITS,     PTX_B32, PTX_B32, "dsss"},
    {"ld.u8",                  PTX_OP_LD,   PTX_CLASS_LOAD_GENERIC, PTX_U8, PTX_U8, "dm"},
    {"ld.global.nc.v4.f32",    PTX_OP_LD,   PTX_CLASS_LOAD_GLOBAL, PTX_F32, PTX_F32, "dm"},
    {"ld.param::entry.u64",    PTX_OP_LD,   PTX_CLASS_LOAD_PARAM, PTX_U64, PTX_U64, "dm"},
    {"ld.const.f64",           PTX_OP_LD,   PTX_CLASS_LOAD_CONST, PTX_F64, PTX_F64, "dm"},
    {"ld.volatile.shared.s8",  PTX_OP_LD,   PTX_CLASS_LOAD_SHARED, PTX_S8, PTX_S8, "dm"},
    {"ld.local.b16",           PTX_OP_LD,   PTX_CLASS_LOAD_LOCAL, PTX_B16, PTX_B16, "dm"},
    {"ld.relaxed.gpu.global.L1::no_allocate.L2::256B.b64", PTX_OP_LD, PTX_CLASS_LOAD_GLOBAL, PTX_B64, PTX_B64, "dm"},
    {"ld.global.L2::cache_hint.b32", PTX_OP_LD, PTX_CLASS_LOAD_GLOBAL, PTX_B32, PTX_B32, "dms"},
    {"ldu.global.u32",         PTX_OP_LDU,  PTX_CLASS_LOAD_GLOBAL, PTX_U32, PTX_U32, "dm"},
    {"st.f32",                 PTX_OP_ST,   PTX_CLASS_STORE_GENERIC, PTX_F32, PTX_F32, "ms"},
    {"st.shared.v2.f64",       PTX_OP_ST,   PTX_CLASS_STORE_SHARED, PTX_F64, PTX_F64, "ms"},
    {"st.release.sys.global.u32", PTX_OP_ST, PTX_CLASS_STORE_GLOBAL, PTX_U32, PTX_U32, "ms"},
    {"atom.global.add.f32",    PTX_OP_ATOM, PTX_CLASS_ATOMIC_GLOBAL, PTX_F32, PTX_F32, "dms"},
    {"atom.shared.cas.b64",    PTX_OP_ATOM, PTX_CLASS_ATOMIC_SHARED, PTX_B64, PTX_B64, "dmss"},
    {"atom.add.noftz.f16x2",   PTX_OP_ATOM, PTX_CLASS_ATOMIC_GLOBAL, PTX_F16X2, PTX_F16X2, "dms"},
    {"red.acq_rel.cta.shared.or.b32", PTX_OP_RED, PTX_CLASS_ATOMIC_SHARED, PTX_B32, PTX_B32, "ms"},
    {"cp.async.cg.shared.global.L2::128B", PTX_OP_CP_ASYNC, PTX_CLASS_ASYNC_COPY, PTX_TYPE_NONE, PTX_TYPE_NONE, "mmso"},
    {"cp.async.wait_group",    PTX_OP_CP_ASYNC_WAIT_GROUP, PTX_CLASS_ASYNC_COPY, PTX_TYPE_NONE, PTX_TYPE_NONE, "s"},
    {"cp.async.bulk.commit_group", PTX_OP_CP_ASYNC_BULK_COMMIT_GROUP, PTX_CLASS_ASYNC_COPY, PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
    {"bra.uni",                PTX_OP_BRA,  PTX_CLASS_BRANCH,   PTX_TYPE_NONE, PTX_TYPE_NONE, "l"},
    {"ret",                    PTX_OP_RET,  PTX_CLASS_EXIT,     PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
    {"bar.sync",               PTX_OP_BAR,  PTX_CLASS_BARRIER,  PTX_TYPE_NONE, PTX_TYPE_NONE, "so"},
    {"barrier.cta.red.popc.aligned.u32", PTX_OP_BAR, PTX_CLASS_BARRIER, PTX_U32, PTX_U32, "dsos"},
    {"bar.warp.sync",          PTX_OP_BAR,  PTX_CLASS_WARP_SYNC, PTX_TYPE_NONE, PTX_TYPE_NONE, "s"},
    {"barrier.cluster.wait.acquire.aligned", PTX_OP_BARRIER_CLUSTER_WAIT, PTX_CLASS_BARRIER, PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
    {"fence.proxy.async.shared::cta", PTX_OP_FENCE_PROXY, PTX_CLASS_FENCE, PTX_TYPE_NONE, PTX_TYPE_NONE, "oo"},
    {"shfl.down.b32",          PTX_OP_SHFL, PTX_CLASS_SHUFFLE,  PTX_B32, PTX_B32, "dDsss"},
    {"shfl.sync.idx.b32",      PTX_OP_SHFL, PTX_CLASS_SHUFFLE,  PTX_B32, PTX_B32, "dDssss"},
    {"vote.sync.uni.pred",     PTX_OP_VOTE, PTX_CLASS_VOTE,     PTX_PRED, PTX_PRED, "dss"},
    {"vote.uni.sync.pred",     PTX_OP_VOTE, PTX_CLASS_VOTE,     PTX_PRED, PTX_PRED, "dss"},
    {"vote.ballot.b32",        PTX_OP_VOTE, PTX_CLASS_VOTE,     PTX_B32, PTX_B32, "ds"},
    {"match.all.sync.b64",     PTX_OP_MATCH, PTX_CLASS_MATCH,   PTX_B64, PTX_B64, "dDss"},
    {"redux.sync.add.s32",     PTX_OP_REDUX, PTX_CLASS_REDUX,   PTX_S32, PTX_S32, "dss"},
    {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", PTX_OP_LDMATRIX, PTX_CLASS_LOAD_SHARED, PTX_B16, PTX_B16, "dm"},
    {"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16", PTX_OP_WMMA_LOAD, PTX_CLASS_LOAD_SHARED, PTX_F16, PTX_F16, "dmo"},
    {"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16", PTX_OP_WMMA_MMA, PTX_CLASS_TENSOR, PTX_F32, PTX_F16, "dsss"},
    {"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", PTX_OP_MMA, PTX_CLASS_TENSOR, PTX_F32, PTX_TF32, "dsssoooo"},
    {"wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16", PTX_OP_WGMMA_MMA_ASYNC, PTX_CLASS_TENSOR, PTX_F32, PTX_BF16, "xssooooo"},
    {"tcgen05.mma.cta_group::2.kind::mxf4nvf4.block_scale.scale_vec::4X", PTX_OP_TCGEN05_MMA, PTX_CLASS_TENSOR, PTX_TYPE_NONE, PTX_TYPE_NONE, "msssoooooo"},
    {"tex.2d.v4.f32.f32",      PTX_OP_TEX,  PTX_CLASS_TEXTURE,  PTX_F32, PTX_F32, "dDmoooo"},
    {"tld4.r.2d.v4.u32.f32",   PTX_OP_TLD4, PTX_CLASS_TEXTURE,  PTX_U32, PTX_F32, "dDmoo"},
    {"prefetch.global.L2",     PTX_OP_PREFETCH, PTX_CLASS_PREFETCH, PTX_TYPE_NONE, PTX_TYPE_NONE, "m"},
    {"nanosleep.u32",          PTX_OP_NANOSLEEP, PTX_CLASS_OTHER, PTX_U32, PTX_U32, "s"},
    {"setmaxnreg.inc.sync.aligned.u32", PTX_OP_SETMAXNREG, PTX_CLASS_OTHER, PTX_U32, PTX_U32, "s"},
    {"frobnicate.u32",         PTX_OP_UNKNOWN, PTX_CLASS_OTHER, PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
    {"add.wobble.s32",         PTX_OP_UNKNOWN, PTX_CLASS_OTHER, PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
    {"add.global.s32",         PTX_OP_UNKNOWN, PTX_CLASS_OTHER, PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
    {"bra.sat",                PTX_OP_UNKNOWN, PTX_CLASS_OTHER, PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
    {"add",                    PTX_OP_UNKNOWN, PTX_CLASS_OTHER, PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
    {"mul.s32",                PTX_OP_UNKNOWN, PTX_CLASS_OTHER, PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
    {"setp.f32",               PTX_OP_UNKNOWN, PTX_CLASS_OTHER, PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
    {"cvt.f32",                PTX_OP_UNKNOWN, PTX_CLASS_OTHER, PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
    {"atom.global.u32",        PTX_OP_UNKNOWN, PTX_CLASS_OTHER, PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
    {"ld.global",              PTX_OP_UNKNOWN, PTX_CLASS_OTHER, PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
    {"addx.s32",               PTX_OP_UNKNOWN, PTX_CLASS_OTHER, PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
    {"bar",                    PTX_OP_UNKNOWN, PTX_CLASS_OTHER, PTX_TYPE_NONE, PTX_TYPE_NONE, ""},
};
/* clang-format on */

struct forms {
    struct arena arena;
    struct form_table table;
};

static int forms_setup(void **state) {
    struct forms *forms = calloc(1, sizeof *forms);
    forms->table.arena = &forms->arena;
    *state = forms;
    return 0;
}

static int forms_teardown(void **state) {
    struct forms *forms = *state;
    form_table_free(&forms->table);
    arena_free(&forms->arena);
    free(forms);
    return 0;
}

static const struct ptx_form *decode(void **state, const char *text) {
    struct forms *forms = *state;
    const struct ptx_form *form;
    assert_int_equal(form_get(&forms->table, text, strlen(text), &form), WB_OK);
    return form;
}

static void test_table_of_forms(void **state) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ptx_form *form = decode(state, cases[i].text);
        bool good = form->op == cases[i].op && form->class_ == cases[i].class_ &&
                    form->type == cases[i].type && form->type2 == cases[i].type2 &&
                    strcmp(form->roles, cases[i].roles) == 0 && strcmp(form->text, cases[i].text) == 0;
        if (!good)
            print_error("%s: op %d class %s types .%s .%s roles %s\n", cases[i].text, form->op,
                        ptx_class_name(form->class_), ptx_type_name(form->type), ptx_type_name(form->type2),
                        form->roles);
        assert_true(good);
    }
}

static void test_a_form_is_decoded_once(void **state) {
    struct forms *forms = *state;
    char copy[] = "add.s32";
    assert_ptr_equal(decode(state, "add.s32"), decode(state, copy));
    assert_int_equal(forms->table.forms.count, 1);
}

static void test_modifiers_set_fields(void **state) {
    const struct ptx_form *form = decode(state, "cvt.rzi.ftz.sat.s32.f32");
    assert_int_equal(form->round, PTX_ROUND_RZI);
    assert_true(form->ftz && form->sat && !form->approx);
    form = decode(state, "setp.lo.xor.u32");
    assert_int_equal(form->compare, PTX_CMP_LO);
    assert_int_equal(form->mode, PTX_MODE_XOR);
    assert_int_equal(form->half, PTX_HALF_NONE);
    assert_true(form->dual);
    form = decode(state, "setp.nan.f32");
    assert_int_equal(form->compare, PTX_CMP_NAN);
    assert_int_equal(decode(state, "mul.lo.u32")->half, PTX_HALF_LO);
    assert_int_equal(decode(state, "mul.lo.u32")->compare, PTX_CMP_NONE);
    assert_int_equal(decode(state, "shf.r.clamp.b32")->mode, PTX_MODE_RIGHT_CLAMP);
    assert_int_equal(decode(state, "shf.l.wrap.b32")->mode, PTX_MODE_LEFT_WRAP);
    assert_int_equal(decode(state, "prmt.b32.ecr")->mode, PTX_MODE_ECR);
    assert_int_equal(decode(state, "shfl.sync.bfly.b32")->mode, PTX_MODE_BFLY);
    assert_true(decode(state, "shfl.sync.bfly.b32")->sync);
    assert_int_equal(decode(state, "vote.ballot.b32")->mode, PTX_MODE_BALLOT);
    assert_int_equal(decode(state, "vote.uni.pred")->mode, PTX_MODE_UNI);
    form = decode(state, "bar.red.or.pred");
    assert_int_equal(form->mode, PTX_MODE_RED);
    assert_int_equal(form->mode2, PTX_MODE_OR);
    assert_int_equal(decode(state, "barrier.cta.arrive")->mode, PTX_MODE_ARRIVE);
    assert_int_equal(decode(state, "bar.warp.sync")->mode, PTX_MODE_WARP);
    assert_int_equal(decode(state, "barrier.sync.aligned")->mode, PTX_MODE_SYNC);
    form = decode(state, "madc.hi.cc.u32");
    assert_true(form->carry_in && form->carry_out);
    form = decode(state, "add.cc.u32");
    assert_true(!form->carry_in && form->carry_out);
    form = decode(state, "cp.async.ca.shared.global");
    assert_int_equal(form->space, PTX_SPACE_SHARED);
    assert_int_equal(form->space_from, PTX_SPACE_GLOBAL);
    form = decode(state, "ld.shared::cluster.v2.u32");
    assert_true(form->shared_cluster);
    assert_int_equal(form->vector, 2);
    assert_true(decode(state, "cvta.to.shared.u64")->to);
    assert_true(decode(state, "ld.volatile.global.u32")->is_volatile);
}

/* The form of a row's name with the modifiers that it must have. */
static const struct ptx_form *decode_completed(void **state, const char *name) {
    static const char *const endings[] = {"",         ".b32",        ".lo.s32",   ".eq.s32",    ".add.u32",
                                          ".all.b32", ".idx.b32",    ".wrap.b32", ".b32.b32",   ".l.wrap.b32",
                                          ".global",  ".global.u64", ".any.b32",  ".finite.f32"};
    const struct ptx_form *form = NULL;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        struct forms *forms = *state;
        char text[128];
        (void)snprintf(text, sizeof text, "%s%s", name, endings[i]);
        form = decode(state, arena_string(&forms->arena, text, strlen(text)));
        if (form->op != PTX_OP_UNKNOWN) break;
    }
    return form;
}

/* Every row is reached by its own name, has operands that fit an instruction and known role letters. */
static void test_rows_are_sound(void **state) {
    static const struct {
        const char *name;
        enum ptx_op op;
    } rows[] = {
#define OPCODE(enumerator, name, roles, modifiers, exec, class_int, class_f16, class_f32, class_f64, wait)   \
    {name, PTX_OP_##enumerator},
#define VARIANT(enumerator, name, roles, modifiers, class, wait) {name, PTX_OP_##enumerator},
#include "ptx/opcode_table.h"
#undef OPCODE
#undef VARIANT
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct ptx_form *form = decode_completed(state, rows[i].name);
        assert_int_equal(form->op, rows[i].op);
        assert_true(strlen(form->roles) + 2 <= PTX_OPERANDS_MAX);
        assert_int_equal(strspn(form->roles, "dDxsmlOoL"), strlen(form->roles));
        const char *dual = strchr(form->roles, 'D');
        assert_true(dual == NULL || dual == form->roles + 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_table_of_forms, forms_setup, forms_teardown),
        cmocka_unit_test_setup_teardown(test_a_form_is_decoded_once, forms_setup, forms_teardown),
        cmocka_unit_test_setup_teardown(test_modifiers_set_fields, forms_setup, forms_teardown),
        cmocka_unit_test_setup_teardown(test_rows_are_sound, forms_setup, forms_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
