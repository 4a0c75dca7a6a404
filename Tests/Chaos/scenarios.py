# SPDX-License-Identifier: Apache-2.0
"""What happens to a counter, and how its ledger is compared afterwards."""

import os
import shutil
import subprocess
import time

from counter import Counter, Load, make_certificates, write
from receiver import FAULTS, Receiver

# The steps of a sink's schedule: short, and more of them than a fault lasts.
SCHEDULE = ["0s", "200ms"] + ["500ms"] * 120


class Result:
    """What one scenario came to."""

    def __init__(self):
        self.start = time.monotonic()
        self.rounds = self.acknowledged = self.delivered = self.lost = self.twice = self.repeats = 0
        self.faults = []
        self.skipped = None

    def columns(self):
        verdict = f"skipped: {self.skipped}" if self.skipped else "FAILED" if self.faults else "right"
        numbers = [self.rounds, self.acknowledged, self.delivered, self.lost, self.twice, self.repeats]
        return [str(number) for number in numbers] + [f"{time.monotonic() - self.start:.0f}", verdict]

    def compare(self, counter, ledger):
        """Every acknowledged event is there once; nothing has two bodies, two ids or a gap in its numbers."""
        received = ledger.ids()
        lost = set(counter.acknowledged) - received
        numbers = {}
        for identifier, event in ledger.events.items():
            numbers.setdefault(event["sequence"], []).append(identifier)
        twice = {number: ids for number, ids in numbers.items() if len(ids) > 1}
        self.acknowledged += len(counter.acknowledged)
        self.delivered += len(received)
        self.lost += len(lost)
        self.twice += len(twice)
        self.repeats += sum(ledger.repeats.values())
        self.faults += [f"lost: {identifier}" for identifier in sorted(lost)]
        self.faults += [f"sequence {number} belongs to {', '.join(ids)}" for number, ids in twice.items()]
        self.faults += ledger.faults
        order = sorted(int(number) for number in numbers)
        if order and order != list(range(order[0], order[0] + len(order))):
            missing = set(range(order[0], order[-1])) - set(order)
            self.faults.append(f"the numbers {sorted(missing)[:10]} never came")


