/* Replaced by the first real file of this folder. */
typedef int bound_placeholder;
