//! An agent that works with fhir-sdk's client on the independent server, and what it did, graded.

use candor_check::{Check, Status};
use candor_fhir_resource_state::FhirResourceState;
use candor_fhir_resource_state::models::{Handed, assertion_of};
use candor_json::{Value, json};
use candor_tests::peer::fhir_server;
use fhir_sdk::client::{Client, ResourceWrite};
use fhir_sdk::r4b::codes::{AppointmentStatus, ParticipationStatus};
use fhir_sdk::r4b::resources::{Appointment, AppointmentParticipant, Patient, Resource};
use fhir_sdk::r4b::types::{HumanName, Reference};
use fhir_sdk::version::FhirR4B;
use fhir_sdk::{Date, Instant};

use crate::fhir_live::grade::on;

struct Agent {
    runtime: tokio::runtime::Runtime,
    client: Client<FhirR4B>,
    store: String,
}

impl Agent {
    fn on(store: &str) -> Self {
        let store = format!("http://{}/{store}", fhir_server());
        let client = Client::new(store.parse().unwrap()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { runtime, client, store }
    }

    fn creates(&self, resource: &mut impl ResourceWrite<FhirR4B>) -> String {
        self.runtime.block_on(resource.create(&self.client)).unwrap()
    }

    fn updates(&self, resource: &mut impl ResourceWrite<FhirR4B>) {
        assert!(!self.runtime.block_on(resource.update(false, &self.client)).unwrap(), "it was there");
    }
}

fn chalmers() -> Patient {
    let name = HumanName::builder().family("Chalmers".to_owned()).given(vec![Some("Peter".to_owned())]).build();
    let born: Date = "1974-12-25".parse().unwrap();
    Patient::builder().active(true).birth_date(born).name(vec![Some(name.unwrap())]).build().unwrap()
}

fn scan_of(patient: &str, start: &str, status: AppointmentStatus) -> Appointment {
    let actor = Reference::builder().reference(format!("Patient/{patient}")).build().unwrap();
    let participant = AppointmentParticipant::builder().actor(actor).status(ParticipationStatus::Accepted).build();
    Appointment::builder()
        .status(status)
        .description("MRI".to_owned())
        .start(start.parse::<Instant>().unwrap())
        .participant(vec![Some(participant.unwrap())])
        .build()
        .unwrap()
}

/// The assertion that a resource like this one is there, of those that a search finds.
fn wanted(resource: impl Into<Resource>, search: Value) -> Value {
    let mut assertion = assertion_of(&resource.into()).unwrap();
    assertion["search"] = search;
    assertion
}

#[test]
fn what_an_agent_did_with_fhir_sdk_is_graded() {
    let agent = Agent::on("sdk-agent");
    let registered = wanted(chalmers(), json!({"family": "Chalmers"}));
    on(&agent.store, registered.clone()).is("failed no_candidate", &[]);

    let patient = agent.creates(&mut chalmers());
    on(&agent.store, registered).is("passed", &[]);
    let mut other = chalmers();
    other.birth_date = Some(Date::Year(1974));
    on(&agent.store, wanted(other, json!({"family": "Chalmers"}))).is("failed field_mismatch", &["birthDate"]);

    let of_patient = json!({"patient": format!("Patient/{patient}")});
    let start = "2026-11-20T09:00:00Z";
    let is = |status, start: &str| wanted(scan_of(&patient, start, status), of_patient.clone());
    let booked = is(AppointmentStatus::Booked, start);
    on(&agent.store, booked.clone()).is("failed no_candidate", &[]);
    let mut appointment = scan_of(&patient, start, AppointmentStatus::Booked);
    let id = agent.creates(&mut appointment);
    on(&agent.store, booked.clone()).is("passed", &[]);
    // The same moment by another clock, and another moment.
    on(&agent.store, is(AppointmentStatus::Booked, "2026-11-20T10:00:00+01:00")).is("passed", &[]);
    on(&agent.store, is(AppointmentStatus::Booked, "2026-11-20T09:00:01Z")).is("failed field_mismatch", &["start"]);

    // What the agent holds in its hands says cancelled, and nothing was sent.
    appointment.status = AppointmentStatus::Cancelled;
    let cancelled = is(AppointmentStatus::Cancelled, start);
    on(&agent.store, cancelled.clone()).is("failed field_mismatch", &["status"]);
    agent.updates(&mut appointment);
    on(&agent.store, cancelled).is("passed", &[]);
    on(&agent.store, booked).is("failed field_mismatch", &["status"]);

    // By its id, which the model has since it was created.
    let named = assertion_of(&Resource::from(appointment)).unwrap();
    assert_eq!(named["read"], json!({ "id": id }));
    on(&agent.store, named).is("passed", &[]);
}

/// A grader that reads with the same client sees what the check sees on the server itself.
#[test]
fn what_a_grader_reads_with_fhir_sdk_is_handed_in() {
    let agent = Agent::on("sdk-grader");
    let patient = agent.creates(&mut chalmers());
    let id = agent.creates(&mut scan_of(&patient, "2026-11-20T09:00:00Z", AppointmentStatus::Booked));
    let read: Appointment = agent.runtime.block_on(agent.client.read(&id)).unwrap().unwrap();
    let handed = Handed::whole(format!("{}/Appointment/{id}", agent.store));
    for (status, expected) in
        [(AppointmentStatus::Booked, Status::Passed), (AppointmentStatus::Cancelled, Status::Failed)]
    {
        let mut model = scan_of(&patient, "2026-11-20T09:00:00Z", status);
        model.id = Some(id.clone());
        let model = Resource::from(model);
        let check = FhirResourceState::expecting(&model).unwrap();
        let seen = check.seen_in(&[Resource::from(read.clone())], &handed).unwrap();
        assert_eq!(check.judge(&seen).status(), expected);
        let live = on(&agent.store, assertion_of(&model).unwrap());
        assert_eq!(live.0["status"], json!(if expected == Status::Passed { "passed" } else { "failed" }));
    }
}
