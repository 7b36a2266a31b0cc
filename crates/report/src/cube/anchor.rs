//! `anchor.xml`: what metrics, call paths and locations there are.

use super::{METRICS, Place};
use crate::html::escaped;
use crate::model::{Block, CallNode, Prediction};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What the description is made of.
pub(super) struct Anchor<'a> {
    pub prediction: &'a Prediction,
    pub title: &'a str,
    /// Call paths by their numbers.
    pub order: &'a [Place],
}

/// A function or MPI call as the program has it, whoever calls it: name, kind, file and line.
type Region<'a> = (&'a str, &'a str, &'a str, u32);

impl Anchor<'_> {
    pub fn text(&self) -> String {
        let regions = self.regions();
        let mut text = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n");
        self.attributes(&mut text);
        metrics(&mut text);
        text.push_str(" <program>\n");
        regions.iter().for_each(|(region, number)| write_region(&mut text, region, *number));
        self.call_paths(&mut text, &regions);
        text.push_str(" </program>\n");
        self.locations(&mut text);
        text.push_str("</cube>\n");
        text
    }

    fn attributes(&self, text: &mut String) {
        let platform = &self.prediction.platform;
        let version = concat!("chronos ", env!("CARGO_PKG_VERSION"));
        let pairs = [
            ("Creator", version),
            ("Program", self.title),
            ("Machine", &platform.machine),
            ("Network", &platform.network),
            ("Cost model", &self.prediction.cost_model),
        ];
        for (key, value) in pairs {
            let _ = writeln!(text, " <attr key=\"{key}\" value=\"{}\"/>", escaped(value));
        }
    }

    /// In the order of their names, so that equal predictions have equal numbers.
    fn regions(&self) -> BTreeMap<Region<'_>, usize> {
        let all = self.order.iter().map(|place| (self.region(&self.prediction.call_tree[place.node]), 0));
        let mut regions: BTreeMap<Region<'_>, usize> = all.collect();
        regions.values_mut().enumerate().for_each(|(number, at)| *at = number);
        regions
    }

    fn region<'a>(&'a self, node: &'a CallNode) -> Region<'a> {
        let called: Option<&Block> = node.block.and_then(|id| self.prediction.blocks.get(id as usize));
        let place = if node.kind == "mpi" {
            called.map(|block| (&*block.file, block.line_start))
        } else {
            let function = self.prediction.functions.iter().find(|function| function.name == node.name);
            function.map(|function| (&*function.file, function.line))
        };
        let (file, line) = place.unwrap_or_default();
        (&node.name, if node.kind == "mpi" { "mpi" } else { "compiler" }, file, line)
    }

    fn call_paths(&self, text: &mut String, regions: &BTreeMap<Region<'_>, usize>) {
        let mut open = 0;
        let close = |text: &mut String, from: usize, to: usize| {
            (to..from).rev().for_each(|depth| text.push_str(&format!("{}</cnode>\n", " ".repeat(depth + 2))));
        };
        for (number, place) in self.order.iter().enumerate() {
            close(text, open, place.depth);
            let region = regions[&self.region(&self.prediction.call_tree[place.node])];
            let blanks = " ".repeat(place.depth + 2);
            let _ = writeln!(text, "{blanks}<cnode id=\"{number}\" calleeId=\"{region}\">");
            open = place.depth + 1;
        }
        close(text, open, 0);
    }

    /// One machine with a process of one thread for each task.
    fn locations(&self, text: &mut String) {
        let machine = escaped(&self.prediction.platform.machine);
        let _ = writeln!(
            text,
            " <system>\n  <systemtreenode Id=\"0\">\n   <name>{machine}</name>\n   <class>machine</class>"
        );
        for task in 0..self.prediction.tasks_count.max(1) {
            let _ = writeln!(
                text,
                "   <locationgroup Id=\"{task}\">\n    <name>MPI Rank {task}</name>\n    <rank>{task}</rank>\n    <type>process</type>\n    \
                 <location Id=\"{task}\">\n     <name>Main thread</name>\n     <rank>0</rank>\n     <type>thread</type>\n    </location>\n   \
                 </locationgroup>"
            );
        }
        text.push_str("  </systemtreenode>\n </system>\n");
    }
}

fn metrics(text: &mut String) {
    text.push_str(" <metrics>\n");
    for (number, metric) in METRICS.iter().enumerate() {
        let _ = writeln!(
            text,
            "  <metric id=\"{number}\" type=\"EXCLUSIVE\">\n   <disp_name>{}</disp_name>\n   <uniq_name>{}</uniq_name>\n   <dtype>DOUBLE</dtype>\n   \
             <uom>{}</uom>\n   <val></val>\n   <url></url>\n   <descr>{}</descr>",
            metric.name, metric.unique, metric.unit, metric.description
        );
        // The last metric stands in the one before.
        if number + 2 != METRICS.len() {
            text.push_str("  </metric>\n");
        }
    }
    text.push_str("  </metric>\n </metrics>\n");
}

fn write_region(text: &mut String, (name, paradigm, file, line): &Region<'_>, number: usize) {
    let (name, file) = (escaped(name), escaped(file));
    let _ = writeln!(
        text,
        "  <region id=\"{number}\" mod=\"{file}\" begin=\"{line}\" end=\"-1\">\n   <name>{name}</name>\n   <mangled_name>{name}</mangled_name>\n   \
         <paradigm>{paradigm}</paradigm>\n   <role>function</role>\n   <url></url>\n   <descr></descr>\n  </region>"
    );
}
