use chronos::source::*;
fn main(){ let mut o=SourceOptions::default(); let mut q=false; for a in std::env::args().skip(1){ if a=="-q"{q=true} else if let Some(d)=a.strip_prefix("-D"){o.defines.push(d.into())} else if let Some(d)=a.strip_prefix("-I"){o.includes.push(d.into())} else {o.files.push(a.into())}}
 let (p,f,d)=program(&o); print!("{}",chronos::report::diagnostics::render(&d,&f,false)); if let Some(p)=p { if !q {print!("{}",chronos::program::print::program(&p));} for v in chronos::program::verify::verify(&p){println!("VERIFY {v}")} println!("blocks {}",p.blocks.len()); } }
