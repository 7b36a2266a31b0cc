//! Kinds of diagnostics of symbolic counting.

use chronos_base::diag::Code;

macro_rules! codes {
    ($($name:ident = $id:literal, $title:literal, $explanation:literal;)*) => {
        $(#[doc = concat!("`", $id, "`: ", $title, ".")]
        pub static $name: Code = Code { id: $id, title: $title, explanation: $explanation };)*
        /// All codes of this module.
        pub static ALL: &[&Code] = &[$(&$name),*];
    };
}

codes! {
    NOT_FOLLOWED = "C0340", "counts that abstract execution does not follow",
        "Counts as expressions come from executing the program abstractly. A goto upwards, recursion, a call through an unknown pointer or an iteration space that is too complex is not followed: what is counted there is unknown, and so is what it may write. Without --symbolic the program is interpreted with the values given, which follows all of these.";
    NO_START = "C0341", "no main function to count from",
        "Counting begins in `main`. Give all source files of the program, the one that defines main among them.";
}
