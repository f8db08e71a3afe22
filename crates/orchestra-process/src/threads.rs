//! Work that several threads share.

use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Does the same work on this thread and on others, one for each core but at most `most`. A panic of one of them is passed on.
pub fn on_cores<T: Send>(most: usize, work: impl Fn() -> T + Sync) -> Vec<T> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..cores.min(most)).map(|_| scope.spawn(&work)).collect();
        let own = work();
        let others = others.into_iter().map(|other| match other.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        [own].into_iter().chain(others).collect()
    })
}

/// Work that leads to more of its kind: whoever is free takes the next.
#[derive(Debug)]
pub struct WorkQueue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    waiting: Vec<T>,
    /// Threads that may still find something to do.
    busy: usize,
    is_stopped: bool,
}

impl<T> WorkQueue<T> {
    pub fn new(first: T) -> Self {
        let state = Mutex::new(State {
            waiting: vec![first],
            busy: 0,
            is_stopped: false,
        });
        Self {
            state,
            changed: Condvar::new(),
        }
    }

    /// Takes one after another until nobody can find more. The work answers what it led to; a break ends it for all threads.
    pub fn take_each<B>(
        &self,
        mut work: impl FnMut(T) -> ControlFlow<B, Vec<T>>,
    ) -> ControlFlow<B> {
        while let Some(next) = self.next() {
            let mut turn = Turn {
                queue: self,
                found: None,
            };
            turn.found = Some(work(next)?);
        }
        ControlFlow::Continue(())
    }

    fn next(&self) -> Option<T> {
        let mut state = self.lock();
        loop {
            let is_over = state.waiting.is_empty() && state.busy == 0;
            if is_over || state.is_stopped {
                return None;
            }
            if let Some(next) = state.waiting.pop() {
                state.busy += 1;
                return Some(next);
            }
            let changed = self.changed.wait(state);
            state = changed.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A thread at work. Those that wait for it hear of its end even if it panics.
struct Turn<'a, T> {
    queue: &'a WorkQueue<T>,
    /// What it led to; `None` if it came to no good end.
    found: Option<Vec<T>>,
}

impl<T> Drop for Turn<'_, T> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.busy -= 1;
        match self.found.take() {
            Some(found) => state.waiting.extend(found),
            None => state.is_stopped = true,
        }
        self.queue.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const THREADS: usize = 4;

    /// On more threads than there may be cores.
    fn together<T: Send>(work: impl Fn() -> T + Sync) -> Vec<std::thread::Result<T>> {
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(&work)).collect();
            threads.into_iter().map(|thread| thread.join()).collect()
        })
    }

    fn below(depth: u32) -> Vec<u32> {
        (0..depth).map(|_| depth - 1).collect()
    }

    #[test]
    fn all_that_is_found_is_done_once() {
        let (queue, done) = (WorkQueue::new(6), AtomicUsize::new(0));
        let ends = together(|| {
            queue.take_each(|depth| {
                done.fetch_add(1, Ordering::Relaxed);
                ControlFlow::<(), _>::Continue(below(depth))
            })
        });
        assert!(ends.into_iter().all(|end| end.unwrap().is_continue()));
        // 1 + 6 + 6*5 + 6*5*4 + ... + 6!
        assert_eq!(done.into_inner(), 1957);
    }

    #[test]
    fn one_that_breaks_off_ends_it_for_all() {
        let queue = WorkQueue::new(0_u64);
        // Without an end of its own.
        let ends = together(|| {
            queue.take_each(|number| match number {
                1000 => ControlFlow::Break("enough"),
                _ => ControlFlow::Continue(vec![number + 1]),
            })
        });
        let broken = ends
            .into_iter()
            .filter_map(|end| end.unwrap().break_value());
        assert_eq!(broken.collect::<Vec<_>>(), ["enough"]);
    }

    #[test]
    fn nobody_waits_for_one_that_panicked() {
        let queue = WorkQueue::new(3_u32);
        let ends = together(|| {
            queue.take_each(|depth| {
                assert_ne!(depth, 1, "as wanted");
                ControlFlow::<(), _>::Continue(below(depth))
            })
        });
        assert!(ends.iter().any(Result::is_err));
    }

    #[test]
    fn every_thread_answers() {
        let work = AtomicUsize::new(0);
        let answers = on_cores(THREADS, || work.fetch_add(1, Ordering::Relaxed));
        let cores = std::thread::available_parallelism().unwrap().get();
        assert_eq!(answers.len(), cores.min(THREADS));
        assert_eq!(on_cores(1, || 7), [7]);
    }
}
