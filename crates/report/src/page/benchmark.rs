//! A benchmark run: tasks and criteria as a matrix, in pages.

use candor_check::Status;
use candor_scoring::Verdict;
use maud::{Markup, html};

use super::criterion::section;
use super::frame::page;
use super::parts::{axes, bar, class, mark, verdict, verdict_class};
use super::site::{Pending, Site, pending_table};
use super::task::by_weight_lost;
use super::text::{anchor, attribute, text};
use super::{Context, Shape};
use crate::model::{BenchmarkOutcome, BenchmarkRun, CriterionRun, TaskRun};
use crate::numbers;

/// The task runs of one page.
pub(super) const PER_PAGE: usize = 100;
/// The most columns of the matrix.
const MOST_COLUMNS: usize = 60;
/// So many bytes of evidence are on one page.
const MOST_EVIDENCE: usize = 600 << 10;

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
    /// Whether a task run is shown.
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
    [&run.task_id, &run.task_name, &run.id].into_iter().flatten().any(|text| has(text))
        || run.criteria().iter().any(|one| has(&one.label) || has(&one.criterion_id) || has(&one.details))
}

/// Which task runs the page of a benchmark run shows with their evidence, each counted from 0. Of the others a page reads
/// statuses, labels, axes, reasons and sentences alone.
#[must_use]
pub fn shown(run: &BenchmarkRun, filter: &Filter) -> Vec<usize> {
    Taken::of(run, filter).shown.into_iter().map(|(number, _)| number).collect()
}

struct Taken<'r> {
    all: usize,
    pages: usize,
    page: usize,
    shown: Vec<(usize, &'r TaskRun)>,
}

impl<'r> Taken<'r> {
    fn of(run: &'r BenchmarkRun, filter: &Filter) -> Self {
        let taken: Vec<(usize, &TaskRun)> =
            run.runs().iter().enumerate().filter(|(_, task)| filter.takes(task)).collect();
        let pages = taken.len().div_ceil(PER_PAGE).max(1);
        let page = filter.page.clamp(1, pages);
        let shown = taken.iter().skip((page - 1) * PER_PAGE).take(PER_PAGE).copied().collect();
        Self { all: taken.len(), pages, page, shown }
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
    let taken = Taken::of(run, filter);
    html! {
        section aria-labelledby="tasks" {
            h2 #tasks { "Tasks and criteria" }
            @match context.shape {
                Shape::Document => { (filters(run, None)) }
                Shape::Site(site) => { (filters(run, Some((site, filter, &taken)))) }
            }
            @if !taken.shown.is_empty() { (matrix(&taken.shown, context)) }
            (paging(taken.page, taken.pages, taken.all, context))
        }
        @if !taken.shown.is_empty() { (evidence(&taken.shown, context)) }
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
                Some((_, _, taken)) => { button type="submit" { "Filter" } span.of { (taken.all) " of " (run.runs().len()) " task runs" } }
            }
        }
    }
}

/// The ids of the criteria of these task runs, in the order in which they come.
fn columns<'r>(shown: &[(usize, &'r TaskRun)]) -> Vec<&'r str> {
    let mut seen = std::collections::HashSet::new();
    let criteria = shown.iter().flat_map(|(_, task)| task.criteria());
    criteria.map(|one| one.criterion_id.as_str()).filter(|id| seen.insert(*id)).collect()
}

fn matrix(shown: &[(usize, &TaskRun)], context: &Context<'_>) -> Markup {
    let columns = columns(shown);
    let fits = columns.len() <= MOST_COLUMNS;
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
                    @for (number, task) in shown { (matrix_row(*number, task, if fits { Some(&columns) } else { None }, context)) }
                }
            }
        }
        @if !fits { p.of { (columns.len()) " different criteria: each task shows its own, in its order." } }
    }
}

