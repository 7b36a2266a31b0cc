static int log_[20], ln;
__attribute__((constructor)) static void c1(void) { log_[ln++] = 1; }
__attribute__((constructor(200))) static void c2(int argc, char **argv) { log_[ln++] = 2 + argc; }
static void i1(int argc, char **argv, char **envp) { log_[ln++] = argc + 10; }
__attribute__((section(".init_array.00150"), used)) static void (*p1)(int, char **, char **) = i1;
static void i2(void) { log_[ln++] = 7; }
__attribute__((section(".preinit_array"), used)) static void (*p2)(void) = i2;
int main(void) {
    int n = 0;
    for (int k = 0; k < ln; k++)
        for (int i = 0; i < log_[k] * (k + 1); i++)
            n++;
    return n & 127;
}
