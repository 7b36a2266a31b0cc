#include <string.h>
#include <ctype.h>
#include <stdlib.h>
int main(void) {
    char b[64], c[64]; unsigned h = 5; strcpy(b, "Hello"); strcat(b, ", World"); h = h * 31 + strlen(b); strncpy(c, b, 8); c[8] = 0; h = h * 31 + strlen(c) + c[7];
    strncat(c, "abcdef", 3); h = h * 31 + c[10]; h += strcmp("abc", "abd") < 0; h += strcmp("b", "abc") > 0; h += strncmp("abcx", "abcy", 3) == 0; h += strcmp("", "") == 0; h += (strcmp("\xff", "a") > 0) * 3;
    h = h * 31 + (strchr(b, 'o') - b); h = h * 31 + (strrchr(b, 'o') - b); h += strchr(b, 'z') == NULL; h += *strchr(b, 0) == 0; h = h * 31 + (strstr(b, "World") - b); h += strstr(b, "xyz") == 0;
    h = h * 31 + strspn("aabbc", "ab") + strcspn("xyz,1", ",;") * 7; h += strpbrk("key=value", "=:")[1];
    char line[] = "one two,three;;four"; for (char *t = strtok(line, " ,;"); t; t = strtok(NULL, " ,;")) h = h * 7 + strlen(t) + t[0]; char line2[] = "a:b::c", *save; for (char *t = strtok_r(line2, ":", &save); t; t = strtok_r(0, ":", &save)) h = h * 7 + *t;
    for (int i = 0; i < 128; i++) h = h * 3 + !!isalpha(i) + 2 * !!isdigit(i) + 4 * !!isspace(i) + 8 * !!ispunct(i) + 16 * !!isxdigit(i) + toupper(i) + tolower(i) * 2 + !!isprint(i) + !!iscntrl(i) + !!isgraph(i) + !!isupper(i) + !!islower(i) + !!isalnum(i) + !!isblank(i);
    char *d = strdup("duplicate"); d[0] = 'D'; h = h * 31 + d[0] + strlen(d); free(d); memset(c, 'x', 10); c[10] = 0; h += strlen(c); memmove(b + 2, b, 8); h = h * 31 + b[9] + b[2] + b[1]; memmove(b, b + 3, 8); h = h * 31 + b[0]; memcpy(c + 1, "12345", 3); h = h * 31 + c[4] + c[3];
    h += memcmp("abc", "abd", 3) < 0; h += memcmp("abc", "abd", 2) == 0; h = h * 31 + ((char *)memchr("abcdef", 'd', 6))[1]; const char *s = "tab\tnl\n\x41\101\0hidden"; h = h * 31 + strlen(s) + s[3] + s[7]; h += sizeof("abc" "def"); char arr[] = "xyz", fix[2] = "ab"; h += sizeof arr + fix[1]; h += strnlen("abcdef", 3); h += strcasecmp("HeLLo", "hEllO") == 0; h += strncasecmp("ABx", "abY", 2) == 0;
    return h % 251;
}
