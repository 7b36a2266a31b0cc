//! The systems that programs are predicted on: machines, clusters and platforms, as the options name them.

use super::options::PredictOptions;
use super::plan::fallback;
use super::sources;
use chronos_base::diag::Diagnostic;
use chronos_base::units::Cycles;
use chronos_cost::ModelName;
use chronos_machine::Machine;
use chronos_machine::network::Network;
use chronos_machine::platform::Platform;
use chronos_machine::scale::Factor;

/// As many nodes of one kind of machine as tasks need, or a platform.
#[derive(Debug)]
pub(crate) enum TargetSystem {
    Machine(Box<Machine>),
    Platform(Box<Platform>),
}

impl TargetSystem {
    /// The first kind of machine.
    pub fn machine(&self) -> &Machine {
        match self {
            Self::Machine(machine) => machine,
            Self::Platform(platform) => &platform.machines[0],
        }
    }

    /// The platform; `None` for nodes of one kind of machine.
    pub fn platform(&self) -> Option<&Platform> {
        match self {
            Self::Machine(_) => None,
            Self::Platform(platform) => Some(platform),
        }
    }

    /// All kinds of machine.
    pub fn machines(&self) -> Vec<&Machine> {
        self.platform().map_or_else(|| vec![self.machine()], |platform| platform.machines.iter().collect())
    }

    /// Why machines are not priced with the usual model, each said once.
    pub fn notes(&self, chosen: Option<ModelName>) -> Vec<Diagnostic> {
        let mut notes: Vec<Diagnostic> = Vec::new();
        for note in self.machines().into_iter().filter_map(|machine| fallback(chosen, machine)) {
            if notes.iter().all(|known| known.message != note.message) {
                notes.push(note);
            }
        }
        notes
    }

    /// As options and reports name it.
    pub fn name(&self) -> &str {
        self.platform().map_or(&self.machine().name, |platform| &platform.name)
    }

    fn machines_mut(&mut self) -> &mut [Machine] {
        match self {
            Self::Machine(machine) => std::slice::from_mut(machine),
            Self::Platform(platform) => &mut platform.machines,
        }
    }

    /// Makes parts of it better; machines say so in their names.
    fn scale(&mut self, factors: &[Factor]) -> Result<(), Diagnostic> {
        let of_machine: Vec<Factor> = factors.iter().filter(|f| !f.key.starts_with("network.")).cloned().collect();
        let scaled = |machine: &mut Machine| {
            let list = of_machine.iter().map(Factor::to_string).collect::<Vec<_>>().join(" ");
            machine.scaled(&format!("{} {list}", machine.name), &of_machine).map(|scaled| *machine = scaled)
        };
        match self {
            _ if factors.is_empty() => Ok(()),
            Self::Machine(machine) if !of_machine.is_empty() => scaled(machine),
            Self::Machine(_) => Ok(()),
            Self::Platform(platform) => {
                if let Some(network) = &platform.network {
                    platform.network = Some(network.scaled(factors)?);
                }
                let list = factors.iter().map(Factor::to_string).collect::<Vec<_>>().join(" ");
                platform.name = format!("{} {list}", platform.name);
                let mut machines = platform.machines.iter_mut().filter(|_| !of_machine.is_empty());
                machines.try_for_each(scaled)
            }
        }
    }
}

/// All systems that the options name, and the network between nodes.
///
/// # Errors
/// Everything that is wrong with their names and files.
pub fn load(options: &PredictOptions) -> Result<(Vec<TargetSystem>, Network), Vec<Diagnostic>> {
    let (mut systems, mut errors) = named(options);
    if let Some(program) = options.programs.first() {
        match sources::library_costs(program) {
            Ok(costs) => {
                systems.iter_mut().flat_map(TargetSystem::machines_mut).for_each(|machine| costs.apply(machine));
            }
            Err(found) => errors.extend(found),
        }
    }
    if options.recorded.is_some() {
        // What calls take is told by the network alone: nobody said what machine it is.
        systems
            .iter_mut()
            .flat_map(TargetSystem::machines_mut)
            .for_each(|machine| machine.mpi_local_cycles = Cycles::default());
    }
    let library = |network: Network| match &options.systems.mpi_library {
        Some(library) => network.with_library(library),
        None => Ok(network),
    };
    let network = Network::load(&options.systems.network).map_err(|found| errors.extend(found)).ok();
    let network = network.and_then(|network| library(network).map_err(|error| errors.push(error)).ok());
    for system in &mut systems {
        if let TargetSystem::Platform(platform) = system
            && let Some(network) = platform.network.take()
        {
            platform.network = library(network).map_err(|error| errors.push(error)).ok();
        }
    }
    let factors = &options.systems.factors;
    let network = network.and_then(|network| network.scaled(factors).map_err(|error| errors.push(error)).ok());
    errors.extend(systems.iter_mut().filter_map(|system| system.scale(factors).err()));
    for platform in systems.iter().filter_map(TargetSystem::platform) {
        errors.extend(options.tasks.iter().filter_map(|&tasks| platform.place(tasks).err()));
    }
    match network {
        Some(network) if errors.is_empty() => Ok((systems, network)),
        _ => Err(errors),
    }
}

fn named(options: &PredictOptions) -> (Vec<TargetSystem>, Vec<Diagnostic>) {
    let (mut systems, mut errors) = (Vec::new(), Vec::new());
    for name in &options.systems.machines {
        match machine_or_cluster(name, options.model.tasks_per_node) {
            Ok(system) => systems.push(system),
            Err(error) => errors.push(error),
        }
    }
    for path in &options.systems.platforms {
        match Platform::load(path) {
            Ok(platform) => systems.push(TargetSystem::Platform(Box::new(platform))),
            Err(found) => errors.extend(found),
        }
    }
    (systems, errors)
}

/// `NAME|FILE`, or `A:3,B:1`.
fn machine_or_cluster(name: &str, tasks_per_node: u32) -> Result<TargetSystem, Diagnostic> {
    if is_cluster(name) {
        return Ok(TargetSystem::Platform(Box::new(Platform::of_kinds(name, tasks_per_node)?)));
    }
    Ok(TargetSystem::Machine(Box::new(Machine::load(name)?)))
}

/// Whether the name stands for several nodes of given kinds.
pub fn is_cluster(name: &str) -> bool {
    let counts = |part: &str| part.rsplit_once(':').is_some_and(|(_, count)| count.parse::<u32>().is_ok());
    name.split(',').any(counts)
}
