"use strict";
/**
 * A board of cards, as used by small teams: columns, cards, labels, undo.
 *
 * All changes go through `Store.dispatch`; the history keeps a deep copy of
 * the state before each change, so that every change can be taken back.
 */

const COLUMNS = ["Ideas", "To do", "Doing", "Done"];
const LIMITS = new Map([["Doing", 3], ["To do", 8]]);
const DAY = 24 * 60 * 60 * 1000;

let nextId = 1;

/** Numbers that look random, but are the same on every run. */
function* lottery(seed = 42) {
  let state = seed >>> 0;
  for (;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

const luck = lottery(7);
const pick = (list) => list[Math.floor(luck.next().value * list.length)];
const sum = (numbers) => numbers.reduce((total, n) => total + n, 0);

class Card {
  #created;

  constructor(title, { labels = [], points = 1, due = null } = {}) {
    this.id = nextId++;
    this.title = title;
    this.labels = new Set(labels);
    this.points = points;
    this.due = due;
    this.#created = Date.UTC(2024, 0, 1) + this.id * DAY;
  }

  get age() {
    return (Date.UTC(2024, 1, 1) - this.#created) / DAY;
  }

  get isLate() {
    return this.due !== null && this.due < this.age;
  }

  toJSON() {
    const { id, title, points } = this;
    return { id, title, points, labels: [...this.labels], late: this.isLate };
  }

  static compare(a, b) {
    return b.points - a.points || a.title.localeCompare(b.title) || a.id - b.id;
  }
}

class BoardError extends Error {
  constructor(message, card) {
    super(card ? `${message}: “${card.title}”` : message);
    this.name = "BoardError";
    this.card = card;
  }
}

class History {
  constructor(depth = 20) {
    this.depth = depth;
    this.past = [];
    this.future = [];
  }

  remember(state) {
    this.past.push(structuredClone(state));
    if (this.past.length > this.depth) {
      this.past.shift();
    }
    this.future.length = 0;
  }

  undo(state) {
    if (this.past.length === 0) return state;
    this.future.push(state);
    return this.past.pop();
  }
}

const filters = {
  all: () => true,
  late: (card) => card.due !== null && card.due < 10,
  labelled: (label) => (card) => card.labels.has(label),
  matching(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return ({ title }) => words.every((word) => title.toLowerCase().includes(word));
  },
};

const reducers = {
  add(state, { card, column = COLUMNS[0] }) {
    const target = state.columns[column];
    if (!target) throw new BoardError(`no column ${column}`, card);
    target.push({ ...card.toJSON(), labels: card.labels, due: card.due });
    state.touched = card.id;
  },

  move(state, { id, to }) {
    let found;
    outer: for (const [name, cards] of Object.entries(state.columns)) {
      for (let i = 0; i < cards.length; i++) {
        if (cards[i].id !== id) continue;
        const limit = LIMITS.get(to) ?? Infinity;
        if (state.columns[to].length >= limit) break outer;
        [found] = cards.splice(i, 1);
        state.log.push(`${found.title}: ${name} → ${to}`);
        break outer;
      }
    }
    if (found) {
      state.columns[to].unshift(found);
    } else {
      state.refused++;
    }
  },

  label(state, { id, add = [], remove = [] }) {
    for (const card of Object.values(state.columns).flat()) {
      if (card.id === id) {
        add.forEach((label) => card.labels.add(label));
        remove.forEach((label) => card.labels.delete(label));
      }
    }
  },

  view(state, { filter = "all", argument }) {
    switch (filter) {
      case "all":
      case "late":
        state.view = { name: filter };
        break;
      case "labelled":
      case "matching":
        state.view = { name: filter, argument, test: filters[filter](argument) };
        break;
      default:
        throw new BoardError(`no filter ${filter}`);
    }
  },

  sort(state, { column }) {
    state.columns[column].sort(Card.compare);
  },
};

class Store {
  constructor(columns = COLUMNS) {
    this.state = {
      columns: Object.fromEntries(columns.map((name) => [name, []])),
      view: { name: "all" },
      log: [],
      refused: 0,
      touched: undefined,
    };
    this.history = new History(5);
    this.listeners = new Set();
  }

  subscribe(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  dispatch(type, payload = {}) {
    if (type === "undo") {
      this.state = this.history.undo(this.state);
    } else {
      this.history.remember(this.state);
      reducers[type]?.(this.state, payload);
    }
    for (const listener of this.listeners) {
      try {
        listener(type, this.state);
      } catch (error) {
        if (!(error instanceof BoardError)) throw error;
        this.state.log.push(error.message);
      }
    }
    return this;
  }
}

function render({ columns, view }) {
  const test = view.test ?? filters[view.name];
  const width = 22;
  const lines = [];
  for (const [name, cards] of Object.entries(columns)) {
    const shown = cards.filter(test);
    lines.push(`== ${name} (${shown.length}/${cards.length}, ${sum(cards.map((c) => c.points))} points)`);
    for (const { id, title, labels } of shown) {
      const tags = [...labels].map((label) => `#${label}`).join(" ");
      lines.push(`  ${String(id).padStart(3, "0")} ${title.padEnd(width, ".")} ${tags}`);
    }
  }
  return lines.join("\n");
}

function main() {
  const store = new Store();
  const stop = store.subscribe((type, state) => {
    if (type === "move" && state.columns.Doing.length > 2) {
      throw new BoardError("too much at once", state.columns.Doing[0]);
    }
  });
  const titles = ["Paint the fence", "Fix the gate", "Call the plumber", "Sow carrots", "Oil the hinges"];
  titles.forEach((title, index) => {
    const card = new Card(title, {
      labels: [pick(["garden", "house"]), ...(index % 2 ? ["urgent"] : [])],
      points: 1 + Math.floor(luck.next().value * 8),
      due: index > 2 ? 5 * index : null,
    });
    store.dispatch("add", { card, column: pick(COLUMNS.slice(0, 2)) });
  });
  for (let id = 1; id <= titles.length; id += 2) {
    store.dispatch("move", { id, to: "Doing" });
  }
  store.dispatch("label", { id: 4, add: ["spring"], remove: ["house"] }).dispatch("sort", { column: "Ideas" });
  console.log(render(store.state));
  store.dispatch("view", { filter: "matching", argument: "the  GATE" });
  console.log(render(store.state));
  do {
    store.dispatch("move", { id: nextId - 1, to: "Done" });
  } while (store.state.refused < 2);
  stop();
  store.dispatch("undo");
  console.log(JSON.stringify(store.state, (key, value) => (value instanceof Set ? [...value] : value), 2));
}

main();
