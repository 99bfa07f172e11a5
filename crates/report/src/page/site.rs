//! Pages of a service in addition to results: its frame, the login, the list of runs.
//!
//! Everything works without the script: links, and forms that a browser sends by itself. Forms carry the session's CSRF
//! token. Addresses begin with [`Site::base`].

use candor_scoring::Verdict;
use maud::{DOCTYPE, Markup, html};
use sha2::{Digest, Sha256};

use super::assets::{SCRIPT, STYLE};
use super::text::{attribute, text};
use crate::numbers;

/// The policy of a service's pages: style, script and forms are its own, and nothing else is loaded, run or sent.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src data:; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The frame of a service around a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// The beginning of all addresses: nothing, or the path below which a proxy has the service.
    pub base: String,
    /// The CSRF token of the session. Without one no one is logged in, and there is no form that changes anything.
    pub csrf: Option<String>,
    /// The pages above this one, each with its name and its address.
    pub trail: Vec<(String, String)>,
    /// Other views of the same thing, each with its name and its address.
    pub views: Vec<(String, String)>,
    /// The parameters of the address that a form on the page keeps.
    pub kept: Vec<(String, String)>,
    /// The things that a reader must know first.
    pub notices: Vec<String>,
    /// The prompt of the agent.
    pub prompt: Option<String>,
    /// The benchmark run that the page can compare, share and delete.
    pub manage: Option<Manage>,
}

/// A benchmark run that an operator manages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manage {
    /// Its id.
    pub id: String,
    /// The runs that it can be compared with, each with its id and what a person calls it.
    pub others: Vec<(String, String)>,
}

/// A file that pages load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asset {
    /// Its name, which changes with its content.
    pub name: String,
    /// Its media type.
    pub media_type: &'static str,
    /// Its content.
    pub content: &'static str,
}

/// The stylesheet and the script, in this order. They are served as `BASE/assets/NAME`.
#[must_use]
pub fn assets() -> [Asset; 2] {
    let asset = |content: &'static str, ending: &str, media_type| {
        let digest = Sha256::digest(content.as_bytes());
        let short: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        Asset { name: format!("candor-{short}.{ending}"), media_type, content }
    };
    [asset(STYLE, "css", "text/css; charset=utf-8"), asset(SCRIPT, "js", "text/javascript; charset=utf-8")]
}

impl Site {
    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    fn token(&self) -> Markup {
        html! { @if let Some(csrf) = &self.csrf { input type="hidden" name="csrf_token" value=(csrf); } }
    }
}

pub(super) fn page(site: &Site, kind: &str, title: &str, content: &Markup) -> String {
    let [style, script] = assets();
    let document = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="referrer" content="no-referrer";
                title { (attribute(title)) " · Candor" }
                link rel="icon" href="data:,";
                link rel="stylesheet" href=(site.at(&format!("/assets/{}", style.name)));
                script src=(site.at(&format!("/assets/{}", script.name))) defer {}
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    a.brand href=(site.at("/")) { "candor" }
                    @if !site.trail.is_empty() {
                        nav.trail aria-label="Above this page" {
                            @for (name, address) in &site.trail { a href=(address) { (text(name)) } " / " }
                        }
                    }
                    span.kind { (text(kind)) }
                    div.tools hidden {
                        button type="button" data-open="" { "Open all" }
                        button type="button" data-close="" { "Close all" }
                        span.of.wide { "↓ and ↑ go from one to the next" }
                    }
                    @if site.csrf.is_some() {
                        form.logout method="post" action=(site.at("/logout")) { (site.token()) button type="submit" { "Log out" } }
                    }
                }
                main #main tabindex="-1" {
                    @for notice in &site.notices { p.notice.first { (text(notice)) } }
                    (content)
                    (beside(site))
                }
                footer { p { "Everything quoted here is evidence: text that was read, never markup. This page loads nothing from elsewhere." } }
            }
        }
    };
    document.into_string()
}

/// The prompt, other views, and what an operator can do.
fn beside(site: &Site) -> Markup {
    html! {
        @if let Some(prompt) = &site.prompt {
            section aria-labelledby="asked" {
                h2 #asked { "What the agent was asked" }
                div.card { p.asked { (super::text::lines(prompt)) } }
            }
        }
        @if !site.views.is_empty() {
            nav.views aria-label="Other views" { @for (name, address) in &site.views { a href=(address) { (text(name)) } " " } }
        }
        @if let Some(manage) = site.manage.as_ref().filter(|_| site.csrf.is_some()) { (managed(site, manage)) }
    }
}

