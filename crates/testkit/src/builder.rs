//! Profiles in one line a stack.

use std::collections::HashMap;

use residue_profile::timeline::StackId;
use residue_profile::*;

use crate::random::hash;

/// Adds call paths and stacks to a profile, whatever else is filled in by hand.
///
/// A path is written root first, such as `main;f@liba.so;g:12<h:3`: functions, each with
/// its library (`prog` if not given, none for scopes in brackets), its line in
/// `FUNCTION.c`, and behind `<` the functions that were inlined there, outermost first.
pub struct Builder {
    pub profile: Profile,
    frames: HashMap<String, FrameId>,
    nodes: HashMap<(NodeId, FrameId), NodeId>,
    functions: HashMap<String, FunctionId>,
    files: HashMap<String, FileId>,
}

impl Builder {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let root = Node {
            parent: ROOT,
            frame: NONE,
        };
        Builder {
            profile: Profile {
                nodes: vec![root],
                has_largest: true,
                ..Profile::default()
            },
            frames: HashMap::new(),
            nodes: HashMap::new(),
            functions: HashMap::new(),
            files: HashMap::new(),
        }
    }

    /// A stack for a path, which shares its nodes with paths that begin alike.
    pub fn stack(&mut self, path: &str, counters: Counters) -> StackId {
        let frames = path.split(';').filter(|frame| !frame.is_empty());
        let frames: Vec<FrameId> = frames.map(|frame| self.frame(frame)).collect();
        self.stack_of(&frames, counters)
    }

    /// A stack for names that may hold any character, all of one module.
    pub fn stack_of_names(&mut self, names: &[&str], counters: Counters) -> StackId {
        let frames: Vec<FrameId> = names.iter().map(|name| self.named_frame(name)).collect();
        self.stack_of(&frames, counters)
    }

    fn stack_of(&mut self, frames: &[FrameId], counters: Counters) -> StackId {
        let node = frames.iter().fold(ROOT, |parent, &frame| {
            let nodes = &mut self.profile.nodes;
            let node = self.nodes.entry((parent, frame));
            *node.or_insert_with(|| push(nodes, Node { parent, frame }))
        });
        let stack = Stack {
            node,
            kind: StackKind::Heap,
            counters,
        };
        push(&mut self.profile.stacks, stack)
    }

    fn frame(&mut self, text: &str) -> FrameId {
        if let Some(&known) = self.frames.get(text) {
            return known;
        }
        let mut parts = text.split('<');
        let own = parts.next().unwrap_or_default();
        let (own, module) = own.split_once('@').unwrap_or((own, "prog"));
        let module = match own.starts_with('[') {
            true => NONE,
            false => self.module(module),
        };
        let outermost = self.place(own);
        let mut places: Vec<SourcePlace> = parts.map(|part| self.place(part)).collect();
        places.reverse();
        places.push(outermost);
        if places.len() == 1 && outermost.line == 0 {
            places.clear();
        }
        self.new_frame(text, module, outermost.function, places)
    }

    fn named_frame(&mut self, name: &str) -> FrameId {
        if let Some(&known) = self.frames.get(name) {
            return known;
        }
        let (module, function) = (self.module("prog"), self.function(name));
        self.new_frame(name, module, function, Vec::new())
    }

    /// Its address follows from how it is written.
    fn new_frame(
        &mut self,
        text: &str,
        module: ModuleId,
        function: FunctionId,
        places: Vec<SourcePlace>,
    ) -> FrameId {
        let frame = Frame {
            module,
            address: text.bytes().fold(0, |sum, byte| hash(sum, byte.into())),
            function,
        };
        self.profile.places.push_row(places);
        let id = push(&mut self.profile.frames, frame);
        self.frames.insert(text.to_string(), id);
        id
    }

    fn module(&mut self, name: &str) -> ModuleId {
        let path = format!("/opt/{name}");
        let modules = &mut self.profile.modules;
        let known = modules.iter().position(|module| module.path == path);
        known.map(|known| known as ModuleId).unwrap_or_else(|| {
            let module = Module {
                path,
                ..Module::default()
            };
            push(modules, module)
        })
    }

    fn place(&mut self, text: &str) -> SourcePlace {
        // Not the colons of a namespace.
        let line = text
            .rsplit_once(':')
            .and_then(|(name, line)| Some((name, line.parse().ok()?)));
        let (name, line) = line.unwrap_or((text, 0));
        let file = match line {
            0 => NONE,
            _ => self.file(format!("{name}.c")),
        };
        SourcePlace {
            function: self.function(name),
            file,
            line,
        }
    }

    fn function(&mut self, name: &str) -> FunctionId {
        let functions = &mut self.profile.functions;
        let known = self.functions.entry(name.to_string());
        *known.or_insert_with_key(|name| push(functions, name.clone()))
    }

    fn file(&mut self, path: String) -> FileId {
        let files = &mut self.profile.files;
        let known = self.files.entry(path);
        *known.or_insert_with_key(|path| push(files, path.clone()))
    }
}

/// Its place in the table.
fn push<T>(table: &mut Vec<T>, row: T) -> u32 {
    table.push(row);
    (table.len() - 1) as u32
}
