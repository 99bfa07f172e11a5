//! Sets of ranks.

use crate::set::Set;

#[test]
fn what_is_in_comes_out() {
    let mut set = Set::none(130);
    for rank in [0, 63, 64, 129, 130, 1000] {
        set.insert(rank);
    }
    assert_eq!(set.iter().collect::<Vec<_>>(), [0, 63, 64, 129]);
    assert_eq!((set.count(), set.contains(63), set.contains(62), set.contains(130)), (4, true, false, false));
    let rest = set.clone().not();
    assert_eq!((rest.count(), Set::all(130).count(), Set::all(128).count()), (126, 130, 128));
    set.or(&rest);
    assert_eq!(set, Set::all(130));
    set.and(&rest);
    assert_eq!((set, Set::none(0).iter().count()), (rest, 0));
}
