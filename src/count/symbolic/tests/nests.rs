//! Loop nests whose bounds depend on parameters.

use super::*;

#[test]
fn a_rectangle() {
    let shown = check("int N = 4; int main(void) { int s = 0;\nfor (int i = 0; i < N; i++)\nfor (int j = 0; j < N; j++)\ns++;\nreturn 0; }");
    insta::assert_snapshot!(shown, @"");
}

#[test]
fn a_triangle() {
    let shown = check("int N = 4; int main(void) { int s = 0;\nfor (int i = 0; i < N; i++)\nfor (int j = 0; j < i; j++)\ns++;\nreturn 0; }");
    insta::assert_snapshot!(shown, @"");
}
