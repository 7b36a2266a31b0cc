//! From the words of changes to what they mean for this program on this system.

use crate::change::{Change, Code, Combination, Placing};
use crate::codes;
use crate::place;
use crate::rank::sends;
use crate::scope::{Rescaled, Scope};
use crate::structure::Structural;
use chronos_activity::TaskId;
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id as _;
use chronos_base::spelling::nearest;
use chronos_ir::{BlockId, BlockKind, Callee, FuncId, Program};
use chronos_machine::network::Network;
use chronos_machine::platform::Platform;
use chronos_machine::scale::Factor;
use chronos_predict::{Job, Target, mpi_name};
use chronos_replay::{FasterMessages, WhichMessages};
use std::collections::BTreeSet;
use std::path::Path;

/// How other networks are made ready, as the network of the prediction was.
#[derive(Clone, Debug, Default)]
pub struct NetworkOptions {
    /// The MPI library whose algorithms collective operations use.
    pub library: Option<String>,
    /// Parts that are so many times better.
    pub factors: Vec<Factor>,
}

impl NetworkOptions {
    /// A network by name, path or model.
    ///
    /// # Errors
    /// It cannot be read, or the options do not suit it.
    pub fn load(&self, name: &str) -> Result<Network, Vec<Diagnostic>> {
        let network = Network::load(name)?;
        let network = match &self.library {
            Some(library) => network.with_library(library).map_err(|error| vec![error])?,
            None => network,
        };
        network.scaled(&self.factors).map_err(|error| vec![error])
    }
}

/// Changes of a combination, by what they touch.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// Instead of the network.
    pub network: Option<Network>,
    /// Instead of the system, with its placement.
    pub platform: Option<Platform>,
    /// Search the best placement on so many nodes.
    pub search: Option<u32>,
    /// Computing that takes another time.
    pub(crate) rescaled: Vec<Rescaled>,
    /// Changes of what is executed, in their order.
    pub structural: Vec<Structural>,
    /// What is to be said of them.
    pub notes: Vec<String>,
    /// Messages that take less time.
    pub faster: Option<FasterMessages>,
}

/// What a combination means.
///
/// # Errors
/// It names what is not there.
pub fn resolve(
    combination: &Combination,
    job: &Job,
    target: Target<'_>,
    networks: &NetworkOptions,
) -> Result<Resolved, Vec<Diagnostic>> {
    let mut resolved = Resolved::default();
    let mut errors = Vec::new();
    for change in &combination.changes {
        if let Err(found) = add(&mut resolved, change, &combination.text, job, target, networks) {
            errors.extend(found);
        }
    }
    if errors.is_empty() { Ok(resolved) } else { Err(errors) }
}

fn add(
    resolved: &mut Resolved,
    change: &Change,
    text: &str,
    job: &Job,
    target: Target<'_>,
    networks: &NetworkOptions,
) -> Result<(), Vec<Diagnostic>> {
    let program = &job.program;
    let one = |error: Diagnostic| vec![error];
    let structural = match change {
        Change::Place(Placing::Best(nodes)) => {
            place::check_nodes(text, *nodes, target).map_err(one)?;
            resolved.search = Some(*nodes);
            return Ok(());
        }
        Change::Place(placing) => {
            let nodes = place::nodes(text, placing, job.tasks).map_err(one)?;
            resolved.platform = Some(place::platform(text, target, nodes).map_err(one)?);
            return Ok(());
        }
        Change::Network(name) => {
            resolved.network = Some(networks.load(name)?);
            return Ok(());
        }
        Change::IdealNetwork => {
            resolved.network = Some(target.network.ideal());
            return Ok(());
        }
        Change::Speed(code, factor) => {
            let left = factor.map_or(0.0, |factor| 1.0 / factor);
            let call = sending_call(code, program);
            let scope = match call {
                Some(call) => Scope::Blocks([call].into()),
                None => scope(code, text, program).map_err(one)?,
            };
            match call {
                Some(call) => resolved.faster = Some(FasterMessages { which: WhichMessages::Call(call), left }),
                None if matches!(code, Code::Line { .. }) && has_mpi(&scope, program) => resolved
                    .notes
                    .push("MPI calls there keep their time, which is that of network and partners".to_owned()),
                None => {}
            }
            resolved.rescaled.push(Rescaled { scope, left });
            return Ok(());
        }
        Change::Node(rank, factor) => {
            let task = task(*rank, text, job).map_err(one)?;
            resolved.rescaled.push(Rescaled { scope: Scope::Task(task), left: 1.0 / factor });
            return Ok(());
        }
        Change::Move(moved) => {
            let tasks = |ranks: &[usize]| ranks.iter().map(|&rank| task(rank, text, job)).collect::<Result<_, _>>();
            Structural::Move {
                functions: functions(&moved.function, text, program).map_err(one)?,
                from: tasks(&moved.from).map_err(one)?,
                to: tasks(&moved.to).map_err(one)?,
                position: moved.position,
                bytes: moved.bytes,
            }
        }
        Change::Balance(None) => Structural::Balance(None),
        Change::Balance(Some(name)) => Structural::Balance(Some(functions(name, text, program).map_err(one)?)),
        Change::Overlap => Structural::Overlap,
    };
    resolved.structural.push(structural);
    Ok(())
}

