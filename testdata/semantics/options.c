#include <unistd.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    unsigned h = 1; char *v1[] = {"prog", "-a", "-n", "5", "-xfile", "plain", "-bc", "-n7", "rest", "--", "-a", NULL}; int c; opterr = 0;
    while ((c = getopt(11, v1, "abcn:x:")) != -1) { h = h * 31 + c; if (optarg && strchr("nx", c)) h = h * 31 + strlen(optarg) + optarg[0]; } h = h * 31 + optind; for (int i = optind; i < 11; i++) h = h * 31 + v1[i][0] + strlen(v1[i]);
    optind = 1; char *v2[] = {"prog", "-q", "-o", NULL}; while ((c = getopt(3, v2, ":o:")) != -1) h = h * 31 + c + optopt; h += optind;
    int flag = 0, index = -1; struct option longs[] = {{"size", required_argument, 0, 's'}, {"verbose", no_argument, &flag, 9}, {"opt", optional_argument, 0, 'p'}, {"sizes", no_argument, 0, 'z'}, {0, 0, 0, 0}}; optind = 0;
    char *v3[] = {"prog", "one", "--size", "33", "--verbose", "two", "--opt=val", "--size=44", "-s", "5", "--opt", "--verb", "--bad", "last", NULL};
    while ((c = getopt_long(14, v3, "s:", longs, &index)) != -1) { h = h * 31 + c + index; if (c != '?' && optarg) h = h * 31 + optarg[0]; h += flag; } h = h * 31 + optind; for (int i = optind; i < 14; i++) h = h * 31 + v3[i][0];
    optind = 0; char *v4[] = {"prog", "x", "-a", NULL}; while ((c = getopt(3, v4, "+a")) != -1) h = h * 31 + c; h += optind;
    return h % 251;
}
