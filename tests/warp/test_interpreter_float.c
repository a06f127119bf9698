/* Floating-point instructions and conversions: known results at the edges; rounding in software against the
 * processor's. */
#include "run_ptx.h"

#include <fenv.h>

#include "base/containers.h"
#include "warp/alu/lanes.h"

#define ROWS(table) check_rows(table, sizeof table / sizeof *table)

#define INF 0x7f800000
#define NEG_INF 0xff800000
#define ANY_NAN 0x7fc00001
#define DENORMAL 0x00400000
#define F64(value) UINT64_C(value)

static void arithmetic_f32(void **state) {
    (void)state;
    static const struct instruction_row rows[] = {
        {"add.f32 %f9, %f1, %f2;", 'f', 0x3f800000, 0x33800000, 0, 0x3f800000},
        {"add.rp.f32 %f9, %f1, %f2;", 'f', 0x3f800000, 0x33800000, 0, 0x3f800001},
        {"add.rm.f32 %f9, %f1, %f2;", 'f', 0x3f800000, 0x33800000, 0, 0x3f800000},
        {"add.rz.f32 %f9, %f1, %f2;", 'f', 0xbf800000, 0xb3800001, 0, 0xbf800000},
        {"add.rm.f32 %f9, %f1, %f2;", 'f', 0xbf800000, 0xb3800000, 0, 0xbf800001},
        {"add.rn.f32 %f9, %f1, %f2;", 'f', INF, NEG_INF, 0, NAN_F32},
        {"add.f32 %f9, %f1, %f2;", 'f', ANY_NAN, 0, 0, NAN_F32},
        {"sub.f32 %f9, %f1, 0f3F000000;", 'f', 0x3f800000, 0, 0, 0x3f000000},
        {"sub.rm.f32 %f9, %f1, %f1;", 'f', 0x3f800000, 0, 0, 0x80000000},
        {"mul.f32 %f9, %f1, %f2;", 'f', 0x00800000, 0x3f000000, 0, DENORMAL},
        {"mul.ftz.f32 %f9, %f1, %f2;", 'f', 0x00800000, 0xbf000000, 0, 0x80000000},
        {"add.ftz.f32 %f9, %f1, %f2;", 'f', DENORMAL, 0, 0, 0},
        {"mul.rz.f32 %f9, %f1, %f2;", 'f', 0x7f000000, 0x7f000000, 0, 0x7f7fffff},
        {"mul.rn.f32 %f9, %f1, %f2;", 'f', 0x7f000000, 0x7f000000, 0, INF},
        {"add.sat.f32 %f9, %f1, %f2;", 'f', 0x3f400000, 0x3f000000, 0, 0x3f800000},
        {"add.sat.f32 %f9, %f1, %f2;", 'f', 0xbf800000, 0, 0, 0},
        {"add.sat.f32 %f9, %f1, %f2;", 'f', ANY_NAN, 0, 0, 0},
        {"mul.sat.f32 %f9, %f1, %f2;", 'f', 0x80000000, 0x3f800000, 0, 0},
        {"fma.rn.f32 %f9, %f1, %f1, %f2;", 'f', 0x3f800001, 0xbf800002, 0, 0x28800000},
        {"mad.rn.f32 %f9, %f1, %f1, %f2;", 'f', 0x3f800001, 0xbf800002, 0, 0x28800000},
        {"fma.rp.f32 %f9, %f1, %f1, %f2;", 'f', 0x3f800001, 0, 0, 0x3f800003},
        {"fma.rz.f32 %f9, %f1, %f1, %f2;", 'f', 0x3f800001, 0, 0, 0x3f800002},
        {"fma.rn.sat.f32 %f9, %f1, %f2, %f3;", 'f', 0x40000000, 0x40000000, 0, 0x3f800000},
        {"neg.f32 %f9, %f1;", 'f', 0, 0, 0, 0x80000000},
        {"neg.ftz.f32 %f9, %f1;", 'f', DENORMAL, 0, 0, 0x80000000},
        {"abs.f32 %f9, %f1;", 'f', 0xc0000000, 0, 0, 0x40000000},
        {"copysign.f32 %f9, %f1, %f2;", 'f', 0x80000000, 0x3f800000, 0, 0xbf800000},
        {"min.f32 %f9, %f1, %f2;", 'f', ANY_NAN, 0x3f800000, 0, 0x3f800000},
        {"min.NaN.f32 %f9, %f1, %f2;", 'f', ANY_NAN, 0x3f800000, 0, NAN_F32},
        {"max.f32 %f9, %f1, %f2;", 'f', ANY_NAN, ANY_NAN, 0, NAN_F32},
        {"min.f32 %f9, %f1, %f2;", 'f', 0, 0x80000000, 0, 0x80000000},
        {"max.f32 %f9, %f1, %f2;", 'f', 0x80000000, 0, 0, 0},
        {"max.ftz.f32 %f9, %f1, %f2;", 'f', DENORMAL, 0x80000000, 0, 0},
        {"max.xorsign.abs.f32 %f9, %f1, %f2;", 'f', 0xc0400000, 0x40000000, 0, 0xc0400000},
        {"min.f32 %f9, %f1, %f2, %f3;", 'f', 0x40400000, 0x40000000, 0x3f800000, 0x3f800000},
    };
    ROWS(rows);
}

