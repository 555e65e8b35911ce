//! The counters of a small post office: queues, parcels, and a clock that somebody winds.
const std = @import("std");
const assert = std.debug.assert;
const Allocator = std.mem.Allocator;

pub const Weight = u32;
const limit: Weight = 20_000;

const usage = \\usage: post [-v] COMMAND
    \\
    \\  weigh   weighs a parcel
    \\  queue   shows who waits
;

pub const Error = error{ TooHeavy, NoStamp, Closed } || Allocator.Error;

/// What is sent.
pub const Kind = enum(u8) {
    letter = 'l',
    parcel = 'p',
    telegram,

    pub fn price(self: Kind, grams: Weight) Error!u16 {
        return switch (self) {
            .letter => if (grams > 500) error.TooHeavy else 80,
            .parcel => blk: {
                if (grams > limit) return error.TooHeavy;
                break :blk @as(u16, @intCast(grams / 100)) + 400;
            },
            .telegram => 1_000,
        };
    }
};

const Address = packed struct(u32) {
    street: u16,
    number: u12 = 1,
    floor: u4,
};

const Event = union(enum) {
    open,
    close: struct { at: u64 },
    post: *const Item,
};

pub const Item = struct {
    kind: Kind,
    grams: Weight,
    to: ?Address = null,
    stamps: []const u16 = &[_]u16{},

    fn paid(self: *const Item) u32 {
        var sum: u32 = 0;
        for (self.stamps, 0..) |stamp, index| {
            if (index > 8) break;
            sum +|= stamp;
        }
        return sum;
    }

    pub fn check(self: *const Item) Error!void {
        const price = try self.kind.price(self.grams);
        if (self.paid() < price) {
            return Error.NoStamp;
        }
    }
};

pub fn Queue(comptime T: type, comptime size: usize) type {
    return struct {
        const Self = @This();

        items: [size]?T = [_]?T{null} ** size,
        first: usize = 0,
        length: usize = 0,

        pub fn push(self: *Self, item: T) !void {
            if (self.length == size) return error.Closed;
            self.items[(self.first + self.length) % size] = item;
            self.length += 1;
        }

        pub fn pop(self: *Self) ?T {
            if (self.length == 0) return null;
            defer {
                self.first = (self.first + 1) % size;
                self.length -= 1;
            }
            return self.items[self.first];
        }
    };
}

pub const Office = struct {
    allocator: Allocator,
    waiting: Queue(Item, 16) = .{},
    sent: std.ArrayListUnmanaged(Item) = .{},
    clock: u64 = 8 * 60,
    listener: ?*const fn (event: Event) void = null,

    pub fn init(allocator: Allocator) Office {
        return .{ .allocator = allocator };
    }

    pub fn deinit(self: *Office) void {
        self.sent.deinit(self.allocator);
        self.* = undefined;
    }

    fn tell(self: Office, event: Event) void {
        if (self.listener) |listener| listener(event);
    }

    pub fn serve(self: *Office) Error!usize {
        var refused: usize = 0;
        while (self.waiting.pop()) |item| : (self.clock += 3) {
            item.check() catch |problem| switch (problem) {
                error.NoStamp, error.TooHeavy => {
                    refused += 1;
                    continue;
                },
                else => |other| return other,
            };
            const kept = try self.sent.addOne(self.allocator);
            errdefer _ = self.sent.pop();
            kept.* = item;
            self.tell(.{ .post = kept });
        }
        if (self.clock >= 18 * 60) {
            self.tell(.{ .close = .{ .at = self.clock } });
        } else self.tell(.open);
        return refused;
    }
};

export fn weigh(left: Weight, right: Weight) callconv(.C) c_int {
    return if (left < right) -1 else @intFromBool(left > right);
}

pub fn main() !void {
    var gpa = std.heap.GeneralPurposeAllocator(.{}){};
    defer _ = gpa.deinit();
    var office = Office.init(gpa.allocator());
    defer office.deinit();
    const out = std.io.getStdOut().writer();
    try office.waiting.push(.{ .kind = .letter, .grams = 20, .stamps = &.{ 50, 30 } });
    try office.waiting.push(Item{ .kind = .parcel, .grams = 1200 });
    const refused = office.serve() orelse 0;
    if (refused > 0) try out.print("{d} refused\n{s}\n", .{ refused, usage });
}

test "a letter costs eighty cents" {
    try std.testing.expectEqual(@as(u16, 80), try Kind.letter.price(20));
    comptime assert(@bitSizeOf(Address) == 32);
}
