#include "random_classes.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/containers.h"

#define DEPTH_MAX 2u

struct writer {
    struct random_state random;
    struct text body;
    uint32_t grid[3];
    bool old; /* the oldest architecture */
    uint32_t labels;
    bool data;               /* some numbers are loaded */
    bool calm;               /* numbers are small, so that few things wrap around */
    uint32_t follow_percent; /* how often registers are read that were written just now */
    uint32_t last[5];        /* the register of each kind that was written last */
};

static uint32_t below(struct writer *writer, uint32_t bound) {
    return (uint32_t)random_below(&writer->random, bound);
}

static bool chance(struct writer *writer, uint32_t percent) {
    return below(writer, 100) < percent;
}

/* ---- Numbers ------------------------------------------------------------------------------------------- */

/* By how much something grows per block. */
static uint64_t some_step(struct writer *writer, uint32_t bits) {
    const uint64_t any = random_next(&writer->random), sign = chance(writer, 25) ? UINT64_MAX : 1;
    switch (below(writer, writer->calm ? 4 : 8)) {
    case 0: return 0;
    case 1:
    case 2: return any % 9 * sign;
    case 3: return (UINT64_C(1) << any % 14) * sign;
    case 4: return (UINT64_C(1) << any % bits) * sign;
    case 5: return any % 4096 * sign;
    case 6: return (UINT64_C(1) << (bits - 1 - any % 12)) / (1 + any % 700) * sign;
    default: return (any % 64 << any % 8) * sign;
    }
}

/* Near an edge of a word, so that what grows from there wraps around. */
static uint64_t some_start(struct writer *writer, uint32_t bits) {
    static const uint32_t edges[] = {8, 15, 16, 31, 32, 33, 63};
    const uint64_t any = random_next(&writer->random);
    switch (writer->calm && chance(writer, 80) ? 6 : below(writer, 6)) {
    case 0: return any % 300;
    case 1: return 0 - any % 3000;
    case 2: return (UINT64_C(1) << (bits - 1)) - any % 3000;
    case 3: return (UINT64_C(1) << edges[any % 7]) - any / 7 % 2000;
    case 4: return (UINT64_C(1) << (bits - 1)) + any % 3000;
    default: return any % 100000;
    }
}

static uint64_t some_mask(struct writer *writer) {
    const uint64_t any = random_next(&writer->random);
    switch (below(writer, 6)) {
    case 0: return (UINT64_C(1) << any % 33) - 1;
    case 1: return ~((UINT64_C(1) << any % 12) - 1);
    case 2: return ((UINT64_C(1) << any % 16) - 1) << any / 16 % 20;
    case 3: return UINT64_C(1) << any % 32;
    case 4: return any % 256;
    default: return any & any >> 32;
    }
}

static uint32_t some_amount(struct writer *writer) {
    static const uint8_t edges[] = {0, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255};
    return chance(writer, 30) ? edges[below(writer, sizeof edges)] : below(writer, 13);
}

/* ---- Operands ------------------------------------------------------------------------------------------ */

/* An operand: $ and a letter, a capital one where it is written. Numbers are flat: of a parameter, of a
 * thread's own, or a literal. */
static void emit_register(struct writer *writer, char letter) {
    static const struct {
        const char *name;
        uint32_t count;
    } files[] = {{"r", 6}, {"l", 5}, {"h", 3}, {"p", 4}, {"g", 3}};
    const bool written = letter < 'a';
    for (uint32_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (files[i].name[0] != (letter | 0x20)) continue;
        const uint32_t any = below(writer, files[i].count);
        const uint32_t number = !written && chance(writer, writer->follow_percent) ? writer->last[i] : any;
        if (written) writer->last[i] = number;
        text_printf(&writer->body, "%%%s%u", files[i].name, number);
    }
}

