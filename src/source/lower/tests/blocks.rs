use super::*;

#[test]
fn simple() {
    insta::assert_snapshot!(check("int main(void) {\n  int s = 0;\n  for (int i = 0; i < 10; i++)\n    if (i % 2 && s < 5) s += i;\n  return s;\n}\n"), @r#"
function f0 main() -> i32  ; a.c:1
  local v0 s: i32
  local v1 i: i32
  b0 straight  ; c0, a.c:2
    write v0:s: i32, 0:i32  ; 2
  b1 loop for T0  ; c1, a.c:3
    init:
      b2 straight  ; c3, a.c:3
        write v1:i: i32, 0:i32  ; 3
    condition %1:
      b3 straight  ; c4, a.c:3
        %0:i32 = read v1:i: i32  ; 3
        %1:i32 = lt i32 %0, 10:i32  ; 3
    body:
      b5 straight  ; c6, a.c:4
        %4:i32 = read v1:i: i32  ; 4
        %5:i32 = rem i32 %4, 2:i32  ; 4
      b6 %8 = branch and %5  ; c7, a.c:4
        true -> %7:
          b7 straight  ; c9, a.c:4
            %6:i32 = read v0:s: i32  ; 4
            %7:i32 = lt i32 %6, 5:i32  ; 4
      b8 branch if %8  ; c10, a.c:4
        true:
          b9 straight  ; c12, a.c:4
            %9:i32 = read v1:i: i32  ; 4
            %10:i32 = read v0:s: i32  ; 4
            %11:i32 = add i32 %10, %9  ; 4
            write v0:s: i32, %11  ; 4
    step:
      b4 straight  ; c5, a.c:3
        %2:i32 = read v1:i: i32  ; 3
        %3:i32 = add i32 %2, 1:i32  ; 3
        write v1:i: i32, %3  ; 3
  b10 straight  ; c13, a.c:5
    %12:i32 = read v0:s: i32  ; 5
    return %12  ; 5
"#);
}
