//! The sentence of `details`: what was found, and every result that did not pass.

use super::{Comparison, Conclusion};
use crate::evidence::Entry;
use crate::field::FieldResult;
use crate::records::clauses::{NAMED, described_each};
use crate::settings::Cardinality;

impl<C> Conclusion<'_, C> {
    pub(super) fn found(&self) -> String {
        let words = self.judging.wording;
        let (matched, considered) = (self.seen.candidates.len() as u64, self.seen.considered);
        if words.selected_by.is_empty() {
            format!("{matched} {} in {}", words.noun(matched), words.place)
        } else {
            format!("{matched} of {considered} {}{} in {}", words.noun(considered), words.selected(), words.place)
        }
    }

    /// The candidates that are counted, by name, and one that is not.
    fn counted_names(&self) -> String {
        let (all, number): (Vec<&Comparison<'_, C>>, u64) = match self.judging.rules.count {
            Some(asked) => (self.counting(asked).collect(), self.number(asked)),
            None => (self.judged.iter().collect(), self.number_of_all()),
        };
        let labels: Vec<String> = all.iter().take(3).map(|judged| judged.candidate.label.to_string()).collect();
        let counted = match (labels.is_empty(), number > labels.len() as u64) {
            (true, _) => String::new(),
            (false, true) => format!(" ({} and others)", labels.join(", ")),
            (false, false) => format!(" ({})", labels.join(", ")),
        };
        let left_out = self.judged.iter().filter(|_| self.judging.rules.count.is_some_and(|count| !count.is_none()));
        let first = left_out.filter_map(|judged| Some((judged, judged.unsafe_match()?))).next();
        let why = first.map(|(judged, found)| format!("; {} does not count: {}", judged.candidate.label, found.why));
        counted + &why.unwrap_or_default()
    }

    /// The number of candidates is all that is wrong: `Found 1 file in files/, expected none (files/a.csv).`
    fn wrong_count(&self, count: &FieldResult, of: usize) -> String {
        let asked = self.judging.rules.count.unwrap_or(Cardinality::SOME).in_words();
        let number = count.actual.as_u64().unwrap_or_default();
        let counts = match number {
            n if n == self.number_of_all() => String::new(),
            1 => "; 1 of them counts".to_owned(),
            n => format!("; {n} of them count"),
        };
        let others = match of.saturating_sub(1) {
            0 => String::new(),
            1 => format!(" The other {} matches.", self.judging.wording.field),
            n => format!(" The other {n} {}s match.", self.judging.wording.field),
        };
        format!("Found {}{counts}, expected {asked}{}.{others}", self.found(), self.counted_names())
    }

    /// The results that did not pass, those of a candidate with its name.
    fn clauses(&self, failing: &[&FieldResult], shown: &[&Comparison<'_, C>]) -> String {
        let mut left = failing;
        let mut groups: Vec<(&[&FieldResult], String)> = Vec::new();
        // All results of the first ones are held, and no more are named.
        for judged in shown.iter().take(NAMED) {
            let (own, others) = left.split_at(judged.failures().len().min(left.len()));
            left = others;
            groups.push((own, format!(" ({})", judged.candidate.label)));
        }
        let (counts, others): (Vec<&FieldResult>, Vec<&FieldResult>) = left.iter().partition(|f| f.path == "$count");
        groups.push((&counts, self.counted_names()));
        // Where nothing of a candidate failed, it is named nonetheless: it is what was compared.
        let compared = match shown {
            [only] if only.holds() => format!(" ({})", only.candidate.label),
            _ => String::new(),
        };
        groups.push((&others, compared));
        described_each(groups.iter().map(|(results, label)| (*results, label.as_str())), self.more.1)
    }

    pub(super) fn summary(&self, results: &[Entry], shown: &[&Comparison<'_, C>]) -> String {
        let (words, (passed, failed)) = (self.judging.wording, self.more);
        let all = results.len() + passed + failed;
        let failing: Vec<&FieldResult> = results
            .iter()
            .filter_map(|entry| match entry {
                Entry::Field(field) if !field.passed => Some(field),
                _ => None,
            })
            .collect();
        match failing.as_slice() {
            [] => {
                let counts = results.iter().filter(|e| matches!(e, Entry::Field(f) if f.path == "$count")).count();
                let passed = match all - counts {
                    0 => String::new(),
                    1 => format!("; its {} is as asserted", words.field),
                    n => format!("; all {n} {}s passed", words.field),
                };
                format!("{}{passed}.", self.found())
            }
            [count] if count.path == "$count" => self.wrong_count(count, all),
            _ => {
                let failed = format!("{} of {all} {}s failed", failing.len() + failed, words.field);
                format!("{}; {failed}: {}.", self.found(), self.clauses(&failing, shown))
            }
        }
    }
}
