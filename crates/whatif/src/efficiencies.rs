//! How computation scales: what efficiencies of several numbers of tasks have in common.

use chronos_report::efficiencies::{self, EfficiencyRow};
use chronos_report::whatif::model::WhatIf;

/// Adds computation scaling and global efficiency to studies of one system and several numbers of tasks; `weak`: each
/// task keeps its work.
pub fn add_scaling(studies: &mut [WhatIf], weak: bool) {
    let case = |study: &WhatIf| {
        let platform = &study.base.platform;
        let swept = study.base.sweep.iter().map(|value| value.value.clone());
        [platform.machine.clone(), platform.network.clone()].into_iter().chain(swept).collect()
    };
    let row = |study: &WhatIf| {
        let (tasks, total_s) = (study.base.tasks, study.base.total_s);
        Some(EfficiencyRow { case: case(study), tasks, total_s, efficiency: study.efficiency.clone()? })
    };
    let mut rows: Vec<EfficiencyRow> = studies.iter().filter_map(row).collect();
    efficiencies::add_scaling(&mut rows, weak);
    let known = studies.iter_mut().filter(|study| study.efficiency.is_some());
    known.zip(rows).for_each(|(study, row)| study.efficiency = Some(row.efficiency));
}