static void special_f32(void **state) {
    (void)state;
    static const struct instruction_row rows[] = {
        {"div.rn.f32 %f9, %f1, %f2;", 'f', 0x3f800000, 0x40400000, 0, 0x3eaaaaab},
        {"div.rz.f32 %f9, %f1, %f2;", 'f', 0x3f800000, 0x40400000, 0, 0x3eaaaaaa},
        {"div.rm.f32 %f9, %f1, %f2;", 'f', 0xbf800000, 0x40400000, 0, 0xbeaaaaab},
        {"div.full.f32 %f9, %f1, %f2;", 'f', 0x40c00000, 0x40000000, 0, 0x40400000},
        {"div.approx.f32 %f9, %f1, %f2;", 'f', 0x40c00000, 0x40000000, 0, 0x40400000},
        {"div.approx.f32 %f9, %f1, %f2;", 'f', 0xbf800000, 0x7f000000, 0, 0x80000000},
        {"div.approx.f32 %f9, %f1, %f2;", 'f', INF, 0x7f000000, 0, NAN_F32},
        {"div.rn.f32 %f9, %f1, %f2;", 'f', 0x3f800000, 0x80000000, 0, NEG_INF},
        {"rcp.rn.f32 %f9, %f1;", 'f', 0x40400000, 0, 0, 0x3eaaaaab},
        {"rcp.rp.f32 %f9, %f1;", 'f', 0xc0400000, 0, 0, 0xbeaaaaaa},
        {"rcp.approx.ftz.f32 %f9, %f1;", 'f', DENORMAL, 0, 0, INF},
        {"sqrt.rn.f32 %f9, %f1;", 'f', 0x40000000, 0, 0, 0x3fb504f3},
        {"sqrt.rp.f32 %f9, %f1;", 'f', 0x40000000, 0, 0, 0x3fb504f4},
        {"sqrt.approx.f32 %f9, %f1;", 'f', 0x41100000, 0, 0, 0x40400000},
        {"sqrt.rn.f32 %f9, %f1;", 'f', 0xbf800000, 0, 0, NAN_F32},
        {"rsqrt.approx.f32 %f9, %f1;", 'f', 0x40800000, 0, 0, 0x3f000000},
        {"rsqrt.approx.f32 %f9, %f1;", 'f', 0, 0, 0, INF},
        {"sin.approx.f32 %f9, %f1;", 'f', 0, 0, 0, 0},
        {"sin.approx.f32 %f9, %f1;", 'f', INF, 0, 0, NAN_F32},
        {"cos.approx.f32 %f9, %f1;", 'f', 0, 0, 0, 0x3f800000},
        {"ex2.approx.f32 %f9, %f1;", 'f', 0x40400000, 0, 0, 0x41000000},
        {"ex2.approx.ftz.f32 %f9, %f1;", 'f', 0xc3010000, 0, 0, 0},
        {"lg2.approx.f32 %f9, %f1;", 'f', 0x41000000, 0, 0, 0x40400000},
        {"lg2.approx.f32 %f9, %f1;", 'f', 0, 0, 0, NEG_INF},
        {"lg2.approx.f32 %f9, %f1;", 'f', 0xbf800000, 0, 0, NAN_F32},
        {"tanh.approx.f32 %f9, %f1;", 'f', 0x42c80000, 0, 0, 0x3f800000},
    };
    ROWS(rows);
}

