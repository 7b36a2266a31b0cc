//! Where programs are predicted: machines, clusters and platforms, as the flags name them.

use super::Request;
use crate::diag::Diagnostic;
use crate::machine::Machine;
use crate::machine::network::Network;
use crate::machine::platform::Platform;
use crate::machine::scale::Factor;

/// One kind of machine, or a platform.
#[derive(Debug)]
pub enum Place {
    Machine(Box<Machine>),
    Platform(Box<Platform>),
}

impl Place {
    /// The first kind of machine.
    pub fn machine(&self) -> &Machine {
        match self {
            Self::Machine(machine) => machine,
            Self::Platform(platform) => &platform.machines[0],
        }
    }

    pub fn platform(&self) -> Option<&Platform> {
        match self {
            Self::Machine(_) => None,
            Self::Platform(platform) => Some(platform),
        }
    }

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

/// All places of a request, and the network between nodes.
///
/// # Errors
/// Everything that is wrong with the flags that name them.
pub fn load(request: &Request<'_>) -> Result<(Vec<Place>, Network), Vec<Diagnostic>> {
    let (mut places, mut errors) = named(request);
    match crate::cli::front_end::library_costs(&request.programs[0].front_end) {
        Ok(costs) => places.iter_mut().flat_map(Place::machines_mut).for_each(|machine| costs.apply(machine)),
        Err(found) => errors.extend(found),
    }
    let library = |network: Network| match request.mpi_library {
        Some(library) => network.with_library(library),
        None => Ok(network),
    };
    let network = Network::load(request.network).map_err(|found| errors.extend(found)).ok();
    let network = network.and_then(|network| library(network).map_err(|error| errors.push(error)).ok());
    for place in &mut places {
        if let Place::Platform(platform) = place
            && let Some(network) = platform.network.take()
        {
            platform.network = library(network).map_err(|error| errors.push(error)).ok();
        }
    }
    let network = network.and_then(|network| network.scaled(request.factors).map_err(|error| errors.push(error)).ok());
    places.iter_mut().filter_map(|place| place.scale(request.factors).err()).for_each(|error| errors.push(error));
    for place in places.iter().filter_map(Place::platform) {
        errors.extend(request.tasks.iter().filter_map(|&tasks| place.place(tasks).err()));
    }
    match network {
        Some(network) if errors.is_empty() => Ok((places, network)),
        _ => Err(errors),
    }
}

fn named(request: &Request<'_>) -> (Vec<Place>, Vec<Diagnostic>) {
    let (mut places, mut errors) = (Vec::new(), Vec::new());
    for name in request.machines {
        match place(name, request.tasks_per_node) {
            Ok(place) => places.push(place),
            Err(error) => errors.push(error),
        }
    }
    for path in request.platforms {
        match Platform::load(path) {
            Ok(platform) => places.push(Place::Platform(Box::new(platform))),
            Err(found) => errors.extend(found),
        }
    }
    (places, errors)
}

/// `NAME|FILE`, or `A:3,B:1`.
fn place(name: &str, tasks_per_node: u32) -> Result<Place, Diagnostic> {
    match is_cluster(name) {
        true => Ok(Place::Platform(Box::new(Platform::of_kinds(name, tasks_per_node)?))),
        false => Ok(Place::Machine(Box::new(Machine::load(name)?))),
    }
}

/// Whether the name stands for several nodes of given kinds.
pub fn is_cluster(name: &str) -> bool {
    let counts = |part: &str| part.rsplit_once(':').is_some_and(|(_, count)| count.parse::<u32>().is_ok());
    name.split(',').any(counts)
}
