//! A benchmark run: tasks and criteria as a matrix, in pages.

use std::collections::{HashMap, HashSet};

use candor_check::Status;
use candor_scoring::Verdict;
use maud::{Markup, html};

use super::causes::{self, causes};
use super::criterion::section;
use super::frame::page;
use super::parts::{agent, axes, bar, class, legend, mark, sign, verdict, verdict_class};
use super::site::{Pending, Site, pending_table};
use super::task::by_weight_lost;
use super::text::{anchor, attribute, text};
use super::{Context, OfRun, Shape};
use crate::model::{BenchmarkOutcome, BenchmarkRun, CriterionRun, Entry, TaskRun};
use crate::numbers;

/// The task runs of one page of a service, and of one file.
const PER_PAGE: usize = 100;
const PER_FILE: usize = 1000;
/// The most columns of the matrix.
const MOST_COLUMNS: usize = 60;
/// So many bytes of evidence are on one page of a service, and so many bytes on one file altogether.
const MOST_EVIDENCE: usize = 600 << 10;
const MOST_OF_FILE: usize = 7_400_000;
/// So many bytes are kept for the heading of a task run, and for a criterion in one line without its words.
const HEADING: usize = 700;
const BRIEF: usize = 130;
/// The fewest and the most characters of the words in such a line.
const BRIEF_WORDS: (usize, usize) = (60, 200);
/// The number of cells above which a matrix has the signs alone in its cells.
const DENSE: usize = 5000;

const WORDS: &[(&str, &str)] = &[
    (
        "score",
        "The mean of the scores of the task runs. For the verdict those that failed count 0: PASS from 0.9 on, the mark on its bar; FAIL at 0.",
    ),
    ("95 % between", "Where the rate or the mean of all such tasks is likely to be, as far as these tasks tell."),
    ("pass^k", "How likely k runs of the same task all pass."),
    ("✓ ✗ ?", "The criterion holds, does not hold, or could not be verified. The sign leads to its evidence."),
    (
        "what passed",
        "It has its sign alone here. The page of a task has its evidence: candor report RESULT --task ID --html FILE.",
    ),
];

/// Which task runs a page shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Those with this verdict; `inconclusive` for those that are not conclusive.
    pub verdict: Option<String>,
    /// Those in which a criterion of this axis did not pass.
    pub axis: Option<String>,
    /// Those in which a criterion did not pass for this reason.
    pub reason: Option<String>,
    /// Those in whose id, name, labels or sentences this text is, in any letter case.
    pub text: Option<String>,
    /// The page, from 1; 0 is the first one, too.
    pub page: usize,
}

impl Filter {
    /// Returns `true` if a task run is shown.
    #[must_use]
    pub fn takes(&self, run: &TaskRun) -> bool {
        let verdict = self.verdict.as_deref().is_none_or(|wanted| match wanted {
            "inconclusive" => !run.outcome.conclusive,
            wanted => run.outcome.verdict.as_str() == wanted,
        });
        let open = || run.criteria().iter().filter(|one| one.status != Status::Passed);
        // A name may be given as a page shows it.
        let is =
            |name: Option<&str>, wanted: &str| name.is_some_and(|name| name == wanted || attribute(name) == wanted);
        let axis = self.axis.as_deref().is_none_or(|wanted| open().any(|one| is(one.axis.as_deref(), wanted)));
        let reason = self.reason.as_deref().is_none_or(|wanted| open().any(|one| is(one.reason.as_deref(), wanted)));
        verdict && axis && reason && self.text.as_deref().is_none_or(|wanted| holds(run, &wanted.to_lowercase()))
    }
}

fn holds(run: &TaskRun, wanted: &str) -> bool {
    let has = |text: &str| text.to_lowercase().contains(wanted);
    [run.shown_id(), run.task_name.as_deref(), run.id.as_deref()].into_iter().flatten().any(has)
        || run.criteria().iter().any(|one| has(&one.label) || has(&one.criterion_id) || has(&one.details))
}

/// Which task runs the page of a benchmark run shows with their evidence, each counted from 0. Of the others a page reads
/// statuses, labels, axes, reasons and sentences alone.
#[must_use]
pub fn shown(run: &BenchmarkRun, filter: &Filter) -> Vec<usize> {
    Taken::of(run, filter, PER_PAGE).shown.into_iter().map(|(number, _)| number).collect()
}

