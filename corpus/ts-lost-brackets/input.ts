/** The tide tables of a small harbour: readings come in, depths and warnings go out. */

export type Metres = number & { readonly unit: unique symbol };
export type Minutes = number;

export enum Kind {
    Neap = "neap",
    Spring = "spring",
    Storm = "storm",
}

export interface Reading {
    readonly station: string;
    readonly at: Minutes;
    level: Metres;
    kind?: Kind;
}

export interface Station {
    name: string;
    datum: Metres;
    readings: Reading[];
    notes: Map<Minutes, string>;
}

type Listener<T> = (event: T, previous?: T) => void;

export const metres = (value: number): Metres => value as Metres;

function clamp<T extends number>(value: T, low: T, high: T): T {
    if (value < low) {
        return low;
    }
    return value > high ? high : value;
}

export class Channel<T extends { at: Minutes }> {
    private readonly listeners = new Set<Listener<T>>();
    private last?: T;

    constructor(protected readonly label: string, private limit = 32) {}

    subscribe(listener: Listener<T>): () => void {
        this.listeners.add(listener);
        return () => this.listeners.delete(listener);
    }

    publish(event: T): boolean {
        if (this.last !== undefined && event.at < this.last.at) {
            return false;
        }
        for (const listener of this.listeners) {
            listener(event, this.last);
        }
        this.last = event;
        return this.listeners.size <= this.limit;
    }

    get name(): string {
        return `${this.label} (${this.listeners.size})`;
    }
}

abstract class Table {
    protected abstract rows(): Iterable<[Minutes, Metres]>;

    *depths(draught: Metres): Generator<[Minutes, Metres]> {
        for (const [at, level] of this.rows()) {
            const depth = metres(level - draught);
            if (depth > 0) {
                yield [at, depth];
            }
        }
    }

    lowest(): Metres | undefined {
        let lowest: Metres | undefined;
        for (const [, level] of this.rows()) {
            lowest = lowest === undefined || level < lowest ? level : lowest;
        }
        return lowest;
    }
}

export class Harbour extends Table {
    static readonly SILL = metres(1.8);
    readonly channel = new Channel<Reading>("harbour");
    private stations = new Map<string, Station>();

    constructor(private readonly drift: () => Metres) {
        super();
        this.channel.subscribe((reading) => this.keep(reading));
    }

    open(name: string, datum: number, ...notes: [Minutes, string][]): Station {
        const station: Station = { name, datum: metres(datum), readings: [], notes: new Map(notes) };
        this.stations.set(name, station);
        return station;
    }

    private keep(reading: Reading): void {
        const station = this.stations.get(reading.station);
        if (!station) {
            throw new Error(`no station ${reading.station}`);
        }
        station.readings.push({ ...reading, kind: reading.kind ?? this.kindOf(reading) });
    }

    private kindOf({ level }: Reading): Kind {
        switch (true) {
            case level > 5:
                return Kind.Storm;
            case level > 3.5:
                return Kind.Spring;
            default:
                return Kind.Neap;
        }
    }

    protected *rows(): Iterable<[Minutes, Metres]> {
        for (const station of this.stations.values()) {
            for (const { at, level } of station.readings) {
                yield [at, metres(level + station.datum)];
            }
        }
    }

    /** How far the water stands above the sill, with the drift of the gauge taken out. */
    clearance(at: Minutes): Metres {
        let best = Number.POSITIVE_INFINITY;
        let level = Harbour.SILL;
        for (const [when, value] of this.rows()) {
            const distance = Math.abs(when - at);
            if (distance < best) {
                best = distance;
                level = value;
            }
        }
        const spread = Math.sqrt(Number(Harbour.SILL) + (-this.drift() as number) ** 2);
        return clamp(metres(level - spread), metres(0), metres(20));
    }

    report(draught: Metres): string {
        const lines: string[] = [];
        for (const [at, depth] of this.depths(draught)) {
            const hours = Math.floor(at / 60).toString().padStart(2, "0");
            lines.push(`${hours}:${String(at % 60).padStart(2, "0")}  ${depth.toFixed(1)} m`);
        }
        return lines.length > 0 ? lines.join("\n") : "no passage";
    }
}

export async function watch(harbour: Harbour, feed: AsyncIterable<Partial<Reading>>): Promise<number> {
    let refused = 0;
    for await (const { station = "pier", at = 0, level } of feed) {
        if (level === undefined || !harbour.channel.publish({ station, at, level })) {
            refused += 1;
        }
    }
    return refused;
}

export function demo(): string {
    const harbour = new Harbour(() => metres(0.05));
    harbour.open("pier", 0.4, [0, "gauge cleaned"]);
    const levels = [2.1, 2.9, 3.6, 3.2, 2.4];
    levels.forEach((level, index) => harbour.channel.publish({ station: "pier", at: 60 * index, level: metres(level) }));
    return `${harbour.report(metres(1.2))}\n${harbour.clearance(150)} above the sill`;
}
