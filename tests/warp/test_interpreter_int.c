/* Integer instructions: known results at the edges, and random programs against C. */
#include "run_ptx.h"

#include "base/containers.h"

#define ROWS(table) check_rows(table, sizeof table / sizeof *table)

static void arithmetic(void **state) {
    (void)state;
    static const struct instruction_row rows[] = {
        {"add.s32 %r9, %r1, %r2;", 'r', 0x7fffffff, 1, 0, 0x80000000},
        {"add.u32 %r9, %r1, %r2;", 'r', 0xffffffff, 1, 0, 0},
        {"add.sat.s32 %r9, %r1, %r2;", 'r', 0x7fffffff, 1, 0, 0x7fffffff},
        {"add.sat.s32 %r9, %r1, %r2;", 'r', 0x80000000, 0xffffffff, 0, 0x80000000},
        {"sub.sat.s32 %r9, %r1, %r2;", 'r', 0x80000000, 1, 0, 0x80000000},
        {"add.u16 %rs9, %rs1, %rs2;", 's', 0xffff, 2, 0, 1},
        {"add.s64 %rd9, %rd1, %rd2;", 'd', UINT64_MAX, 2, 0, 1},
        {"add.u16x2 %r9, %r1, %r2;", 'r', 0xffff0001, 0x00010002, 0, 0x00000003},
        {"sub.s16 %rs9, %rs1, %rs2;", 's', 0, 1, 0, 0xffff},
        {"sub.u64 %rd9, %rd1, -1;", 'd', 1, 0, 0, 2},
        {"add.s32 %r9, %r1, -5;", 'r', 3, 0, 0, 0xfffffffe},
        {"neg.s32 %r9, %r1;", 'r', 0x80000000, 0, 0, 0x80000000},
        {"neg.s16 %rs9, %rs1;", 's', 1, 0, 0, 0xffff},
        {"neg.s64 %rd9, %rd1;", 'd', 5, 0, 0, (uint64_t)-5},
        {"abs.s32 %r9, %r1;", 'r', 0xfffffff6, 0, 0, 10},
        {"abs.s32 %r9, %r1;", 'r', 0x80000000, 0, 0, 0x80000000},
        {"abs.s64 %rd9, %rd1;", 'd', (uint64_t)-7, 0, 0, 7},
        {"abs.s16 %rs9, %rs1;", 's', 0xfffe, 0, 0, 2},
        {"min.s32 %r9, %r1, %r2;", 'r', 0xffffffff, 1, 0, 0xffffffff},
        {"min.u32 %r9, %r1, %r2;", 'r', 0xffffffff, 1, 0, 1},
        {"max.s16 %rs9, %rs1, %rs2;", 's', 0x8000, 0xffff, 0, 0xffff},
        {"max.u64 %rd9, %rd1, %rd2;", 'd', UINT64_MAX, 3, 0, UINT64_MAX},
        {"max.s64 %rd9, %rd1, %rd2;", 'd', UINT64_MAX, 3, 0, 3},
        {"max.s16x2 %r9, %r1, %r2;", 'r', 0xffff0005, 0x00010002, 0, 0x00010005},
        {"sad.u32 %r9, %r1, %r2, %r3;", 'r', 3, 10, 100, 107},
        {"sad.s32 %r9, %r1, %r2, %r3;", 'r', 0xfffffffd, 4, 1, 8},
        {"sad.s32 %r9, %r1, %r2, %r3;", 'r', 0x80000000, 0x7fffffff, 0, 0xffffffff},
    };
    ROWS(rows);
}

