//! Vectors of the compiler that decide about loops.

use super::check;

#[test]
fn vectors_are_computed_element_by_element() {
    let text = "typedef double v4 __attribute__((vector_size(32)));\ntypedef double v2 __attribute__((vector_size(16)));\n\
                int main(int argc, char **argv) {\ndouble a[4] = {1, 2, 3, 40}, b[4];\nint n = 0;\n\
                v4 d = *(v4 *)a - 2.5;\nv4 m = __builtin_ia32_maxpd256(d, -d);\nm += m;\n*(v4 *)b = m;\n\
                int mask = __builtin_ia32_movmskpd256(__builtin_ia32_cmppd256(m, (v4){2, 2, 2, 2}, 0x1e));\n\
                v2 s = __builtin_ia32_unpckhpd(__builtin_ia32_vextractf128_pd256(m, 1), (v2){7, 8});\n\
                for (int i = 0; i < mask; i++) n++;\nfor (int i = 0; i < (int)b[3]; i++) n++;\n\
                for (int i = 0; i < (int)(s[0] + s[1]); i++) n++;\nreturn 0;\n}\n";
    // By gcc 12 -mavx: 9, 75 and 83 iterations.
    let shown = check(text, 1);
    let lines: Vec<&str> =
        shown.lines().filter(|line| ["12:", "13:", "14:"].iter().any(|n| line.starts_with(n))).collect();
    assert_eq!(lines, ["12: [0]=10", "13: [0]=76", "14: [0]=84"], "{shown}");
}
