int script(void) {
    int sum = 0;
    for (int i = 0; i < N; i++) sum += i;
    return sum > 100;
}
