//! What the model knows of operations: the states before and after each, and who changed something in between.

use super::Walk;
use super::state::State;

/// Equal numbers stand for "nobody else changed anything in between".
#[derive(Debug, Clone, Copy)]
struct Moment {
    own: u64,
    base: u64,
}

/// One operation. Of a command that does several, only the ends are known.
#[derive(Debug)]
pub(super) struct Done {
    kind: String,
    before: Option<State>,
    before_at: Moment,
    after: Option<State>,
    after_at: Moment,
    /// Whether it moved the base, too.
    moved_base: bool,
}

/// Who changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worker {
    Command,
    /// It works before anything of it is recorded, so nobody knows the state before an operation.
    Agent,
}

/// An operation in the store.
struct Recorded {
    key: i64,
    kind: String,
    undoes: Option<i64>,
}

impl Walk {
    /// Does something and takes down what the store says was done. Answers whether anything was.
    pub(super) fn observed(
        &mut self,
        who: usize,
        worker: Worker,
        act: impl FnOnce(&mut Self),
    ) -> bool {
        let before = self.state(who);
        let newest = self.newest_operation(who);
        act(self);
        let after = self.state(who);
        let recorded = self.recorded_since(who, newest);
        match &recorded[..] {
            [] => return self.unrecorded(who, &before, &after),
            [one] if one.kind == "undo" => self.undone(who, one, &after),
            [one] if one.kind == "redo" => self.redone(who, one, &after),
            several => {
                if worker == Worker::Agent {
                    self.actors[who].at = self.tick();
                }
                self.did(who, several, (&before, worker), &after);
            }
        }
        true
    }

    /// No operation took place. Only the agent may have changed something all the same.
    fn unrecorded(&mut self, who: usize, before: &State, after: &State) -> bool {
        if before.own != after.own {
            self.actors[who].at = self.tick();
        }
        if before.base != after.base {
            self.base_at = self.tick();
        }
        before != after
    }

    fn did(
        &mut self,
        who: usize,
        recorded: &[Recorded],
        (before, worker): (&State, Worker),
        after: &State,
    ) {
        let mut at = Moment {
            own: self.actors[who].at,
            base: self.base_at,
        };
        let last = recorded.len() - 1;
        for (number, one) in recorded.iter().enumerate() {
            let moved_base = one.kind == "merge" && before.base != after.base;
            let is_known = number == 0 && worker == Worker::Command;
            let mut after_at = at;
            // What reaches a remote leaves everything here as it is.
            if one.kind != "push" {
                after_at.own = self.tick();
            }
            if moved_base {
                after_at.base = self.tick();
            }
            self.counts.of(&one.kind).done += 1;
            self.done.insert(
                one.key,
                Done {
                    kind: one.kind.clone(),
                    before: is_known.then(|| before.clone()),
                    before_at: at,
                    after: (number == last).then(|| after.clone()),
                    after_at,
                    moved_base,
                },
            );
            at = after_at;
        }
        (self.actors[who].at, self.base_at) = (at.own, at.base);
    }

    fn undone(&mut self, who: usize, undo: &Recorded, now: &State) {
        let original = undo.undoes.expect("an undoing names what it undoes");
        let done = self.take_done(original);
        self.counts.of(&done.kind).undone += 1;
        if self.compare(
            who,
            now,
            done.before.as_ref(),
            done.moved_base,
            done.after_at,
        ) {
            self.counts.of(&done.kind).undone_compared += 1;
        }
        self.stand(who, &done, (done.after_at, done.before_at));
        self.done.insert(original, done);
    }

    fn redone(&mut self, who: usize, redo: &Recorded, now: &State) {
        let undo = redo.undoes.expect("a redoing names what it takes back");
        let original = self.undoes(undo);
        let done = self.take_done(original);
        self.counts.of(&done.kind).redone += 1;
        if self.compare(
            who,
            now,
            done.after.as_ref(),
            done.moved_base,
            done.before_at,
        ) {
            self.counts.of(&done.kind).redone_compared += 1;
        }
        self.stand(who, &done, (done.before_at, done.after_at));
        self.done.insert(original, done);
    }

    /// The state is what is known to have been there, as far as nobody changed anything since. Answers whether it could be
    /// told.
    fn compare(
        &self,
        who: usize,
        now: &State,
        known: Option<&State>,
        moved_base: bool,
        since: Moment,
    ) -> bool {
        let Some(known) = known.filter(|_| self.actors[who].at == since.own) else {
            return false;
        };
        assert_eq!(now.own, known.own, "{}", self.story());
        if moved_base && self.base_at == since.base {
            assert_eq!(now.base, known.base, "{}", self.story());
        }
        true
    }

    /// Session and base are where they were; somewhere new if that cannot be told.
    fn stand(&mut self, who: usize, done: &Done, (from, to): (Moment, Moment)) {
        self.actors[who].at = match self.actors[who].at == from.own {
            true => to.own,
            false => self.tick(),
        };
        if done.moved_base {
            self.base_at = match self.base_at == from.base {
                true => to.base,
                false => self.tick(),
            };
        }
    }

    fn take_done(&mut self, key: i64) -> Done {
        let done = self.done.remove(&key);
        done.unwrap_or_else(|| panic!("operation {key} is not known: {}", self.story()))
    }

    fn newest_operation(&self, who: usize) -> i64 {
        let id = &self.actors[who].made.id;
        let newest = format!(
            "SELECT coalesce(max(key), 0) FROM operations WHERE session = '{id}' AND state != 'failed'"
        );
        self.world.count(&newest)
    }

    fn recorded_since(&self, who: usize, key: i64) -> Vec<Recorded> {
        let id = &self.actors[who].made.id;
        let sql = "SELECT key, kind, undoes FROM operations
                   WHERE session = ?1 AND key > ?2 AND state != 'failed' ORDER BY key";
        let store = self.world.writable_store();
        let mut statement = store.prepare(sql).unwrap();
        let rows = statement.query_map(rusqlite::params![id, key], |row| {
            Ok(Recorded {
                key: row.get(0)?,
                kind: row.get(1)?,
                undoes: row.get(2)?,
            })
        });
        rows.unwrap().map(Result::unwrap).collect()
    }

    fn undoes(&self, key: i64) -> i64 {
        let undoes = format!("SELECT undoes FROM operations WHERE key = {key}");
        self.world.count(&undoes)
    }
}
