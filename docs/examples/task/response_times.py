#!/usr/bin/env python3
"""Response times of periodic tasks on a core and a GPU, and the longest of simulated schedules.

usage: response_times.py UNIT TASK...

UNIT: nanoseconds; all times are rounded up to it. A task, highest priority first, is FILE:PERIOD (what `warpbound
task --export gcaps` wrote) or NAME:TIME:PERIOD (of the core alone). Core and GPU are preemptive, the core is free
while a task is on the GPU, and a segment of the GPU takes epsilon more at its start and at its end.
"""
import itertools
import json
import math
import sys


def read(word, unit):
    """Name, period and segments: (whether on the GPU, time) each, in units."""
    name, *times, period = word.rsplit(":", 2 if word.count(":") == 2 else 1)
    segments = [(False, int(times[0]))] if times else []
    if not times:
        with open(name) as file:
            task = json.load(file)
        name, around = task["task"], 2 * (task["epsilon"] or 0)
        for part in task["segments"]:
            # What launches take on the core stands before the rest, which is never shorter.
            segments += [(False, part["C"])] if "C" in part else [(False, part["Gm"]), (True, part["Ge"] + around)]
    return name, math.ceil(int(period) / unit), [(gpu, math.ceil(time / unit)) for gpu, time in segments if time > 0]


def response(task, higher):
    """The least fixed point: own segments, and those of higher priority on core and GPU, each job of which may come late
    by what its task takes longer than without others (Bletsas, Audsley et al., 2018); None: beyond the period."""
    _, period, segments = task
    own = now = sum(time for _, time in segments)
    while now <= period:
        late = [(now + r - sum(time for gpu, time in of if gpu == on), of, t, on) for r, t, of in higher for on in (False, True)]
        need = own + sum(math.ceil(max(by, 0) / t) * sum(time for gpu, time in of if gpu == on) for by, of, t, on in late)
        if need == now:
            return now
        now = need
    return None


def simulate(tasks, offsets, end):
    """The longest response of each task, in whole units."""
    jobs, longest = [], [0] * len(tasks)  # a job: priority, release, segment, what is left of it
    for now in range(end):
        for i, (_, period, segments) in enumerate(tasks):
            if now >= offsets[i] and (now - offsets[i]) % period == 0:
                jobs.append([i, now, 0, segments[0][1]])
        jobs.sort()
        running = {}
        for job in jobs:
            running.setdefault(tasks[job[0]][2][job[2]][0], job)
        for job in running.values():
            segments = tasks[job[0]][2]
            job[3] -= 1
            if job[3] > 0:
                continue
            job[2] += 1
            if job[2] < len(segments):
                job[3] = segments[job[2]][1]
            else:
                jobs.remove(job)
                longest[job[0]] = max(longest[job[0]], now + 1 - job[1])
    return longest


def search(tasks):
    """The longest responses over all offsets, with each segment at its longest or a unit."""
    end, found = 3 * math.lcm(*(period for _, period, _ in tasks)), [0] * len(tasks)
    for offsets in itertools.product(*(range(period) for _, period, _ in tasks[:-1]), [0]):
        for long in itertools.product((True, False), repeat=sum(len(segments) for _, _, segments in tasks)):
            chosen = iter(long)
            drawn = [(name, t, [(gpu, time if next(chosen) else 1) for gpu, time in of]) for name, t, of in tasks]
            found = [max(pair) for pair in zip(found, simulate(drawn, offsets, end))]
    return found


def main():
    unit = int(sys.argv[1])
    tasks, higher = [read(word, unit) for word in sys.argv[2:]], []
    for task in tasks:
        bound = response(task, higher)
        if bound is None:
            sys.exit(f"{task[0]}: no response time within its period")
        higher.append((bound, task[1], task[2]))
    for task, (bound, _, _), longest in zip(tasks, higher, search(tasks)):
        print(f"{task[0]}: at most {bound}, simulated {longest}, period {task[1]}")
        if longest > bound:
            sys.exit("a schedule takes longer")


if __name__ == "__main__":
    main()
