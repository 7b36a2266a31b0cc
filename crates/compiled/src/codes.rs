//! Diagnostics of object code.

use chronos_base::diag::Code;

/// C1301: the compiler cannot be started.
pub static NO_COMPILER: Code = Code {
    id: "C1301",
    title: "compiler for object code cannot be started",
    explanation: "`chronos explain-code` compiles the sources with the compiler and flags of the machine file or of --cc and looks at the \
        instructions; nothing is run. That command was not found or may not be executed. A machine file of another computer may \
        name a compiler that is not installed here.",
};

/// C1302: the compiler refuses a file.
pub static NOT_COMPILED: Code = Code {
    id: "C1302",
    title: "the compiler refuses a file",
    explanation: "The compiler ended with an error, so there is no object code to look at. The message shows its first complaint. Give -D \
        and -I as for the program's own build, and --cc with its flags. Flags such as -march=native are those of this computer.",
};

/// C1303: object code that cannot be read.
pub(crate) static UNREADABLE_OBJECT: Code = Code {
    id: "C1303",
    title: "object code cannot be read",
    explanation: "The compiler's output is no ELF object of a known instruction set, or a part of it is damaged. Code for x86-64 and \
        aarch64 can be read; flags such as -flto, -S or -emit-llvm, and compilers for other processors, give something else.",
};

/// C1304: object code without line numbers.
pub(crate) static NO_LINES: Code = Code {
    id: "C1304",
    title: "object code without line numbers",
    explanation: "Instructions are matched to source lines by the debugging information (DWARF) that -g asks for; it is missing here, as \
        with -s, -g0 or a compiler wrapper that strips its output. Leave such flags out of --cc.",
};

/// C1305: no such function in the object code.
pub static NO_FUNCTION: Code = Code {
    id: "C1305",
    title: "no such function in the object code",
    explanation: "The object code has no function of this name: it is misspelled, a macro excludes it, or the compiler inlined a static \
        function into all its callers and left no copy. Then name a caller: its listing shows the inlined lines.",
};

/// C1306: instructions that cannot be decoded.
pub(crate) static NOT_DECODED: Code = Code {
    id: "C1306",
    title: "instructions that cannot be decoded",
    explanation: "Bytes of a function are no instruction that chronos knows: data between instructions, or an extension newer than the \
        decoder. The function is left out; others are not affected.",
};

/// C1307: no core description.
pub static NO_CORE: Code = Code {
    id: "C1307",
    title: "no description of the processor's core",
    explanation: "Cycles of loops are simulated on a description of the core: its width, buffers, ports and latencies. Where none \
        is shipped for the processor's name, the one whose width, window and latencies are those in the machine file is taken, and said to be. \
        Where there is none either, name a similar one with --core, or a file of the schema chronos-core/1.",
};

/// C1308: core description with an error.
pub(crate) static BAD_CORE: Code = Code {
    id: "C1308",
    title: "core description with an error",
    explanation: "A file of the schema chronos-core/1 is not JSON, lacks a field, or names a port or family that does not exist. The \
        message names the place.",
};

/// C1309: instructions without figures.
pub(crate) static NO_FIGURES: Code = Code {
    id: "C1309",
    title: "instructions without figures",
    explanation: "The core description has no micro-operations and latency for some instructions of a loop, so the loop has no cycles \
        rather than guessed ones. `rep` instructions and those that talk to the system are of that kind.",
};

/// C1310: sources that compilers would not see.
pub static OTHER_PROGRAM: Code = Code {
    id: "C1310",
    title: "the compiler would see another program",
    explanation: "`--set` and `--symbolic` change macros and constants while chronos reads the sources; a compiler that is asked for \
        object code (--cost-model compiled) reads the sources as they stand. Times come from the source instead. Use -D where the \
        source allows it, or edit a copy.",
};

/// C1311: code of another instruction set than that of the core.
pub(crate) static OTHER_INSTRUCTION_SET: Code = Code {
    id: "C1311",
    title: "code for another processor",
    explanation: "The compiler makes code of another instruction set than the one that the core description, or the processor of the \
        machine file, executes: a compiler for this computer was asked for a machine of another kind. Name a cross compiler with --cc, \
        such as --cc \"aarch64-linux-gnu-gcc -O2\" (package gcc-aarch64-linux-gnu of Debian) for machines of aarch64; nothing is run.",
};

/// All codes of this crate.
pub static ALL: &[&Code] = &[
    &NO_COMPILER,
    &NOT_COMPILED,
    &UNREADABLE_OBJECT,
    &NO_LINES,
    &NO_FUNCTION,
    &NOT_DECODED,
    &NO_CORE,
    &BAD_CORE,
    &NO_FIGURES,
    &OTHER_PROGRAM,
    &OTHER_INSTRUCTION_SET,
];