fn managed(site: &Site, manage: &Manage) -> Markup {
    let at = |action: &str| site.at(&format!("/benchmark-runs/{}/{action}", manage.id));
    html! {
        section.manage aria-labelledby="manage" {
            h2 #manage { "This run" }
            @if !manage.others.is_empty() {
                form method="get" action=(at("comparison")) {
                    label { "Compare with the earlier run "
                        select name="before" { @for (id, name) in &manage.others { option value=(attribute(id)) { (attribute(name)) } } }
                    }
                    button type="submit" { "Compare" }
                }
            }
            form method="post" action=(at("share")) {
                (site.token())
                label { "Make a link that shows this run for "
                    select name="expires_in" { option value="1d" { "1 day" } option value="7d" selected { "7 days" } option value="30d" { "30 days" } }
                }
                button type="submit" { "Share" }
            }
            details.more {
                summary { "Delete this run" }
                form method="post" action=(at("delete")) {
                    (site.token())
                    label { input type="checkbox" name="confirm" value="yes" required; " Delete its results, evidence, events and share links. This cannot be undone." }
                    button.danger type="submit" { "Delete" }
                }
            }
        }
    }
}

/// The login: `next` is the page to go to afterwards, `csrf` the token of the form, `wrong` what was wrong with the last
/// try.
#[must_use]
pub fn login(site: &Site, next: &str, csrf: &str, wrong: Option<&str>) -> String {
    let content = html! {
        section.hero.narrow {
            h1 { "Log in" }
            p.lead { "Give an operator's key. " code { "candor keys create" } " makes one." }
            @if let Some(wrong) = wrong { p.notice role="alert" { (text(wrong)) } }
            form.login method="post" action=(site.at("/login")) {
                input type="hidden" name="csrf_token" value=(csrf);
                input type="hidden" name="next" value=(next);
                // Managers of passwords look for a name.
                input type="text" name="username" value="operator" autocomplete="username" hidden;
                label for="key" { "Key" }
                input #key type="password" name="key" autocomplete="current-password" required autofocus[wrong.is_none()];
                button type="submit" { "Log in" }
            }
        }
    };
    page(site, "Login", "Log in", &content)
}

/// A page that says one thing: an error, or what was done.
#[must_use]
pub fn message(site: &Site, title: &str, sentence: &str) -> String {
    let content = html! { section.hero.narrow { h1 { (text(title)) } p.lead { (text(sentence)) } } };
    page(site, "", title, &content)
}

/// A link that was made: the address, and until when it shows the run.
#[must_use]
pub fn shared(site: &Site, url: &str, expires_at: &str) -> String {
    let content = html! {
        section.hero.narrow {
            h1 { "A link to this run" }
            p.lead { "Whoever has the link sees the run until " (time(expires_at)) ". It is shown once." }
            pre.copy tabindex="0" aria-label="link" { code { (text(url)) } }
        }
    };
    page(site, "Share link", "A link to this run", &content)
}

/// A task run that has no result yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pending {
    /// Its id.
    pub id: String,
    /// Its task's id.
    pub task_id: String,
    /// The name of the task.
    pub name: Option<String>,
    /// `created`, `started` or `grading`.
    pub phase: String,
    /// When it was started.
    pub started_at: Option<String>,
    /// When its time is over.
    pub deadline: Option<String>,
}

/// The page of a task run that has no result yet.
#[must_use]
pub fn pending(site: &Site, run: &Pending) -> String {
    let content = html! {
        section.hero {
            h1 { (text(run.name.as_deref().unwrap_or(&run.task_id))) }
            p.ids { span { "task " code { (text(&run.task_id)) } } span { "run " code { (text(&run.id)) } } }
            div.verdict { p.badge { (text(&run.phase.to_uppercase())) } }
            p.lead { (told(&run.phase)) }
            dl.stats {
                @if let Some(at) = &run.started_at { div { dt { "started" } dd.time { (time(at)) } } }
                @if let Some(at) = &run.deadline { div { dt { "time is over" } dd.time { (time(at)) } } }
            }
        }
    };
    page(site, "Task run", run.name.as_deref().unwrap_or(&run.task_id), &content)
}

/// A time as RFC 3339 writes it, to the second.
fn time(at: &str) -> Markup {
    let shown = match at.get(..19).and_then(|whole| whole.split_once('T')) {
        Some((day, time)) if at.ends_with('Z') => format!("{day} {time} UTC"),
        _ => at.to_owned(),
    };
    html! { time datetime=(at) { (text(&shown)) } }
}