static void products(void **state) {
    (void)state;
    static const struct instruction_row rows[] = {
        {"mul.lo.s32 %r9, %r1, %r2;", 'r', 0x10001, 0x10001, 0, 0x20001},
        {"mul.hi.u32 %r9, %r1, %r2;", 'r', 0xffffffff, 0xffffffff, 0, 0xfffffffe},
        {"mul.hi.s32 %r9, %r1, %r2;", 'r', 0xffffffff, 2, 0, 0xffffffff},
        {"mul.wide.u32 %rd9, %r1, %r2;", 'd', 0xffffffff, 0xffffffff, 0, 0xfffffffe00000001},
        {"mul.wide.s32 %rd9, %r1, %r2;", 'd', 0xffffffff, 3, 0, (uint64_t)-3},
        {"mul.wide.s16 %r9, %rs1, %rs2;", 'r', 0xffff, 3, 0, 0xfffffffd},
        {"mul.wide.u16 %r9, %rs1, %rs2;", 'r', 0xffff, 0xffff, 0, 0xfffe0001},
        {"mul.hi.u16 %rs9, %rs1, %rs2;", 's', 0xffff, 0xffff, 0, 0xfffe},
        {"mul.hi.s16 %rs9, %rs1, %rs2;", 's', 0xffff, 2, 0, 0xffff},
        {"mul.lo.u16 %rs9, %rs1, %rs2;", 's', 0xffff, 0xffff, 0, 1},
        {"mul.hi.u64 %rd9, %rd1, %rd2;", 'd', UINT64_MAX, UINT64_MAX, 0, UINT64_MAX - 1},
        {"mul.hi.s64 %rd9, %rd1, %rd2;", 'd', UINT64_MAX, 2, 0, UINT64_MAX},
        {"mul.lo.u64 %rd9, %rd1, %rd2;", 'd', UINT64_MAX, 3, 0, (uint64_t)-3},
        {"mad.lo.s32 %r9, %r1, %r2, %r3;", 'r', 0xffffffff, 5, 7, 2},
        {"mad.hi.s32 %r9, %r1, %r2, %r3;", 'r', 0x80000000, 4, 1, 0xffffffff},
        {"mad.hi.sat.s32 %r9, %r1, %r2, %r3;", 'r', 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff},
        {"mad.wide.u32 %rd9, %r1, %r2, %rd3;", 'd', 0xffffffff, 2, UINT64_C(0x100000000), 0x2fffffffe},
        {"mad.wide.s32 %rd9, %r1, %r2, -1;", 'd', 0xffffffff, 2, 0, (uint64_t)-3},
        {"mad.wide.s16 %r9, %rs1, %rs2, %r3;", 'r', 0xfffe, 3, 10, 4},
        {"mad.lo.s64 %rd9, %rd1, %rd2, %rd3;", 'd', 3, (uint64_t)-4, 2, (uint64_t)-10},
        {"mad.hi.u64 %rd9, %rd1, %rd2, %rd3;", 'd', UINT64_MAX, 2, 5, 6},
        {"mul24.lo.u32 %r9, %r1, %r2;", 'r', 0x01ffffff, 2, 0, 0x01fffffe},
        {"mul24.lo.s32 %r9, %r1, %r2;", 'r', 0x00ffffff, 2, 0, 0xfffffffe},
        {"mul24.hi.u32 %r9, %r1, %r2;", 'r', 0xffffff, 0xffffff, 0, 0xfffffe00},
        {"mad24.lo.s32 %r9, %r1, %r2, %r3;", 'r', 0x00ffffff, 2, 5, 3},
        {"dp4a.u32.u32 %r9, %r1, %r2, %r3;", 'r', 0x01020304, 0x05060708, 1, 71},
        {"dp4a.s32.s32 %r9, %r1, %r2, %r3;", 'r', 0xff02ff04, 0x01010101, 0, 4},
        {"dp2a.lo.u32.u32 %r9, %r1, %r2, %r3;", 'r', 0x00020003, 0x04050607, 1, 34},
        {"dp2a.hi.s32.u32 %r9, %r1, %r2, %r3;", 'r', 0xffff0003, 0x04050607, 0, 11},
    };
    ROWS(rows);
}