static void arithmetic_f64(void **state) {
    (void)state;
    static const struct instruction_row rows[] = {
        {"add.f64 %fd9, %fd1, %fd2;", 'g', F64(0x3ff0000000000000), F64(0x3ca0000000000000), 0,
         F64(0x3ff0000000000000)},
        {"add.rp.f64 %fd9, %fd1, %fd2;", 'g', F64(0x3ff0000000000000), F64(0x3ca0000000000000), 0,
         F64(0x3ff0000000000001)},
        {"sub.f64 %fd9, %fd1, 0d3FE0000000000000;", 'g', F64(0x3ff0000000000000), 0, 0,
         F64(0x3fe0000000000000)},
        {"mul.f64 %fd9, %fd1, %fd1;", 'g', F64(0x4008000000000000), 0, 0, F64(0x4022000000000000)},
        {"fma.rn.f64 %fd9, %fd1, %fd1, %fd2;", 'g', F64(0x3ff0000000000001), F64(0xbff0000000000002), 0,
         F64(0x3970000000000000)},
        {"fma.rm.f64 %fd9, %fd1, %fd1, %fd2;", 'g', F64(0x3ff0000000000001), 0, 0, F64(0x3ff0000000000002)},
        {"div.rn.f64 %fd9, %fd1, %fd2;", 'g', 0, 0, 0, NAN_F64},
        {"div.rz.f64 %fd9, %fd1, %fd2;", 'g', F64(0x4000000000000000), F64(0x4008000000000000), 0,
         F64(0x3fe5555555555555)},
        {"rcp.rn.f64 %fd9, %fd1;", 'g', F64(0x4010000000000000), 0, 0, F64(0x3fd0000000000000)},
        {"sqrt.rn.f64 %fd9, %fd1;", 'g', F64(0x4022000000000000), 0, 0, F64(0x4008000000000000)},
        {"neg.f64 %fd9, %fd1;", 'g', F64(0x4008000000000000), 0, 0, F64(0xc008000000000000)},
        {"abs.f64 %fd9, %fd1;", 'g', F64(0xc008000000000000), 0, 0, F64(0x4008000000000000)},
        {"min.f64 %fd9, %fd1, %fd2;", 'g', F64(0x7ff8000000000000), F64(0xc008000000000000), 0,
         F64(0xc008000000000000)},
        {"max.f64 %fd9, %fd1, %fd2;", 'g', F64(0x8000000000000000), 0, 0, 0},
        {"copysign.f64 %fd9, %fd1, %fd2;", 'g', F64(0x8000000000000000), F64(0x3ff0000000000000), 0,
         F64(0xbff0000000000000)},
    };
    ROWS(rows);
}

