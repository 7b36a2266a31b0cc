/* Attributes of layout: of types that are defined with them, of members, and of what is declared alone. */
struct __attribute__((packed)) first { char c; int x; };
struct inside { char a; __attribute__((aligned(8))) char c; int x __attribute__((aligned(16))); };
struct plain { char a; int b; };
struct plain __attribute__((aligned(64))) big;
struct { char a; } __attribute__((aligned(4))) four;
enum __attribute__((packed)) small { A, B = 255 };
enum wide { C = -300, D } __attribute__((packed));
enum usual { E = 300 };
typedef enum { F = 70000 } __attribute__((__packed__)) named;
struct several { char a; int b; } __attribute__((packed)) __attribute__((aligned(2)));
#pragma pack(push, 2)
enum unpacked { G };
struct two { char a; int b; enum small c; enum wide d; enum usual e; };
#pragma pack(pop)

int main(void) {
    unsigned hash = 7;
    hash = hash * 31 + sizeof(struct first);
    hash = hash * 31 + sizeof(struct inside);
    hash = hash * 31 + sizeof(struct plain) + sizeof big;
    hash = hash * 31 + sizeof four;
    hash = hash * 31 + sizeof(enum small) + 10 * sizeof(enum wide) + 100 * sizeof(enum usual);
    hash = hash * 31 + sizeof(named) + 10 * sizeof(enum unpacked);
    hash = hash * 31 + sizeof(struct several) + 100 * sizeof(struct two);
    enum wide w = C;
    enum small s = B;
    hash = hash * 31 + (w < 0) + s;
    return hash & 255;
}
