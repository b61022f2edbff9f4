use meshlint::source::{self, Input};
use rayon::prelude::*;
fn main(){
    let inputs: Vec<Input> = std::env::args().skip(1).map(|path| Input { path: path.into(), cluster: String::new() }).collect();
    let s=source::discover(&inputs).unwrap();
    let n:usize=s.files.par_iter().map(|f|{ let d=meshlint::yaml::parse(f); let mut n=0; for d in &d { n+=d.tree.len(); if std::env::var("V").is_ok(){ for p in &d.problems { println!("{} {:?} {:?}",f.path,f.position(p.span.start),p.kind);} } } n}).sum();
    println!("{n} nodes");
}