static void comparisons(void **state) {
    (void)state;
    static const struct instruction_row rows[] = {
        {"setp.lt.f32 %p9, %f1, %f2;", 'p', 0xbf800000, 0, 0, 1},
        {"setp.lt.f32 %p9, %f1, %f2;", 'p', ANY_NAN, 0, 0, 0},
        {"setp.ltu.f32 %p9, %f1, %f2;", 'p', ANY_NAN, 0, 0, 1},
        {"setp.ne.f32 %p9, %f1, %f2;", 'p', ANY_NAN, 0, 0, 0},
        {"setp.neu.f32 %p9, %f1, %f2;", 'p', ANY_NAN, 0, 0, 1},
        {"setp.eq.f32 %p9, %f1, %f2;", 'p', 0x80000000, 0, 0, 1},
        {"setp.equ.f32 %p9, %f1, %f2;", 'p', ANY_NAN, ANY_NAN, 0, 1},
        {"setp.geu.f32 %p9, %f1, %f2;", 'p', 0, 0x3f800000, 0, 0},
        {"setp.gt.f32 %p9, %f1, %f2;", 'p', DENORMAL, 0, 0, 1},
        {"setp.gt.ftz.f32 %p9, %f1, %f2;", 'p', DENORMAL, 0, 0, 0},
        {"setp.num.f32 %p9, %f1, %f2;", 'p', 0, INF, 0, 1},
        {"setp.nan.f64 %p9, %fd1, %fd2;", 'p', F64(0x7ff8000000000000), 0, 0, 1},
        {"setp.le.f64 %p9, %fd1, %fd2;", 'p', F64(0xc008000000000000), 0, 0, 1},
        {"setp.leu.f64 %p9, %fd1, %fd2;", 'p', F64(0x7ff8000000000000), 0, 0, 1},
        {"setp.gtu.f64 %p9, %fd1, %fd2;", 'p', F64(0x3ff0000000000000), 0, 0, 1},
        {"setp.ge.f64 %p9, %fd1, %fd2;", 'p', F64(0x3ff0000000000000), 0, 0, 1},
        {"setp.lt.f16 %p9, %rs1, %rs2;", 'p', 0xbc00, 0x3c00, 0, 1},
        {"setp.gt.bf16 %p9, %rs1, %rs2;", 'p', 0x7fc0, 0x3f80, 0, 0},
        {"set.lt.f32.f32 %f9, %f1, %f2;", 'f', 0xbf800000, 0, 0, 0x3f800000},
        {"testp.finite.f32 %p9, %f1;", 'p', INF, 0, 0, 0},
        {"testp.infinite.f32 %p9, %f1;", 'p', NEG_INF, 0, 0, 1},
        {"testp.number.f32 %p9, %f1;", 'p', ANY_NAN, 0, 0, 0},
        {"testp.notanumber.f64 %p9, %fd1;", 'p', F64(0x7ff8000000000000), 0, 0, 1},
        {"testp.normal.f32 %p9, %f1;", 'p', DENORMAL, 0, 0, 0},
        {"testp.subnormal.f32 %p9, %f1;", 'p', DENORMAL, 0, 0, 1},
    };
    ROWS(rows);
}

