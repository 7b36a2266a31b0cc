//! Which processor this is, and which shipped files were made on one of its microarchitecture.

use std::fs::read_to_string;

/// A processor, as Linux describes it in `/proc/cpuinfo`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processor {
    /// Model name with family and model, which virtual machines do not hide; machine files carry it as `provenance.cpu`.
    pub name: String,
    /// What the names of shipped files of this microarchitecture begin with; `None` where no file is of it.
    pub shipped_prefix: Option<&'static str>,
}

impl Processor {
    /// The processor that this process runs on. Its name is the architecture's (`x86_64`) where the system says nothing.
    #[must_use]
    pub fn here() -> Self {
        Self::of_cpuinfo(&read_to_string("/proc/cpuinfo").unwrap_or_default())
    }

    /// For the name of a machine: `amd-epyc-family-26-model-2`.
    #[must_use]
    pub fn short(&self) -> String {
        let words = self.name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join("-").to_lowercase()
    }

    /// As the text of `/proc/cpuinfo` says.
    fn of_cpuinfo(text: &str) -> Self {
        let field = |key: &str| {
            let line = text.lines().find(|line| line.split(':').next().is_some_and(|name| name.trim() == key))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let number = |key: &str| parsed(&field(key)?);
        let shipped_prefix =
            MICROARCHITECTURES.iter().find(|known| known.fits(&field, &number)).map(|known| known.prefix);
        let name = match (field("model name"), field("cpu family"), field("model"), field("CPU part")) {
            (Some(name), Some(family), Some(model), _) => format!("{name} (family {family} model {model})"),
            (Some(name), ..) => name,
            (None, .., Some(part)) => {
                let implementer = field("CPU implementer").unwrap_or_default();
                format!("{} (implementer {implementer} part {part})", std::env::consts::ARCH)
            }
            _ => std::env::consts::ARCH.to_owned(),
        };
        Self { name, shipped_prefix }
    }
}

/// Decimal, or hexadecimal behind `0x`.
fn parsed(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Processors with the same core, by the numbers that CPUID (x86) or `MIDR_EL1` (Arm) gives.
struct Microarchitecture {
    vendor: &'static str,
    family: u32,
    /// Models of an x86 family; parts of an Arm implementer.
    models: &'static [std::ops::RangeInclusive<u32>],
    prefix: &'static str,
}

impl Microarchitecture {
    fn fits(&self, field: &dyn Fn(&str) -> Option<String>, number: &dyn Fn(&str) -> Option<u32>) -> bool {
        let (vendor, family, model) = match field("vendor_id") {
            Some(vendor) => (Some(vendor), number("cpu family"), number("model")),
            None => (Some("Arm".to_owned()), number("CPU implementer"), number("CPU part")),
        };
        vendor.as_deref() == Some(self.vendor)
            && family == Some(self.family)
            && model.is_some_and(|model| self.models.iter().any(|range| range.contains(&model)))
    }
}

/// Numbers as in the Linux kernel's `arch/x86/include/asm/intel-family.h`, `arch/x86/kernel/cpu/amd.c` and
/// `arch/arm64/include/asm/cputype.h`.
static MICROARCHITECTURES: &[Microarchitecture] = &[
    // Zen 5: all models of the family so far.
    Microarchitecture { vendor: "AuthenticAMD", family: 26, models: &[0x00..=0xff], prefix: "epyc-zen5" },
    // Zen 4; the other models of the family are Zen 3.
    Microarchitecture {
        vendor: "AuthenticAMD",
        family: 25,
        models: &[0x10..=0x1f, 0x60..=0x7f, 0xa0..=0xaf],
        prefix: "epyc-zen4",
    },
    // Sapphire Rapids and Emerald Rapids are told apart by their caches beyond the second level, not by their cores.
    Microarchitecture { vendor: "GenuineIntel", family: 6, models: &[143..=143, 207..=207], prefix: "xeon-emerald" },
    Microarchitecture { vendor: "GenuineIntel", family: 6, models: &[173..=174], prefix: "xeon-granite" },
    // Skylake-SP, Cascade Lake, Cooper Lake.
    Microarchitecture { vendor: "GenuineIntel", family: 6, models: &[85..=85], prefix: "xeon-skylake-sp" },
    Microarchitecture { vendor: "GenuineIntel", family: 6, models: &[55..=55, 76..=77], prefix: "atom-silvermont" },
    Microarchitecture { vendor: "Arm", family: 0x41, models: &[0xd0c..=0xd0c], prefix: "graviton2-neoverse-n1" },
    Microarchitecture { vendor: "Arm", family: 0x41, models: &[0xd08..=0xd08], prefix: "raspberry-pi4-cortex-a72" },
];

#[cfg(test)]
mod tests {
    use super::Processor;

    fn check(cpuinfo: &str, name: &str, prefix: Option<&str>) {
        let processor = Processor::of_cpuinfo(cpuinfo);
        assert_eq!((&*processor.name, processor.shipped_prefix), (name, prefix));
    }

    #[test]
    fn numbers_of_the_processor_lead_to_its_microarchitecture() {
        let x86 = |vendor, family, model| {
            format!(
                "processor : 0\nvendor_id : {vendor}\ncpu family : {family}\nmodel\t\t: {model}\nmodel name : CPU\n"
            )
        };
        check(&x86("AuthenticAMD", 26, 2), "CPU (family 26 model 2)", Some("epyc-zen5"));
        assert_eq!(Processor::of_cpuinfo(&x86("AuthenticAMD", 26, 2)).short(), "cpu-family-26-model-2");
        check(&x86("AuthenticAMD", 25, 17), "CPU (family 25 model 17)", Some("epyc-zen4"));
        check(&x86("AuthenticAMD", 25, 1), "CPU (family 25 model 1)", None);
        check(&x86("GenuineIntel", 6, 143), "CPU (family 6 model 143)", Some("xeon-emerald"));
        check(&x86("GenuineIntel", 6, 186), "CPU (family 6 model 186)", None);
    }

    #[test]
    fn arm_processors_are_told_by_their_part() {
        let text = "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n";
        let name = format!("{} (implementer 0x41 part 0xd0c)", std::env::consts::ARCH);
        check(text, &name, Some("graviton2-neoverse-n1"));
    }

    #[test]
    fn a_system_that_says_nothing_gives_its_architecture() {
        check("", std::env::consts::ARCH, None);
    }
}
