//! Renderings of one study.

use super::model::{Origin, Series};
use super::{Figure, ScalingReport, csv, figure_html, html, table};
use chronos_base::units::Seconds;
use chronos_scaling::model::Model;
use chronos_scaling::study::{Questions, Study};
use chronos_scaling::{Parts, Point};

fn report() -> ScalingReport {
    let point = |tasks: usize| {
        let n = tasks as f64;
        let parts = Parts { compute: Seconds(0.8 / n), collective: Seconds(1e-3 * n.log2()), ..Parts::default() };
        Point { tasks, total: Seconds(parts.compute.0 + parts.collective.0), parts: Some(parts) }
    };
    let points = [1, 2, 4, 8, 16, 32, 64].map(point).to_vec();
    let questions = Questions { to: 128, verify: vec![point(128)], ..Questions::default() };
    let study = Study::new(points, &questions).expect("points");
    let origin = Origin {
        program: "solver.c".to_owned(),
        name: "solver.c".to_owned(),
        machine: Some("m".to_owned()),
        network: Some("net".to_owned()),
    };
    ScalingReport::new(vec![Series::new(origin, &study)])
}

#[test]
fn the_table_says_points_class_models_and_what_lies_beyond() {
    insta::assert_snapshot!(table(&report(), None), @r"
    solver.c on m, network net: the work stays the same with more tasks; speedups are over the time with one task

    Time by the number of tasks, in ms, with its parts as means over the tasks
    Tasks    Total  Speedup  Efficiency  Compute  Messages  Collective  Idle  End
        1  800.000    1.000     100.0 %  800.000         0           0     0    0
        2  401.000    1.995      99.8 %  400.000         0       1.000     0    0
        4  202.000    3.960      99.0 %  200.000         0       2.000     0    0
        8  103.000    7.767      97.1 %  100.000         0       3.000     0    0
       16   54.000   14.815      92.6 %   50.000         0       4.000     0    0
       32   30.000   26.667      83.3 %   25.000         0       5.000     0    0
       64   18.500   43.243      67.6 %   12.500         0       6.000     0    0

    It scales as the model `tree`: communication grows as log2(N), as in a tree or by recursive doubling: it is 32 % of the time at N = 64 (the model explains the points within 0.0 %).
    The greatest speedup is 60.38, with 128 tasks; the efficiency is at least 50 % up to 64 tasks (it falls below with 114.4).
    Twice the tasks always gain a tenth of speedup or more up to 128 tasks, as far as was looked.

    Models
    Model         Time                             Error  Held out  Parameters                                              Best N  Speedup
    tree          Tb + Ts/N + log2(N)*Tr          0.00 %     0.0 %  Tb = 0, Tr = 1.000 ms, Ts = 800.0 ms, r = 800.0          554.5    75.77
    hierarchical  Tb + Ts/N + 3*N^(1/3)*Tr        0.10 %     2.9 %  Tb = 1.351 ms, Tr = 394.2 us, Ts = 795.3 ms, r = 2018    301.1    66.73
    hierarchical  Tb + Ts/N + 2*sqrt(N)*Tr        0.14 %     5.5 %  Tb = 2.792 ms, Tr = 207.2 us, Ts = 793.8 ms, r = 3830    244.8    63.41
    universal     T1*(1 + a*(N-1) + b*N*(N-1))/N  0.25 %    15.4 %  T1 = 795.0 ms, a = 5.354e-3, b = 3.794e-5                161.9    56.81
    flat          Tb + Ts/N + N*Tr                0.25 %    15.4 %  Tb = 4.227 ms, Tr = 30.16 us, Ts = 790.8 ms, r = 26217   161.9    56.51
    amdahl        s + p/N                         1.17 %     9.0 %  p = 778.7 ms, s = 6.091 ms                                   -        -
    state-space   max(Ta, (N-1)*Tc)/N             5.84 %   206.5 %  Ta = 844.4 ms, Tc = 18.79 ms, r = 44.93                   45.9    45.93
    Error: root mean square at the points. Held out: greatest error at the two largest points of a fit to the others.

    Laws of the parts, in s
      compute     8.000000e-1*1/N
      messages    0
      collective  1.000000e-3*log2(N)
      idle        0
      end         0

    Beyond 64 tasks, by the laws of the parts
    Tasks     Total                  Band  Speedup  Efficiency
      128  13.25 ms  13.11 ms to 13.39 ms    60.38     47.17 %

    Verified by replay
    Tasks  Replayed  Extrapolated                  Band   Error
      128  13.25 ms      13.25 ms  13.11 ms to 13.39 ms  +0.0 %
    ");
}

#[test]
fn csv_has_a_row_for_each_number_of_tasks() {
    let text = csv(&report()).expect("it is written to memory");
    let kinds: Vec<&str> = text.lines().skip(1).filter_map(|line| line.split(',').nth(4)).collect();
    assert_eq!(kinds, [&["point"; 7][..], &["extrapolated"; 1], &["verified"]].concat());
}

/// Time, speedup and parts, each with its lines, and all values as text.
#[test]
fn the_page_draws_the_curves_and_has_the_tables() {
    let (page, text) = (html(&report()), table(&report(), None));
    assert_eq!(page.matches("<figure>").count(), 3);
    for name in ["points", "extrapolated, with its band", "verified by replay", "model tree", "compute", "collective"] {
        assert!(page.contains(&format!("</svg>{name}</li>")), "{name}");
    }
    assert!(!page.contains("</svg>idle</li>"), "parts that are 0 everywhere have no line");
    assert!(text.lines().all(|line| page.contains(&line.replace('>', "&gt;"))), "{page}");
    assert!(!page.contains("<script") && !page.contains("http"));
}

#[test]
fn a_figure_has_a_line_for_each_ratio() {
    let model = |ratio: f64| Model::Flat { begin: Seconds(1.0), work: Seconds(ratio), result: Seconds(1.0) };
    let page = figure_html(&Figure { models: vec![model(10.0), model(100.0)], tasks: (2..=20).collect() });
    assert!(page.contains("</svg>r = 10</li>") && page.contains("</svg>r = 100</li>"));
    assert_eq!(page.matches("<path d=").count(), 2 * 19 + 2, "a mark for each point, and one in the legend");
}
