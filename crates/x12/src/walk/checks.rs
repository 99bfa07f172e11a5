//! The comparisons behind `envelope: strict`, one function for each envelope segment.

use crate::envelope::{
    COMPONENT_SEPARATOR, CONTROL_STRUCTURE, DUPLICATE_GROUP, DUPLICATE_INTERCHANGE, DUPLICATE_SET, Finding,
    GROUP_COUNT, GROUP_NUMBER, GROUP_TRAILER, GROUP_TRAILER_NUMBER, GROUP_VERSION, GUIDE, INTERCHANGE_NUMBER,
    INTERCHANGE_VERSION, NOT_IN_GROUP, SEGMENT_COUNT, SET_COUNT, SET_ID, SET_NUMBER, SET_TRAILER_NUMBER,
    TRAILER_NUMBER, functional_id, number, same_number,
};
use crate::reader::RawHeader;
use crate::{HeaderForm, Segment};

use super::SetHead;

fn at(segment: &Segment<'_>, position: usize) -> u64 {
    segment.element(position).map_or(segment.offset() + segment.raw().len() as u64, |element| element.offset())
}

pub(super) fn header(findings: &mut Vec<Finding>, isa: &Segment<'_>, header: &RawHeader) {
    if header.form == HeaderForm::Uneven {
        findings.push(
            Finding::new(CONTROL_STRUCTURE, "ISA", isa.offset())
                .expected("elements of fixed width, 106 characters with the terminator")
                .found(format!("{} characters", isa.raw().len() + 1)),
        );
    }
    if isa.delimiters().component() != Some(header.component) {
        findings.push(
            Finding::new(COMPONENT_SEPARATOR, "ISA.16", at(isa, 16))
                .expected("a separator that is no letter, digit or blank and has no other role")
                .found(char::from(header.component).to_string())
                .hindering(),
        );
    }
    let version = isa.text(12);
    if version.len() != 5 || number(&version).is_none() {
        findings.push(
            Finding::new(INTERCHANGE_VERSION, "ISA.12", at(isa, 12))
                .expected("a version of five digits")
                .found(version.clone()),
        );
    }
    if number(&version).is_some_and(|version| version >= 402)
        && isa.delimiters().repetition() != Some(header.repetition)
    {
        let finding = Finding::new(CONTROL_STRUCTURE, "ISA.11", at(isa, 11))
            .expected("a separator that is no letter, digit or blank and has no other role")
            .found(isa.text(11));
        // A letter declares no separator and is read so; a character with two roles is ambiguous.
        let letter = header.repetition.is_ascii_alphanumeric() || header.repetition == b' ';
        findings.push(if letter { finding } else { finding.hindering() });
    }
    if number(&isa.text(13)).is_none() {
        findings.push(Finding::new(INTERCHANGE_NUMBER, "ISA.13", at(isa, 13)).expected("a number").found(isa.text(13)));
    }
}

pub(super) fn duplicate_interchange(findings: &mut Vec<Finding>, isa: &Segment<'_>) {
    findings.push(
        Finding::new(DUPLICATE_INTERCHANGE, "ISA.13", at(isa, 13))
            .expected("a control number that these partners have not used before in the file")
            .found(isa.text(13)),
    );
}

pub(super) fn interchange_trailer(findings: &mut Vec<Finding>, control: &str, groups: u64, iea: &Segment<'_>) {
    if !same_number(control, &iea.text(2)) {
        findings.push(Finding::new(TRAILER_NUMBER, "IEA.2", at(iea, 2)).expected(control).found(iea.text(2)));
    }
    if number(&iea.text(1)) != Some(groups) {
        findings.push(Finding::new(GROUP_COUNT, "IEA.1", at(iea, 1)).expected(groups.to_string()).found(iea.text(1)));
    }
}

pub(super) fn no_interchange_trailer(findings: &mut Vec<Finding>, code: &'static str, offset: u64) {
    findings.push(Finding::new(code, "IEA", offset).expected("an IEA segment"));
}

pub(super) fn group_header(findings: &mut Vec<Finding>, gs: &Segment<'_>, isa12: &str) {
    let version = gs.text(8);
    let interchange = isa12.trim();
    if interchange.len() == 5 && !version.starts_with(interchange) {
        findings.push(
            Finding::new(GROUP_VERSION, "GS.8", at(gs, 8))
                .expected(format!("a version that begins with {interchange} (ISA12)"))
                .found(version),
        );
    }
    if number(&gs.text(6)).is_none() {
        findings.push(Finding::new(GROUP_NUMBER, "GS.6", at(gs, 6)).expected("a number").found(gs.text(6)));
    }
}

pub(super) fn duplicate_group(findings: &mut Vec<Finding>, gs: &Segment<'_>) {
    findings.push(
        Finding::new(DUPLICATE_GROUP, "GS.6", at(gs, 6))
            .expected("a control number not used before in the interchange")
            .found(gs.text(6)),
    );
}

pub(super) fn group_trailer(findings: &mut Vec<Finding>, control: &str, sets: u64, ge: &Segment<'_>) {
    if !same_number(control, &ge.text(2)) {
        findings.push(Finding::new(GROUP_TRAILER_NUMBER, "GE.2", at(ge, 2)).expected(control).found(ge.text(2)));
    }
    if number(&ge.text(1)) != Some(sets) {
        findings.push(Finding::new(SET_COUNT, "GE.1", at(ge, 1)).expected(sets.to_string()).found(ge.text(1)));
    }
}

pub(super) fn no_group_trailer(findings: &mut Vec<Finding>, offset: u64) {
    findings.push(Finding::new(GROUP_TRAILER, "GE", offset).expected("a GE segment"));
}

pub(super) fn set_header(findings: &mut Vec<Finding>, head: &SetHead<'_>) {
    let st = &head.st;
    let transaction = st.text(1);
    if transaction.is_empty() {
        findings.push(Finding::new(SET_ID, "ST.1", at(st, 1)).expected("a transaction set identifier"));
    }
    if st.text(2).is_empty() {
        findings.push(Finding::new(SET_NUMBER, "ST.2", at(st, 2)).expected("a control number"));
    }
    let Some(group) = head.group else {
        findings.push(Finding::new(NOT_IN_GROUP, "GS", st.offset()).expected("a GS segment"));
        return;
    };
    if let Some(expected) = functional_id(&transaction)
        && expected != group.id
    {
        findings.push(Finding::new(NOT_IN_GROUP, "GS.1", group.offset).expected(expected).found(group.id.as_str()));
    }
    let guide = st.text(3);
    if !guide.is_empty() && guide != group.version {
        findings.push(Finding::new(GUIDE, "ST.3", at(st, 3)).expected(group.version.as_str()).found(guide));
    }
}

pub(super) fn duplicate_set(findings: &mut Vec<Finding>, st: &Segment<'_>) {
    findings.push(
        Finding::new(DUPLICATE_SET, "ST.2", at(st, 2))
            .expected("a control number not used before in the group")
            .found(st.text(2)),
    );
}

pub(super) fn trailer_of_set(findings: &mut Vec<Finding>, control: &str, segments: u64, se: &Segment<'_>) {
    let found = se.text(2);
    if found != control {
        findings.push(Finding::new(SET_TRAILER_NUMBER, "SE.2", at(se, 2)).expected(control).found(found));
    }
    if number(&se.text(1)) != Some(segments) {
        findings.push(Finding::new(SEGMENT_COUNT, "SE.1", at(se, 1)).expected(segments.to_string()).found(se.text(1)));
    }
}
