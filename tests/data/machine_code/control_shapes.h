/* Shapes of control flow, as CUDA for control_code.cu and as C for the test that knows what they return: `x`
 * is a number of the thread, `in` are 64 numbers. */
#ifndef CONTROL_SHAPES_H
#define CONTROL_SHAPES_H

#ifndef SHAPE
#    define SHAPE static
#    define FUNCTION static
#endif

SHAPE unsigned step(unsigned x) {
    return x * 1664525u + 1013904223u;
}

/* Regions inside of each other, loops in them. */
SHAPE unsigned shape_nest(unsigned x, const unsigned *in) {
    unsigned r = step(x);
    if (x & 1) {
        r += in[x >> 1 & 63];
        if (x & 2) {
            for (unsigned i = 0; i < (x >> 3 & 7); i++) {
                r += in[r & 63];
                if (r & 4) {
                    r = step(r);
                    while (r & 8)
                        r = r >> 1 ^ in[r >> 8 & 63] >> 9;
                } else {
                    r ^= in[r >> 6 & 63];
                    if (r & 32) r = step(r) ^ in[r >> 20 & 63];
                }
            }
        } else if (x & 64) {
            for (unsigned i = 0; i < (x >> 7 & 3); i++)
                r = step(r + in[r >> 3 & 63]);
        }
        r ^= 0x5a5a5a5a;
    } else {
        unsigned n = x >> 4 & 15;
        do {
            r = step(r) + in[n];
            if (r >> 31) r -= in[r & 63];
        } while (n-- > 4);
    }
    return r;
}

/* Ways out of two loops at once, out of one, and to the end. */
SHAPE unsigned shape_breaks(unsigned x, const unsigned *in) {
    unsigned r = x;
    for (unsigned i = 0; i < 6; i++) {
        for (unsigned j = 0; j < (x >> 8 & 7); j++) {
            r = step(r) ^ in[r >> 26];
            const unsigned what = r >> 13 & 15;
            if (what == 0) goto out;
            if (what == 1) return r + i;
            if (what == 2 || what == 7) break;
            if (what == 3) continue;
            r += in[j];
        }
        if ((r & 0x700) == 0) break;
        r ^= in[i] + i;
    }
    r = step(r);
out:
    return r ^ in[r & 63];
}

/* A loop with four exits, each with something of its own to do. */
SHAPE unsigned shape_exits_of_a_loop(unsigned x, const unsigned *in) {
    unsigned r = x, n = 0;
    for (;;) {
        r = step(r ^ in[n & 63]);
        if ((r & 0xf000) == 0x3000) return r + in[7];
        if ((r & 0xf0000) == 0x50000) return r ^ in[r & 31];
        if (n == 13) {
            r -= in[n];
            break;
        }
        if ((r & 0xf00000) == 0) break;
        n += 1 + (r >> 30 == 3 && n < 13);
        if (n > 13) n = 13;
    }
    return step(r) + n;
}

/* Jump tables, inside of a loop, with cases that fall into the next one. */
SHAPE unsigned shape_tables(unsigned x, const unsigned *in) {
    unsigned r = x;
    for (unsigned i = 0; i < (x & 7); i++) {
        switch (r >> 5 & 15) {
        case 0: r = step(r); break;
        case 1:
            r ^= in[r & 63];
            /* fall through */
        case 2: r += in[i]; break;
        case 3:
            while (r & 3)
                r = r / 3 + in[r >> 7 & 63] / 16;
            break;
        case 4: r = r << 7 | r >> 25; break;
        case 5:
            if (r & 1) return r;
            r -= 77;
            break;
        case 6:
            r = ~r;
            /* fall through */
        case 7: r = r * 3 ^ in[i + 9]; break;
        case 8: r += 5; continue;
        case 9: r = (r >> 11) + in[r & 15]; break;
        case 10:
            r ^= r << 13;
            /* fall through */
        case 11: r -= in[40]; break;
        case 12:
            if (r & 0x1000) r = r >> 9;
            r += 12;
            break;
        case 13: r = 0x13131313 - r; break;
        default: r = step(r ^ i); break;
        }
    }
    return r;
}

FUNCTION unsigned inner(unsigned x, const unsigned *in) {
    unsigned r = x;
    while (r & 0x30)
        r = (r >> 2) + in[r & 63] % 5;
    return r ^ in[x & 63];
}

FUNCTION unsigned middle(unsigned x, const unsigned *in) {
    if (x & 0x100) return inner(x >> 3, in) + 1;
    return inner(step(x), in) ^ inner(x + 1, in);
}

FUNCTION unsigned other(unsigned x, const unsigned *in) {
    return x % 3 == 0 ? in[x >> 9 & 63] : inner(x * 5, in) - middle(x >> 1, in);
}

/* Functions that are called from several places, some by a part of the warp. */
SHAPE unsigned shape_calls(unsigned x, const unsigned *in) {
    unsigned r = middle(x, in);
    if (x & 1) {
        r += other(r, in);
        if (x & 2) r ^= inner(r, in);
    } else {
        for (unsigned i = 0; i < (x >> 2 & 3); i++)
            r = middle(r, in) + other(r ^ i, in);
    }
    return r;
}

/* Threads end inside of regions and loops; `out` has what they left. */
SHAPE void shape_ends(unsigned x, const unsigned *in, unsigned *out) {
    unsigned r = step(x);
    *out = r;
    if (x & 1) {
        if (x & 2) return;
        *out = r ^ in[x >> 2 & 63];
        for (unsigned i = 0; i < (x >> 3 & 7); i++) {
            r = step(r) ^ in[i];
            if ((r & 0x3800) == 0) return;
            *out = r;
        }
        if (r >> 31) return;
    } else if (x >> 5 & 1) {
        *out = inner(r, in);
        return;
    }
    *out = *out + in[x & 63];
}

#endif
