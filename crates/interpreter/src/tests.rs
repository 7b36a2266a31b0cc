//! Programs as C text, evaluated.

mod assumptions;

use super::{Evaluator, EvaluatorOptions, Inputs, NoSummaries};
use chronos_abstract_execution::ClosedForms;
use chronos_activity::{Count, Feed, Outcome, Step, TaskId, Work};
use chronos_base::hash::FxHashMap;
use chronos_frontend::lower::{Settings, lower_sources};
use chronos_frontend::{SourceOptions, read};
use chronos_ir::{CLibrary, CounterId};
use chronos_mpi_calls::{MpiState, Options};
use chronos_slicing::Assumptions;
use chronos_values::Value;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

mod bytes;
mod call_backs;
mod closed;
mod descriptors;
mod first_touch;
mod lifetimes;
mod mispredictions;
mod native;
mod remembering;
mod spins;

fn evaluator(text: &str, options: EvaluatorOptions) -> Evaluator {
    evaluator_with(text, options, false)
}

fn evaluator_with(text: &str, options: EvaluatorOptions, summaries: bool) -> Evaluator {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("a.c");
    std::fs::write(&path, text).expect("written");
    let (sources, _) = read(&SourceOptions { files: vec![path], ..SourceOptions::default() }).expect("read");
    let (program, diagnostics) =
        lower_sources(&sources, &Settings { c_library: CLibrary::Other, ..Settings::default() });
    assert!(diagnostics.iter().all(|d| !d.is_error()), "{diagnostics:?}");
    let calls = MpiState::new(options.tasks as usize, Options::default());
    let program = Arc::new(program);
    if !summaries {
        return Evaluator::new(program, options, Box::new(NoSummaries), Box::new(calls));
    }
    let analysis = chronos_slicing::Analysis::new(&program, &options.assumptions);
    let forms = ClosedForms::new(program.clone(), analysis, options.assumptions.clone());
    Evaluator::new(program, options, Box::new(forms), Box::new(calls))
}

fn options(arguments: &[&str]) -> EvaluatorOptions {
    let inputs = Inputs {
        stdin: Some(b"12 3.5 word\nline two\n".as_slice().into()),
        files: FxHashMap::default(),
        ..Inputs::default()
    };
    EvaluatorOptions {
        tasks: 1,
        spawned: 0,
        arguments: arguments.iter().map(ToString::to_string).collect(),
        inputs,
        environment: FxHashMap::default(),
        assumptions: Assumptions { budget: 1_000_000, ..Assumptions::default() },
        ..EvaluatorOptions::default()
    }
}

/// Steps of one task, with segments by their number.
fn steps(evaluator: &mut Evaluator, task: u32) -> String {
    let mut text = String::new();
    loop {
        match evaluator.next(TaskId(task), Outcome::None) {
            Step::Work(Work::Segment(id)) => writeln!(text, "work {}", id.0),
            Step::Event(event) => writeln!(text, "{}", name(&format!("{:?}", event.operation))),
            Step::Repeat(repeat) => writeln!(text, "repeat {} x {} steps", repeat.times, repeat.steps.len()),
            other => writeln!(text, "{other:?}"),
        }
        .expect("a string");
        if text.ends_with("End\n") || text.ends_with("Stuck\n") {
            return text;
        }
    }
}

/// Counts of the first task over all contexts, by counter, and the codes of what was told.
fn totals(mut evaluator: Evaluator) -> (BTreeMap<CounterId, Count>, Vec<&'static str>) {
    let mut totals = BTreeMap::new();
    loop {
        match evaluator.next(TaskId(0), Outcome::None) {
            Step::Work(Work::Segment(id)) => {
                for (counter, count) in evaluator.segments().get(id).by_counter() {
                    *totals.entry(counter).or_insert(Count::ZERO) += count;
                }
            }
            Step::End | Step::Stuck => break,
            other => panic!("{other:?} in a sequential program"),
        }
    }
    (totals, evaluator.diagnostics().iter().map(|d| d.code.id).collect())
}

fn name(debug: &str) -> String {
    debug.split([' ', '(']).next().unwrap_or_default().to_owned()
}

/// What main returns.
#[track_caller]
fn check_with(text: &str, arguments: &[&str], expected: i64) {
    let mut evaluator = evaluator(text, options(arguments));
    let trace = steps(&mut evaluator, 0);
    let told: Vec<String> = evaluator.diagnostics().iter().map(|d| format!("{}: {}", d.code.id, d.message)).collect();
    assert_eq!(evaluator.result(TaskId(0)), Some(Value::Int(expected)), "{trace}{told:#?}");
}