static void conversions(void **state) {
    (void)state;
    static const struct instruction_row rows[] = {
        {"cvt.s64.s32 %rd9, %r1;", 'd', 0xffffffff, 0, 0, UINT64_MAX},
        {"cvt.u64.u32 %rd9, %r1;", 'd', 0xffffffff, 0, 0, 0xffffffff},
        {"cvt.u32.u64 %r9, %rd1;", 'r', UINT64_C(0x1234567890), 0, 0, 0x34567890},
        {"cvt.s32.s16 %r9, %rs1;", 'r', 0x8000, 0, 0, 0xffff8000},
        {"cvt.s32.s8 %r9, %r1;", 'r', 0x180, 0, 0, 0xffffff80},
        {"cvt.u16.u32 %rs9, %r1;", 's', 0x12345, 0, 0, 0x2345},
        {"cvt.s16.s8 %rs9, %rs1;", 's', 0xff, 0, 0, 0xffff},
        {"cvt.u32.u8 %r9, %rs1;", 'r', 0x1ff, 0, 0, 0xff},
        {"cvt.sat.u8.s32 %r9, %r1;", 'r', 300, 0, 0, 255},
        {"cvt.sat.u8.s32 %r9, %r1;", 'r', 0xffffffff, 0, 0, 0},
        {"cvt.sat.s8.s32 %r9, %r1;", 'r', 0xffffff00, 0, 0, 0xffffff80},
        {"cvt.sat.s32.u64 %r9, %rd1;", 'r', UINT64_MAX, 0, 0, 0x7fffffff},
        {"cvt.rzi.s32.f32 %r9, %f1;", 'r', 0xbff00000, 0, 0, 0xffffffff},
        {"cvt.rni.s32.f32 %r9, %f1;", 'r', 0x40200000, 0, 0, 2},
        {"cvt.rni.s32.f32 %r9, %f1;", 'r', 0x40600000, 0, 0, 4},
        {"cvt.rmi.s32.f32 %r9, %f1;", 'r', 0xbf000000, 0, 0, 0xffffffff},
        {"cvt.rpi.s32.f32 %r9, %f1;", 'r', 0x3f000000, 0, 0, 1},
        {"cvt.rzi.s32.f32 %r9, %f1;", 'r', 0x4f000000, 0, 0, 0x7fffffff},
        {"cvt.rzi.s32.f32 %r9, %f1;", 'r', NEG_INF, 0, 0, 0x80000000},
        {"cvt.rzi.u32.f32 %r9, %f1;", 'r', 0xbf800000, 0, 0, 0},
        {"cvt.rzi.u32.f32 %r9, %f1;", 'r', INF, 0, 0, 0xffffffff},
        {"cvt.rzi.s32.f32 %r9, %f1;", 'r', ANY_NAN, 0, 0, 0},
        {"cvt.rzi.u64.f32 %rd9, %f1;", 'd', 0x5f800000, 0, 0, UINT64_MAX},
        {"cvt.rzi.s64.f64 %rd9, %fd1;", 'd', F64(0xc3e0000000000000), 0, 0, F64(0x8000000000000000)},
        {"cvt.rzi.u8.f32 %r9, %f1;", 'r', 0x43960000, 0, 0, 255},
        {"cvt.rn.f32.s32 %f9, %r1;", 'f', 0x01000001, 0, 0, 0x4b800000},
        {"cvt.rp.f32.s32 %f9, %r1;", 'f', 0x01000001, 0, 0, 0x4b800001},
        {"cvt.rz.f32.u32 %f9, %r1;", 'f', 0xffffffff, 0, 0, 0x4f7fffff},
        {"cvt.rn.f32.u32 %f9, %r1;", 'f', 0xffffffff, 0, 0, 0x4f800000},
        {"cvt.rm.f32.s32 %f9, %r1;", 'f', 0xfeffffff, 0, 0, 0xcb800001},
        {"cvt.rn.f32.u64 %f9, %rd1;", 'f', F64(0x8000008000000001), 0, 0, 0x5f000001},
        {"cvt.rn.f32.u64 %f9, %rd1;", 'f', F64(0x8000008000000000), 0, 0, 0x5f000000},
        {"cvt.rn.f32.s64 %f9, %rd1;", 'f', UINT64_MAX, 0, 0, 0xbf800000},
        {"cvt.rn.f64.s32 %fd9, %r1;", 'g', 0xffffffff, 0, 0, F64(0xbff0000000000000)},
        {"cvt.rn.f64.u64 %fd9, %rd1;", 'g', UINT64_MAX, 0, 0, F64(0x43f0000000000000)},
        {"cvt.rz.f64.u64 %fd9, %rd1;", 'g', UINT64_MAX, 0, 0, F64(0x43efffffffffffff)},
        {"cvt.f64.f32 %fd9, %f1;", 'g', DENORMAL, 0, 0, F64(0x3800000000000000)},
        {"cvt.rn.f32.f64 %f9, %fd1;", 'f', F64(0x3ff0000010000000), 0, 0, 0x3f800000},
        {"cvt.rp.f32.f64 %f9, %fd1;", 'f', F64(0x3ff0000010000000), 0, 0, 0x3f800001},
        {"cvt.rz.f32.f64 %f9, %fd1;", 'f', F64(0x7fefffffffffffff), 0, 0, 0x7f7fffff},
        {"cvt.rn.f32.f64 %f9, %fd1;", 'f', F64(0x7ff8000000000000), 0, 0, NAN_F32},
        {"cvt.sat.f32.f32 %f9, %f1;", 'f', 0x40000000, 0, 0, 0x3f800000},
        {"cvt.rmi.f32.f32 %f9, %f1;", 'f', 0xbf000000, 0, 0, 0xbf800000},
        {"cvt.rni.f32.f32 %f9, %f1;", 'f', 0xbe800000, 0, 0, 0x80000000},
        {"cvt.rpi.f64.f64 %fd9, %fd1;", 'g', F64(0x3fe0000000000000), 0, 0, F64(0x3ff0000000000000)},
        {"cvt.ftz.f64.f32 %fd9, %f1;", 'g', DENORMAL, 0, 0, 0},
        {"cvt.f32.f16 %f9, %rs1;", 'f', 0x3c00, 0, 0, 0x3f800000},
        {"cvt.f32.f16 %f9, %rs1;", 'f', 0x0001, 0, 0, 0x33800000},
        {"cvt.f32.f16 %f9, %rs1;", 'f', 0xfc00, 0, 0, NEG_INF},
        {"cvt.rn.f16.f32 %rs9, %f1;", 's', 0x3f801000, 0, 0, 0x3c00},
        {"cvt.rn.f16.f32 %rs9, %f1;", 's', 0x3f803000, 0, 0, 0x3c02},
        {"cvt.rz.f16.f32 %rs9, %f1;", 's', 0x477fffff, 0, 0, 0x7bff},
        {"cvt.rn.f16.f32 %rs9, %f1;", 's', 0x477fffff, 0, 0, 0x7c00},
        {"cvt.rn.f16.f32 %rs9, %f1;", 's', 0x33000001, 0, 0, 1},
        {"cvt.rn.f16.f32 %rs9, %f1;", 's', 0x33000000, 0, 0, 0},
        {"cvt.rn.f16.f32 %rs9, %f1;", 's', ANY_NAN, 0, 0, 0x7fff},
        {"cvt.rn.bf16.f32 %rs9, %f1;", 's', 0x3f808000, 0, 0, 0x3f80},
        {"cvt.rn.bf16.f32 %rs9, %f1;", 's', 0x3f818000, 0, 0, 0x3f82},
        {"cvt.rn.f16x2.f32 %r9, %f1, %f2;", 'r', 0x3f800000, 0x40000000, 0, 0x3c004000},
        {"cvt.rn.bf16x2.f32 %r9, %f1, %f2;", 'r', 0x3f800000, 0x40000000, 0, 0x3f804000},
        {"cvt.rn.relu.f16.f32 %rs9, %f1;", 's', 0xbf800000, 0, 0, 0},
        {"cvt.rna.tf32.f32 %r9, %f1;", 'r', 0x3f801000, 0, 0, 0x3f802000},
        {"cvt.rn.f16.s32 %rs9, %r1;", 's', 2049, 0, 0, 0x6800},
        {"cvt.rzi.s32.f16 %r9, %rs1;", 'r', 0xc100, 0, 0, 0xfffffffe},
        {"cvt.pack.sat.s16.s32 %r9, %r1, %r2;", 'r', 0x12345, 0xffff0000, 0, 0x7fff8000},
        {"cvt.pack.sat.u8.s32.b32 %r9, %r1, %r2, %r3;", 'r', 300, 5, 0x1234, 0x1234ff05},
    };
    ROWS(rows);
}

