"""Small specs, as text, in which faults of the tracer and of the python engine can be noticed.

pdspec refuses none of them. What a fault may get wrong occurs in one, and matters there.
"""

HEAD = """\
from enum import Enum, IntEnum
from pdspec import *

env = Process("env")
"""

NUMBERS = """
class Numbers(Spec):
    def state(self):
        self.level = Range(-2, 3, start=0)
        self.other = Range(0, 3)
    @env.action
    def swap(self):
        require(self.level >= 0)
        self.level, self.other = self.other, self.level
    @env.action
    def climb(self):
        require(self.level <= 1)
        self.level += 1
    @env.action
    def meet(self):
        require(self.level <= self.other)
        self.other = max(self.level, 1)
    @env.action
    def mirror(self):
        require(self.level in (-1, 2, 1))
        self.level = -self.level
    @env.action
    def approach(self):
        require(self.level != self.other and -2 <= self.level - 2 * self.other + 1 <= 3)
        self.level = self.level - 2 * self.other + 1
    @env.action
    def count(self):
        self.other = min(self.other + 1, 3)
        if self.other == 3:
            self.level = 0
    @env.action
    def divide(self):
        require(self.level > 0)
        self.other = 5 // (self.level + 1)
    @invariant
    def close(self):
        return max(self.level, self.other) <= 2
    @reachable
    def below(self):
        return self.level == -2 and self.other == 3
"""

FLAGS = """
class Phase(IntEnum):
    idle = 0
    busy = 1
    done = 2

class Color(Enum):
    red = "r"
    green = "g"

class Flags(Spec):
    def state(self):
        self.flag = False
        self.phase = Phase.idle
        self.color = Color.red
        self.peer = Maybe(OneOf((1, 2)))
    @env.action
    def lift(self):
        require(not self.flag)
        self.flag = 1
    @env.action
    def start(self):
        require(self.flag is True and self.phase is not Phase.done)
        self.phase = 1
    @env.action
    def finish(self):
        require(self.phase.name == "busy" and self.peer is not None)
        self.phase = self.peer
    @env.action
    def paint(self):
        if self.color is Color.red:
            self.color = Color.green
        else:
            self.color = Color.red
    @env.action
    def pick(self):
        self.peer = choose((1, 2, 2))
    @env.action
    def drop(self):
        require(self.color == Color.green)
        self.peer = None
    @invariant
    def lifted(self):
        return self.phase == Phase.idle or self.flag
    @invariant
    def unfinished(self):
        return self.phase < 2
    @derived
    def shown(self):
        return (self.phase.name, str(self.flag), type(self.peer).__name__)
"""

QUEUE = """
class Item(Record):
    kind: str = field(OneOf(("a", "b", "c")))

class Items(Spec):
    def state(self):
        self.queue = Queue(Item, capacity=2)
        self.last = Maybe(Item)
    @env.action(kind=("a", "b", "c"))
    def push(self, kind):
        require(len(self.queue) < 2)
        self.queue.append(Item(kind))
    @env.action
    def take(self):
        require(self.queue)
        self.last = self.queue.popleft()
    @env.action
    def undo(self):
        require(self.queue)
        self.queue.pop()
    @env.action
    def forget(self):
        self.last = None
    @invariant
    def new(self):
        return self.last is None or self.last.kind != "b" or Item("a") not in self.queue
"""

ROOMS = """
class Rooms(Spec):
    def state(self):
        self.rooms = Dict(("a", "b"), Set((0, 1)))
    @env.action(room=("a", "b"))
    def open(self, room):
        require(room not in self.rooms)
        self.rooms[room] = set()
    @env.action(room=("a", "b"), who=(0, 1))
    def join(self, room, who):
        require(room in self.rooms)
        self.rooms[room].add(who)
    @env.action(room=("a", "b"))
    def close(self, room):
        require(room in self.rooms and self.rooms[room])
        del self.rooms[room]
    @env.action
    def leave(self):
        try:
            self.rooms["a"].discard(1)
        except KeyError:
            self.rooms["b"] = {1}
    @env.action
    def empty(self):
        require(0 in self.rooms.get("a", {0}))
        self.rooms.clear()
    @env.action
    def renew(self):
        people = self.rooms["a"]
        self.rooms["a"] = {0}
        require(1 in people)
    @invariant
    def one_room(self):
        return sum(len(people) for people in self.rooms.values()) < 4
"""