struct Taken<'r> {
    all: Vec<(usize, &'r TaskRun)>,
    pages: usize,
    page: usize,
    shown: Vec<(usize, &'r TaskRun)>,
}

impl<'r> Taken<'r> {
    fn of(run: &'r BenchmarkRun, filter: &Filter, per_page: usize) -> Self {
        let all: Vec<(usize, &TaskRun)> =
            run.runs().iter().enumerate().filter(|(_, task)| filter.takes(task)).collect();
        let pages = all.len().div_ceil(per_page).max(1);
        let page = filter.page.clamp(1, pages);
        let shown = all.iter().skip((page - 1) * per_page).take(per_page).copied().collect();
        Self { all, pages, page, shown }
    }
}

/// The page of a benchmark run.
#[must_use]
pub fn benchmark_run(run: &BenchmarkRun, filter: &Filter, context: &Context<'_>) -> String {
    let content = html! {
        section.hero.(verdict_class(&run.outcome.outcome)) {
            h1 { (text(run.title())) }
            p.ids {
                @if let Some(id) = run.id.as_deref() { span { "run " code { (text(id)) } } }
                span { (run.outcome.tasks) @if run.outcome.tasks == 1 { " task" } @else { " tasks" } }
                span { (run.outcome.task_runs) @if run.outcome.task_runs == 1 { " task run" } @else { " task runs" } }
            }
            (verdict(&run.outcome.outcome, true))
            (statistics(&run.outcome))
            (legend(WORDS))
        }
        (axes(&run.outcome.outcome.axes))
        (tasks(run, filter, context))
    };
    page(context, "Benchmark run", run.title(), &content)
}

/// The page of a benchmark run that is under way: there is no verdict, and `run` holds what is completed. `address` leads
/// to a task run without a result.
#[must_use]
pub fn unfinished(
    run: &BenchmarkRun,
    pending: &[Pending],
    address: &dyn Fn(&Pending) -> String,
    filter: &Filter,
    context: &Context<'_>,
) -> String {
    let (done, all) = (run.runs().len(), run.runs().len() + pending.len());
    let content = html! {
        section.hero {
            h1 { (text(run.title())) }
            p.ids {
                @if let Some(id) = run.id.as_deref() { span { "run " code { (text(id)) } } }
                span { (all) @if all == 1 { " task run" } @else { " task runs" } }
            }
            div.verdict { p.badge { "UNDER WAY" } }
            p.lead { (done) " of " (all) " task runs " @if done == 1 { "has" } @else { "have" } " a result. The verdict comes with the last one." }
        }
        (pending_table(pending, address))
        (tasks(run, filter, context))
    };
    page(context, "Benchmark run", run.title(), &content)
}

fn tasks(run: &BenchmarkRun, filter: &Filter, context: &Context<'_>) -> Markup {
    if run.runs().is_empty() {
        return html! {};
    }
    let (per_page, has_all) = match context.shape {
        Shape::Document => (PER_FILE, true),
        Shape::Site(_) => (PER_PAGE, false),
    };
    let taken = Taken::of(run, filter, per_page);
    // A service reads the evidence of the task runs of one page alone.
    let found = crate::causes::causes(&taken.all, has_all || taken.pages == 1);
    let has_page = |number: usize| taken.shown.binary_search_by_key(&number, |(number, _)| *number).is_ok();
    let causes = causes(&found, &has_page, context);
    let matrix = if taken.shown.is_empty() {
        html! {}
    } else {
        matrix(&taken.shown, context)
    };
    let size = causes.0.len() + matrix.0.len();
    let first = found.iter().take(causes::MOST).map(|cause| (cause.first.number, cause.first.at)).collect();
    html! {
        (causes)
        section aria-labelledby="tasks" {
            h2 #tasks { "Tasks and criteria" }
            @match context.shape {
                Shape::Document => { (filters(run, None)) }
                Shape::Site(site) => { (filters(run, Some((site, filter, &taken)))) }
            }
            (matrix)
            (paging(taken.page, taken.pages, taken.all.len(), context))
        }
        @if !taken.shown.is_empty() { (evidence(&taken.shown, &first, size, context)) }
    }
}

fn statistics(outcome: &BenchmarkOutcome) -> Markup {
    let counts = &outcome.verdicts;
    let within =
        |(low, high): (f64, f64)| format!("95 % between {} and {}", numbers::decimal(low), numbers::decimal(high));
    html! {
        dl.stats {
            div { dt { "passed" } dd.pass { (counts.pass) } }
            div { dt { "in part" } dd.part { (counts.partial) } }
            div { dt { "failed" } dd.fail { (counts.fail) } }
            @if counts.inconclusive > 0 { div { dt { "not conclusive" } dd.open { (counts.inconclusive) } } }
            @if let Some((rate, interval)) = outcome.pass_rate {
                div { dt { "pass rate" } dd { (numbers::decimal(rate)) @if let Some(interval) = interval { span.of { (within(interval)) } } } }
            }
            @if let Some(interval) = outcome.confidence {
                div { dt { "mean score" } dd { (numbers::decimal(outcome.outcome.score)) span.of { (within(interval)) } } }
            }
            @for (k, estimate) in (1..).zip(&outcome.pass_hat_k) { div { dt { "pass^" (k) } dd { (numbers::decimal(*estimate)) } } }
        }
        @for note in &outcome.notes { p.of { (text(note)) } }
    }
}

/// The filters. In one file the script applies them, and without it they are not shown; a service applies them itself.
fn filters(run: &BenchmarkRun, site: Option<(&Site, &Filter, &Taken<'_>)>) -> Markup {
    let mut reasons: Vec<&str> = Vec::new();
    let mut axes: Vec<&str> = Vec::new();
    for one in run.runs().iter().flat_map(TaskRun::criteria).filter(|one| one.status != Status::Passed) {
        reasons.extend(one.reason.as_deref().filter(|reason| !reasons.contains(reason)));
        axes.extend(one.axis.as_deref().filter(|axis| axes.len() < 100 && !axes.contains(axis)));
    }
    reasons.sort_unstable();
    let chosen = |of: fn(&Filter) -> &Option<String>| site.and_then(|(_, filter, _)| of(filter).as_deref());
    let (verdict, axis, reason) = (chosen(|f| &f.verdict), chosen(|f| &f.axis), chosen(|f| &f.reason));
    let options = |names: &[&str], chosen: Option<&str>| {
        html! {
            option value="" { "any" }
            @for name in names.iter().map(|name| attribute(name)) { option value=(name) selected[chosen == Some(&*name)] { (name) } }
        }
    };
    html! {
        form.filters hidden[site.is_none()] method="get" role="search" aria-label="Filter the tasks" {
            @if let Some((site, _, _)) = site { @for (name, value) in &site.kept { input type="hidden" name=(name) value=(value); } }
            label { "Verdict " select name="verdict" { (options(&["pass", "partial", "fail", "inconclusive"], verdict)) } }
            @if !axes.is_empty() || axis.is_some() { label { "Axis " select name="axis" { (options(&axes, axis)) } } }
            @if !reasons.is_empty() || reason.is_some() { label { "Reason " select name="reason" { (options(&reasons, reason)) } } }
            label { "Text " input type="search" name="text" autocomplete="off" value=[chosen(|f| &f.text)]; }
            @match site {
                None => { output aria-live="polite" {} }
                Some((_, _, taken)) => { button type="submit" { "Filter" } span.of { (taken.all.len()) " of " (run.runs().len()) " task runs" } }
            }
        }
    }
}

/// The ids of the criteria of these task runs, in the order in which they come.
fn columns<'r>(shown: &[(usize, &'r TaskRun)]) -> Vec<&'r str> {
    let mut seen = HashSet::new();
    let criteria = shown.iter().flat_map(|(_, task)| task.criteria());
    criteria.map(|one| one.criterion_id.as_str()).filter(|id| seen.insert(*id)).collect()
}

