//! Union-find over abstract memory, each class with the class that its contents point to.

/// Classes of locations and values. A node stands for storage; equal contents of pointers make
/// what they point to one class (Steensgaard).
#[derive(Clone, Debug, Default)]
pub struct Classes {
    parent: Vec<u32>,
    pointee: Vec<Option<u32>>,
}

impl Classes {
    pub(crate) fn with_nodes(nodes: usize) -> Self {
        let last = u32::try_from(nodes).expect("programs hold fewer than 2^32 objects");
        Self { parent: (0..last).collect(), pointee: vec![None; nodes] }
    }

    pub fn len(&self) -> usize {
        self.parent.len()
    }

    pub fn add(&mut self) -> u32 {
        let node = u32::try_from(self.parent.len()).expect("programs hold fewer than 2^32 objects");
        self.parent.push(node);
        self.pointee.push(None);
        node
    }

    /// The representative, without path compression: for use after unification.
    pub fn class(&self, mut node: u32) -> u32 {
        while self.parent[node as usize] != node {
            node = self.parent[node as usize];
        }
        node
    }

    fn find(&mut self, node: u32) -> u32 {
        let root = self.class(node);
        let mut walk = node;
        while walk != root {
            walk = std::mem::replace(&mut self.parent[walk as usize], root);
        }
        root
    }

    /// What the contents of `node` point to, entered where nothing is known yet.
    pub fn pointee(&mut self, node: u32) -> u32 {
        let root = self.find(node);
        if let Some(target) = self.pointee[root as usize] {
            return self.find(target);
        }
        let fresh = self.add();
        self.pointee[root as usize] = Some(fresh);
        fresh
    }

    /// What the contents of `node` point to, if they can hold a pointer.
    pub(crate) fn known_pointee(&self, node: u32) -> Option<u32> {
        self.pointee[self.class(node) as usize].map(|target| self.class(target))
    }

    pub fn join(&mut self, a: u32, b: u32) {
        let mut pending = vec![(a, b)];
        while let Some((a, b)) = pending.pop() {
            let (a, b) = (self.find(a), self.find(b));
            if a == b {
                continue;
            }
            self.parent[b as usize] = a;
            match (self.pointee[a as usize], self.pointee[b as usize]) {
                (Some(x), Some(y)) => pending.push((x, y)),
                (None, target) => self.pointee[a as usize] = target,
                (Some(_), None) => {}
            }
        }
    }

    /// The contents of `a` and of `b` may be the same pointers.
    pub fn copy(&mut self, a: u32, b: u32) {
        let (x, y) = (self.pointee(a), self.pointee(b));
        self.join(x, y);
    }

    /// Makes every node point at its representative, so that `class` is one step.
    pub fn flatten(&mut self) {
        for node in 0..self.parent.len() {
            let node = u32::try_from(node).expect("entered by add");
            self.find(node);
        }
    }
}
