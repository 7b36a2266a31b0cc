use super::*;

#[test]
fn simple() {
    insta::assert_snapshot!(check("int main(void) {\n  int s = 0;\n  for (int i = 0; i < 10; i++)\n    if (i % 2 && s < 5) s += i;\n  return s;\n}\n"), @"");
}
