//! The filters of system calls, run by hand.

use proptest::prelude::*;
use seccompiler::BpfProgram;

use crate::inherited::{
    ALLOW, AND, ARCHITECTURE, CALLS, FORBID, IF_EQUAL, LIMIT, LIMITS, LOAD, NUMBER, PROCESS, REFUSE, RETURN, X32,
    forbidding, refusing,
};

/// The answer of a filter to a call; nothing where it does something that the kernel would refuse.
fn returned(architecture: u32, number: u32) -> Option<u32> {
    of(&refusing(), architecture, number, &|_| 0)
}

fn of(program: &BpfProgram, architecture: u32, number: u32, argument: &dyn Fn(u32) -> u32) -> Option<u32> {
    let (mut at, mut value) = (0_usize, 0);
    loop {
        let step = program.get(at)?;
        at += 1;
        match step.code {
            LOAD if step.k == NUMBER => value = number,
            LOAD if step.k == ARCHITECTURE => value = architecture,
            LOAD => value = argument(step.k),
            AND => value &= step.k,
            IF_EQUAL => at += usize::from(if value == step.k { step.jt } else { step.jf }),
            RETURN => return Some(step.k),
            _ => return None,
        }
    }
}

#[test]
fn the_calls_are_refused_on_every_architecture() {
    for (architecture, calls) in CALLS {
        for call in calls {
            assert_eq!(returned(*architecture, *call), Some(REFUSE), "{architecture:x} {call}");
            for beside in [calls[0] - 1, calls[2] + 1] {
                assert_eq!(returned(*architecture, beside), Some(ALLOW), "{architecture:x} {beside}");
            }
        }
    }
    assert_eq!(returned(0xc000_003e, 250 | X32), Some(REFUSE), "x32");
}

#[test]
fn only_limits_of_others_are_forbidden() {
    let asked = |architecture, number, process: u32, new: u64| {
        let argument = move |at| match at {
            PROCESS => process,
            at if at == LIMIT[0] => (new & 0xffff_ffff) as u32,
            _ => (new >> 32) as u32,
        };
        of(&forbidding(), architecture, number, &argument)
    };
    for (architecture, call) in LIMITS {
        for new in [1, 1 << 32, 0x7fff_0000_1000] {
            assert_eq!(asked(*architecture, *call, 7, new), Some(FORBID), "{architecture:x} {new:x}");
            assert_eq!(asked(*architecture, *call, 0, new), Some(ALLOW), "its own");
        }
        assert_eq!(asked(*architecture, *call, 7, 0), Some(ALLOW), "only looks");
        assert_eq!(asked(*architecture, *call + 1, 7, 1), Some(ALLOW), "{architecture:x}");
    }
    assert_eq!(asked(0xc000_003e, 302 | X32, 7, 1), Some(FORBID), "x32");
    assert_eq!(asked(1, 302, 7, 1), Some(ALLOW));
}

proptest! {
    #[test]
    fn every_other_call_is_allowed(at in 0..=CALLS.len(), other in any::<u32>(), number in any::<u32>()) {
        let (architecture, calls) = CALLS.get(at).copied().unwrap_or((other, [0; 3]));
        let known = CALLS.iter().any(|(known, _)| *known == architecture);
        let is_refused = known && calls.contains(&(number & !X32));
        prop_assert_eq!(returned(architecture, number), Some(if is_refused { REFUSE } else { ALLOW }));
    }
}
