//! Pages that are touched for the first time: by loops, by what MPI brings.

use super::*;
use crate::source::processor::costs::Costs;

#[test]
fn the_first_writer_of_a_static_object_pays_for_its_pages() {
    let text = "double a[4096], b[4096]; void fill(int n) { for (int i = 0; i < n; i++) a[i] = 1; }
        void use(int n) { for (int i = 0; i < n; i++) b[i] = a[i]; }
        int main() { fill(4096); use(512); use(512); return 0; }";
    // 32 KiB of a, 8 KiB of b.
    assert!((page_faults(text) - 10_000.0).abs() < 1e-6, "{}", page_faults(text));
}

#[test]
fn the_first_writer_of_allocated_memory_pays_for_its_pages() {
    let text = "void *malloc(unsigned long n);
        static void fill(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 1; }
        static void use(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 2; }
        int main() { double *a = malloc(32768); fill(a, 4096); use(a, 1024); return 0; }";
    assert!((page_faults(text) - 8_000.0).abs() < 1e-6, "{}", page_faults(text));
}

#[test]
fn memory_is_touched_first_through_wrappers_and_globals_as_well() {
    let text = "int posix_memalign(void **p, unsigned long a, unsigned long n); void exit(int);
        static void *make(unsigned long n) { void *p = 0; if (posix_memalign(&p, 64, n)) exit(1); return p; }
        void *array(unsigned long n) { void *p = make(n); return p; }
        double *g;
        void fill(int n, double x[n]) { for (int i = 0; i < n; i++) x[i] = 1; }
        void use(int n, double *y) { for (int i = 0; i < n; i++) y[i] = 2; }
        int main() { double (*a)[4096] = (double (*)[4096])array(32768); g = array(8192);
            fill(4096, *a); use(1024, g); use(1024, g); return 0; }";
    // 32 KiB of a, 8 KiB of what g holds, 8 bytes of g.
    assert!((page_faults(text) - 10_000.0 - 8.0 / 4.096).abs() < 1e-6, "{}", page_faults(text));
}

#[test]
fn pages_of_static_objects_are_touched_first_through_parameters_as_well() {
    let text = "static double a[4096], b[4096];
        static void row(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 1; }
        static void fill(double (*x)[1024], int n) { row(x[n], 1024); }
        static void use(int n) { for (int i = 0; i < n; i++) a[i] = b[i] = 2; }
        int main() { fill((double (*)[1024])a, 0); row(&b[8], 1024); use(1024); return 0; }";
    // The loop of `row` walks over 8 KiB of each.
    assert!((page_faults(text) - 4_000.0).abs() < 1e-6, "{}", page_faults(text));
}

#[test]
fn what_repeats_between_readings_of_the_clock_is_not_charged_each_time() {
    let text = |call: &str| {
        format!(
            "long time(long *t); static double a[4096];
            static long now(void) {{ return time(0); }}
            static void use(int n) {{ for (int i = 0; i < n; i++) a[i] = 1; }}
            int main(int n) {{ for (int r = 0; r < n; r++) {{ use(1024); {call} }} return 0; }}"
        )
    };
    assert!((page_faults(&text("")) - 2_000.0).abs() < 1e-6);
    assert!(page_faults(&text("now();")).abs() < 1e-6);
}

#[test]
fn a_page_takes_longer_where_more_are_touched() {
    let fault = |bytes: u64, ns: f64| chronos_machine::PageFault {
        bytes: chronos_base::units::Bytes(bytes),
        ns: chronos_base::units::Nanoseconds(ns),
    };
    let mut machine = machine("gcc-O2");
    machine.memory.page_fault_ns = Some(chronos_base::units::Nanoseconds(700.0));
    machine.memory.page_faults.clear();
    assert_close(Costs::new(&machine).page_fault(1e9), 700.0);
    machine.memory.page_faults = vec![fault(1 << 20, 800.0), fault(1 << 24, 1000.0)];
    let found = [19, 20, 22, 24, 30].map(|power| Costs::new(&machine).page_fault(f64::from(1 << power)).round());
    assert_eq!(found, [800.0, 800.0, 900.0, 1000.0, 1000.0]);
    machine.memory = chronos_machine::Memory::default();
    assert_close(Costs::new(&machine).page_fault(4096.0), 0.0);
}

/// What page faults of 1 us add: the loop of `fill` has 4096 iterations, others 1024.
fn page_faults(text: &str) -> f64 {
    let program = program(text);
    let mut machine = machine("gcc-O2");
    machine.memory.page_fault_ns = Some(chronos_base::units::Nanoseconds(1000.0));
    let model = Source::new(&program, &machine);
    let counts = counters(text, |program, block| match &program.blocks[block].kind {
        BlockKind::Loop(_) => {
            vec![if *program.functions[program.blocks[block].function].name == *"fill" { 4096 } else { 1024 }, 1]
        }
        _ => vec![1],
    });
    let counts =
        counts.into_iter().map(|(counter, n)| (ContextId(0), CounterId(counter), Count::exact(n.into()))).collect();
    let segment = Segment { counts, ..Segment::default() };
    let with = model.price(&segment, &Reuse::default()).total().0;
    machine.memory.page_fault_ns = None;
    with - Source::new(&program, &machine).price(&segment, &Reuse::default()).total().0
}

