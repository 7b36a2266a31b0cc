use super::*;
use crate::model::{NodeOfTask, Platform};
use chronos_activity::Count;

fn node(parent: Option<u32>, name: &str, own_s: [f64; 2]) -> CallNode {
    let kind = if name.starts_with("MPI_") { "mpi" } else { "function" };
    let calls = Count::exact(1);
    let of_tasks = own_s.map(|own_s| NodeOfTask { calls, own_s, idle_s: 0.0 }).to_vec();
    let mean = f64::midpoint(own_s[0], own_s[1]);
    let (inclusive_s, exclusive_s) = (mean, mean);
    let calls = Count::exact(2);
    CallNode {
        parent,
        name: name.to_owned(),
        kind,
        block: None,
        calls,
        inclusive_s,
        exclusive_s,
        idle_s: 0.0,
        of_tasks,
    }
}

fn prediction(call_tree: Vec<CallNode>) -> Prediction {
    let platform = Platform { machine: "a<b".to_owned(), network: "n".to_owned() };
    Prediction { total_s: Some(1.0), call_tree, ..Prediction::unknown(platform, 2, "source") }
}

/// The call tree as evaluation gives it: callers before their callees, not each followed by its own.
fn tree() -> Vec<CallNode> {
    vec![
        node(None, "main", [1.0, 2.0]),
        node(Some(0), "first", [3.0, 4.0]),
        node(Some(0), "second", [5.0, 6.0]),
        node(Some(1), "MPI_Send", [7.0, 8.0]),
    ]
}

/// The file of an archive.
fn member<'a>(archive: &'a [u8], name: &str) -> &'a [u8] {
    let mut rest = archive;
    while rest[0] != 0 {
        let size = std::str::from_utf8(&rest[124..135]).ok().and_then(|text| usize::from_str_radix(text, 8).ok());
        let size = size.expect("an octal number");
        if rest.starts_with(name.as_bytes()) {
            return &rest[512..512 + size];
        }
        rest = &rest[512 + size.next_multiple_of(512)..];
    }
    panic!("no {name}");
}

#[test]
fn values_stand_where_the_call_paths_of_the_description_have_them() {
    let profile = render(&prediction(tree()), "a.c & b.c").expect("it is complete");
    assert!(!profile.means);
    let anchor = String::from_utf8_lossy(member(&profile.bytes, "anchor.xml"));
    assert!(anchor.contains("value=\"a.c &amp; b.c\"") && anchor.contains("<name>a&lt;b</name>"), "{anchor}");
    let paths: Vec<&str> = anchor.lines().filter(|line| line.contains("cnode")).collect();
    insta::assert_snapshot!(paths.join("\n"), @r#"
    <cnode id="0" calleeId="2">
     <cnode id="1" calleeId="1">
      <cnode id="2" calleeId="0">
      </cnode>
     </cnode>
     <cnode id="3" calleeId="3">
     </cnode>
    </cnode>
    "#);
    let times: Vec<f64> = member(&profile.bytes, "1.data")[10..]
        .chunks(8)
        .map(|eight| f64::from_le_bytes(eight.try_into().expect("8")))
        .collect();
    assert_eq!(times, [1.0, 2.0, 3.0, 4.0, 7.0, 8.0, 5.0, 6.0]);
}

#[test]
fn means_stand_for_tasks_that_were_not_kept() {
    let mut call_tree = tree();
    call_tree[3].of_tasks.clear();
    let profile = render(&prediction(call_tree), "a.c").expect("it is complete");
    assert!(profile.means);
    let times = member(&profile.bytes, "1.data");
    assert_eq!(times[10 + 4 * 8..10 + 5 * 8], 7.5_f64.to_le_bytes());
}

#[test]
fn what_is_no_profile_is_told() {
    let incomplete = Prediction { total_s: None, ..prediction(tree()) };
    assert_eq!(render(&incomplete, "a.c").err(), Some(NoProfile::Incomplete));
    assert_eq!(render(&prediction(Vec::new()), "a.c").err(), Some(NoProfile::WithoutPaths));
}
