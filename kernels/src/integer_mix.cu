// Integer arithmetic that other kernels have no use for: division and remainder, high halves of products,
// carries, shifts by variable distances, and the instructions on single bits and bytes.
#define RESULTS_32 16
#define RESULTS_64 6

__device__ unsigned extract_field(unsigned word, unsigned start, unsigned length) {
    unsigned field;
    asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(word), "r"(start), "r"(length));
    return field;
}

__device__ int extract_signed_field(int word, unsigned start, unsigned length) {
    int field;
    asm("bfe.s32 %0, %1, %2, %3;" : "=r"(field) : "r"(word), "r"(start), "r"(length));
    return field;
}

__device__ unsigned insert_field(unsigned field, unsigned word, unsigned start, unsigned length) {
    unsigned joined;
    asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(joined) : "r"(field), "r"(word), "r"(start), "r"(length));
    return joined;
}

__device__ unsigned long long add_with_carry(unsigned long long a, unsigned long long b) {
    unsigned low, high;
    asm("add.cc.u32 %0, %2, %4;\n\taddc.u32 %1, %3, %5;"
        : "=r"(low), "=r"(high)
        : "r"((unsigned)a), "r"((unsigned)(a >> 32)), "r"((unsigned)b), "r"((unsigned)(b >> 32)));
    return (unsigned long long)high << 32 | low;
}

extern "C" __global__ void integer_mix(const int *a, const int *b, int *narrow, long long *wide, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int p = a[i], q = b[i] | 1; // never divides by zero
        unsigned up = (unsigned)p, uq = (unsigned)q;
        unsigned distance = uq >> 26; // 0 to 63: past the width of a word as well
        int *row = narrow + RESULTS_32 * i;
        row[0] = p / (q >> 8 | 1);
        row[1] = p % (q >> 7 | 1);
        row[2] = (int)(up / (uq >> 9 | 1));
        row[3] = (int)(up % (uq >> 10 | 1));
        row[4] = __mulhi(p, q);
        row[5] = (int)__umulhi(up, uq);
        row[6] = __popc(up) + 100 * __clz(p) + 10000 * __ffs(p >> 4);
        row[7] = (int)__brev(up);
        row[8] = (int)extract_field(up, uq & 31, distance);
        row[9] = extract_signed_field(p, uq & 31, distance);
        row[10] = (int)insert_field(up, uq, distance & 31, 7);
        row[11] = (int)__byte_perm(up, uq, 0x6240);
        row[12] = (int)__funnelshift_l(up, uq, distance) ^ (int)__funnelshift_rc(up, uq, distance);
        row[13] = (int)__usad(up, uq, 5) + __mul24(p, q);
        row[14] = min(p, q) ^ max(p, q) ^ abs(p >> 1);
        row[15] = __dp4a(p, q, 1000) + (short)p * (short)q + (signed char)(p >> 3);

        long long joined = (long long)p << 32 | uq;
        unsigned long long unsigned_joined = (unsigned long long)joined;
        long long *wide_row = wide + RESULTS_64 * i;
        wide_row[0] = joined / q;
        wide_row[1] = joined % (q >> 3 | 1);
        wide_row[2] = (long long)(unsigned_joined / (uq | 1) + unsigned_joined % (uq >> 5 | 1));
        wide_row[3] = (long long)__umul64hi(unsigned_joined, unsigned_joined ^ up) + __mul64hi(joined, ~joined);
        wide_row[4] = (joined >> distance) ^ (long long)(unsigned_joined << (distance / 2));
        wide_row[5] = (long long)(add_with_carry(unsigned_joined, unsigned_joined * uq) ^
                                  __brevll(unsigned_joined)) +
                      __popcll(unsigned_joined) - __clzll(joined);
    }
}