GROUP = """
class Group(Spec):
    def state(self):
        self.group = Set(range(3))
        self.bag = Bag(range(2), most=2)
        self.row = Array(range(2), bool)
    @env.action(k=range(3))
    def join(self, k):
        self.group.add(k)
    @env.action
    def leave(self):
        self.group.discard(1)
    @env.action
    def lose(self):
        self.group.remove(choose(self.group))
    @env.action
    def lose_next(self):
        require(len(self.group) > 1)
        self.group.remove(next(iter(self.group)))
    @env.action
    def grow(self):
        for k in self.group:
            self.group.add(0)
    @env.action(k=range(2))
    def put(self, k):
        require(k not in self.bag or self.bag[k] < 2)
        require(len(self.bag) < 2)
        self.bag[k] += 1
    @env.action
    def mark(self):
        require(sum(k + 1 for k in self.group) == 4)
        self.row[-2] = True
    @invariant
    def unmarked(self):
        return not all(self.row)
"""

RELATIONS = """
class Relations(Spec):
    def state(self):
        self.a = Range(0, 1)
        self.b = Range(0, 1)
        self.c = Range(0, 1)
        self.on = False
    @env.action
    def turn(self):
        self.on = not self.on
    @env.action
    def change(self):
        require(self.on)
        if self.a != self.b and self.b != self.c and self.c != self.a:
            # Never: three values that differ are not among two. If it could be, the step would be refused.
            require(self.a is self.b)
        elif self.a != self.b and self.b != self.c:
            self.a = self.b
        else:
            self.c = 1 - self.c
    @env.action
    def rise(self):
        require(self.on and self.a == self.c)
        self.b = 1
    @invariant
    def equal(self):
        return self.a == self.b
"""

LIMITS = """
class Limits(Spec):
    def state(self):
        self.level = Range(0, 2)
        self.queue = Queue(bool, capacity=1)
    @env.action
    def rise(self):
        self.level += 1
    @env.action
    def push(self):
        require(self.level == 0)
        self.queue.append(True)
    @env.action
    def fail(self):
        if self.level == 1:
            raise ValueError("one")
        if self.level == 2:
            self.level = 5
    @invariant
    def low(self):
        return {0: True, 1: True}[self.level]
    @always_possible
    def down(self):
        return self.level == 0
"""

STEPS = """
class Steps(Spec):
    def state(self):
        self.n = Range(0, 3)
        self.stuck = False
    @env.action
    def advance(self):
        require(self.n < 3 and not self.stuck)
        self.n += 1
        self.stuck = self.left == 1
    @env.action
    def look(self):
        require(self.n == 1)
    @env.action
    def abort(self):
        require(self.stuck)
        self.n, self.stuck = 0, False
    @env.action
    def repair(self):
        require(self.n == 2)
        self.n, self.stuck = 3, False
    @env.action
    def jam(self):
        require(self.n == 1)
        self.stuck = True
    @derived
    def left(self):
        return 3 - self.n
    @step_invariant
    def moves(self, before):
        return self.n != before.n or self.stuck != before.stuck
    @step_invariant
    def one_at_a_time(self, before, step):
        return step.action != "advance" or self.n == before.n + 1
    @always_possible(without=["abort"])
    def done(self):
        return self.n == 3
    @always_possible
    def done_somehow(self):
        return self.n == 3
    @final
    def ended(self):
        return self.n == 3
"""

DETOURS = """
class Detours(Spec):
    def state(self):
        self.n = Range(0, 3)
    @env.action(n=(2, 1))
    def go(self, n):
        require(self.n == 0)
        self.n = n
    @env.action
    def meet(self):
        require(self.n > 0)
        self.n = 3
    @invariant
    def waits(self):
        return self.n == 0
    @invariant
    def apart(self):
        return self.n < 3
"""

SOUND = {
    "numbers": NUMBERS,
    "flags": FLAGS,
    "queue": QUEUE,
    "rooms": ROOMS,
    "group": GROUP,
    "relations": RELATIONS,
    "limits": LIMITS,
    "steps": STEPS,
    "detours": DETOURS,
}