#[track_caller]
fn check(text: &str, expected: i64) {
    check_with(text, &[], expected);
}

/// The messages of a program that cannot be followed to its end.
fn told(text: &str) -> String {
    let mut evaluator = evaluator(text, options(&[]));
    steps(&mut evaluator, 0);
    evaluator.diagnostics().iter().map(|d| format!("{} {}\n", d.code.id, d.message)).collect()
}

#[test]
fn loops_and_arrays() {
    check("int main(void){int a[10],s=0; for(int i=0;i<10;i++)a[i]=i*i; for(int i=0;i<10;i++)s+=a[i]; return s;}", 285);
    check("static double m[400][400]; int main(void){m[3][4]=2.5; return (int)(m[3][4]*2+m[0][0]);}", 5);
    check(
        "int main(void){int i=0,s=0; while(1){if(++i>20)break; if(i%2)continue; s+=i;} do s--; while(s>100); return s;}",
        100,
    );
}

#[test]
fn short_circuits_switches_and_gotos() {
    check("int f(int x){return x&&10/x>2||x==7;} int main(void){return f(0)+2*f(1)+4*f(7)+8*f(9);}", 6);
    check(
        "int f(int x){int s=0;switch(x){case 1:s+=1;case 2:s+=2;break;case 5 ... 9:s=50;break;default:s=9;}return s;} int main(void){return f(1)+f(2)+f(7)+f(0);}",
        64,
    );
    check("int main(void){int i=0; again: i++; if(i<7) goto again; return i;}", 7);
    check("int main(void){for(int i=0;i<9;i++) for(int j=0;j<9;j++) if(i*j==42) goto out; out: return 3;}", 3);
}

#[test]
fn functions_structs_and_pointers() {
    check("int fib(int n){return n<2?n:fib(n-1)+fib(n-2);} int main(void){return fib(15);}", 610);
    check("void swap(int*a,int*b){int t=*a;*a=*b;*b=t;} int main(void){int x=3,y=4;swap(&x,&y);return x*10+y;}", 43);
    check(
        "struct P{int x;double y;char c[3];}; struct P make(int n){struct P p={n,n*.5,\"ab\"};return p;} int main(void){struct P a[3];for(int i=0;i<3;i++)a[i]=make(i);struct P q=a[2];return q.x*100+(int)(q.y*10)+q.c[1];}",
        308,
    );
    check(
        "int add(int a,int b){return a+b;} int mul(int a,int b){return a*b;} int main(void){int(*f[2])(int,int)={add,mul};return f[0](3,4)+f[1](3,4);}",
        19,
    );
    check(
        "#include <stdlib.h>\nint main(void){double**m=malloc(5*sizeof*m);for(int i=0;i<5;i++)m[i]=calloc(5,sizeof(double));m[2][3]=7;int s=m[2][3]+m[1][1];for(int i=0;i<5;i++)free(m[i]);free(m);return s;}",
        7,
    );
    check("union U{float f;unsigned u;}; int main(void){union U u;u.f=1.0f;return u.u>>23;}", 127);
    check("struct B{unsigned a:3;int b:5;}; int main(void){struct B x={0};x.a=9;x.b=-3;return x.a*10-x.b;}", 13);
}

#[test]
fn library_functions() {
    check_with(
        "#include <stdlib.h>\nint main(int c,char**v){return c*100+atoi(v[1])+(int)atof(v[2]);}",
        &["12", "3.7"],
        315,
    );
    check(
        "#include <string.h>\n#include <stdio.h>\nint main(void){char b[40];sprintf(b,\"%d-%s-%.2f\",42,\"xy\",1.5);return strlen(b)*10+(strcmp(b,\"42-xy-1.50\")==0);}",
        101,
    );
    check(
        "#include <stdio.h>\nint main(void){int n;double d;char w[9];int k=scanf(\"%d %lf %8s\",&n,&d,w);return k*1000+n+(int)(d*2)+w[0];}",
        3138,
    );
    check(
        "#include <stdlib.h>\nint c(const void*a,const void*b){return *(int*)a-*(int*)b;} int main(void){int a[]={5,2,9,1};qsort(a,4,sizeof(int),c);return a[0]*1000+a[1]*100+a[2]*10+a[3];}",
        1259,
    );
    check_with(
        "#include <unistd.h>\n#include <stdlib.h>\nint main(int c,char**v){int o,n=0;while((o=getopt(c,v,\"n:v\"))!=-1)switch(o){case 'n':n+=atoi(optarg);break;case 'v':n+=100;}return n+optind;}",
        &["-v", "-n", "7", "x"],
        111,
    );
}