static void division(void **state) {
    (void)state;
    static const struct instruction_row rows[] = {
        {"div.s32 %r9, %r1, %r2;", 'r', 0xfffffff9, 2, 0, 0xfffffffd},
        {"div.u32 %r9, %r1, %r2;", 'r', 7, 0, 0, 0xffffffff},
        {"div.s32 %r9, %r1, %r2;", 'r', 7, 0, 0, 0xffffffff},
        {"div.s32 %r9, %r1, %r2;", 'r', 0x80000000, 0xffffffff, 0, 0x80000000},
        {"div.s16 %rs9, %rs1, %rs2;", 's', 0x8000, 0xffff, 0, 0x8000},
        {"div.u16 %rs9, %rs1, %rs2;", 's', 9, 0, 0, 0xffff},
        {"div.u64 %rd9, %rd1, %rd2;", 'd', UINT64_MAX, 0, 0, UINT64_MAX},
        {"div.s64 %rd9, %rd1, %rd2;", 'd', UINT64_C(1) << 63, UINT64_MAX, 0, UINT64_C(1) << 63},
        {"div.s64 %rd9, %rd1, %rd2;", 'd', (uint64_t)-9, 2, 0, (uint64_t)-4},
        {"rem.s32 %r9, %r1, %r2;", 'r', 0xfffffff9, 2, 0, 0xffffffff},
        {"rem.s32 %r9, %r1, %r2;", 'r', 0x80000000, 0xffffffff, 0, 0},
        {"rem.u32 %r9, %r1, %r2;", 'r', 7, 0, 0, 7},
        {"rem.s64 %rd9, %rd1, %rd2;", 'd', UINT64_C(1) << 63, UINT64_MAX, 0, 0},
        {"rem.u64 %rd9, %rd1, %rd2;", 'd', 17, 5, 0, 2},
    };
    ROWS(rows);
}

static void carries(void **state) {
    (void)state;
    static const struct instruction_row rows[] = {
        {"add.cc.u32 %r8, %r1, %r2; addc.u32 %r9, %r3, 0;", 'r', 0xffffffff, 1, 5, 6},
        {"add.cc.u32 %r8, %r1, %r2; addc.u32 %r9, %r3, 0;", 'r', 0xfffffffe, 1, 5, 5},
        {"add.cc.u64 %rd8, %rd1, %rd2; addc.u64 %rd9, %rd3, 0;", 'd', UINT64_MAX, 1, 5, 6},
        {"add.cc.u32 %r8, %r1, %r2; addc.cc.u32 %r8, %r1, %r2; addc.u32 %r9, 0, 0;", 'r', 0xffffffff,
         0xffffffff, 0, 1},
        {"sub.cc.u32 %r8, %r1, %r2; subc.u32 %r9, %r3, 0;", 'r', 1, 2, 5, 4},
        {"sub.cc.u32 %r8, %r1, %r2; subc.u32 %r9, %r3, 0;", 'r', 2, 1, 5, 5},
        {"mad.lo.cc.u32 %r8, %r1, %r2, %r3; madc.hi.u32 %r9, %r1, %r2, 0;", 'r', 0xffffffff, 0xffffffff,
         0xffffffff, 0xffffffff},
        {"mad.lo.cc.u32 %r8, %r1, %r2, %r3; addc.u32 %r9, 0, 0;", 'r', 3, 4, 0xfffffff4, 1},
        {"mad.lo.cc.s32 %r8, %r1, %r2, %r3; madc.hi.s32 %r9, %r1, %r2, 0;", 'r', 0xffffffff, 2, 2, 0},
    };
    ROWS(rows);
}

