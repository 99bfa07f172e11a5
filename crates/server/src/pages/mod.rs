//! The pages of the service: results as `candor-report` renders them, with the service's addresses and sandboxes.

mod ground;
mod links;
mod load;
mod runs;
mod tasks;

pub(crate) use runs::{benchmark_run, comparison, run_list, share_link, shared};
pub(crate) use tasks::{about, criterion_run, task_run};

use candor_report::page::site::Site;

use crate::app::App;
use crate::call::Call;
use crate::token::csrf_token;

fn site(app: &App, call: &Call) -> Site {
    let session = call.bearer.as_deref().filter(|bearer| bearer.starts_with("cs_"));
    Site { base: app.base.clone(), csrf: session.map(csrf_token), ..Site::default() }
}
