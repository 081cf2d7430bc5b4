"""The alternating bit protocol (Bartlett, Scantlebury and Wilkinson, 1969): a reliable link over channels that lose.

The sender repeats a packet until it is acknowledged, and one bit tells a new packet from a repeated one. Where packets
keep their order, every body arrives once and in order, and whatever was lost, everything can still arrive: 138 states
for three bodies and room for two packets each way. Four broken variants. A receiver that does not look at the bit
delivers a repeated packet again. A sender that does not look at the bit takes the acknowledgement of one body for that
of the next, which is then lost. Without repeats the first loss is the end. And where packets may overtake, a late
repeat can come when its bit is the expected one again: one bit is not enough.
"""

from typing import Literal

from pdspec import *


class Packet(Record):
    bit: bool
    body: int


sender = Process("sender")
receiver = Process("receiver")
network = Process("network")


class AlternatingBit(Spec):
    """`bodies` are sent in order. `assert` in the receiver is what its caller relies on."""

    bodies: int = parameter(3, at_least=1)
    capacity: int = parameter(2, at_least=1)
    fault: Literal["none", "receiver ignores the bit", "sender ignores the bit", "no repeats"] = "none"
    keeps_order: bool = True

    def state(self) -> None:
        self.packets = Queue(Packet.of(body=range(self.bodies)), self.capacity)
        self.acknowledgements = Queue(bool, self.capacity)
        self.acknowledged = Range(0, self.bodies)
        self.bit = False
        self.waiting = False
        self.delivered = Range(0, self.bodies)
        self.expected = False

    @sender.action
    def send(self) -> None:
        require(self.acknowledged < self.bodies and not self.waiting)
        require(len(self.packets) < self.capacity)
        self.packets.append(Packet(self.bit, body=self.acknowledged))
        self.waiting = True

    @sender.action
    def time_out(self) -> None:
        require(self.waiting and self.fault != "no repeats")
        self.waiting = False

    @receiver.action
    def receive(self) -> None:
        require(self.packets)
        require(len(self.acknowledgements) < self.capacity)
        at = 0
        if not self.keeps_order:
            at = choose(range(len(self.packets)))
        packet = self.packets[at]
        del self.packets[at]
        if packet.bit == self.expected or self.fault == "receiver ignores the bit":
            assert packet.body == self.delivered
            self.delivered += 1
            self.expected = not self.expected
        self.acknowledgements.append(packet.bit)

    @sender.action
    def receive_acknowledgement(self) -> None:
        require(self.acknowledgements)
        bit = self.acknowledgements.popleft()
        if self.acknowledged < self.bodies and (bit == self.bit or self.fault == "sender ignores the bit"):
            self.acknowledged += 1
            self.bit = not self.bit
            self.waiting = False

    @network.action
    def lose_packet(self) -> None:
        require(self.packets)
        self.packets.popleft()

    @network.action
    def lose_acknowledgement(self) -> None:
        require(self.acknowledgements)
        self.acknowledgements.popleft()

    @invariant
    def receiver_is_level_or_one_ahead(self) -> bool:
        return self.acknowledged <= self.delivered <= self.acknowledged + 1

    @step_invariant
    def goes_on_after_delivery(self, before: "AlternatingBit") -> bool:
        """The sender forgets a body only when the receiver has it."""
        return self.acknowledged == before.acknowledged or before.delivered > before.acknowledged

    @reachable
    def a_repeat_is_recognised(self) -> bool:
        return any(packet.bit != self.expected for packet in self.packets)

    @always_possible(without=[network])
    def everything_arrives(self) -> bool:
        return self.delivered == self.bodies

    @final
    def done(self) -> bool:
        return self.delivered == self.bodies


SCENARIOS = [
    Scenario(
        "lossy channels",
        AlternatingBit(),
        why="A repeated packet has the bit that the receiver no longer expects, also when an acknowledgement was lost.",
    ),
    Scenario("four bodies, three packets under way", AlternatingBit(bodies=4, capacity=3)),
    Scenario(
        "the receiver ignores the bit",
        AlternatingBit(fault="receiver ignores the bit"),
        expect={
            "exceptions": Violated(steps=5, last="receive", exception=AssertionError),
            "everything_arrives": Violated(steps=3, last="lose_acknowledgement"),
        },
        why="The repeated packet is delivered again; once an acknowledgement is lost, there is no other way on.",
    ),
    Scenario(
        "the sender ignores the bit",
        AlternatingBit(fault="sender ignores the bit"),
        expect={
            "receiver_is_level_or_one_ahead": Violated(steps=7, last="receive_acknowledgement"),
            "goes_on_after_delivery": Violated(steps=7, last="receive_acknowledgement"),
            "everything_arrives": Violated(steps=7, last="receive_acknowledgement"),
            "deadlock": Violated(steps=10, last="receive_acknowledgement"),
        },
        why="A packet and its repeat are acknowledged twice, and the second one counts for a body that was never sent.",
    ),
    Scenario(
        "no repeats",
        AlternatingBit(fault="no repeats"),
        expect={
            "everything_arrives": Violated(steps=2, last="lose_packet"),
            "deadlock": Violated(steps=2, last="lose_packet"),
            "a_repeat_is_recognised": "violated",
        },
        why="The sender waits for the acknowledgement of a packet that was lost.",
    ),
    Scenario(
        "packets overtake",
        AlternatingBit(keeps_order=False),
        expect={"exceptions": Violated(steps=8, last="receive", exception=AssertionError)},
        why="The repeat of body 0 is overtaken by body 1, and comes when the bit of body 0 means body 2.",
    ),
]