static void logic(void **state) {
    (void)state;
    static const struct instruction_row rows[] = {
        {"and.b32 %r9, %r1, %r2;", 'r', 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
        {"or.b16 %rs9, %rs1, -2;", 's', 1, 0, 0, 0xffff},
        {"xor.b64 %rd9, %rd1, %rd2;", 'd', UINT64_MAX, 1, 0, UINT64_MAX - 1},
        {"not.b32 %r9, %r1;", 'r', 0, 0, 0, 0xffffffff},
        {"not.b16 %rs9, %rs1;", 's', 0xff, 0, 0, 0xff00},
        {"not.b64 %rd9, %rd1;", 'd', 0, 0, 0, UINT64_MAX},
        {"cnot.b32 %r9, %r1;", 'r', 0, 0, 0, 1},
        {"cnot.b32 %r9, %r1;", 'r', 2, 0, 0, 0},
        {"lop3.b32 %r9, %r1, %r2, %r3, 0x80;", 'r', 0xff, 0xf0, 0x3c, 0x30},
        {"lop3.b32 %r9, %r1, %r2, %r3, 0x96;", 'r', 0xff, 0xf0, 0x3c, 0x33},
        {"lop3.b32 %r9, %r1, %r2, %r3, 0x01;", 'r', 0xff, 0xf0, 0x3c, 0xffffff00},
        {"shl.b32 %r9, %r1, %r2;", 'r', 1, 31, 0, 0x80000000},
        {"shl.b32 %r9, %r1, %r2;", 'r', 1, 32, 0, 0},
        {"shl.b32 %r9, %r1, %r2;", 'r', 1, 0xffffffff, 0, 0},
        {"shl.b64 %rd9, %rd1, %r2;", 'd', 1, 63, 0, UINT64_C(1) << 63},
        {"shl.b64 %rd9, %rd1, %r2;", 'd', 1, 64, 0, 0},
        {"shl.b16 %rs9, %rs1, %r2;", 's', 0xffff, 4, 0, 0xfff0},
        {"shl.b16 %rs9, %rs1, %r2;", 's', 0xffff, 16, 0, 0},
        {"shr.u32 %r9, %r1, %r2;", 'r', 0x80000000, 31, 0, 1},
        {"shr.u32 %r9, %r1, %r2;", 'r', 0x80000000, 32, 0, 0},
        {"shr.s32 %r9, %r1, %r2;", 'r', 0x80000000, 31, 0, 0xffffffff},
        {"shr.s32 %r9, %r1, %r2;", 'r', 0x80000000, 100, 0, 0xffffffff},
        {"shr.b32 %r9, %r1, %r2;", 'r', 0x80000000, 4, 0, 0x08000000},
        {"shr.s16 %rs9, %rs1, %r2;", 's', 0x8000, 200, 0, 0xffff},
        {"shr.u16 %rs9, %rs1, %r2;", 's', 0x8000, 16, 0, 0},
        {"shr.s64 %rd9, %rd1, %r2;", 'd', UINT64_C(1) << 63, 64, 0, UINT64_MAX},
        {"shr.u64 %rd9, %rd1, %r2;", 'd', UINT64_C(1) << 63, 64, 0, 0},
        {"shr.u64 %rd9, %rd1, 63;", 'd', UINT64_C(1) << 63, 0, 0, 1},
        {"shf.l.wrap.b32 %r9, %r1, %r2, %r3;", 'r', 0x80000000, 1, 33, 3},
        {"shf.l.clamp.b32 %r9, %r1, %r2, %r3;", 'r', 0x80000001, 1, 40, 0x80000001},
        {"shf.r.wrap.b32 %r9, %r1, %r2, %r3;", 'r', 0x10, 3, 4, 0x30000001},
        {"shf.r.clamp.b32 %r9, %r1, %r2, %r3;", 'r', 0x10, 3, 32, 3},
    };
    ROWS(rows);
}

static void bit_fields(void **state) {
    (void)state;
    static const struct instruction_row rows[] = {
        {"popc.b32 %r9, %r1;", 'r', 0xf0f0, 0, 0, 8},
        {"popc.b64 %r9, %rd1;", 'r', UINT64_MAX, 0, 0, 64},
        {"clz.b32 %r9, %r1;", 'r', 0, 0, 0, 32},
        {"clz.b32 %r9, %r1;", 'r', 0x00010000, 0, 0, 15},
        {"clz.b64 %r9, %rd1;", 'r', 0, 0, 0, 64},
        {"clz.b64 %r9, %rd1;", 'r', 1, 0, 0, 63},
        {"brev.b32 %r9, %r1;", 'r', 0x00000013, 0, 0, 0xc8000000},
        {"brev.b64 %rd9, %rd1;", 'd', 3, 0, 0, UINT64_C(0xc000000000000000)},
        {"bfind.u32 %r9, %r1;", 'r', 0, 0, 0, 0xffffffff},
        {"bfind.u32 %r9, %r1;", 'r', 0x00012345, 0, 0, 16},
        {"bfind.s32 %r9, %r1;", 'r', 0xffffffff, 0, 0, 0xffffffff},
        {"bfind.s32 %r9, %r1;", 'r', 0xfffffff0, 0, 0, 3},
        {"bfind.shiftamt.u32 %r9, %r1;", 'r', 0x00010000, 0, 0, 15},
        {"bfind.u64 %r9, %rd1;", 'r', UINT64_C(1) << 40, 0, 0, 40},
        {"bfe.u32 %r9, %r1, %r2, %r3;", 'r', 0x12345678, 8, 8, 0x56},
        {"bfe.s32 %r9, %r1, %r2, %r3;", 'r', 0x0000f000, 12, 4, 0xffffffff},
        {"bfe.s32 %r9, %r1, %r2, %r3;", 'r', 0x80000000, 28, 16, 0xfffffff8},
        {"bfe.u32 %r9, %r1, %r2, %r3;", 'r', 0x80000000, 28, 16, 8},
        {"bfe.s32 %r9, %r1, %r2, %r3;", 'r', 0x80000000, 40, 4, 0xffffffff},
        {"bfe.s32 %r9, %r1, %r2, 0;", 'r', 0xffffffff, 0, 0, 0},
        {"bfe.u64 %rd9, %rd1, 32, 32;", 'd', UINT64_C(0x123456789abcdef0), 0, 0, 0x12345678},
        {"bfe.s64 %rd9, %rd1, 60, 4;", 'd', UINT64_C(0x923456789abcdef0), 0, 0, (uint64_t)-7},
        {"bfi.b32 %r9, %r1, %r2, 8, 4;", 'r', 0xff, 0, 0, 0xf00},
        {"bfi.b32 %r9, %r1, %r2, 28, 16;", 'r', 0xff, 0x1234, 0, 0xf0001234},
        {"bfi.b32 %r9, %r1, %r2, 40, 4;", 'r', 0xff, 0x1234, 0, 0x1234},
        {"bfi.b64 %rd9, %rd1, %rd2, 60, 255;", 'd', 0xf3, 7, 0, UINT64_C(0x3000000000000007)},
        {"szext.wrap.u32 %r9, %r1, %r2;", 'r', 0xffff, 36, 0, 15},
        {"szext.clamp.s32 %r9, %r1, %r2;", 'r', 8, 4, 0, 0xfffffff8},
        {"szext.clamp.s32 %r9, %r1, %r2;", 'r', 0x80000000, 99, 0, 0x80000000},
        {"bmsk.clamp.b32 %r9, %r1, %r2;", 'r', 4, 8, 0, 0xff0},
        {"bmsk.clamp.b32 %r9, %r1, %r2;", 'r', 32, 8, 0, 0},
        {"bmsk.wrap.b32 %r9, %r1, %r2;", 'r', 36, 33, 0, 0x10},
        {"fns.b32 %r9, %r1, 0, 2;", 'r', 0x16, 0, 0, 2},
        {"fns.b32 %r9, %r1, 4, -2;", 'r', 0x16, 0, 0, 2},
        {"fns.b32 %r9, %r1, 3, 0;", 'r', 0x16, 0, 0, 0xffffffff},
        {"prmt.b32 %r9, %r1, %r2, 0x5410;", 'r', 0x33221100, 0x77665544, 0, 0x55441100},
        {"prmt.b32 %r9, %r1, %r2, 0x000b;", 'r', 0x80000012, 0, 0, 0x121212ff},
        {"prmt.b32.f4e %r9, %r1, %r2, 1;", 'r', 0x33221100, 0x77665544, 0, 0x44332211},
        {"prmt.b32.b4e %r9, %r1, %r2, 0;", 'r', 0x33221100, 0x77665544, 0, 0x55667700},
        {"prmt.b32.rc8 %r9, %r1, %r2, 2;", 'r', 0x33221100, 0x77665544, 0, 0x22222222},
        {"prmt.b32.ecl %r9, %r1, %r2, 2;", 'r', 0x33221100, 0x77665544, 0, 0x33222222},
        {"prmt.b32.ecr %r9, %r1, %r2, 2;", 'r', 0x33221100, 0x77665544, 0, 0x22221100},
        {"prmt.b32.rc16 %r9, %r1, %r2, 1;", 'r', 0x33221100, 0x77665544, 0, 0x33223322},
    };
    ROWS(rows);
}

static void comparison_and_selection(void **state) {
    (void)state;
    static const struct instruction_row rows[] = {
        {"setp.lt.s32 %p9, %r1, %r2;", 'p', 0xffffffff, 0, 0, 1},
        {"setp.lt.u32 %p9, %r1, %r2;", 'p', 0xffffffff, 0, 0, 0},
        {"setp.lo.u32 %p9, %r1, %r2;", 'p', 1, 2, 0, 1},
        {"setp.hs.u32 %p9, %r1, %r2;", 'p', 2, 2, 0, 1},
        {"setp.hi.u16 %p9, %rs1, %rs2;", 'p', 0x8000, 2, 0, 1},
        {"setp.gt.s16 %p9, %rs1, %rs2;", 'p', 0x8000, 2, 0, 0},
        {"setp.ge.s64 %p9, %rd1, %rd2;", 'p', UINT64_MAX, UINT64_MAX, 0, 1},
        {"setp.eq.b32 %p9, %r1, -1;", 'p', 0xffffffff, 0, 0, 1},
        {"setp.ne.b64 %p9, %rd1, %rd2;", 'p', UINT64_C(1) << 40, 0, 0, 1},
        {"setp.lt.and.s32 %p9, %r1, %r2, %p3;", 'p', 1, 2, 0, 0},
        {"setp.lt.and.s32 %p9, %r1, %r2, !%p3;", 'p', 1, 2, 0, 1},
        {"setp.lt.or.s32 %p9, %r1, %r2, %p3;", 'p', 3, 2, 1, 1},
        {"setp.lt.xor.s32 %p9, %r1, %r2, %p3;", 'p', 1, 2, 1, 0},
        {"setp.lt.s32 %p8|%p9, %r1, %r2;", 'p', 1, 2, 0, 0},
        {"setp.lt.and.s32 %p8|%p9, %r1, %r2, %p3;", 'p', 3, 2, 1, 1},
        {"set.lt.u32.s32 %r9, %r1, %r2;", 'r', 0xffffffff, 0, 0, 0xffffffff},
        {"set.lt.f32.s32 %f9, %r1, %r2;", 'f', 0xffffffff, 0, 0, 0x3f800000},
        {"set.gt.u32.s32 %r9, %r1, %r2;", 'r', 0xffffffff, 0, 0, 0},
        {"selp.b32 %r9, %r1, %r2, %p3;", 'r', 11, 22, 1, 11},
        {"selp.b64 %rd9, %rd1, %rd2, %p3;", 'd', 11, 22, 0, 22},
        {"slct.b32.s32 %r9, %r1, %r2, %r3;", 'r', 11, 22, 0x80000000, 22},
        {"slct.b64.f32 %rd9, %rd1, %rd2, %f3;", 'd', 11, 22, 0x80000000, 11},
        {"slct.b64.f32 %rd9, %rd1, %rd2, %f3;", 'd', 11, 22, 0x7fc00000, 22},
        {"and.pred %p9, %p1, %p2;", 'p', 1, 0, 0, 0},
        {"or.pred %p9, %p1, %p2;", 'p', 1, 0, 0, 1},
        {"xor.pred %p9, %p1, %p2;", 'p', 1, 1, 0, 0},
        {"not.pred %p9, %p1;", 'p', 0, 0, 0, 1},
        {"mov.pred %p9, -1;", 'p', 0, 0, 0, 1},
        {"mov.pred %p9, 0;", 'p', 0, 0, 0, 0},
        {"mov.b32 %r9, {%rs1, %rs2};", 'r', 0x1234, 0x5678, 0, 0x56781234},
        {"mov.b64 {%r8, %r9}, %rd1;", 'r', UINT64_C(0x1122334455667788), 0, 0, 0x11223344},
        {"mov.b64 {%rs7, %rs8, %rs9, %rs10}, %rd1;", 's', UINT64_C(0x1122334455667788), 0, 0, 0x3344},
        {"mov.u16 %rs9, %ntid.x;", 's', 0, 0, 0, 32},
    };
    ROWS(rows);
}

/* Random straight-line programs on eight registers of one width, against the same in C. */
enum { REGISTERS = 8, STEPS = 40 };

struct step {
    const char *name;
    uint32_t (*compute)(uint32_t a, uint32_t b);
};

static uint32_t do_add(uint32_t a, uint32_t b) {
    return a + b;
}
static uint32_t do_sub(uint32_t a, uint32_t b) {
    return a - b;
}
static uint32_t do_mul(uint32_t a, uint32_t b) {
    return a * b;
}
static uint32_t do_and(uint32_t a, uint32_t b) {
    return a & b;
}
static uint32_t do_or(uint32_t a, uint32_t b) {
    return a | b;
}
static uint32_t do_xor(uint32_t a, uint32_t b) {
    return a ^ b;
}
static uint32_t do_shl(uint32_t a, uint32_t b) {
    return b > 31 ? 0 : a << b;
}
static uint32_t do_shr(uint32_t a, uint32_t b) {
    return b > 31 ? 0 : a >> b;
}
static uint32_t do_sar(uint32_t a, uint32_t b) {
    uint32_t amount = b > 31 ? 31 : b, sign = a >> 31 == 0 ? 0 : UINT32_MAX;
    return a >> amount | (amount == 0 ? 0 : sign << (32 - amount));
}
static uint32_t do_min(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}
static uint32_t do_max(uint32_t a, uint32_t b) {
    return (a ^ 0x80000000) > (b ^ 0x80000000) ? a : b;
}
static uint32_t do_hi(uint32_t a, uint32_t b) {
    return (uint32_t)((uint64_t)a * b >> 32);
}
static uint32_t do_div(uint32_t a, uint32_t b) {
    return b == 0 ? UINT32_MAX : a / b;
}
static uint32_t do_rem(uint32_t a, uint32_t b) {
    return b == 0 ? a : a % b;
}

static const struct step steps[] = {
    {"add.u32", do_add}, {"sub.u32", do_sub}, {"mul.lo.u32", do_mul}, {"and.b32", do_and},
    {"or.b32", do_or},   {"xor.b32", do_xor}, {"shl.b32", do_shl},    {"shr.u32", do_shr},
    {"shr.s32", do_sar}, {"min.u32", do_min}, {"max.s32", do_max},    {"mul.hi.u32", do_hi},
    {"div.u32", do_div}, {"rem.u32", do_rem},
};

static void random_programs_agree_with_c(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct random_state random = random_seeded(seed);
        uint32_t registers[LANES][REGISTERS];
        struct text body = {0};
        for (uint32_t r = 0; r < REGISTERS; r++) {
            uint32_t factor = (uint32_t)random_next(&random), addend = (uint32_t)random_below(&random, 40);
            text_printf(&body, "mad.lo.u32 %%r%u, %%r0, %u, %u;\n", r + 10, factor, addend);
            for (uint32_t l = 0; l < LANES; l++)
                registers[l][r] = l * factor + addend;
        }
        for (uint32_t i = 0; i < STEPS; i++) {
            const struct step *step = &steps[random_below(&random, sizeof steps / sizeof *steps)];
            uint64_t d = random_below(&random, REGISTERS), a = random_below(&random, REGISTERS),
                     b = random_below(&random, REGISTERS);
            text_printf(&body, "%s %%r%u, %%r%u, %%r%u;\n", step->name, (unsigned)d + 10, (unsigned)a + 10,
                        (unsigned)b + 10);
            for (uint32_t l = 0; l < LANES; l++)
                registers[l][d] = step->compute(registers[l][a], registers[l][b]);
        }
        uint32_t shown = (uint32_t)random_below(&random, REGISTERS);
        text_printf(&body, "mov.b64 %%rd9, {%%r%u, 0};\nst.global.u64 [%%rd0], %%rd9;\n", shown + 10);
        char *text = text_take(&body);
        struct outcome outcome = run_body("", text, "32");
        for (uint32_t l = 0; l < LANES; l++) {
            if (outcome.known[l] && outcome.values[l] == registers[l][shown]) continue;
            print_error("seed %llu, lane %u: %llx, expected %x\n%s", (unsigned long long)seed, l,
                        (unsigned long long)outcome.values[l], registers[l][shown], text);
            fail();
        }
        outcome_free(&outcome);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(products),
        cmocka_unit_test(division),
        cmocka_unit_test(carries),
        cmocka_unit_test(logic),
        cmocka_unit_test(bit_fields),
        cmocka_unit_test(comparison_and_selection),
        cmocka_unit_test(random_programs_agree_with_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
