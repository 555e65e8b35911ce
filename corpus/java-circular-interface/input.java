import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

/** The timetable of a small ferry: crossings, tickets, and who is on board. */
class Ferry<P extends Ferry.Passenger> implements Iterable<P> {

    /** Where the ferry lies. */
    public enum Pier {
        NORTH("north pier", 3), SOUTH("south pier", 5) {
            @Override
            int fee(int seats) {
                return super.fee(seats) - 1;
            }
        };

        private final String title;
        protected final int fee;

        Pier(String title, int fee) {
            this.title = title;
            this.fee = fee;
        }

        int fee(int seats) {
            return fee * seats;
        }

        Pier across() {
            return values()[(ordinal() + 1) % values().length];
        }
    }

    public interface Passenger {
        String name();

        default int seats() {
            return 1;
        }
    }

    public record Walker(String name, boolean dog) implements Passenger {
        public Walker {
            if (name.isBlank()) {
                throw new IllegalArgumentException("a walker has a name");
            }
        }
    }

    static class Full extends Exception {
        final int missing;

        Full(int missing) {
            super("no room for " + missing);
            this.missing = missing;
        }
    }

    private final List<P> aboard = new ArrayList<P>();
    private final Map<String, Integer> paid = new TreeMap<String, Integer>();
    private Pier pier = Pier.NORTH;
    private int crossings;

    @SafeVarargs
    public final int board(int room, P... passengers) throws Full {
        int taken = 0;
        for (P one : aboard) {
            taken += one.seats();
        }
        for (P one : passengers) {
            taken += one.seats();
            if (taken > room) {
                throw new Full(taken - room);
            }
            aboard.add(one);
            paid.merge(one.name(), pier.fee(one.seats()), Integer::sum);
        }
        return taken;
    }

    public Supplier<String> announce(String captain, final int minutes) {
        if (minutes <= 0) {
            return () -> pier.title + ", now";
        }
        Supplier<String> later = () -> pier.title + " in " + minutes + " minutes, to " + pier.across();
        return later;
    }

    public void cross(IntUnaryOperator wind) {
        int left = wind.applyAsInt(crossings++);
        do {
            left -= aboard.isEmpty() ? left : aboard.size();
        } while (left > 0);
        pier = switch (pier) {
            case NORTH -> Pier.SOUTH;
            case SOUTH -> {
                synchronized (aboard) {
                    aboard.removeIf(one -> one instanceof Walker walker && walker.dog());
                }
                yield Pier.NORTH;
            }
        };
    }

    @Override
    public java.util.Iterator<P> iterator() {
        return aboard.iterator();
    }

    public static void main(String[] arguments) {
        Ferry<Passenger> ferry = new Ferry<Passenger>();
        try {
            ferry.board(8, new Walker("Ada", true));
        } catch (Full full) {
            System.err.printf("%s (%d)%n", full.getMessage(), full.missing);
        } finally {
            ferry.cross(n -> 10 - n);
        }
        System.out.println(ferry.announce("Eve", 5).get());
    }
}

/** What can be called out at the pier, and what stands in the papers about it. */
interface Notice extends Paper {
    String text();

    default boolean isLong() {
        return text().length() > 20;
    }
}

interface Entry extends Notice {
    int minutes();
}

interface Paper extends Entry, java.io.Serializable {
    String date();

    default String dated() {
        return date() + ", page " + hashCode() % 16;
    }
}
