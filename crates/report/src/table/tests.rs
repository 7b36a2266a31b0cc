use super::*;

#[test]
fn names_lose_the_folder_that_all_share() {
    let names = |files: &[&str]| Names::new(&files.iter().map(|&f| f.to_owned()).collect::<Vec<_>>());
    assert_eq!(names(&["src/a.c", "src/b.c"]).file("src/b.c"), "b.c");
    assert_eq!(names(&["src/a.c", "lib/b.c"]).file("src/a.c"), "src/a.c");
    assert_eq!(names(&["/deep/a.c"]).place("/deep/a.c", 3), "a.c:3");
}

#[test]
fn small_rows_are_left_out_unless_asked_for() {
    assert!(!Limits::default().is_worth(1e-9, 1.0));
    assert!(Limits::top(99).is_worth(1e-9, 1.0));
    assert!(!Limits::top(99).is_worth(0.0, 1.0));
}
