//! Names as large programs have them, made up.
//!
//! Physics frameworks give their functions names of kilobytes, some of 30 KB: containers
//! with all their arguments spelled out, parsers built of templates, callbacks that hold
//! the types of their callbacks. These are of the same build, mangled as a compiler does
//! it, and none is anybody's.

mod mangle;

use crate::random::Random;
use mangle::{Mangler, Type};

/// The linkage name of a function. Equal seeds give equal names, and different seeds
/// different ones. The readable names have about 1.5 KB on average; one in 200 has 20 KB
/// or more.
pub fn long_name(seed: u64) -> String {
    let mut random = Random::new(seed);
    let size = match random.below(200) {
        0 => 220 + random.below(120),
        1..=80 => random.below(3),
        81..=150 => 3 + random.below(8),
        _ => 10 + random.below(20),
    };
    let mut source = Source {
        random,
        left: size as usize,
    };
    let owner = format!("Module{seed}");
    let (mut path, method) = match source.random.below(5) {
        0 => (source.container(3).into_path(), "_M_rehash"),
        1 => (source.callback(&owner), "makeProduceTask"),
        2 => (source.parser(), "parse"),
        3 => (task(&source.callback(&owner)), "execute"),
        _ => (source.algorithm(), "process"),
    };
    // Whatever size was not used up goes into one long list of types.
    let rest: Vec<Type> = (0..source.left.div_ceil(3))
        .map(|_| source.value(2))
        .collect();
    if !rest.is_empty() {
        path.push((format!("Pipeline{seed}"), Some(rest)));
    }
    let parameters = [source.value(1).constant().reference(), source.value(1)];
    Mangler::new().function(&path, &format!("{method}{seed}"), &parameters)
}

type Path = Vec<(String, Option<Vec<Type>>)>;

struct Source {
    random: Random,
    /// How many more types there should be.
    left: usize,
}

const SPACES: [&str; 6] = ["edm", "reco", "tracking", "calo", "trigger", "geometry"];
const CLASSES: [&str; 10] = [
    "TrackCandidateCollection",
    "PixelClusterParameterEstimator",
    "TrajectoryStateOnSurface",
    "SiStripRecHitConverter",
    "CaloTowerConstituents",
    "MagneticFieldRecord",
    "HitPairGenerator",
    "VertexFitterResult",
    "ElectronSeedProducer",
    "JetCorrectionsRecord",
];

impl Source {
    fn plain(&mut self) -> Type {
        let space = self.random.pick(&SPACES);
        let class = self.random.pick(&CLASSES);
        Type::class(&[(space, None), (class, None)])
    }

    /// Any type, with at most so many levels of templates.
    fn value(&mut self, depth: usize) -> Type {
        self.left = self.left.saturating_sub(1);
        if depth == 0 {
            return match self.random.below(4) {
                0 => Type::builtin('i'),
                1 => Type::builtin('d'),
                2 => Type::string(),
                _ => self.plain(),
            };
        }
        match self.random.below(6) {
            0 => self.plain(),
            1 => self.value(depth - 1).constant().pointer(),
            2 => {
                let result = Type::builtin('v');
                let parameters = vec![result, self.value(depth - 1).constant().reference()];
                Type::std("function", vec![Type::function(parameters)])
            }
            3 => {
                let pointee = self.plain();
                let deleter = Type::std("default_delete", vec![pointee.clone()]);
                Type::std("unique_ptr", vec![pointee, deleter])
            }
            _ => self.container(depth),
        }
    }

    fn container(&mut self, depth: usize) -> Type {
        let value = self.value(depth.saturating_sub(1));
        let allocator = |of: Type| Type::std("allocator", vec![of]);
        if self.random.below(2) == 0 {
            return Type::std("vector", vec![value.clone(), allocator(value)]);
        }
        let key = match self.random.below(3) {
            0 => Type::builtin('j'),
            _ => Type::string(),
        };
        let pair = Type::std("pair", vec![key.clone().constant(), value.clone()]);
        match self.random.below(2) {
            0 => {
                let less = Type::std("less", vec![key.clone()]);
                Type::std("map", vec![key, value, less, allocator(pair)])
            }
            _ => {
                let hash = Type::std("hash", vec![key.clone()]);
                let equal = Type::std("equal_to", vec![key.clone()]);
                Type::std(
                    "unordered_map",
                    vec![key, value, hash, equal, allocator(pair)],
                )
            }
        }
    }

    /// What a framework makes of a function that produces something for a record.
    fn callback(&mut self, owner: &str) -> Path {
        let record = self.plain();
        let product = self.value(2);
        let producer = Type::class(&[("edm", None), (owner, None)]);
        let decorator = Type::class(&[
            ("edm", None),
            ("eventsetup", None),
            ("CallbackSimpleDecorator", Some(vec![record.clone()])),
        ]);
        let handle = Type::class(&[
            ("edm", None),
            (
                "ESHandleAdapter",
                Some(vec![producer.clone(), product.clone(), record.clone()]),
            ),
        ]);
        let arguments = vec![producer, handle, product, record, decorator];
        vec![
            ("edm".to_owned(), None),
            ("eventsetup".to_owned(), None),
            ("CallbackBase".to_owned(), Some(arguments)),
        ]
    }

    /// A grammar as a type: alternatives of sequences of literals.
    fn parser(&mut self) -> Path {
        let qi = |name: &'static str, arguments: Vec<Type>| {
            Type::class(&[
                ("boost", None),
                ("spirit", None),
                ("qi", None),
                (name, Some(arguments)),
            ])
        };
        let iterator = Type::class(&[
            ("__gnu_cxx", None),
            (
                "__normal_iterator",
                Some(vec![
                    Type::builtin('c').constant().pointer(),
                    Type::string(),
                ]),
            ),
        ]);
        let mut alternatives = Vec::new();
        for _ in 0..2 + self.left / 4 {
            let literal = qi("literal_char", vec![Type::builtin('c')]);
            let reference = qi(
                "reference",
                vec![qi("rule", vec![iterator.clone(), self.value(1)]).constant()],
            );
            let sequence = qi("sequence", vec![list(vec![literal, reference])]);
            alternatives.push(sequence);
        }
        let expression = qi("alternative", vec![list(alternatives)]);
        vec![
            ("boost".to_owned(), None),
            ("spirit".to_owned(), None),
            ("qi".to_owned(), None),
            ("detail".to_owned(), None),
            ("parser_binder".to_owned(), Some(vec![expression, iterator])),
        ]
    }

    fn algorithm(&mut self) -> Path {
        let arguments = (0..1 + self.left / 8).map(|_| self.value(3)).collect();
        let space = self.random.pick(&SPACES).to_owned();
        let class = self.random.pick(&CLASSES).to_owned();
        vec![(space, None), (class, Some(arguments))]
    }
}

fn list(of: Vec<Type>) -> Type {
    Type::class(&[("boost", None), ("fusion", None), ("vector", Some(of))])
}

fn task(path: &Path) -> Path {
    let names = ["tbb", "detail", "d1"].map(|name| (name.to_owned(), None));
    let function = Type::of_path(path);
    let task = ("function_task".to_owned(), Some(vec![function]));
    names.into_iter().chain([task]).collect()
}