static void halves(void **state) {
    (void)state;
    static const struct instruction_row rows[] = {
        {"add.f16 %rs9, %rs1, %rs2;", 's', 0x3c00, 0x3c00, 0, 0x4000},
        {"add.rn.f16 %rs9, %rs1, %rs2;", 's', 0x3c00, 0x1000, 0, 0x3c00},
        {"add.rn.f16 %rs9, %rs1, %rs2;", 's', 0x3c01, 0x1000, 0, 0x3c02},
        {"sub.f16 %rs9, %rs1, %rs1;", 's', 0x7c00, 0, 0, 0x7fff},
        {"mul.f16 %rs9, %rs1, %rs2;", 's', 0x7bff, 0x4000, 0, 0x7c00},
        {"mul.f16 %rs9, %rs1, %rs2;", 's', 0x0400, 0x3800, 0, 0x0200},
        {"mul.ftz.f16 %rs9, %rs1, %rs2;", 's', 0x0400, 0x3800, 0, 0},
        {"fma.rn.f16 %rs9, %rs1, %rs2, %rs3;", 's', 0x3c01, 0x3c01, 0xbc02, 0x0010},
        {"fma.rn.relu.f16 %rs9, %rs1, %rs2, %rs3;", 's', 0x3c00, 0x3c00, 0xc000, 0},
        {"fma.rn.f16x2 %r9, %r1, %r2, %r3;", 'r', 0x40003c00, 0x40004000, 0x3c003c00, 0x45004200},
        {"add.f16x2 %r9, %r1, %r2;", 'r', 0x3c004000, 0x3c003c00, 0, 0x40004200},
        {"neg.f16x2 %r9, %r1;", 'r', 0x3c00bc00, 0, 0, 0xbc003c00},
        {"abs.bf16 %rs9, %rs1;", 's', 0xbf80, 0, 0, 0x3f80},
        {"max.f16 %rs9, %rs1, %rs2;", 's', 0x7e00, 0x3c00, 0, 0x3c00},
        {"min.NaN.bf16 %rs9, %rs1, %rs2;", 's', 0x7fc0, 0x3f80, 0, 0x7fff},
        {"fma.rn.bf16 %rs9, %rs1, %rs2, %rs3;", 's', 0x3f81, 0x3f81, 0xbf82, 0x3880},
        {"fma.rn.bf16 %rs9, %rs1, %rs2, %rs3;", 's', 0x7f00, 0x3f80, 0x3f80, 0x7f00},
        {"ex2.approx.f16 %rs9, %rs1;", 's', 0x4200, 0, 0, 0x4800},
        {"tanh.approx.f16 %rs9, %rs1;", 's', 0, 0, 0, 0},
    };
    ROWS(rows);
}

