// Types and layout that flags of the compiler decide: -funsigned-char, -fshort-enums, -fpack-struct.
#include <limits.h>
#include <stddef.h>

enum small { NONE, SOME = 200 };
enum negative { LOW = -1, HIGH = 100 };
enum wide { HUGE_ONE = 70000 };
struct gaps {
    char first;
    int second;
    double third;
    enum small fourth;
};
#pragma pack(push, 1)
struct tight {
    char first;
    int second;
};
#pragma pack(pop)

int main(void) {
    char c = (char)200;
    char text[] = "\xc8";
    int sum = 0;
    for (int i = 0; i < c; i++)
        sum++;
    sum += 3 * (text[0] < 0) + 5 * ('\xc8' < 0) + 7 * (CHAR_MIN < 0);
    sum += sizeof(enum small) + 2 * sizeof(enum negative) + 4 * sizeof(enum wide);
    sum += 11 * sizeof(struct gaps) + offsetof(struct gaps, third) + sizeof(struct tight);
    sum += _Generic((char *)0, signed char *: 1, unsigned char *: 2, char *: 4);
    return sum & 127;
}