fn matrix(shown: &[(usize, &TaskRun)], context: &Context<'_>) -> Markup {
    let columns = columns(shown);
    let fits = columns.len() <= MOST_COLUMNS;
    let is_dense = shown.iter().map(|(_, task)| task.criteria().len()).sum::<usize>() > DENSE;
    let table = Table { columns: if fits { Some(&columns) } else { None }, is_dense };
    html! {
        div.scroll tabindex="0" role="group" aria-label="Tasks and criteria" {
            table.matrix {
                thead { tr {
                    th scope="col" { "Task" }
                    th scope="col" { "Verdict" }
                    th.num scope="col" { "Score" }
                    @if fits { @for id in &columns { th.turned scope="col" { span { (text(id)) } } } }
                    @else { th scope="col" { "Criteria" } }
                } }
                tbody {
                    @for (number, task) in shown { (matrix_row(*number, task, &table, context)) }
                }
            }
        }
        @if !fits { p.of { (columns.len()) " different criteria: each task shows its own, in its order." } }
    }
}

struct Table<'t> {
    /// The criteria, if there are few enough for a column each.
    columns: Option<&'t [&'t str]>,
    is_dense: bool,
}

fn matrix_row(number: usize, task: &TaskRun, table: &Table<'_>, context: &Context<'_>) -> Markup {
    let open = || task.criteria().iter().filter(|one| one.status != Status::Passed);
    let list = |of: fn(&CriterionRun) -> Option<&str>| {
        let mut names: Vec<String> = open().filter_map(of).map(attribute).collect();
        names.sort_unstable();
        names.dedup();
        names.join("\u{1f}")
    };
    let verdict = match task.outcome.conclusive {
        true => task.outcome.verdict.as_str().to_owned(),
        false => format!("{} inconclusive", task.outcome.verdict.as_str()),
    };
    let by_id: HashMap<&str, (usize, &CriterionRun)> =
        task.criteria().iter().enumerate().map(|(at, one)| (one.criterion_id.as_str(), (at, one))).collect();
    html! {
        tr data-verdict=(verdict) data-axis=(list(|one| one.axis.as_deref())) data-reason=(list(|one| one.reason.as_deref())) {
            th scope="row" { a href=(context.links.task_run(task, number)) { (text(task.shown_id().unwrap_or("task"))) } }
            td { span.badge.small.(verdict_class(&task.outcome)) { (numbers::headline(&task.outcome)) } }
            td.num { (numbers::decimal(task.outcome.score)) }
            @match table.columns {
                Some(columns) => {
                    @for id in columns {
                        @match by_id.get(id) {
                            Some((at, one)) => { td.cell.(class(one.status)) { (cell(number, *at, one, table.is_dense, context)) } }
                            None => { td.cell {} }
                        }
                    }
                }
                None => { td.strip { @for (at, one) in task.criteria().iter().enumerate() { (cell(number, at, one, table.is_dense, context)) } } }
            }
        }
    }
}