#[test]
fn wrong_programs_are_told() {
    insta::assert_snapshot!(told("int main(void){int a[3],i=5;return a[i];}"), @"C0302 access at byte 20 of `a`, which has 12 bytes: the run is taken to go on with what stands there");
    insta::assert_snapshot!(told("int main(void){int a[3],i=5000;return a[i];}"), @"C0302 access at byte 20000 of `a`, which has 12 bytes");
    insta::assert_snapshot!(told("int*volatile p;int main(void){p=__builtin_malloc(4);p[1]=2;return p[1];}"), @"C0302 access at byte 4 of an allocation, which has 4 bytes: the allocator rounds it up to more, so that the run goes on");
    insta::assert_snapshot!(told("int atoi(const char*);int main(int c,char**v){return atoi(v[2]);}"), @"C0337 argument 2 of the program is missing: it is read here");
    let passed = "int atoi(const char*);static int number(const char*t){int k=0;for(int i=0;i<3;i++)k+=i;return k+atoi(t);}int main(int c,char**v){return number(v[1]);}";
    insta::assert_snapshot!(told(passed), @"C0337 argument 1 of the program is missing: `atoi` reads it as an integer");
    insta::assert_snapshot!(told("int atoi(const char*);int main(int c,char**v){return atoi(v[c]);}"), @"C0337 argument 1 of the program is missing: `atoi` reads it as an integer");
    insta::assert_snapshot!(told("int main(void){int*p=0;return *p;}"), @"C0303 the program accesses memory through a null pointer");
    insta::assert_snapshot!(told("int main(void){int z=0;return 3/z;}"), @"C0304 the divisor of an integer division is zero");
    insta::assert_snapshot!(told("int f(int n){return f(n+1);} int main(void){return f(0);}"), @"C0311 calls of `f` are nested without end (100000 deep)");
}

#[test]
fn memory_that_is_mapped_for_an_allocation_is_zero() {
    check("#include <stdlib.h>\nint main(void){int *p=malloc(200000); return p[40000];}", 0);
    let used =
        "#include <stdlib.h>\nint main(void){int *p=malloc(200000); p[7]=3; free(p); p=malloc(200000); return p[7];}";
    let mut evaluator = evaluator(used, options(&[]));
    steps(&mut evaluator, 0);
    assert!(evaluator.result(TaskId(0)).is_some_and(|value| value.is_unknown()));
    check("int main(void){int a[3]; volatile int i=4; a[i]=9; return a[i];}", 9);
}

#[test]
fn a_failure_exit_is_told() {
    let text = "#include <stdlib.h>\nint main(int c,char**v){if(c<2)exit(3);return 0;}";
    insta::assert_snapshot!(told(text), @"C0317 the program ends itself with exit status 3");
    let text = r#"#include <mpi.h>
#include <stdio.h>
int main(int c,char**v){MPI_Init(&c,&v); if(c<2){printf("Usage: prog N\n"); MPI_Abort(MPI_COMM_WORLD,1);} return 0;}"#;
    insta::assert_snapshot!(told(text), @"C0317 the program, which has a usage text, ends itself with MPI_Abort");
}

#[test]
fn loops_of_messages_without_end_are_told() {
    let program = |body: &str| {
        format!(
            "#include <mpi.h>\n#include <stdlib.h>\nint main(int c,char**v){{int n=0;MPI_Init(0,0);{body}MPI_Finalize();return 0;}}"
        )
    };
    let endless = program("while(1){MPI_Barrier(MPI_COMM_WORLD);for(int i=0;i<3;i++)n++;}");
    insta::assert_snapshot!(told(&endless), @"C0310 the loop in `main` never ends: nothing in it leaves it");
    let endless = program("for(;;){MPI_Barrier(MPI_COMM_WORLD);}");
    insta::assert_snapshot!(told(&endless), @"C0310 the loop in `main` never ends: nothing in it leaves it");
    let left = program("while(1){MPI_Barrier(MPI_COMM_WORLD);if(++n>2)break;}");
    insta::assert_snapshot!(told(&left), @"");
    let left = program("while(1){MPI_Barrier(MPI_COMM_WORLD);if(++n>2)exit(0);}");
    insta::assert_snapshot!(told(&left), @"");
}