fn unknown(text: &str, what: &str, help: String) -> Diagnostic {
    Diagnostic::error(&codes::UNKNOWN_PART, format!("the change `{text}` names {what}")).help(help)
}

fn task(rank: usize, text: &str, job: &Job) -> Result<TaskId, Diagnostic> {
    if rank < job.tasks {
        return Ok(TaskId::new(rank));
    }
    let last = job.tasks - 1;
    let help = format!("ranks go from 0 to {last} with -n {}", job.tasks);
    Err(unknown(text, &format!("task {rank}, and there are {} tasks", job.tasks), help))
}

/// All functions of this name: static ones of several files are meant together.
fn functions(name: &str, text: &str, program: &Program) -> Result<BTreeSet<FuncId>, Diagnostic> {
    let found: BTreeSet<FuncId> =
        program.functions.iter().filter(|(_, function)| &*function.name == name).map(|(id, _)| id).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let names = || program.functions.values().map(|function| &*function.name);
    let help = match nearest(name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the program defines {}", names().take(12).collect::<Vec<_>>().join(", ")),
    };
    Err(unknown(text, &format!("the function `{name}`, which no file given defines"), help))
}

fn scope(code: &Code, text: &str, program: &Program) -> Result<Scope, Diagnostic> {
    match code {
        Code::Function { name, alone } => Ok(Scope::Functions { ids: functions(name, text, program)?, alone: *alone }),
        Code::Line { file, line } => line_scope(file, *line, text, program),
    }
}

/// The call on a line where one MPI call that sends begins, with its arguments and nothing else: faster are its messages.
fn sending_call(code: &Code, program: &Program) -> Option<BlockId> {
    let Code::Line { file, line } = code else { return None };
    let there = || in_file(file, program).filter(|&id| program.blocks[id].span.line_start == *line);
    let mut calls = there().filter(|&id| !matches!(program.blocks[id].kind, BlockKind::Straight(_)));
    let call = calls.next().filter(|_| calls.next().is_none())?;
    (is_mpi(program, call) && sends(&mpi_name(program, call))).then_some(call)
}

/// Blocks of the files with this name, or with a path that ends with it.
fn in_file<'p>(file: &'p str, program: &'p Program) -> impl Iterator<Item = BlockId> + 'p {
    let named = move |name: &str| Path::new(name).ends_with(file.strip_prefix("./").unwrap_or(file));
    program.blocks.ids().filter(move |&id| named(file_name(program, id)))
}

fn line_scope(file: &str, line: u32, text: &str, program: &Program) -> Result<Scope, Diagnostic> {
    let in_file: Vec<BlockId> = in_file(file, program).collect();
    if in_file.is_empty() {
        let user = program.files.iter().filter(|(_, file)| file.text.is_some());
        let names: Vec<&str> = user.map(|(_, file)| &*file.name).collect();
        let help = format!("the program's files are {}", names.join(", "));
        return Err(unknown(text, &format!("the file {file}, which has no code of the program"), help));
    }
    let begins = |&&id: &&BlockId| program.blocks[id].span.line_start == line;
    let there: Vec<BlockId> = in_file.iter().filter(begins).copied().collect();
    if there.is_empty() {
        let what = format!("{file}:{line}, where no block of the program begins");
        return Err(unknown(text, &what, nearby(program, &in_file, line)));
    }
    if there.iter().all(|&id| is_mpi(program, id)) {
        let what =
            format!("{file}:{line}, where only MPI is called: its time is that of the network and of other tasks");
        let help = "change the network (network=NAME, ideal-network) or the tasks that are waited for".to_owned();
        return Err(unknown(text, &what, help));
    }
    Ok(Scope::within(program, &there))
}

fn nearby(program: &Program, in_file: &[BlockId], line: u32) -> String {
    let begin = |id: &BlockId| program.blocks[*id].span.line_start;
    let lines: BTreeSet<u32> = in_file.iter().map(begin).collect();
    let mut near: Vec<u32> = lines.into_iter().collect();
    near.sort_by_key(|other| other.abs_diff(line));
    near.truncate(4);
    near.sort_unstable();
    let near: Vec<String> = near.iter().map(u32::to_string).collect();
    format!("times are known by block; blocks begin on lines {}", near.join(", "))
}

/// The file that a block stands in.
pub fn file_name(program: &Program, block: BlockId) -> &str {
    &program.files.get(program.blocks[block].span.file).name
}

fn has_mpi(scope: &Scope, program: &Program) -> bool {
    matches!(scope, Scope::Blocks(blocks) if blocks.iter().any(|&block| is_mpi(program, block)))
}

fn is_mpi(program: &Program, block: BlockId) -> bool {
    matches!(&program.blocks[block].kind, BlockKind::Call(call) if matches!(call.callee, Callee::Mpi(_)))
}