/* Rounding in software is rounding by the processor. */
static void software_rounding_is_that_of_the_processor(void **state) {
    (void)state;
    static const struct {
        uint8_t round;
        int mode;
    } modes[] = {{PTX_ROUND_RN, FE_TONEAREST},
                 {PTX_ROUND_RZ, FE_TOWARDZERO},
                 {PTX_ROUND_RM, FE_DOWNWARD},
                 {PTX_ROUND_RP, FE_UPWARD}};
    struct random_state random = random_seeded(1);
    for (uint32_t i = 0; i < 200000; i++) {
        uint64_t bits = random_next(&random);
        if (i % 4 != 0) /* near the range of f32, and near ties */
            bits = (bits & ~(UINT64_C(0x7ff) << 52)) | (uint64_t)(860 + random_below(&random, 330)) << 52;
        if (i % 8 == 1) bits &= ~UINT64_C(0xfffffff);
        volatile double value = double_of(bits);
        volatile int64_t number = (int64_t)bits; /* volatile: converted in the mode that is set */
        if (value != value) continue;
        for (size_t m = 0; m < 4; m++) {
            fesetround(modes[m].mode);
            volatile float expected = (float)value;
            volatile double whole = (double)number;
            fesetround(FE_TONEAREST);
            assert_int_equal(float_format_encode(float_format_of(PTX_F32), value, modes[m].round),
                             float_bits(expected));
            bool negative = (int64_t)bits < 0;
            uint64_t magnitude = negative ? 0 - bits : bits;
            assert_int_equal(
                float_format_round(float_format_of(PTX_F64), negative, magnitude, 0, modes[m].round),
                double_bits(whole));
        }
    }
}

/* Every pattern of a 16-bit format has a value that becomes the pattern again. */
static void every_half_is_read_as_it_is_written(void **state) {
    (void)state;
    static const uint8_t types[] = {PTX_F16, PTX_BF16};
    for (size_t t = 0; t < 2; t++) {
        const struct float_format *format = float_format_of(types[t]);
        for (uint32_t bits = 0; bits < 0x10000; bits++) {
            double value = float_format_decode(format, bits);
            uint64_t expected = value != value ? 0x7fff : bits;
            for (uint8_t round = PTX_ROUND_RN; round <= PTX_ROUND_RP; round++)
                assert_int_equal(float_format_encode(format, value, round), expected);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic_f32),
        cmocka_unit_test(special_f32),
        cmocka_unit_test(arithmetic_f64),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(conversions),
        cmocka_unit_test(halves),
        cmocka_unit_test(software_rounding_is_that_of_the_processor),
        cmocka_unit_test(every_half_is_read_as_it_is_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