#[test]
fn an_unknown_branch_runs_both_arms() {
    check(
        "#include <stdlib.h>\nint main(void){int s=1,t; if(rand()%2) t=5; else t=5; if(rand()>3) s=1; return s+t;}",
        6,
    );
    let message = told("#include <stdlib.h>\nint main(void){int n=0; while(rand()%3) n++; return 0;}");
    insta::assert_snapshot!(message, @"C0306 the number of iterations of a loop depends on a random number");
}

#[test]
fn a_loop_of_equal_iterations_is_a_repeat() {
    let text = "#include <mpi.h>\nint main(int c,char**v){MPI_Init(&c,&v);for(int i=0;i<1000;i++)MPI_Barrier(MPI_COMM_WORLD);MPI_Finalize();return 0;}";
    let mut evaluator = evaluator(text, options(&[]));
    let trace = steps(&mut evaluator, 0);
    assert!(trace.contains("repeat 99"), "{trace}");
}

#[test]
fn a_counter_that_only_goes_to_what_nobody_needs_folds() {
    let text = "#include <mpi.h>\nint main(int c,char**v){double mean=0,here=c,sum;MPI_Init(&c,&v);\
                for(int i=-2147483647;i<1000;i++){MPI_Reduce(&here,&sum,1,MPI_DOUBLE,MPI_SUM,0,MPI_COMM_WORLD);mean=(mean*i+sum/2)/(i+1);}\
                MPI_Finalize();return 0;}";
    // The evaluator of this test takes everything to be relevant, the summaries know better.
    let trace = steps(&mut evaluator_with(text, options(&[]), true), 0);
    assert!(trace.contains("repeat 21474846"), "{trace}");
    let needed =
        text.replace("1000;i++", "-2147483000;i++").replace("MPI_Reduce(&here,&sum,1,", "MPI_Reduce(&here,&sum,i&1,");
    assert!(!steps(&mut evaluator_with(&needed, options(&[]), true), 0).contains("repeat"), "the size alternates");
}

/// The counts of the first blocks of main, over the whole run.
#[track_caller]
fn counts(text: &str, assumptions: Assumptions) -> Vec<f64> {
    let mut evaluator = evaluator(text, EvaluatorOptions { assumptions, ..options(&[]) });
    steps(&mut evaluator, 0);
    let mut totals: Vec<(u32, f64)> = Vec::new();
    for (_, segment) in evaluator.segments().iter() {
        totals.extend(segment.by_counter().map(|(counter, n)| (counter.0, n.as_f64().unwrap_or(-1.0))));
    }
    totals.sort_by_key(|&(counter, _)| counter);
    totals.into_iter().map(|(_, n)| n).collect()
}

#[test]
fn a_return_under_an_unknown_condition_weighs_the_rest() {
    let text = "int rand(void); int main(void){if(rand()){return 1;} return 0;}";
    // Not zero: 0.84, return: 0.28; together 0.84 * 0.28 / (0.84 * 0.28 + 0.16 * 0.72).
    let returns = 0.2352 / 0.3504;
    // Straight block, its call, branch, taken, arm, rest.
    let expected = [1.0, 1.0, 1.0, returns, returns, 1.0 - returns];
    let found = counts(text, Assumptions::default());
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
}

#[test]
fn given_iterations_weigh_the_body() {
    let text = "int rand(void); int main(void){int n=0; while(rand()){n++;} return 0;}";
    let program = evaluator(text, options(&[])).programs.first().program.clone();
    let mut assumptions = Assumptions::default();
    for (id, block) in program.blocks.iter() {
        if matches!(block.kind, chronos_ir::BlockKind::Loop(_)) {
            assumptions.iterations.insert(id, 7.0);
        }
    }
    // Straight block, iterations, entries, condition and its call once more than the body.
    assert_eq!(counts(text, assumptions), [1.0, 7.0, 1.0, 8.0, 8.0, 7.0, 1.0]);
}

#[test]
fn a_long_loop_without_mpi_is_not_iterated() {
    let text = "double x; int main(void){for(long i=0;i<1000000000000;i++) x+=i; return 4;}";
    let mut evaluator = evaluator_with(text, options(&[]), true);
    steps(&mut evaluator, 0);
    assert_eq!(evaluator.result(TaskId(0)), Some(Value::Int(4)));
}
