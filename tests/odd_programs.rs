//! Wrong and odd programs: the evaluation ends, in bounded time and memory, with a defined value or a
//! diagnostic; it never panics.

use chronos::abstract_execution::{ClosedForms, Summariser};
use chronos::activity::{Feed, Outcome, Step, TaskId};
use chronos::frontend::lower::{Settings, lower_sources};
use chronos::frontend::{SourceOptions, read};
use chronos::interpreter::{Evaluator, EvaluatorOptions, NoSummaries};
use chronos::mpi_calls::{MpiState, Options};
use chronos::slicing::Analysis;
use chronos::slicing::Assumptions;
use chronos::values::Value;
use std::sync::Arc;

/// What the evaluation says: the value that `main` returns, or the codes of the diagnostics.
fn outcome(text: &str, summaries: bool) -> String {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("a.c");
    std::fs::write(&path, text).expect("written");
    let (sources, _) = read(&SourceOptions { files: vec![path], ..SourceOptions::default() }).expect("read");
    let (program, _) = lower_sources(&sources, &Settings::default());
    let program = Arc::new(program);
    let assumptions = Assumptions { budget: 20_000, ..Assumptions::default() };
    let summariser: Box<dyn Summariser> = if summaries {
        let analysis = Analysis::new(&program, &assumptions);
        Box::new(ClosedForms::new(program.clone(), analysis, assumptions.clone()))
    } else {
        Box::new(NoSummaries)
    };
    let options = EvaluatorOptions { tasks: 1, assumptions, ..EvaluatorOptions::default() };
    let mut evaluator = Evaluator::new(program, options, summariser, Box::new(MpiState::new(1, Options::default())));
    while !matches!(evaluator.next(TaskId(0), Outcome::None), Step::End | Step::Stuck) {}
    let codes: Vec<&str> = evaluator.diagnostics().iter().map(|d| d.code.id).collect();
    match evaluator.result(TaskId(0)) {
        Some(Value::Int(n)) => n.to_string(),
        Some(Value::Unknown(_)) => format!("unknown {}", codes.join(" ")),
        _ => codes.join(" "),
    }
}

/// `expected`: begins of what may come out when everything is interpreted.
#[track_caller]
fn check(body: &str, expected: &str) {
    let text = format!(
        "#include <stdlib.h>\n#include <string.h>\n#include <stdio.h>\n#include <limits.h>\nint *volatile where; {body}"
    );
    let found = outcome(&text, false);
    assert!(found.starts_with(expected), "{body}\n{found}");
    assert!(!outcome(&text, true).is_empty(), "{body}");
}

#[test]
fn accesses_outside_of_objects() {
    check("int main(void){int a[3]={1,2,3}; volatile int i=3; return a[i];}", "unknown C0302");
    check("int main(void){int a[3]={1,2,3}; int *p=a; p-=1; return *p;}", "unknown C0302");
    check("int main(void){char *s=malloc(4); strcpy(s,\"too long\"); return s[0];}", "116");
    check("int main(void){char s[3]={'a','b','c'}; return strlen(s);}", "unknown C0302");
    check("int main(void){int *p=malloc(8); free(p); return *p;}", "unknown C0302");
    check("int *f(void){int x=3; return &x;} int main(void){return *f();}", "unknown C0302");
    check("int main(void){char *s=malloc(4); s[20]=7; s[3]=1; return s[20];}", "7");
    check("int main(void){int a[3]={1,2,3}; volatile int i=3; a[i]=9; return a[0];}", "1");
    check("int main(void){int a[3]={1,2,3}; volatile int i=5000; return a[i];}", "C0302");
    check("int main(int c,char**v){return atoi(v[1]);}", "C0337");
    check("int main(int c,char**v){char *n=v[c]; return n[0];}", "C0337");
    check("int main(void){int *p=malloc(8); free(p); free(p); return 0;}", "C0316");
    check("int main(void){char b[4]; memset(b,0,400); return 0;}", "C0302");
    check("int main(void){char b[4]; memcpy(b,b+2,-1); return 0;}", "C0302");
    check("int main(void){return *(int*)12345;}", "C0303");
    check("int main(void){void (*f)(void)=0; f(); return 0;}", "C0303");
    check("int main(void){where=malloc(4); where[1<<30]=3; return 0;}", "C0302");
}

