fn main() {
    println!("{}", job::work(20_000));
}
