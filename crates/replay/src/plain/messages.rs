//! Messages of plain jobs, and what they cost by their sizes.

use crate::network::cost::{Distance, MessageCost, MessageCosts};
use crate::network::origins::Origin;
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;
use chronos_machine::network::Network;
use std::ops::Index;

/// A message on its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message {
    /// When it comes to the port of its receiver; then when it is there.
    pub at: Picoseconds,
    pub left: Picoseconds,
    /// When its sender came to the call.
    pub partner: Picoseconds,
    pub origin: Origin,
    pub from: u32,
    pub to: u32,
    /// Number among the messages of its sender, which may wrap around.
    pub order: u32,
    pub tag: i32,
    pub comm: u32,
    /// Among the sizes of the job.
    pub size: u32,
    pub kind: Kind,
}

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Of a call.
    User,
    /// Asks for a receive of a call, and then comes as `Data` for its slot.
    UserRequest,
    Data {
        slot: u16,
    },
    /// Inside a collective operation.
    Inside,
    /// Asks for a receive inside a collective operation, and then comes as `Granted`.
    Request,
    Granted,
}

impl Kind {
    pub fn is_inside(self) -> bool {
        matches!(self, Self::Inside | Self::Request | Self::Granted)
    }
}

/// Of one size.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageSize {
    pub bytes: u64,
    pub cost: MessageCost,
}

/// All sizes of messages of a job.
#[derive(Default)]
pub(super) struct MessageSizes {
    sizes: Vec<MessageSize>,
    known: FxHashMap<u64, u32>,
    network: Option<Network>,
}

impl MessageSizes {
    pub fn new(network: &Network) -> Self {
        Self { network: Some(network.clone()), ..Self::default() }
    }

    /// The number of a size.
    pub fn of(&mut self, bytes: u64) -> u32 {
        let Self { sizes, known, network } = self;
        *known.entry(bytes).or_insert_with(|| {
            let cost = network.as_ref().map(|network| *MessageCosts::new(network).message(bytes, Distance::Network));
            sizes.push(MessageSize { bytes, cost: cost.unwrap_or_default() });
            sizes.len() as u32 - 1
        })
    }
}

impl Index<u32> for MessageSizes {
    type Output = MessageSize;

    fn index(&self, size: u32) -> &MessageSize {
        &self.sizes[size as usize]
    }
}