#[test]
fn sizes_without_sense() {
    check("int main(void){char *p=malloc(-1); return p==NULL;}", "1");
    check("int main(void){char *p=malloc(1ul<<50); p[1ul<<40]=7; return p[1ul<<40]+(p[3]==0);}", "C0303");
    check("int main(void){char *p=calloc(1ul<<40,1ul<<40); return p==NULL;}", "");
    check("int main(void){int n=-5; int a[n]; return sizeof a/4==-5;}", "");
    check("int main(void){char *p=malloc(0); p=realloc(p,10); p[9]=4; return p[9];}", "4");
    check("int main(void){char *p=calloc(1<<30,1); memset(p,1,1<<30); return p[5];}", "");
}

#[test]
fn arithmetic_without_result() {
    check("int main(void){volatile int z=0; return 7/z;}", "C0304");
    check("int main(void){volatile int z=0; return 7%z;}", "C0304");
    check("int main(void){volatile int m=INT_MIN,n=-1; return m/n==INT_MIN;}", "");
    check("int main(void){volatile long m=LONG_MIN,n=-1; return m%n;}", "");
    check("int main(void){volatile int n=40; return (1<<n)==0;}", "unknown");
    check("int main(void){volatile int n=-1; return 1<<n;}", "unknown");
    check("int main(void){volatile double x=1e30; return (int)x;}", "unknown");
    check("int main(void){int x; return x;}", "unknown");
    check("int main(void){int a,b; return &a<&b;}", "unknown");
    check("int main(void){volatile double z=0; return (0/z==0/z)+(1/z>1e308)*2;}", "2");
}

#[test]
fn no_end_in_sight() {
    check("int main(void){while(1); return 3;}", "");
    check("int main(void){for(unsigned i=1;i!=0;i+=2); return 3;}", "");
    check("int main(void){int i=0; again: i++; goto again; return i;}", "C0310");
    check("int f(int n){return f(n+1)+1;} int main(void){return f(0);}", "C031");
    check("int f(int n){return n<2?n:f(n-1)+f(n-2);} int main(void){return f(90);}", "-1581614984");
    check("int d[99]; int f(int n){d[n]++; return n<2?n:f(n-1)+f(n-2);} int main(void){return f(90);}", "C0313");
    check("int main(void){long s=0; for(int i=0;i<100000;i++)for(int j=0;j<100000;j++)s^=i*j; return s&1;}", "unknown");
    check("int main(void){for(;;){char *p=malloc(1000); p[0]=1; if(!p) break;} return 0;}", "");
}

#[test]
fn wrong_calls() {
    check("int main(void){char b[8]; sprintf(b,\"%s\",(char*)0); return b[0];}", "40");
    check("int main(void){printf(\"%d %d %s\"); return 0;}", "");
    check("int main(void){char b[8]; sprintf(b,\"%q%%%\",1); return 0;}", "");
    check(
        "int c(const void*a,const void*b){return 1;} int main(void){int a[9]={0}; qsort(a,9,4,c); return a[3];}",
        "0",
    );
    check("int main(void){int a[2]; qsort(a,-3,4,0); qsort(a,2,-4,0); return 0;}", "");
    check("int main(void){return strtol(\"zz\",0,99)+strtol(\"12\",0,-1)+atoi(\"\");}", "");
    check("int main(void){return sscanf(\"1 2\",\"%d %d\",(int*)0);}", "C0303");
    check("int main(void){FILE*f=0; return fgetc(f);}", "C0303");
    check("int main(void){int x=5; return ((int(*)(int))&x)(3);}", "C03");
    check("int g(int a,int b){return a;} int main(void){return ((int(*)())g)(4);}", "4");
    check("int main(void){abort();}", "134");
    check("int main(int c,char**v){return v[c]==0&&v[c+5]==0;}", "unknown C0337");
}
