//! A small mail room: letters are sorted into boxes, and couriers take them away.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;

/// The floor and the door that a letter is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    pub floor: u8,
    pub door: u16,
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{:03}", self.floor, self.door)
    }
}

#[derive(Clone, Debug)]
pub enum Kind {
    Plain,
    Registered { receipt: u32 },
    Parcel { grams: u32, fragile: bool },
}

impl Kind {
    pub fn weight(&self) -> u32 {
        match self {
            Kind::Plain => 20,
            Kind::Registered { .. } => 35,
            Kind::Parcel { grams, .. } => *grams,
        }
    }

    fn needs_signature(&self) -> bool {
        matches!(self, Kind::Registered { receipt } if *receipt > 0)
    }
}

#[derive(Clone, Debug)]
pub struct Letter {
    pub to: Address,
    pub kind: Kind,
    pub subject: String,
}

impl Letter {
    pub fn new(floor: u8, door: u16, subject: &str) -> Self {
        Letter { to: Address { floor, door }, kind: Kind::Plain, subject: subject.to_owned() }
    }

    pub fn registered(mut self, receipt: u32) -> Self {
        self.kind = Kind::Registered { receipt };
        self
    }

    pub fn parcel(mut self, grams: u32, fragile: bool) -> Self {
        self.kind = Kind::Parcel { grams, fragile };
        self
    }
}

pub trait Carrier {
    const LIMIT: u32;

    fn name(&self) -> &str;

    fn can_take(&self, letter: &Letter) -> bool {
        letter.kind.weight() <= Self::LIMIT
    }
}

pub struct Courier<'n> {
    name: &'n str,
    load: Vec<Letter>,
}

impl<'n> Courier<'n> {
    pub fn new(name: &'n str) -> Self {
        Courier { name, load: Vec::with_capacity(8) }
    }

    pub fn weight(&self) -> u32 {
        self.load.iter().map(|letter| letter.kind.weight()).sum()
    }
}

impl Carrier for Courier<'_> {
    const LIMIT: u32 = 12_000;

    fn name(&self) -> &str {
        self.name
    }
}

#[derive(Default)]
pub struct Room {
    boxes: BTreeMap<Address, VecDeque<Letter>>,
    receipts: HashMap<u32, Address>,
    returned: Vec<Letter>,
    log: Vec<String>,
}

impl Room {
    pub fn new() -> Self {
        Self::default()
    }

    fn note(&mut self, what: &str, address: Address) {
        self.log.push(format!("{what} {address}"));
    }

    pub fn accept(&mut self, letter: Letter) -> usize {
        let address = letter.to;
        if let Kind::Registered { receipt } = letter.kind {
            self.receipts.insert(receipt, address);
        }
        let queue = self.boxes.entry(address).or_default();
        if letter.kind.needs_signature() {
            queue.push_front(letter);
        } else {
            queue.push_back(letter);
        }
        let waiting = queue.len();
        self.note("accepted for", address);
        waiting
    }

    pub fn hand_over<'n>(&mut self, floor: u8, courier: &mut Courier<'n>) -> Result<usize, String> {
        let mut count = 0;
        for (address, queue) in self.boxes.iter_mut().filter(|(address, _)| address.floor == floor) {
            while let Some(letter) = queue.pop_front() {
                if !courier.can_take(&letter) || courier.weight() > Courier::LIMIT {
                    self.returned.push(letter);
                    continue;
                }
                courier.load.push(letter);
                count += 1;
            }
            if queue.is_empty() {
                self.note("emptied", *address);
            }
        }
        if count == 0 {
            return Err(format!("nothing for {} on floor {floor}", courier.name()));
        }
        Ok(count)
    }

    pub fn heaviest(&self) -> Option<(&Address, u32)> {
        let weigh = |queue: &VecDeque<Letter>| queue.iter().map(|l| l.kind.weight()).sum::<u32>();
        self.boxes.iter().map(|(address, queue)| (address, weigh(queue))).max_by_key(|(_, weight)| *weight)
    }

    pub fn subjects(&self, floor: u8) -> impl Iterator<Item = &str> + '_ {
        let of_floor = self.boxes.iter().filter(move |(address, _)| address.floor == floor);
        of_floor.flat_map(|(_, queue)| queue.iter().map(|letter| letter.subject.as_str()))
    }

    pub fn report(&self) -> String {
        let mut lines = vec![format!("{} boxes, {} returned", self.boxes.len(), self.returned.len())];
        for (index, entry) in self.log.iter().enumerate().rev().take(5) {
            lines.push(format!("{index:>3}: {entry}"));
        }
        if let Some((address, weight)) = self.heaviest() {
            lines.push(format!("heaviest: {address} with {weight} g"));
        }
        lines.join("\n")
    }
}

pub fn day(letters: &[(u8, u16, &str)]) -> Result<String, String> {
    let mut room = Room::new();
    for (number, &(floor, door, subject)) in letters.iter().enumerate() {
        let letter = Letter::new(floor, door, subject);
        let letter = match number % 3 {
            0 => letter,
            1 => letter.registered(number as u32),
            _ => letter.parcel(450 * number as u32, number % 2 == 0),
        };
        room.accept(letter);
    }
    let mut courier = Courier::new("Ada");
    let taken = room.hand_over(2, &mut courier)?;
    Ok(format!("{taken} taken\n{}", room.report()))
}
