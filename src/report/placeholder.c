/* Replaced by the first real file of this folder. */
typedef int report_placeholder;
