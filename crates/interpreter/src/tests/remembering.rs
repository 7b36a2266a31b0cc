//! Calls of pure functions that are taken over, against the same calls followed one by one.

use super::*;
use proptest::prelude::*;

/// Counts with and without taking over are the same; gives those of taking over.
#[track_caller]
fn check_same(text: &str) -> BTreeMap<CounterId, Count> {
    let with = totals(evaluator(text, options(&[])));
    let mut every = evaluator(text, options(&[]));
    every.programs.first_known().memos.off = true;
    assert_eq!(with, totals(every), "{text}");
    with.0
}

#[test]
fn calls_change_globals_as_if_they_were_followed() {
    for text in [
        "int calls; int f(int n){calls++; return n<2?n:f(n-1)+f(n-2);} int main(void){int i,s=0; f(12); for(i=0;i<calls%100;i++) s++; return s;}",
        "int last; int f(int n){last=n; return n<2?n:f(n-1)+f(n-2);} int main(void){int i,s=0; f(9); for(i=0;i<last;i++) s++; return s;}",
        "int k=1; int f(int n){return n<k?n:f(n-1)+f(n-2);} int main(void){int i,s=f(9); k=3; s+=f(9); for(i=0;i<s%50;i++) s--; return s;}",
        "int d,m; int f(int n){d++; if(d>m) m=d; int r=n<1?1:f(n-1)+f(n/2); d--; return r;} int main(void){int i,s=f(9); for(i=0;i<m;i++) s++; return s;}",
        "unsigned char c=250; int f(int n){c+=n; return n<1?0:f(n-1)+f(n-1);} int main(void){int i,s=0; f(6); for(i=0;i<c;i++) s++; return s;}",
        "long t; int f(int n){t+=t&1; t-=n; return n<1?0:f(n-1)+f(n-1);} int main(void){int i,s=0; f(6); for(i=0;i<-t;i++) s++; return s;}",
        "#include <stdio.h>\nvoid h(int n,int a,int b){if(!n) return; h(n-1,a,6-a-b); printf(\"%d %d\\n\",a,b); h(n-1,6-a-b,b);} int main(void){h(7,1,2); return 0;}",
        "#include <stdlib.h>\nint f(int n){ if(n==3) exit(4); return n<2?n:f(n-2)+f(n-1);} int main(void){return f(9);}",
        "int a[40]; int f(int n){ if(n<2) return n; if(a[n]) return a[n]; return a[n]=f(n-1)+f(n-2);} int main(void){return f(30)%100;}",
        "int f(int n){ int t[3]; t[n%3]=n; return n<2?t[n%3]:f(n-1)+f(n-2);} int main(void){return f(11);}",
        "double p(double x,int n){return n?p(x,n-1)*x:1;} int main(void){int i,s=0; for(i=0;i<20;i++) s+=p(2,i)<999; return s;}",
        "int o(int n); int e(int n){return n?o(n-1):1;} int o(int n){return n?e(n-1):0;} int g(int n){return e(n)+o(n);} int main(void){int i,s=0; for(i=0;i<30;i++) s+=g(i%7)+e(i%5); return s;}",
    ] {
        check_same(text);
    }
}

#[test]
fn unknown_arguments_are_followed() {
    check_same(
        "#include <stdlib.h>\nint f(int n){return n<1?0:f(n-1)+f(n-1);} int main(void){ int s=rand()%2?f(5):f(6); if(rand()%2) s+=f(4); return 0;}",
    );
}

#[test]
fn counts_beyond_all_operations_are_exact() {
    let text = "long f(int n){return n<2?n:f(n-1)+f(n-2);} int main(void){return f(85)<0;}";
    let (counts, told) = totals(evaluator(text, options(&[])));
    assert!(told.is_empty(), "{told:?}");
    // Calls of the 85th are 2 F(86) - 1.
    assert!(counts.values().any(|&count| count == Count::exact(2 * 420_196_140_727_489_673 - 1)), "{counts:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn counts_are_those_of_every_call(
        n in 0..14_i32, a in 1..4_i32, b in 1..4_i32, c in 1..4_i32, divisor in 2..5_i32, globals in 0..4_u8,
    ) {
        let change = ["", "g++;", "g = n;", "g += k;"][globals as usize];
        check_same(&format!(
            "int g, k = 2; int h(int n) {{ int s = 0; for (int i = 0; i < n; i++) s += i % k; return s; }}\n\
             int f(int n, int m) {{ {change} if (n < {c}) return m; k = n % {divisor} + 1; \
             return f(n - {a}, m + 1) + f(n - {b}, m) + h(n); }}\n\
             int main(void) {{ int s = f({n}, 1); for (int i = 0; i < g % 64; i++) s++; return s & 1; }}"
        ));
    }
}
