/* Replaced by the first real file of this folder. */
typedef int launch_placeholder;
