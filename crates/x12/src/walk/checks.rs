//! The comparisons behind `envelope: strict`, one function for each envelope segment.

use crate::envelope::{
    COMPONENT_SEPARATOR, CONTROL_STRUCTURE, DUPLICATE_GROUP, DUPLICATE_INTERCHANGE, DUPLICATE_SET, Finding,
    GROUP_COUNT, GROUP_TRAILER, GROUP_TRAILER_NUMBER, GROUP_VERSION, GUIDE, NOT_IN_GROUP, SEGMENT_COUNT, SET_COUNT,
    SET_TRAILER_NUMBER, TRAILER_NUMBER, functional_id, number, same_number,
};
use crate::reader::RawHeader;
use crate::{HeaderForm, Segment};

use super::elements::at;
use super::{SetHead, elements};

/// Looks for a finding about an element, so that one fault is one finding.
fn is_named(findings: &[Finding], path: &str) -> bool {
    findings.iter().any(|finding| finding.path == path)
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
                .expected("a separator that is not a letter, digit or blank and has no other role")
                .found(char::from(header.component).to_string())
                .hindering(),
        );
    }
    // Of elements of any width, their widths are that one fault.
    if header.form != HeaderForm::Uneven {
        elements::ISA.judge(findings, isa, "");
    }
    let version = isa.text(12);
    if number(&version).is_some_and(|version| version >= 402)
        && isa.delimiters().repetition() != Some(header.repetition)
    {
        let finding = Finding::new(CONTROL_STRUCTURE, "ISA.11", at(isa, 11))
            .expected("a separator that is not a letter, digit or blank and has no other role")
            .found(isa.text(11));
        // A letter declares no separator and is read so; a character with two roles is ambiguous.
        let letter = header.repetition.is_ascii_alphanumeric() || header.repetition == b' ';
        findings.push(if letter { finding } else { finding.hindering() });
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
    elements::IEA.judge(findings, iea, "");
    if !is_named(findings, "IEA.2") && !same_number(control, &iea.text(2)) {
        findings.push(Finding::new(TRAILER_NUMBER, "IEA.2", at(iea, 2)).expected(control).found(iea.text(2)));
    }
    if !is_named(findings, "IEA.1") && number(&iea.text(1)) != Some(groups) {
        findings.push(Finding::new(GROUP_COUNT, "IEA.1", at(iea, 1)).expected(groups.to_string()).found(iea.text(1)));
    }
}

pub(super) fn no_interchange_trailer(findings: &mut Vec<Finding>, code: &'static str, offset: u64) {
    findings.push(Finding::new(code, "IEA", offset).expected("an IEA segment"));
}

pub(super) fn group_header(findings: &mut Vec<Finding>, gs: &Segment<'_>, isa12: &str) {
    let version = gs.text(8);
    elements::GS.judge(findings, gs, &version);
    let interchange = isa12.trim();
    if !is_named(findings, "GS.8") && interchange.len() == 5 && !version.starts_with(interchange) {
        findings.push(
            Finding::new(GROUP_VERSION, "GS.8", at(gs, 8))
                .expected(format!("a version that begins with {interchange} (ISA12)"))
                .found(version),
        );
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
    elements::GE.judge(findings, ge, "");
    if !is_named(findings, "GE.2") && !same_number(control, &ge.text(2)) {
        findings.push(Finding::new(GROUP_TRAILER_NUMBER, "GE.2", at(ge, 2)).expected(control).found(ge.text(2)));
    }
    if !is_named(findings, "GE.1") && number(&ge.text(1)) != Some(sets) {
        findings.push(Finding::new(SET_COUNT, "GE.1", at(ge, 1)).expected(sets.to_string()).found(ge.text(1)));
    }
}

pub(super) fn no_group_trailer(findings: &mut Vec<Finding>, offset: u64) {
    findings.push(Finding::new(GROUP_TRAILER, "GE", offset).expected("a GE segment"));
}

pub(super) fn set_header(findings: &mut Vec<Finding>, head: &SetHead<'_>) {
    let st = &head.st;
    let transaction = st.text(1);
    elements::ST.judge(findings, st, "");
    let Some(group) = head.group else {
        findings.push(Finding::new(NOT_IN_GROUP, "GS", st.offset()).expected("a GS segment"));
        return;
    };
    if let Some(expected) = functional_id(&transaction)
        && expected != group.id
        && group.id.trim().len() == expected.len()
    {
        findings.push(Finding::new(NOT_IN_GROUP, "GS.1", group.offset).expected(expected).found(group.id.as_str()));
    }
    let guide = st.text(3);
    if !guide.is_empty() && guide != group.version && !is_named(findings, "ST.3") {
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
    elements::SE.judge(findings, se, "");
    if !is_named(findings, "SE.2") && found != control {
        findings.push(Finding::new(SET_TRAILER_NUMBER, "SE.2", at(se, 2)).expected(control).found(found));
    }
    if !is_named(findings, "SE.1") && number(&se.text(1)) != Some(segments) {
        findings.push(Finding::new(SEGMENT_COUNT, "SE.1", at(se, 1)).expected(segments.to_string()).found(se.text(1)));
    }
}
