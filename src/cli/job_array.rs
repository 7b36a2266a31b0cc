//! A script for Slurm whose jobs share the predictions of a command.
//!
//! The jobs keep what they predict in the folder of `--resume`; the same command without `--slurm` takes all from there.

use super::codes;
use super::exit::Exit;
use super::output::Terminal;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use std::ffi::OsString;

/// Prints the script for this command.
pub fn print(jobs: u32, terminal: &Terminal) -> Exit {
    let words: Result<Vec<String>, OsString> = std::env::args_os().map(OsString::into_string).collect();
    let made = words.map_err(|word| word.to_string_lossy().into_owned()).and_then(|words| script(jobs, &words));
    match made {
        Ok(script) => terminal.print(&script),
        Err(word) => {
            let message = format!("the argument `{word}` cannot be written into a script");
            let error = Diagnostic::error(&codes::NO_JOB_ARRAY, message).help("give files and arguments other names");
            terminal.report(&[error], &SourceFiles::default())
        }
    }
}

/// The script; words that a shell cannot be given are the error.
fn script(jobs: u32, words: &[String]) -> Result<String, String> {
    let options = words.iter().position(|word| word == "--").unwrap_or(words.len());
    let (before, behind) = words.split_at(options);
    let command = shell(&without_slurm(before))?;
    let behind = shell(behind)?;
    // Of the jobs nothing is wanted but what they keep.
    let shard = "--shard \"$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT\"";
    let command = [command.as_str(), shard, &behind]
        .iter()
        .filter(|part| !part.is_empty())
        .copied()
        .collect::<Vec<_>>()
        .join(" ");
    Ok(format!(
        "#!/bin/sh\n#SBATCH --job-name=chronos\n#SBATCH --array=1-{jobs}\n#SBATCH --ntasks=1\n\
         # When all jobs have ended, the same command without --slurm takes their predictions from the folder of --resume.\n\
         exec {command} > /dev/null\n"
    ))
}

fn without_slurm(words: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut all = words.iter();
    while let Some(word) = all.next() {
        if word == "--slurm" {
            all.next();
        } else if !word.starts_with("--slurm=") {
            kept.push(word.clone());
        }
    }
    kept
}

fn shell(words: &[String]) -> Result<String, String> {
    let quoted = words.iter().map(|word| shlex::try_quote(word).map_err(|_| word.clone()));
    Ok(quoted.collect::<Result<Vec<_>, _>>()?.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_run_the_same_command_on_their_part() {
        let words = [
            "chronos",
            "predict",
            "my prog.c",
            "-n",
            "1..64x2",
            "--slurm",
            "8",
            "--resume",
            "kept",
            "--",
            "--slurm",
            "5",
        ];
        let words: Vec<String> = words.map(str::to_owned).into();
        let script = script(8, &words).unwrap();
        assert!(script.starts_with("#!/bin/sh\n") && script.contains("#SBATCH --array=1-8\n"), "{script}");
        let command = "exec chronos predict 'my prog.c' -n 1..64x2 --resume kept \
                       --shard \"$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT\" -- --slurm 5 > /dev/null";
        assert_eq!(script.lines().last(), Some(command));
    }
}