fn told(phase: &str) -> &'static str {
    match phase {
        "created" => "Nobody has started it.",
        "started" => "The agent is at work. There is no verdict yet.",
        _ => "It is being graded. There is no verdict yet.",
    }
}

/// Task runs that have no result yet, as a table. `address` leads to each.
pub(super) fn pending_table(pending: &[Pending], address: &dyn Fn(&Pending) -> String) -> Markup {
    const MOST: usize = 200;
    html! {
        section aria-labelledby="pending" {
            h2 #pending { "Without a result" }
            div.scroll tabindex="0" role="group" aria-label="Task runs without a result" {
                table.criteria {
                    thead { tr { th scope="col" { "Task" } th scope="col" { "Phase" } th.wide scope="col" { "Started" } th.wide scope="col" { "Time is over" } } }
                    tbody { @for one in pending.iter().take(MOST) {
                        tr {
                            th scope="row" { a href=(address(one)) { (text(&one.task_id)) } @if let Some(name) = &one.name { " " span.of { (text(name)) } } }
                            td.phase { (text(&one.phase)) }
                            td.wide { @match &one.started_at { Some(at) => { (time(at)) } None => { "–" } } }
                            td.wide { @match &one.deadline { Some(at) => { (time(at)) } None => { "–" } } }
                        }
                    } }
                }
            }
            @if pending.len() > MOST { p.cut { (pending.len() - MOST) " more are not shown here." } }
        }
    }
}

/// A benchmark run in the list of all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRow {
    /// Its id.
    pub id: String,
    /// The name of the benchmark.
    pub benchmark: String,
    /// Who did the work.
    pub agent: Option<String>,
    /// True if the rubric is hidden from the agent.
    pub scored: bool,
    /// `created`, `running` or `completed`.
    pub phase: String,
    /// When it was made.
    pub created_at: String,
    /// The verdict, whether it is conclusive, and the score, once it is complete.
    pub result: Option<(Verdict, bool, f64)>,
}

/// The list of benchmark runs, the newest first. `newer` and `older` are the addresses of its neighbours.
#[must_use]
pub fn runs(site: &Site, runs: &[RunRow], newer: Option<&str>, older: Option<&str>) -> String {
    let content = html! {
        section.hero {
            h1 { "Benchmark runs" }
            p.lead { @if runs.is_empty() { "There is no run on this page. " code { "POST /v1/benchmark-runs" } " makes one." } @else { "The newest first." } }
        }
        @if !runs.is_empty() {
            section {
                h2.hush { "Runs" }
                div.scroll tabindex="0" role="group" aria-label="Benchmark runs" { (run_table(site, runs)) }
            }
        }
        @if newer.is_some() || older.is_some() {
            nav.paging aria-label="Pages" {
                @if let Some(address) = newer { a href=(address) { "newer runs" } " " }
                @if let Some(address) = older { a href=(address) { "older runs" } }
            }
        }
    };
    page(site, "", "Benchmark runs", &content)
}

fn run_table(site: &Site, runs: &[RunRow]) -> Markup {
    let class = |verdict: Verdict, conclusive: bool| match (conclusive, verdict) {
        (false, _) => "open",
        (true, Verdict::Pass) => "pass",
        (true, Verdict::Partial) => "part",
        (true, Verdict::Fail) => "fail",
    };
    html! {
        table.runs {
            thead { tr {
                th scope="col" { "Benchmark" } th scope="col" { "Verdict" } th.num scope="col" { "Score" }
                th scope="col" { "Agent" } th scope="col" { "Made" } th scope="col" { "Rubric" } th scope="col" { "Run" }
            } }
            tbody { @for run in runs {
                tr {
                    th scope="row" { a href=(site.at(&format!("/benchmark-runs/{}", run.id))) { (text(&run.benchmark)) } }
                    @match run.result {
                        Some((verdict, conclusive, score)) => {
                            td { span.badge.small.(class(verdict, conclusive)) { (numbers::verdict(verdict)) } @if !conclusive { span.of { " not conclusive" } } }
                            td.num { (numbers::decimal(score)) }
                        }
                        None => { td { span.chip { (text(&run.phase)) } } td.num { "–" } }
                    }
                    td.name { (text(run.agent.as_deref().unwrap_or("–"))) }
                    td.time { (time(&run.created_at)) }
                    td { @if run.scored { "hidden" } @else { "open" } }
                    td { code { (text(&run.id)) } }
                }
            } }
        }
    }
}
