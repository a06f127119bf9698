// The most frequent hexadecimal digit of each thread's words, the smallest such digit on a tie. The counts are
// an array indexed by the data, which puts it into local memory.
#define WORDS 8
#define DIGITS 16

extern "C" __global__ void local_counts(const unsigned *words, int *most_frequent) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    unsigned char counts[DIGITS] = {0};
#pragma unroll 1
    for (int word = 0; word < WORDS; word++) {
        unsigned digits = words[word * threads + thread];
#pragma unroll 1
        for (int digit = 0; digit < 8; digit++, digits >>= 4) counts[digits & 15]++;
    }
    int best = 0;
    for (int digit = 1; digit < DIGITS; digit++)
        if (counts[digit] > counts[best]) best = digit;
    most_frequent[thread] = best;
}