#[test]
fn what_one_arm_writes_another_has_not() {
    let text = "void *malloc(unsigned long n);
        static void fill(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 1; }
        static void use(double *x, int n) { for (int i = 0; i < n; i++) x[i] = 2; }
        int main(int n) { double *a = malloc(32768); if (n) fill(a, 4096); else use(a, 1024); use(a, 1024); return 0; }";
    let both = "void *malloc(unsigned long n);
        int main(int n) { double *a = malloc(32768); if (n) for (int i = 0; i < n; i++) a[i] = 1;
            else for (int i = 0; i < n; i++) a[i] = 2; return 0; }";
    // Executed in one segment, the object is charged once.
    assert!((page_faults(text) - 8_000.0).abs() < 1e-6, "{}", page_faults(text));
    assert!((page_faults(both) - 2_000.0).abs() < 1e-6, "{}", page_faults(both));
    let model = Source::new(&program(both), &machine("gcc-O2"));
    assert_eq!(model.touches.scopes.len(), 2);
}

/// Whose pages are charged of the calls of MPI in `main`, which all bring 1 MiB: 1 where they are. Memory is from `a`
/// on: an allocation, a static object.
fn received(main: &str) -> Vec<u32> {
    let text = format!(
        "void *malloc(unsigned long n); void *memset(void *p, int c, unsigned long n);
        int MPI_Recv(void *x, int n, int t, int from, int tag, int comm, void *status);
        int MPI_Scatterv(void *x, int *n, int *at, int t, void *y, int m, int u, int root, int comm);
        static double b[131072];
        static void get(double *x, int n) {{ MPI_Recv(x, n, 1, 0, 0, 0, 0); }}
        static void put(double *x, int i) {{ x[i] = 1; }}
        static void fill(double *x, int n) {{ for (int i = 0; i < n; i++) x[i] = 1; }}
        int main(int n) {{ double *a = malloc(n), **rows = malloc(n); {main} return 0; }}"
    );
    let program = program(&text);
    let mut machine = machine("gcc-O2");
    machine.memory.page_fault_ns = Some(chronos_base::units::Nanoseconds(2.0));
    let model = Source::new(&program, &machine);
    let calls = program.blocks.iter().filter(
        |(_, block)| matches!(&block.kind, BlockKind::Call(call) if matches!(call.callee, chronos_ir::Callee::Mpi(_))),
    );
    let time = |block| {
        let volumes = vec![(ContextId(0), block, f64::from(1 << 20))];
        let priced = model.price(&Segment { volumes, ..Segment::default() }, &Reuse::default());
        assert!(
            priced.entries.iter().flat_map(|entry| &entry.classes).all(|(class, ns)| *class == C::Store || ns.0 == 0.0)
        );
        (priced.total().0 / 512.0) as u32
    };
    calls.map(|(id, _)| time(id)).collect()
}

#[test]
fn data_that_comes_to_fresh_memory_touches_pages() {
    let recv = |place: &str| format!("MPI_Recv({place}, n, 1, 0, 0, 0, 0);");
    let (a, b) = (recv("a"), recv("b"));
    // The first call is that of `get`.
    assert_eq!(received(&a), [0, 1]);
    assert_eq!(received(&format!("{a} {b} {a}")), [0, 1, 1, 1]);
    assert_eq!(received("get(a, n);"), [1]);
    assert_eq!(received(&recv("a + 5 * n")), [0, 1]);
    assert_eq!(received(&recv("&b[n]")), [0, 1]);
    assert_eq!(received("MPI_Scatterv(b, 0, 0, 1, a, n, 1, 0, 0);"), [0, 1]);
    assert_eq!(received(&format!("for (int i = 0; i < n; i++) {{ {a} }}")), [0, 1]);
    // A pointer among others may point anywhere.
    assert_eq!(received(&recv("rows[n]")), [0, 0]);
}

#[test]
fn data_that_comes_to_what_the_program_wrote_touches_nothing() {
    let recv = "MPI_Recv(a, n, 1, 0, 0, 0, 0);";
    assert_eq!(received(&format!("fill(a, n); {recv}")), [0, 0]);
    assert_eq!(received(&format!("{recv} fill(a, n); {recv}")), [0, 1, 0]);
    assert_eq!(received(&format!("memset(a, 0, n); {recv}")), [0, 0]);
    assert_eq!(received(&format!("if (n) fill(a, n); {recv}")), [0, 0]);
    assert_eq!(received(&format!("if (n) fill(a, n); else {recv}")), [0, 1]);
    assert_eq!(received(&format!("for (int i = 0; i < n; i++) put(a, i); {recv}")), [0, 0]);
    assert_eq!(received(&format!("a[0] = 1; put(a, 1); {recv}")), [0, 1]);
    assert_eq!(received(&format!("fill(b, n); {recv}")), [0, 1]);
}

#[test]
fn a_loop_behind_a_receive_does_not_pay_for_its_pages() {
    let text = |recv: &str| {
        format!(
            "void *malloc(unsigned long n); int MPI_Recv(void *x, int n, int t, int from, int tag, int comm, void *status);
            static void fill(double *x, int n) {{ for (int i = 0; i < n; i++) x[i] = 1; }}
            int main() {{ double *a = malloc(32768); {recv} fill(a, 4096); return 0; }}"
        )
    };
    assert!((page_faults(&text("")) - 8_000.0).abs() < 1e-6);
    assert!(page_faults(&text("MPI_Recv(a, 4096, 1, 0, 0, 0, 0);")).abs() < 1e-6);
}
