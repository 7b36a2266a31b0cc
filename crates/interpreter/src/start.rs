//! How a task begins: static initialisers, arguments, the frame of main.

use crate::code::instructions::Home;
use crate::code::program::{Code, StaticObject};
use crate::compile::tables;
use crate::programs::Programs;
use crate::state::by_rank::ByRank;
use crate::state::shared::Shared;
use crate::state::task::{Frame, Task, environment_string};
use crate::state::traps::Traps;
use crate::state::unwritten;
use crate::{codes, library};
use chronos_activity::{Step, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_ir::{Const, FuncId, Program, SPAWNED_MAIN, ScalarType, Storage, VarId, spawned_main};
use chronos_values::storage::Fill;
use chronos_values::{ObjectId, Origin, Pointer, Value};

/// All tasks before the first operation of main. Those of a program begin alike, so that they are copies of its first one.
pub(crate) fn all_tasks(shared: &mut Shared, programs: &Programs, tasks: u32) -> Vec<Task> {
    if let Some(rank) = shared.options.representative {
        return vec![representative(shared, &programs.of(rank as usize).code, rank, tasks)];
    }
    let mut first: Vec<(*const Code, Task)> = Vec::new();
    let mut begin = |rank: u32| {
        let code = &*programs.of(rank as usize).code;
        if let Some((_, task)) = first.iter().find(|(of, _)| std::ptr::eq(*of, code)) {
            return task.as_task(TaskId(rank));
        }
        let mut begun = task(shared, code, TaskId(rank));
        // One that cannot begin says so itself.
        if begun.finished.is_none() {
            begun.memory.share_all();
            first.push((code, begun.clone()));
        }
        begun
    };
    (0..tasks).map(&mut begin).collect()
}

/// A task that stands before the first operation of main.
pub fn task(shared: &mut Shared, code: &Code, id: TaskId) -> Task {
    let mut strings = vec![format!("./{}", program_name(&code.program))];
    strings.extend(shared.options.arguments.iter().cloned());
    task_with(shared, code, id, &strings)
}

/// A task that stands for others, before the first operation of main.
fn representative(shared: &mut Shared, code: &Code, rank: u32, tasks: u32) -> Task {
    let mut begun = task(shared, code, TaskId(rank));
    begun.by_rank = Some(Box::new(ByRank::new(rank, tasks)));
    begun.memory.traps = Some(Box::new(Traps::told()));
    begun
}

/// Bytes that each task takes at least: its state, and what its program has in static storage.
pub fn least_bytes_of_a_task(program: &Program) -> u64 {
    let lasts = |variable: &&chronos_ir::Variable| matches!(variable.storage, Storage::Global | Storage::Static);
    let statics = program.variables.values().filter(lasts).count() + program.strings.len();
    (size_of::<Task>() + statics * size_of::<Value>()) as u64
}

/// The stem of the file that `main` stands in.
pub fn program_name(program: &Program) -> String {
    let main = program.main.map(|main| program.functions[main].span.file);
    let name = main.map_or("main".to_owned(), |file| program.files.get(file).name.to_string());
    name.rsplit('/').next().unwrap_or(&name).trim_end_matches(".c").to_owned()
}

/// `main` of the program that the first argument names.
fn first_function(program: &Program, arguments: &[String]) -> Option<FuncId> {
    let name = arguments.first().map(|name| spawned_main(name))?;
    let started = program.functions.iter().find(|(_, function)| *function.name == *name);
    started.map(|(id, _)| id).or(program.main)
}

/// Names, besides the program's own, under which others are started.
pub fn started_programs(program: &Program) -> impl Iterator<Item = String> {
    let names = program.functions.values().filter_map(|function| function.name.strip_prefix(SPAWNED_MAIN));
    names.map(str::to_owned)
}

/// As `task`, with these arguments, the program's own name first.
pub(crate) fn task_with(shared: &mut Shared, code: &Code, id: TaskId, arguments: &[String]) -> Task {
    let mut task = Task::new(id, code);
    for &variable in &code.globals {
        let value = global(shared, code, &mut task, variable);
        task.globals.push(value);
    }
    for (index, object) in code.statics.iter().enumerate() {
        if let StaticObject::Variable(variable) = object {
            initialise(shared, code, &mut task, ObjectId::new(index), *variable);
        }
    }
    match first_function(&code.program, arguments) {
        Some(main) => enter_main(shared, code, &mut task, main, arguments),
        None => {
            let message = "the program has no `main` function";
            let help = "give all source files of the program";
            shared.reports.add(id, Diagnostic::error(&codes::NO_MAIN, message).help(help));
            task.finished = Some(Step::Stuck);
        }
    }
    task
}

fn constant(code: &Code, constant: &Const) -> Option<Value> {
    let first_string = || code.statics.iter().position(|object| matches!(object, StaticObject::String(_)));
    let (strings, library) = match constant {
        Const::Str(..) => (first_string(), None),
        Const::Library(name) => (None, code.library.iter().position(|known| known == name)),
        _ => (None, None),
    };
    let number = |position: usize| position as u32;
    tables::value(constant, &code.homes, strings.map(number), library.map(number))
}

fn constant_type(constant: &Const) -> ScalarType {
    match constant {
        Const::Int(_, ty) | Const::Float(_, ty) | Const::Wide(_, ty) => *ty,
        _ => ScalarType::Pointer,
    }
}

fn global(shared: &mut Shared, code: &Code, task: &mut Task, variable: VarId) -> Value {
    let program = &code.program;
    let declared = &program.variables[variable];
    let ty = program.types.scalar(declared.ty).unwrap_or(ScalarType::I32);
    if declared.undefined {
        return library::external(shared, task, &declared.name);
    }
    let first = declared.init.as_ref().and_then(|init| init.first());
    first.and_then(|(_, value)| constant(code, value)).unwrap_or(Fill::Zero.scalar(ty))
}

fn initialise(shared: &mut Shared, code: &Code, task: &mut Task, object: ObjectId, variable: VarId) {
    let program = &code.program;
    let declared = &program.variables[variable];
    if declared.undefined {
        let value = library::external(shared, task, &declared.name);
        let unknown = program.types.scalar(declared.ty).is_none();
        match program.types.scalar(declared.ty) {
            Some(ty) => task.memory.write(Pointer { object, offset: 0 }, ty, value),
            None if unknown => task.memory.forget(object, value),
            None => {}
        }
    }
    for (offset, initial) in declared.init.iter().flatten() {
        if let Some(value) = constant(code, initial) {
            let pointer = Pointer { object, offset: *offset as i64 };
            let ty = constant_type(initial);
            if task.memory.check(pointer, ty.size(program.model)).is_ok() {
                task.memory.write(pointer, ty, value);
            }
        }
    }
}

fn enter_main(shared: &mut Shared, code: &Code, task: &mut Task, main: FuncId, strings: &[String]) {
    let function = &code.functions[main.index()];
    let context = shared.segments.root(main);
    shared.scratch.open(context, function.first_counter, function.counters);
    let arguments = arguments(&code.program, task, strings);
    task.process.arguments.clone_from(&arguments);
    task.stack = vec![shared.uninitialised; function.registers as usize];
    unwritten::fill_variables(shared, code, main, &mut task.stack);
    task.stack.extend_from_slice(&function.hot.constants);
    let frame = Frame {
        function: main,
        pc: 0,
        base: 0,
        context,
        dst: None,
        result_place: None,
        loops: 0,
        splits: 0,
        alternatives: Vec::new(),
        allocations: Vec::new(),
    };
    task.frames.push(frame);
    frame_objects(shared, code, task, main);
    for (value, (home, _)) in arguments.into_iter().zip(&function.params) {
        match *home {
            Home::Register(register) => task.stack[register as usize] = value,
            Home::FrameObject(register) => {
                if let Value::Pointer(pointer) = task.stack[register as usize] {
                    let int = matches!(value, Value::Int(_));
                    task.memory.write(pointer, if int { ScalarType::I32 } else { ScalarType::Pointer }, value);
                }
            }
            _ => {}
        }
    }
}

/// Gives the innermost frame its objects.
pub(crate) fn frame_objects(shared: &Shared, code: &Code, task: &mut Task, function: FuncId) {
    let Some(frame) = task.frames.last() else { return };
    let base = frame.base;
    for &(register, variable, bytes) in &code.functions[function.index()].frame_objects {
        let fill = shared.fresh();
        let object = task.memory.allocate(bytes, Origin::Variable(variable), fill);
        task.stack[(base + register) as usize] = Value::Pointer(Pointer { object, offset: 0 });
    }
}

/// argc, argv, envp.
fn arguments(program: &Program, task: &mut Task, strings: &[String]) -> Vec<Value> {
    let pointers: Vec<Value> = strings.iter().map(|text| environment_string(task, text)).collect();
    if let Some(Value::Pointer(name)) = pointers.first() {
        task.process.program_name = Some(name.object);
    }
    let word = ScalarType::Pointer.size(program.model);
    let list = task.memory.allocate((pointers.len() as u64 + 1) * word, Origin::Environment, Fill::Zero);
    for (i, value) in pointers.iter().enumerate() {
        task.memory.write(Pointer { object: list, offset: i as i64 * word as i64 }, ScalarType::Pointer, *value);
    }
    let environment = task.memory.allocate(word, Origin::Environment, Fill::Zero);
    let at = |object| Value::Pointer(Pointer { object, offset: 0 });
    vec![Value::Int(pointers.len() as i64), at(list), at(environment)]
}