fn cell(number: usize, at: usize, one: &CriterionRun, is_dense: bool, context: &Context<'_>) -> Markup {
    let sign = || {
        if is_dense {
            html! { (sign(one.status)) }
        } else {
            mark(one.status)
        }
    };
    if one.status == Status::Passed {
        return sign();
    }
    let reason = one.reason.as_deref().unwrap_or(one.status.name());
    let title = if is_dense { attribute(reason) } else { attribute(&format!("{}: {reason}", one.label)) };
    let anchor = anchor(&format!("t{number}-"), at, &one.criterion_id);
    html! { a href=(context.links.criterion_run(one, &anchor)) title=(title) { (sign()) } }
}

fn paging(number: usize, pages: usize, tasks: usize, context: &Context<'_>) -> Markup {
    if pages < 2 {
        return html! {};
    }
    let link = |to: usize, name: &str| {
        html! {
            @if (1..=pages).contains(&to) && to != number {
                @if let Some(href) = context.links.page(to) { a href=(href) { (name) } " " }
            }
        }
    };
    html! {
        nav.paging aria-label="Pages" {
            p { "Page " (number) " of " (pages) ", " (tasks) " task runs. "
                (link(1, "first")) (link(number.saturating_sub(1), "previous")) (link(number + 1, "next")) (link(pages, "last"))
                @if context.links.page(1).is_none() { code { "candor report RESULT --format html --page " (if number == pages { 1 } else { number + 1 }) } " writes another one." }
            }
        }
    }
}