def wait_for(condition, patience):
    """Whether the condition came true in time."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return condition()


def drained(counter, receiver):
    return lambda: set(counter.acknowledged) <= receiver.ledger.ids()


def started(counter, result, *wrapper):
    counter.start(*wrapper)
    if counter.wait_ready() is None:
        result.faults.append(f"serve does not get ready: {counter.tail()}")
        return False
    return True


def finish(counter, receiver, result, patience=120):
    """Waits until all is delivered, ends the counter, compares."""
    if not wait_for(drained(counter, receiver), patience):
        result.faults.append(f"not everything was delivered within {patience} s")
    # What was never acknowledged may still be on its way.
    wait_for(lambda: receiver_is_idle(receiver), 10)
    status = counter.stop()
    if status != 0:
        result.faults.append(f"serve ended with {status} after SIGTERM: {counter.tail()}")
    result.compare(counter, receiver.ledger)


def receiver_is_idle(receiver):
    seen = receiver.seen
    time.sleep(0.5)
    return receiver.seen == seen


def kills(tool, folder, options, random):
    """kill -9 at random moments: while it starts, while it takes taps, while it delivers."""
    result = Result()
    counter = Counter(tool, folder)
    receiver = Receiver(counter.secret)
    counter.configure(receiver.url, SCHEDULE)
    load = Load(counter, clients=3)
    for number in range(options.kills):
        counter.start()
        # A tenth of the kills hits the start; the others a service that is at work.
        if random.random() < 0.1:
            time.sleep(random.uniform(0, 0.3))
        elif counter.wait_ready() is None:
            result.faults.append(f"kill {number}: serve does not get ready: {counter.tail()}")
            counter.kill()
            break
        else:
            time.sleep(random.uniform(0, 0.6))
        # Now and then the receiver is away, so that a backlog is there when the kill comes.
        receiver.fault = "500" if random.random() < 0.15 else None
        counter.kill()
        result.rounds += 1
        if result.rounds % 50 == 0:
            print(
                f"chaos: kills: {result.rounds} kills, {len(counter.acknowledged)} taps acknowledged, "
                f"{len(receiver.ledger.ids())} delivered", flush=True)
    receiver.fault = None
    load.stop()
    if started(counter, result):
        finish(counter, receiver, result)
    if counter.refused:
        result.faults.append(f"{len(counter.refused)} taps were refused, the first with {counter.refused[0]}")
    return result


def faults(tool, folder, options, random):
    """The receiver fails in each way in turn; then it is well again."""
    result = Result()
    certificates = make_certificates(folder)
    counter = Counter(tool, folder)
    receiver = Receiver(counter.secret, certificates)
    counter.configure(receiver.url, SCHEDULE, f"timeout = \"1s\"\nca_file = \"{certificates['good'][0]}\"")
    if not started(counter, result):
        return result
    for fault in FAULTS:
        receiver.fault = fault
        before = receiver.seen
        for _ in range(options.taps):
            if not counter.tap():
                result.faults.append(f"{fault}: a tap is not acknowledged while the receiver fails")
                break
        if fault != "tls" and not wait_for(lambda: receiver.seen > before, 20):
            result.faults.append(f"{fault}: the receiver was not asked")
        time.sleep(random.uniform(0.5, 2))
        receiver.fault = None
        if fault == "410":
            check_disabled(counter, receiver, result)
        if not wait_for(drained(counter, receiver), 90):
            missing = len(set(counter.acknowledged) - receiver.ledger.ids())
            result.faults.append(f"{fault}: {missing} events did not come within 90 s after it")
        result.rounds += 1
        print(f"chaos: faults: {fault}: {len(receiver.ledger.ids())} delivered", flush=True)
    finish(counter, receiver, result)
    return result


def check_disabled(counter, receiver, result):
    """410 Gone: nothing more is sent until somebody enables the sink."""
    wait_for(lambda: receiver_is_idle(receiver), 20)
    seen = receiver.seen
    counter.tap()
    time.sleep(1.5)
    if receiver.seen != seen:
        result.faults.append("410: the sink was asked again although it is gone")
    answer = counter.call("POST", "/v1/sinks/receiver/enable", {})
    if not answer or answer[0] // 100 != 2:
        result.faults.append(f"410: the sink cannot be enabled: {answer}")


def disk(tool, folder, options, random):
    """The disk is full: taps are refused with a reason, nothing acknowledged is lost, and it goes on when there is room."""
    result = Result()
    mount = os.path.join(folder, "disk")
    os.makedirs(mount)
    # Mounting is for root, and not in every container.
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m,mode=0700", "none", mount], capture_output=True).returncode:
        result.skipped = "no file system can be mounted here"
        return result
    try:
        counter = Counter(tool, folder, state=os.path.join(mount, "state"))
        receiver = Receiver(counter.secret)
        counter.configure(receiver.url, SCHEDULE)
        if started(counter, result):
            fill(counter, mount, result)
            finish(counter, receiver, result)
    finally:
        subprocess.run(["umount", "-l", mount], check=False)
    return result


def fill(counter, mount, result):
    for _ in range(3):
        ballast = os.path.join(mount, "ballast")
        write(ballast, "")
        with open(ballast, "ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        for _ in range(200):
            if counter.tap() is False:
                break
        else:
            result.faults.append("no tap was refused although the disk is full")
        if counter.process.poll() is not None:
            result.faults.append(f"serve ended when the disk was full: {counter.tail()}")
            return
        os.remove(ballast)
        start = time.monotonic()
        if not wait_for(counter.tap, 10) or time.monotonic() - start > 2:
            result.faults.append(f"the next tap came {time.monotonic() - start:.1f} s after there was room")
        result.rounds += 1
    reasons = {str(answer)[:200] for _, answer in counter.refused}
    print(f"chaos: disk: refused with {sorted(reasons)[:2]}", flush=True)


def clock(tool, folder, options, random):
    """The clock jumps a day ahead and a day back while taps come and go."""
    result = Result()
    compiler = shutil.which("clang") or shutil.which("cc")
    if not compiler:
        result.skipped = "there is no C compiler for the clock"
        return result
    library, stamp = os.path.join(folder, "clock.so"), os.path.join(folder, "clock")
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "clock.c")
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    write(stamp, "0")
    counter = Counter(tool, folder, environment={"LD_PRELOAD": library, "COUNTERTOP_CLOCK": stamp})
    receiver = Receiver(counter.secret)
    counter.configure(receiver.url, SCHEDULE)
    if not started(counter, result):
        return result
    for jump in (86_400, -86_400, 0, -86_400, 86_400, 0):
        receiver.fault = "500"
        for _ in range(5):
            counter.tap()
        write(stamp, str(jump))
        for _ in range(5):
            if not counter.tap():
                result.faults.append(f"{jump} s: a tap is not acknowledged after the jump")
        receiver.fault = None
        if not wait_for(drained(counter, receiver), 30):
            result.faults.append(f"{jump} s: not everything came within 30 s after the jump")
        result.rounds += 1
    finish(counter, receiver, result)
    numbers = [int(event["sequence"]) for event in receiver.ledger.events.values()]
    if sorted(numbers) != list(range(1, len(numbers) + 1)):
        result.faults.append("the numbers do not go on over the jumps")
    return result


ALL = {"kills": kills, "faults": faults, "disk": disk, "clock": clock}