fn matrix_row(number: usize, task: &TaskRun, columns: Option<&[&str]>, context: &Context<'_>) -> Markup {
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
    let by_id: std::collections::HashMap<&str, (usize, &CriterionRun)> =
        task.criteria().iter().enumerate().map(|(at, one)| (one.criterion_id.as_str(), (at, one))).collect();
    html! {
        tr data-verdict=(verdict) data-axis=(list(|one| one.axis.as_deref())) data-reason=(list(|one| one.reason.as_deref())) {
            th scope="row" { a href=(context.links.task_run(task, number)) { (text(task.task_id.as_deref().unwrap_or("task"))) } }
            td { span.badge.small.(verdict_class(&task.outcome)) { (numbers::headline(&task.outcome)) } }
            td.num { (numbers::decimal(task.outcome.score)) }
            @match columns {
                Some(columns) => {
                    @for id in columns {
                        @match by_id.get(id) {
                            Some((at, one)) => { td.cell.(class(one.status)) { (cell(number, *at, one, context)) } }
                            None => { td.cell {} }
                        }
                    }
                }
                None => { td.strip { @for (at, one) in task.criteria().iter().enumerate() { (cell(number, at, one, context)) } } }
            }
        }
    }
}

fn cell(number: usize, at: usize, one: &CriterionRun, context: &Context<'_>) -> Markup {
    if one.status == Status::Passed {
        return mark(one.status);
    }
    let reason = one.reason.as_deref().unwrap_or(one.status.name());
    let title = attribute(&format!("{}: {reason}", one.label));
    let anchor = anchor(&format!("t{number}-"), at, &one.criterion_id);
    html! { a href=(context.links.criterion_run(one, &anchor)) title=(title) { (mark(one.status)) } }
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

/// What did not pass in the task runs of the page, until the page is large enough; the rest is named.
fn evidence(shown: &[(usize, &TaskRun)], context: &Context<'_>) -> Markup {
    let mut size = 0;
    let mut left_out = 0;
    let mut sections = Vec::new();
    for (number, task) in shown {
        let prefix = format!("t{number}-");
        let mut rendered = Vec::new();
        for (one, anchor) in by_weight_lost(task, &prefix).iter().filter(|(one, _)| one.status != Status::Passed) {
            if size >= MOST_EVIDENCE {
                left_out += 1;
                continue;
            }
            let section = section(one, anchor, task.task_id.as_deref(), context);
            size += section.0.len();
            rendered.push(section);
        }
        sections.push((*number, *task, rendered));
    }
    html! {
        section aria-labelledby="evidence" {
            h2 #evidence { "What did not pass" }
            @for (number, task, rendered) in &sections {
                section.task.(verdict_class(&task.outcome)) id=(format!("t{number}")) {
                    h3 { @match context.shape {
                            Shape::Document => { (text(task.task_id.as_deref().unwrap_or("task"))) }
                            Shape::Site(_) => { a href=(context.links.task_run(task, *number)) { (text(task.task_id.as_deref().unwrap_or("task"))) } }
                        } " " span.badge.small.(verdict_class(&task.outcome)) { (numbers::headline(&task.outcome)) } }
                    p.of { @if let Some(name) = &task.task_name { (text(name)) ", " } "score " (numbers::decimal(task.outcome.score))
                        @if let Some(id) = task.id.as_deref() { ", run " code { (text(id)) } } }
                    (bar(task.outcome.score, task.outcome.interval, false))
                    @if task.outcome.verdict == Verdict::Pass && rendered.is_empty() { p { "Every criterion holds." } }
                    @if task.scored { p { "The rubric is hidden." } }
                    @for section in rendered { (section) }
                }
            }
            @if left_out > 0 {
                p.cut { (left_out) " more criteria did not pass and are not shown here: the page would be too large. "
                    @match context.shape {
                        Shape::Document => { code { "candor report RESULT --task ID --format html" } " writes the page of one task." }
                        Shape::Site(_) => { "Each task has a page with all of them." }
                    } }
            }
        }
    }
}