/// The criteria of the page that did not pass. `first` has the first case of each cause, `size` is that of the page so
/// far. A file has every criterion, in one line if the file would be too large. A page of a service ends where it is large
/// enough, and names the rest.
fn evidence(
    shown: &[(usize, &TaskRun)],
    first: &HashSet<(usize, usize)>,
    size: usize,
    context: &Context<'_>,
) -> Markup {
    let is_file = matches!(context.shape, Shape::Document);
    let open = |task: &TaskRun| task.criteria().iter().filter(|one| one.status != Status::Passed).count();
    let mut waiting: usize = shown.iter().map(|(_, task)| open(task)).sum();
    let (limit, mut size) = match is_file {
        true => (MOST_OF_FILE, size + shown.len() * HEADING),
        false => (MOST_EVIDENCE, 0),
    };
    let words = (limit.saturating_sub(size) / waiting.max(1)).saturating_sub(BRIEF).clamp(BRIEF_WORDS.0, BRIEF_WORDS.1);
    let (mut left_out, mut briefly) = (0, 0);
    let mut sections = Vec::new();
    for (number, task) in shown {
        let prefix = format!("t{number}-");
        let ground = OfRun::new(task, context.ground);
        let context = &Context { ground: &ground, ..*context };
        let places: HashMap<&str, usize> =
            task.criteria().iter().enumerate().map(|(at, one)| (one.criterion_id.as_str(), at)).collect();
        let mut rendered = Vec::new();
        for (one, anchor) in by_weight_lost(task, &prefix).iter().filter(|(one, _)| one.status != Status::Passed) {
            waiting -= 1;
            let kept = if is_file { waiting * (BRIEF + words) } else { 0 };
            let is_first = places.get(one.criterion_id.as_str()).is_some_and(|at| first.contains(&(*number, *at)));
            let whole = (size + kept < limit || is_file && is_first)
                .then(|| section(one, anchor, task.shown_id(), context))
                .filter(|section| !is_file || is_first || size + kept + section.0.len() < limit);
            let section = match whole {
                Some(section) => section,
                None if is_file => {
                    briefly += 1;
                    brief(one, anchor, words)
                }
                None => {
                    left_out += 1;
                    continue;
                }
            };
            size += section.0.len();
            rendered.push(section);
        }
        sections.push((*number, *task, rendered));
    }
    let (passed, open): (Vec<_>, Vec<_>) =
        sections.iter().partition(|(_, task, rendered)| task.outcome.verdict == Verdict::Pass && rendered.is_empty());
    html! {
        section aria-labelledby="evidence" {
            h2 #evidence { "What did not pass" }
            @if open.is_empty() { p { "Nothing: every criterion of these task runs holds." } }
            @if briefly > 0 {
                p.cut { (briefly) " criteria have one line each: the file would be too large with all of their evidence. "
                    code { "candor report RESULT --task ID --html FILE" } " writes the page of one task." }
            }
            @for (number, task, rendered) in &open {
                section.task.(verdict_class(&task.outcome)) id=(format!("t{number}")) {
                    h3 { @match context.shape {
                            Shape::Document => { (text(task.shown_id().unwrap_or("task"))) }
                            Shape::Site(_) => { a href=(context.links.task_run(task, *number)) { (text(task.shown_id().unwrap_or("task"))) } }
                        } " " span.badge.small.(verdict_class(&task.outcome)) { (numbers::headline(&task.outcome)) } }
                    p.of { @if let Some(name) = &task.task_name { (text(name)) ", " } "score " (numbers::decimal(task.outcome.score)) (agent(task))
                        @if let Some(id) = task.id.as_deref() { ", run " code { (text(id)) } } }
                    (bar(task.outcome.score, task.outcome.interval, false))
                    @if task.scored { p { "The rubric is hidden." } }
                    @for section in rendered { (section) }
                }
            }
            @if !passed.is_empty() {
                details.more {
                    summary { (passed.len()) @if passed.len() == 1 { " task run passed" } @else { " task runs passed" } }
                    ul.sources { @for (number, task, _) in &passed { li id=(format!("t{number}")) { (mark(Status::Passed)) " "
                        @match context.shape {
                            Shape::Document => { (text(task.shown_id().unwrap_or("task"))) }
                            Shape::Site(_) => { a href=(context.links.task_run(task, *number)) { (text(task.shown_id().unwrap_or("task"))) } }
                        }
                        @if let Some(name) = &task.task_name { ", " (text(name)) }
                        span.of { " score " (numbers::decimal(task.outcome.score)) (agent(task)) @if task.scored { ", the rubric is hidden" } }
                    } } }
                }
            }
            @if left_out > 0 {
                p.cut { (left_out) " more criteria did not pass and are not shown here: the page would be too large. Each task has a page with all of them." }
            }
        }
    }
}

/// A criterion in one line, with its first result that is not as asserted, or with its sentence.
fn brief(one: &CriterionRun, anchor: &str, most: usize) -> Markup {
    let wrong = one.entries().into_iter().find(|entry| !entry.passed());
    let nearest = || one.nearest()?.first_mismatch;
    let words = match wrong {
        Some(Entry::Field(field)) => field.in_words(),
        Some(Entry::Phrase(phrase)) if phrase.forbidden => format!("“{}” was said", phrase.phrase),
        Some(Entry::Phrase(phrase)) => format!("“{}” was not said", phrase.phrase),
        None => nearest().map_or_else(|| one.details.clone(), |field| field.in_words()),
    };
    let short = |words: &str, most: usize| match words.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", words.get(..at).unwrap_or_default()),
        None => words.to_owned(),
    };
    html! {
        p.brief.(class(one.status)) id=(anchor) {
            (sign(one.status)) " " b { (text(&short(&one.label, most / 3))) }
            @if let Some(reason) = &one.reason { " " (text(&short(reason, 30))) } ": " (text(&short(&words, most * 2 / 3)))
        }
    }
}