static void emit_operand(struct writer *writer, char letter) {
    static const char *const compares[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    struct text *body = &writer->body;
    switch (letter) {
    case 'k':
        if (chance(writer, 30)) {
            text_printf(body, "%%c%u", below(writer, 3));
            return;
        }
        text_printf(body, "0x%" PRIx32,
                    (uint32_t)(chance(writer, 50) ? some_step(writer, 32) : some_start(writer, 32)));
        return;
    case 'K':
        if (chance(writer, 30)) {
            text_printf(body, "%%cl%u", below(writer, 2));
            return;
        }
        text_printf(body, "0x%" PRIx64, chance(writer, 50) ? some_step(writer, 64) : some_start(writer, 64));
        return;
    case 'j': text_printf(body, "%" PRIu32, (uint32_t)some_start(writer, 16) & 0xffff); return;
    case 'm': text_printf(body, "0x%" PRIx32, (uint32_t)some_mask(writer)); return;
    case 'M': text_printf(body, "0x%" PRIx64, some_mask(writer)); return;
    case 'i': text_printf(body, "%" PRIu32, some_amount(writer)); return;
    case 'd': text_printf(body, "%" PRIu32, 1 + below(writer, chance(writer, 70) ? 40 : 100000)); return;
    case 'b': text_printf(body, "0x%" PRIx32, below(writer, 256)); return;
    case 'o': text_printf(body, "%" PRIu32, 8 * below(writer, 12)); return;
    case 'C': text_string(body, compares[below(writer, 6)]); return;
    default: emit_register(writer, letter);
    }
}

static void emit(struct writer *writer, const char *pattern) {
    for (; *pattern != '\0'; pattern++) {
        if (*pattern == '$')
            emit_operand(writer, *++pattern);
        else
            text_printf(&writer->body, "%c", *pattern);
    }
    text_string(&writer->body, "\n");
}

/* ---- What is computed ---------------------------------------------------------------------------------- */

/* Loads from addresses that show the value of a register. */
static void observe(struct writer *writer, const char *name, char kind) {
    struct text *body = &writer->body;
    const char *word = kind == 'r' ? name : "%t0";
    if (kind == 'h')
        text_printf(body, chance(writer, 50) ? "cvt.u32.u16 %%t0, %s;\n" : "cvt.s32.s16 %%t0, %s;\n", name);
    if (kind == 'p') text_printf(body, "selp.u32 %%t0, 4096, 64, %s;\n", name);
    if (kind == 'l') {
        switch (below(writer, 4)) {
        case 0: text_printf(body, "cvt.u32.u64 %%t0, %s;\n", name); break;
        case 1: text_printf(body, "mov.b64 {%%t0, %%t1}, %s;\n", name); break;
        case 2: text_printf(body, "shr.u64 %%tl1, %s, 32;\ncvt.u32.u64 %%t0, %%tl1;\n", name); break;
        default: text_printf(body, "mov.b64 {%%t1, %%t0}, %s;\n", name); break;
        }
    }
    if (writer->data) { /* of a smaller buffer, as many blocks are executed */
        text_printf(body, chance(writer, 50) ? "and.b32 %%t2, %s, 0xfffff;\n" : "shr.u32 %%t2, %s, 12;\n",
                    word);
        word = "%t2";
    }
    if (chance(writer, 8)) {
        text_printf(body,
                    "and.b32 %%t0, %s, 255;\nmov.u32 %%t1, tile;\nadd.u32 %%t0, %%t0, %%t1;\n"
                    "ld.volatile.shared.u8 %%t2, [%%t0];\n",
                    word);
        return;
    }
    if (chance(writer, 8)) {
        text_printf(body,
                    "shl.b32 %%t0, %s, 3;\nmad.wide.u32 %%tl0, %%t0, 1, %%buf;\n"
                    "ld.volatile.global.v2.u32 {%%t0, %%t2}, [%%tl0];\n",
                    word);
        return;
    }
    if (chance(writer, 50))
        text_printf(body, "mad.wide.u32 %%tl0, %s, 1, %%buf;\n", word);
    else
        text_printf(body, "cvt.u64.u32 %%tl0, %s;\nadd.s64 %%tl0, %%tl0, %%buf;\n", word);
    text_string(body, "ld.volatile.global.u8 %t2, [%tl0];\n");
}

/* The register that is written comes first. */
static const char *const instructions[] = {
    "add.s32 $R, $r, $r;",
    "add.u32 $R, $r, $k;",
    "sub.s32 $R, $r, $r;",
    "sub.s32 $R, $k, $r;",
    "add.s64 $L, $l, $l;",
    "add.u64 $L, $l, $K;",
    "sub.s64 $L, $l, $l;",
    "add.s16 $H, $h, $h;",
    "sub.u16 $H, $h, $h;",
    "add.u16 $H, $h, $j;",
    "mul.lo.s32 $R, $r, $k;",
    "mul.lo.u32 $R, $k, $r;",
    "mul.lo.s64 $L, $l, $K;",
    "mul.lo.u16 $H, $h, $j;",
    "mul.hi.u32 $R, $r, $k;",
    "mul.hi.s32 $R, $r, $k;",
    "mul.wide.u32 $L, $r, $k;",
    "mul.wide.s32 $L, $r, $k;",
    "mul.wide.u16 $R, $h, $j;",
    "mul.wide.s16 $R, $h, $j;",
    "mul24.lo.u32 $R, $r, $k;",
    "mad.lo.s32 $R, $r, $k, $r;",
    "mad.lo.s64 $L, $l, $K, $l;",
    "mad.wide.u32 $L, $r, $k, $l;",
    "mad.wide.s32 $L, $r, $k, $l;",
    "mad.wide.s16 $R, $h, $j, $r;",
    "mad.lo.u16 $H, $h, $j, $h;",
    "shl.b32 $R, $r, $i;",
    "shl.b64 $L, $l, $i;",
    "shl.b16 $H, $h, $i;",
    "shr.u32 $R, $r, $i;",
    "shr.s32 $R, $r, $i;",
    "shr.u64 $L, $l, $i;",
    "shr.s64 $L, $l, $i;",
    "shr.u16 $H, $h, $i;",
    "shr.s16 $H, $h, $i;",
    "shr.b32 $R, $r, $k;",
    "div.u32 $R, $r, $d;",
    "div.s32 $R, $r, $d;",
    "rem.u32 $R, $r, $d;",
    "rem.s32 $R, $r, $d;",
    "div.u64 $L, $l, $d;",
    "rem.s64 $L, $l, $d;",
    "div.s32 $R, $r, $k;",
    "rem.u16 $H, $h, $d;",
    "mad.hi.s32 $R, $r, $k, $r;",
    "abs.s32 $R, $r;",
    "abs.s64 $L, $l;",
    "and.b32 $R, $r, $m;",
    "or.b32 $R, $r, $m;",
    "xor.b32 $R, $r, $m;",
    "and.b64 $L, $l, $M;",
    "or.b64 $L, $l, $M;",
    "xor.b64 $L, $M, $l;",
    "and.b16 $H, $h, $j;",
    "xor.b16 $H, $h, $j;",
    "and.b32 $R, $r, $r;",
    "or.b32 $R, $r, $r;",
    "not.b32 $R, $r;",
    "not.b64 $L, $l;",
    "neg.s32 $R, $r;",
    "neg.s64 $L, $l;",
    "not.b16 $H, $h;",
    "neg.s16 $H, $h;",
    "lop3.b32 $R, $r, $m, $k, $b;",
    "lop3.b32 $R, $k, $r, $m, $b;",
    "lop3.b32 $R, $r, $r, $r, $b;",
    "shf.l.wrap.b32 $R, $r, $r, $i;",
    "shf.r.wrap.b32 $R, $r, $r, $i;",
    "shf.l.clamp.b32 $R, $r, $k, $i;",
    "shf.r.clamp.b32 $R, $k, $r, $i;",
    "shf.r.clamp.b32 $R, $r, $r, $i;",
    "min.s32 $R, $r, $r;",
    "max.u32 $R, $r, $k;",
    "min.u32 $R, $r, $k;",
    "max.s32 $R, $r, $r;",
    "min.s64 $L, $l, $K;",
    "max.u64 $L, $l, $l;",
    "min.u16 $H, $h, $j;",
    "max.s16 $H, $h, $h;",
    "selp.b32 $R, $r, $r, $p;",
    "selp.b64 $L, $l, $K, $p;",
    "selp.b16 $H, $h, $h, $p;",
    "mov.b32 $R, $r;",
    "mov.b64 $L, $l;",
    "mov.b16 $H, $h;",
    "mov.u32 $R, %ctaid.x;",
    "mov.u32 $R, %ctaid.y;",
    "cvt.u64.u32 $L, $r;",
    "cvt.s64.s32 $L, $r;",
    "cvt.u32.u64 $R, $l;",
    "cvt.s32.s64 $R, $l;",
    "cvt.u16.u32 $H, $r;",
    "cvt.u32.u16 $R, $h;",
    "cvt.s32.s16 $R, $h;",
    "cvt.u32.s16 $R, $h;",
    "cvt.u8.u32 $R, $r;",
    "cvt.s8.s32 $R, $r;",
    "cvt.u16.u32 $R, $r;",
    "cvt.s16.s32 $R, $r;",
    "cvt.u8.u16 $H, $h;",
    "cvt.s8.s16 $H, $h;",
    "cvt.u32.u8 $R, $r;",
    "cvt.s32.s8 $R, $h;",
    "cvt.u64.u16 $L, $h;",
    "cvt.u64.s8 $L, $r;",
    "cvt.u16.u64 $L, $l;",
    "cvt.s32.s64 $L, $l;",
    "cvt.s64.s16 $L, $l;",
    "cvt.sat.u8.s32 $R, $r;",
    "setp.$C.s32 $P, $r, $k;",
    "setp.$C.u32 $P, $r, $k;",
    "setp.$C.s32 $P, $r, $r;",
    "setp.$C.u32 $P, $r, $r;",
    "setp.$C.s64 $P, $l, $K;",
    "setp.$C.u64 $P, $l, $l;",
    "setp.$C.u16 $P, $h, $j;",
    "setp.$C.s16 $P, $h, $h;",
    "setp.$C.and.u32 $P, $r, $k, $p;",
    "setp.$C.or.s32 $P|$P, $r, $k, !$p;",
    "setp.ne.b32 $P, $r, 0;",
    "setp.$C.s32 $P, $r, -1;",
    "setp.hs.u32 $P, $r, $k;",
    "setp.lo.u32 $P, $r, $r;",
    "and.pred $P, $p, $p;",
    "xor.pred $P, $p, $p;",
    "not.pred $P, $p;",
    "mov.pred $P, $p;",
    "mov.b64 $L, {$r, $r};",
    "mov.b64 $L, {$k, $r};",
    "mov.b64 {$R, %t1}, $l;",
    "mov.b64 {%t1, $R}, $l;",
    "mov.b32 $R, {$h, $h};",
    "mov.b32 {$H, %th}, $r;",
    "mov.b64 $L, {$h, $h, $h, $h};",
    "add.cc.u32 $R, $r, $k;",
    "bfe.u32 $R, $r, $i, $i;",
    "bfe.s32 $R, $r, 0, 16;",
    "bfi.b32 $R, $r, $r, $i, $i;",
    "prmt.b32 $R, $r, $k, 0x5410;",
    "abs.s32 $R, $r;",
    "cnot.b32 $R, $r;",
    "popc.b32 $R, $r;",
    "sad.u32 $R, $r, $k, $r;",
    "slct.b32.s32 $R, $r, $k, $r;",
    "set.lt.u32.s32 $R, $r, $k;",
    "sub.s64 $L, %q0, %q1;",
    "and.b64 $L, %q0, 255;",
    "and.b64 $L, %q0, 12;",
    "setp.$C.u64 $P, %q0, %q1;",
    "setp.$C.u64 $P, %q0, %q2;",
    "setp.$C.u64 $P, %q0, 0;",
    "ld.param.u32 $R, [n];",
    "ld.const.u32 $R, [table+4];",
    "shfl.sync.idx.b32 $R, %c0, 3, 31, -1;",
    "vote.sync.any.pred $P, $p, -1;",
    "activemask.b32 $R;",
    "cvt.u32.u16 $R, $r;",
    "cvt.s32.s16 $R, $r;",
    "and.b32 %t0, $r, $r;\nsetp.ge.s32 $P, %t0, 0;",
    "or.b32 %t0, $r, $r;\nsetp.lt.s32 $P, %t0, 0;",
    "xor.b32 %t0, $r, $r;\nsetp.gt.s32 $P, %t0, -1;",
    "lop3.b32 %t0, $r, $r, $r, $b;\nsetp.le.s32 $P, %t0, -1;",
    "and.b64 %tl0, $l, $l;\nsetp.ge.s64 $P, %tl0, 0;",
    "or.b16 %th, $h, $h;\nsetp.lt.s16 $P, %th, 0;",
};

enum { INSTRUCTIONS = sizeof instructions / sizeof *instructions };

/* What loads and pointers are for: of more than one line, without guards; the last ones are not for the
 * oldest architecture. */
static const char *const of_data[] = {
    "ld.global.u32 $R, [%q1+$o];",
    "ld.global.u32 $R, [%q0+$o];",
    "ld.global.u64 $L, [%q1+$o];",
    "mul.wide.u32 %tl0, %c0, 4;\nadd.s64 %tl0, %tl0, %q1;\nld.global.u32 $R, [%tl0+$o];",
    "ld.global.u8 %t0, [%q0+$o];\nsetp.$C.u32 $P, %t0, $o;",
    "ld.global.u16 $H, [%q0+$o];",
    "ld.global.u32 %t0, [%q1+$o];\nand.b32 $R, %t0, $m;",
    "ld.global.u32 %t0, [%q0];\nand.b32 %t0, %t0, 7;\nadd.u32 $R, $r, %t0;",
    "mov.u64 $G, %q1;",
    "mov.u64 $G, %third;",
    "@$p mov.u64 $G, %q1;",
    "@$p mov.u64 $G, %third;",
    "selp.b64 $G, $g, $g, $p;",
    "add.s64 $G, %q1, 128;",
    "and.b32 %t0, $r, 0xfc;\ncvt.u64.u32 %tl0, %t0;\nadd.s64 %tl0, %tl0, $g;\nld.global.u32 $R, [%tl0];",
    "and.b32 %t0, $r, 0xff;\nmad.wide.u32 %tl0, %t0, 4, $g;\nld.global.u32 %t0, [%tl0];",
    "and.b32 %t0, $r, 0xff;\nmad.wide.u32 %tl0, %t0, 4, $g;\n@$p ld.global.u32 $R, [%tl0];",
    "and.b32 %t0, $r, 0x3ff;\nmad.wide.u32 %tl0, %t0, 4, $g;\n@$p st.global.u32 [%tl0], $r;",
    "@$p st.global.u32 [%q0+$o], $r;",
    "@$p red.global.add.u32 [%q0], $r;",
    "@!$p ld.global.u32 $R, [%q0+$o];",
    "mul.wide.u32 %tl0, %c0, 4;\nadd.s64 %tl0, %tl0, %q0;\n@$p st.global.u32 [%tl0], $r;",
    "shfl.sync.idx.b32 $R, $r, 3, 31, -1;",
    "shfl.sync.bfly.b32 $R, $r, 1, 31, -1;",
    "shfl.sync.up.b32 $R|$P, $r, 2, 0, -1;",
    "vote.sync.all.pred $P, $p, -1;",
    "vote.sync.ballot.b32 $R, $p, -1;",
    "match.any.sync.b32 $R, $r, -1;",
    "cvt.rn.f32.u32 %f, $r;\nsetp.gt.f32 $P, %f, 0f41F00000;",
    "cvt.rn.f32.u32 %f, $r;\nmul.f32 %f, %f, 0f3F400000;\ncvt.rzi.u32.f32 $R, %f;",
    "and.b32 $R, $r, 31;",
    "min.u32 $R, $r, 40;",
    "setp.$C.and.u32 $P, $r, $o, $p;",
    "setp.$C.u32 $P, $r, $o;",
    ("and.b32 %t0, $r, 63;\nshl.b32 %t0, %t0, 2;\nmov.u32 %t1, tile;\nadd.u32 %t0, %t0, %t1;\n"
     "ld.shared.u32 $R, [%t0];"),
    ("and.b32 %t0, $r, 63;\nshl.b32 %t0, %t0, 2;\nmov.u32 %t1, tile;\nadd.u32 %t0, %t0, %t1;\n"
     "@$p st.shared.u32 [%t0], $r;"),
    "st.local.u32 [stack+4], $r;\nld.local.u32 $R, [stack+4];",
    "@$p st.local.u32 [stack+8], $r;",
    "ld.local.u32 $R, [stack+8];",
    "ld.const.u32 $R, [table+8];",
    "mad.wide.u32 %tl0, %c0, 8, %q1;\n@$p st.global.v2.u32 [%tl0], {$r, $r};",
    ("and.b32 %t0, $r, 0x7c;\nadd.u32 %t0, %t0, $r;\nand.b32 %t0, %t0, 0xffc;\nmad.wide.u32 %tl0, %t0, 1, "
     "$g;\n"
     "atom.global.max.u32 $R, [%tl0], $r;"),
    "popc.b32 $R, $r;",
    "bfe.u32 $R, $r, 4, 6;",
    "prmt.b32 $R, $r, $r, 0x7650;",
    "mov.u32 %t0, %ctaid.x;\nmin.u32 $R, %t0, 9;",
    "mov.u32 %t0, %ctaid.x;\nmad.lo.u32 $R, %t0, 4, $r;",
    "mov.u32 %t0, %ctaid.x;\nsetp.lt.or.u32 $P, %t0, 30, $p;",
    "mov.u32 %t0, %ctaid.x;\nshl.b32 %t0, %t0, 8;\nand.b32 %t1, $r, 0xff;\nor.b32 $R, %t0, %t1;",
    "and.b32 %t0, $r, 12;\nmov.u32 %t1, table;\nadd.u32 %t0, %t0, %t1;\n@$p ld.const.u32 $R, [%t0];",
    "redux.sync.add.s32 $R, $r, -1;",
    ("and.b32 %t0, $r, 12;\nmov.u32 %t1, tile;\nmul.wide.u32 %tl0, %c0, 4;\nadd.s64 %tl0, %tl0, %q1;\n"
     "cp.async.ca.shared.global [%t1], [%tl0], 4, %t0;\ncp.async.wait_all;"),
};

enum { OF_DATA = sizeof of_data / sizeof *of_data };

/* The letter of what an instruction writes, a small one. */
static char written_by(const char *pattern) {
    const char *at = strchr(pattern, '$');
    while (at[1] != 'R' && at[1] != 'L' && at[1] != 'H' && at[1] != 'P')
        at = strchr(at + 1, '$');
    return (char)(at[1] | 0x20);
}

/* Whether it reads such a register. */
static bool reads(const char *pattern, char letter) {
    const char operand[] = {'$', letter, '\0'};
    return strstr(pattern, operand) != NULL;
}

static void emit_instruction(struct writer *writer, uint32_t which, uint32_t observed_percent) {
    const char *const pattern = instructions[which];
    if (strstr(pattern, ".sync") == NULL && chance(writer, 12))
        text_printf(&writer->body, "@%s%%p%u ", chance(writer, 50) ? "!" : "", below(writer, 4));
    emit(writer, pattern);
    if (!chance(writer, observed_percent)) return;
    char name[8];
    const char letter = written_by(pattern);
    (void)text_format(name, sizeof name, "%%%c%u", letter, writer->last[strchr("rlhp", letter) - "rlhp"]);
    observe(writer, name, letter);
}

/* Each instruction in turn, and others that read what the one before writes; only the last result shows, so
 * that nothing is asked of those on the way. */
static void emit_chain(struct writer *writer, uint32_t which) {
    writer->follow_percent = 80;
    for (uint32_t more = below(writer, 4); more > 0; more--) {
        emit_instruction(writer, which, 0);
        const char letter = written_by(instructions[which]);
        do
            which = below(writer, INSTRUCTIONS);
        while (!reads(instructions[which], letter));
    }
    emit_instruction(writer, which, 100);
}

/* ---- Control ------------------------------------------------------------------------------------------- */

static void emit_statements(struct writer *writer, uint32_t count, uint32_t depth);

/* Lanes part, and meet behind both sides. */
static void emit_sides(struct writer *writer, uint32_t depth) {
    const uint32_t label = writer->labels++;
    emit(writer, "mov.pred %tp, $p;");
    text_printf(&writer->body, "@%%tp bra $E%u;\n", label);
    emit_statements(writer, 1 + below(writer, 2), depth + 1);
    text_printf(&writer->body, "bra $M%u;\n$E%u:\n", label, label);
    emit_statements(writer, 1 + below(writer, 2), depth + 1);
    text_printf(&writer->body, "$M%u:\n", label);
}

/* A loop that known numbers end, or such that grow with blocks, and data before. */
static void emit_data_loop(struct writer *writer, uint32_t depth) {
    static const char *const limits[] = {"mov.u32 %t0, 3;", "mov.u32 %t0, %ctaid.x;\nmin.u32 %t0, %t0, 5;",
                                         "and.b32 %t0, %r1, 3;", "min.u32 %t0, %r2, 4;"};
    const uint32_t label = writer->labels++;
    text_printf(&writer->body, "%s\nmov.u32 %%n%u, %%t0;\n", limits[below(writer, 4)], depth);
    text_printf(&writer->body, "mov.u32 %%i%u, 0;\n$B%u:\n", depth, label);
    emit_statements(writer, 1 + below(writer, 2), depth + 1);
    if (chance(writer, 60)) {
        emit(writer, chance(writer, 50) ? "mov.pred %tp, $p;"
                                        : "ld.global.u32 %t0, [%q0+$o];\nsetp.eq.u32 %tp, %t0, $r;");
        text_printf(&writer->body, "@%%tp bra $X%u;\n", label);
        if (chance(writer, 50)) emit_statements(writer, 1, depth + 1);
    }
    text_printf(&writer->body,
                "add.u32 %%i%u, %%i%u, 1;\nsetp.lt.u32 %%tp, %%i%u, %%n%u;\n@%%tp bra $B%u;\n$X%u:\n", depth,
                depth, depth, depth, label, label);
}

static void emit_branch(struct writer *writer, uint32_t depth) {
    const uint32_t label = writer->labels++, kind = below(writer, 3);
    if (kind == 0) emit(writer, "setp.$C.s32 %tp, $r, $k;");
    if (kind == 1) emit(writer, "mov.u32 %t0, %ctaid.x;\nsetp.$C.u32 %tp, %t0, %c1;");
    text_printf(&writer->body, "@%s bra $E%u;\n", kind == 2 ? "%p1" : "%tp", label);
    emit_statements(writer, 1, depth + 1);
    text_printf(&writer->body, "$E%u:\n", label);
}

/* A loop that runs at most some four times. */
static void emit_loop(struct writer *writer, uint32_t depth) {
    const uint32_t label = writer->labels++, axis = below(writer, 3);
    text_printf(&writer->body, "mov.u32 %%n%u, %%ctaid.%c;\n", depth, "xyz"[axis]);
    switch (below(writer, 4)) {
    case 0: text_printf(&writer->body, "min.u32 %%n%u, %%n%u, 3;\n", depth, depth); break;
    case 1: text_printf(&writer->body, "and.b32 %%n%u, %%n%u, 1;\n", depth, depth); break;
    case 2:
        text_printf(&writer->body, "div.u32 %%n%u, %%n%u, %u;\n", depth, depth, writer->grid[axis] / 3 + 1);
        break;
    default: text_printf(&writer->body, "and.b32 %%n%u, %%c0, 3;\n", depth); break;
    }
    text_printf(&writer->body, "add.u32 %%n%u, %%n%u, 1;\n$B%u:\n", depth, depth, label);
    emit_statements(writer, 1 + below(writer, 2), depth + 1);
    text_printf(&writer->body, "sub.u32 %%n%u, %%n%u, 1;\nsetp.ne.u32 %%tp, %%n%u, 0;\n@%%tp bra $B%u;\n",
                depth, depth, depth, label);
}

/* Accesses of other kinds; what is read is used as a value only. */
static void emit_access(struct writer *writer, uint32_t depth) {
    static const char *const accesses[] = {
        ("and.b32 %t0, %c0, 63;\nshl.b32 %t0, %t0, 2;\nmov.u32 %t1, tile;\nadd.u32 %t0, %t0, %t1;\n"
         "st.shared.u32 [%t0], $r;\nld.shared.u32 %t1, [%t0];\nst.shared.u32 [%t0], %t1;"),
        "red.global.add.u32 [%q0], $r;", "atom.global.add.u32 %t2, [%q0], 1;\nst.global.u32 [%q0+64], %t2;",
        "st.global.u32 [%q0], $r;\nld.global.u32 %t2, [%q0];\nst.global.u32 [%q0+4], %t2;", "bar.sync 0;"};
    emit(writer, accesses[below(writer, depth == 0 ? 5 : 4)]);
}

static void emit_data_statement(struct writer *writer, uint32_t depth) {
    const uint32_t kind = below(writer, writer->calm ? 100 : 40);
    if (kind < 8 && depth < DEPTH_MAX)
        emit_sides(writer, depth);
    else if (kind < 16 && depth < DEPTH_MAX)
        emit_data_loop(writer, depth);
    else if (kind < 19 && depth == 0)
        emit(writer, chance(writer, 50) ? "@$p exit;" : "bar.sync 0;");
    else
        emit(writer, of_data[below(writer, OF_DATA - (writer->old ? 2 : 0))]);
}

static void emit_statements(struct writer *writer, uint32_t count, uint32_t depth) {
    for (uint32_t i = 0; i < count; i++) {
        if (writer->data && chance(writer, 70)) {
            emit_data_statement(writer, depth);
            continue;
        }
        const uint32_t kind = below(writer, 100);
        if (kind < 7 && depth < DEPTH_MAX)
            emit_branch(writer, depth);
        else if (kind < 12 && depth < DEPTH_MAX)
            emit_loop(writer, depth);
        else if (kind < 16)
            emit_access(writer, depth);
        else if (kind < 17 && depth == 0)
            emit(writer, "@%p2 ret;");
        else
            emit_instruction(writer, below(writer, INSTRUCTIONS), writer->data ? 20 : 60);
    }
}

/* ---- The kernel ---------------------------------------------------------------------------------------- */

/* A register of 32 or 64 bits that grows along the axes of the grid. */
static void emit_linear(struct writer *writer, const char *name, uint32_t bits) {
    const char *const axes[] = {"x", "y", "z"};
    struct text *body = &writer->body;
    const char *const source = bits == 64 ? "%tl0" : "%t0";
    text_printf(body, "mov.b%u %s, 0x%" PRIx64 ";\n", bits, name,
                some_start(writer, bits) & (UINT64_MAX >> (64 - bits)));
    for (uint32_t j = 0; j < 4; j++) {
        const uint64_t step = some_step(writer, bits) & (UINT64_MAX >> (64 - bits));
        if (step == 0 || (j < 3 && writer->grid[j] == 1) || chance(writer, 20)) continue;
        if (j == 3)
            text_string(body, "mov.u32 %t0, %tid.x;\n");
        else
            text_printf(body, "mov.u32 %%t0, %%ctaid.%s;\n", axes[j]);
        if (bits == 64) text_string(body, "cvt.u64.u32 %tl0, %t0;\n");
        text_printf(body, "mad.lo.u%u %s, %s, 0x%" PRIx64 ", %s;\n", bits, name, source, step, name);
    }
}

static void emit_start(struct writer *writer) {
    struct text *body = &writer->body;
    char name[16];
    text_string(body, "ld.param.u64 %buf, [buffer];\nld.param.u64 %q1, [other];\nmov.u32 %c0, %tid.x;\n"
                      "ld.param.u32 %c1, [n];\nld.param.u64 %cl0, [m];\nmad.lo.u32 %c2, %c0, 12, %c1;\n"
                      "mul.wide.u32 %cl1, %c0, 40;\nmov.u32 %t0, %ctaid.x;\nmad.wide.u32 %q0, %t0, 4, %q1;\n"
                      "mov.u64 %q2, %buf;\n");
    for (uint32_t i = 0; i < 6; i++) {
        (void)text_format(name, sizeof name, "%%r%u", i);
        emit_linear(writer, name, 32);
    }
    for (uint32_t i = 0; i < 5; i++) {
        (void)text_format(name, sizeof name, "%%l%u", i);
        emit_linear(writer, name, 64);
    }
    for (uint32_t i = 0; i < 3; i++)
        text_printf(body, "cvt.u16.u32 %%h%u, %%r%u;\n", i, i);
    for (uint32_t i = 0; i < 4; i++)
        text_printf(body, "mov.u32 %%t0, %s%c;\nsetp.%s.u32 %%p%u, %%t0, %u;\n", i == 1 ? "%tid." : "%ctaid.",
                    "xxzy"[i], chance(writer, 50) ? "lt" : "eq", i,
                    below(writer, i == 1 ? 32 : writer->grid["0021"[i] - '0']));
}

static void choose_grid(struct writer *writer, struct random_classes *kernel) {
    static const uint32_t threads[] = {1, 7, 31, 32, 33, 64};
    uint32_t *grid = kernel->grid;
    kernel->threads = threads[below(writer, 6)];
    grid[0] = grid[1] = grid[2] = 1;
    if (writer->data) {
        for (uint32_t j = 0; j < 3; j++)
            grid[j] = chance(writer, 40) ? 1 : 2 + below(writer, 6);
        grid[below(writer, 2)] += 20 + below(writer, 40);
        memcpy(writer->grid, grid, sizeof writer->grid);
        return;
    }
    switch (below(writer, 3)) {
    case 0: grid[below(writer, 3)] = 64 + below(writer, 1937); break;
    case 1:
        grid[0] = 8 + below(writer, 43);
        grid[1] = 8 + below(writer, 33);
        break;
    default:
        for (uint32_t j = 0; j < 3; j++)
            grid[j] = 4 + below(writer, 9);
    }
    memcpy(writer->grid, grid, sizeof writer->grid);
}

static void make(uint64_t seed, bool data, struct random_classes *kernel) {
    struct writer writer = {
        .random = random_seeded(seed), .data = data, .old = seed % 4 == 0, .follow_percent = 50};
    struct text *body = &writer.body;
    choose_grid(&writer, kernel);
    kernel->data = data;
    kernel->assumed = seed % 4 == 0 ? WB_TAKE_ALL : WB_TAKE_DIV_ZERO;
    writer.calm = chance(&writer, 60);
    text_string(body,
                data && seed % 4 != 0 ? ".version 8.0\n.target sm_80\n" : ".version 8.0\n.target sm_75\n");
    text_string(body,
                ".address_size 64\n"
                ".const .align 4 .u32 table[4] = {3, 70, 500, 9};\n"
                ".visible .entry k(.param .u64 other, .param .u64 buffer, .param .u32 n, .param .u64 m");
    text_string(body, data ? ", .param .u64 third)\n{\n" : ")\n{\n");
    text_string(body, ".reg .pred %p<4>, %tp;\n.reg .b16 %h<3>, %th;\n"
                      ".reg .b32 %r<6>, %c<3>, %t<3>, %n<3>;\n.reg .b64 %l<5>, %cl<2>, %tl<2>, %q<3>, %buf;\n"
                      ".shared .align 4 .b8 tile[256];\n");
    if (data)
        text_string(
            body,
            ".reg .b32 %i<3>;\n.reg .f32 %f;\n.reg .b64 %g<3>, %third;\n.local .align 4 .b8 stack[16];\n");
    emit_start(&writer);
    if (data) {
        text_string(
            body,
            "ld.param.u64 %third, [third];\nmov.u64 %g0, %q1;\nmov.u64 %g1, %q0;\nmov.u64 %g2, %third;\n");
        emit(&writer, "ld.global.u32 $R, [%q1+$o];\nld.global.u32 $R, [%q0+$o];\nsetp.$C.u32 $P, $r, $o;");
        emit_statements(&writer, 3 + below(&writer, 10), 0);
    } else if (seed % 2 == 0)
        emit_statements(&writer, 1 + below(&writer, 6), 0);
    else
        emit_chain(&writer, (uint32_t)(seed / 2 % INSTRUCTIONS));
    text_string(body, "ret;\n}\n");
    kernel->ptx = text_take(body);
}

void random_classes_make(uint64_t seed, struct random_classes *kernel) {
    make(seed, false, kernel);
}

void random_classes_make_data(uint64_t seed, struct random_classes *kernel) {
    make(seed, true, kernel);
}

void random_classes_free(struct random_classes *kernel) {
    free(kernel->ptx);
    kernel->ptx = NULL;
}

wb_launch *random_classes_launch(const struct random_classes *kernel, const char *contents) {
    char other[64];
    (void)text_format(other, sizeof other, "buf:u32[4096]%s%s", contents == NULL ? "" : "=",
                      contents == NULL ? "" : contents);
    const char *const arguments[] = {other, kernel->data ? "buf:u8[8388608]" : "buf:u8[4294967296]", "u32:37",
                                     "u64:12884901888", other};
    const size_t count = sizeof arguments / sizeof *arguments - (kernel->data ? 0 : 1);
    wb_diagnostics *diagnostics = wb_diagnostics_new();
    wb_launch *launch = wb_launch_new();
    const uint32_t threads[3] = {kernel->threads, 1, 1};
    wb_status status = wb_launch_set_grid(launch, kernel->grid, diagnostics);
    if (status == WB_OK) status = wb_launch_set_block(launch, threads, diagnostics);
    for (size_t i = 0; status == WB_OK && i < count; i++)
        status = wb_launch_add_argument(launch, arguments[i], diagnostics);
    if (status == WB_OK) status = wb_launch_assume(launch, kernel->assumed, diagnostics);
    if (status != WB_OK) abort();
    wb_diagnostics_free(diagnostics);
    return launch;
}
