//! How computation scales: what efficiencies of several numbers of tasks have in common.

use chronos_report::whatif::model::WhatIf;

/// Adds computation scaling and global efficiency to studies of one system and several numbers of tasks: computing time
/// of the fewest tasks over that of each, summed over the tasks, or per task where each keeps its work (`weak`).
pub fn add_scaling(studies: &mut [WhatIf], weak: bool) {
    let computing = |study: &WhatIf| {
        let mean = study.efficiency.as_ref()?.mean_compute_s;
        Some(if weak { mean } else { mean * study.base.tasks as f64 })
    };
    let alike = |a: &WhatIf, b: &WhatIf| {
        let (a, b) = (&a.base, &b.base);
        (&a.platform.machine, &a.platform.network, &a.sweep) == (&b.platform.machine, &b.platform.network, &b.sweep)
    };
    let reference = |study: &WhatIf| {
        let others = studies.iter().filter(|other| alike(study, other));
        let tasks = others.clone().map(|other| other.base.tasks).collect::<std::collections::BTreeSet<_>>();
        let first = others.min_by_key(|other| other.base.tasks)?;
        computing(first).filter(|_| tasks.len() > 1)
    };
    let scalings: Vec<Option<f64>> =
        studies.iter().map(|study| Some(reference(study)? / computing(study).filter(|&own| own > 0.0)?)).collect();
    for (study, scaling) in studies.iter_mut().zip(scalings) {
        if let Some(efficiency) = &mut study.efficiency {
            efficiency.computation_scaling = scaling;
            efficiency.global = scaling.map(|scaling| scaling * efficiency.parallel);
        }
    }
}
