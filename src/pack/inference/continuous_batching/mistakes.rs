//! What goes wrong at speed in a scheduler: one loop, with a flaw of choice.

use super::{Limits, Request};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Flaw {
    #[cfg(test)]
    Flawless,
    StaticBatches,
    NoBlockBudget,
    PromptBlocksOnly,
    CountsTokens,
    FloorBlocks,
    BlocksNeverBack,
    LastBlockUnused,
    BatchIgnored,
    OneTooMany,
    OneAdmission,
    Overtakes,
    RefusedWhenBusy,
    ShortestFirst,
    LastComeFirst,
    ListOrder,
    ArrivalIgnored,
    IdleStartsEarly,
    EmptySteps,
    HugeHoldsUp,
    ExtraToken,
    RoomAStepLate,
    EndIgnored,
    LimitIgnored,
    PrefillMakesNone,
    StepAfterLast,
}

use Flaw::*;

struct Running {
    request: usize,
    made: usize,
    steps: usize,
    ended: bool,
}

struct Scheduler<'a> {
    flaw: Flaw,
    requests: &'a [Request],
    limits: Limits,
    queue: Vec<usize>,
    running: Vec<Running>,
    used: usize,
    /// Room of finished requests that is not given back yet.
    late: Vec<usize>,
    step: usize,
    last: Vec<Option<usize>>,
}

impl Scheduler<'_> {
    fn needed(&self, request: usize) -> usize {
        let Request { prompt, max_new, .. } = self.requests[request];
        match self.flaw {
            PromptBlocksOnly => prompt.div_ceil(self.limits.block_size),
            CountsTokens => prompt + max_new,
            FloorBlocks => (prompt + max_new) / self.limits.block_size,
            _ => (prompt + max_new).div_ceil(self.limits.block_size),
        }
    }

    fn pool(&self) -> usize {
        self.limits.blocks * if self.flaw == CountsTokens { self.limits.block_size } else { 1 }
    }

    fn arrived(&self, request: usize) -> bool {
        self.requests[request].arrival <= self.step || self.flaw == ArrivalIgnored
    }

    fn fits(&self, request: usize) -> bool {
        let batch = match self.flaw {
            BatchIgnored => usize::MAX,
            OneTooMany => self.limits.batch + 1,
            _ => self.limits.batch,
        };
        let wanted = self.used + self.needed(request) + usize::from(self.flaw == LastBlockUnused);
        self.running.len() + self.late.len() < batch && (wanted <= self.pool() || self.flaw == NoBlockBudget)
    }

    /// The place in the queue of the request that is served next.
    fn next(&self) -> Option<usize> {
        let mut arrived = (0..self.queue.len()).filter(|&at| self.arrived(self.queue[at]));
        match self.flaw {
            Overtakes => arrived.find(|&at| self.fits(self.queue[at])),
            ShortestFirst => arrived.min_by_key(|&at| self.requests[self.queue[at]].max_new),
            LastComeFirst => arrived.next_back(),
            ListOrder => Some(0).filter(|_| self.queue.first().is_some_and(|&first| self.arrived(first))),
            _ => arrived.next(),
        }
    }

    fn admit(&mut self) {
        if self.flaw == StaticBatches && !self.running.is_empty() {
            return;
        }
        while let Some(at) = self.next() {
            let request = self.queue[at];
            if !self.fits(request) {
                if self.flaw != RefusedWhenBusy {
                    break;
                }
                self.queue.remove(at);
                continue;
            }
            self.queue.remove(at);
            self.used += self.needed(request);
            self.running.push(Running { request, made: 0, steps: 0, ended: false });
            if self.flaw == OneAdmission {
                break;
            }
        }
    }

    /// Nothing is running. Says whether there is anything to go on with.
    fn idle(&mut self, run: &mut dyn FnMut(usize, &[usize]) -> Vec<bool>) -> bool {
        if !self.late.is_empty() {
            self.give_back();
            self.step += 1;
            return true;
        }
        let coming = self.queue.iter().map(|&request| self.requests[request].arrival).filter(|&at| at > self.step);
        let next =
            if self.flaw == ListOrder { self.queue.first().map(|&r| self.requests[r].arrival) } else { coming.min() };
        let Some(next) = next.filter(|&next| next > self.step) else { return false };
        match self.flaw {
            EmptySteps => {
                run(self.step, &[]);
                self.step += 1;
            }
            IdleStartsEarly => {
                let request = self.queue.remove(0);
                self.used += self.needed(request);
                self.running.push(Running { request, made: 0, steps: 0, ended: false });
            }
            _ => self.step = next,
        }
        true
    }

    fn give_back(&mut self) {
        for request in std::mem::take(&mut self.late) {
            self.used -= self.needed(request);
        }
    }

    fn finished(&self, running: &Running) -> bool {
        let max_new = self.requests[running.request].max_new;
        match self.flaw {
            EndIgnored => running.made == max_new,
            LimitIgnored => running.ended,
            _ => running.ended || running.made >= max_new,
        }
    }

    fn step(&mut self, run: &mut dyn FnMut(usize, &[usize]) -> Vec<bool>) {
        let batch: Vec<usize> = self.running.iter().map(|running| running.request).collect();
        let ended = run(self.step, &batch);
        if self.flaw == RoomAStepLate {
            self.give_back();
        }
        let mut kept = Vec::new();
        for (mut running, ended) in std::mem::take(&mut self.running).into_iter().zip(ended) {
            // Noticed before the step's own token is looked at, that is a step too late.
            let before = self.finished(&running);
            running.steps += 1;
            running.made += usize::from(self.flaw != PrefillMakesNone || running.steps > 1);
            running.ended |= ended;
            let finished = if self.flaw == ExtraToken { before } else { self.finished(&running) };
            if finished {
                self.last[running.request] = Some(self.step + usize::from(self.flaw == StepAfterLast));
                if self.flaw != BlocksNeverBack {
                    self.late.push(running.request);
                }
            } else {
                kept.push(running);
            }
        }
        self.running = kept;
        if self.flaw != RoomAStepLate {
            self.give_back();
        }
        self.step += 1;
    }
}

pub fn serve(
    flaw: Flaw,
    requests: &[Request],
    limits: &Limits,
    run: &mut dyn FnMut(usize, &[usize]) -> Vec<bool>,
) -> Vec<Option<usize>> {
    let (queue, last) = ((0..requests.len()).collect(), vec![None; requests.len()]);
    let mut scheduler = Scheduler {
        flaw,
        requests,
        limits: *limits,
        queue,
        running: Vec::new(),
        used: 0,
        late: Vec::new(),
        step: 0,
        last,
    };
    let pool = scheduler.pool();
    if !matches!(flaw, HugeHoldsUp | NoBlockBudget) {
        scheduler.queue =
            scheduler.queue.iter().copied().filter(|&request| scheduler.needed(request) <= pool).collect();
    }
    if flaw != ListOrder {
        scheduler.queue.sort_by_key(|&request| requests[request].arrival);
    }
    loop {
        scheduler.admit();
        if !scheduler.running.is_empty() {
            scheduler.step(run);
        } else if !scheduler.idle(run) {
            return scheduler.last;
        }
    }
}
