//! The functions: their names, how many arguments they take and how those are read.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arguments {
    /// As values, evaluated at the place of the call.
    Values,
    /// For every item of the input, which is `$this` there.
    PerItem,
    Type,
    /// As the keys of a sort: for every item, each ascending or descending.
    Keys,
}

macro_rules! functions {
    ($($function:ident $name:literal $least:literal $most:literal $arguments:ident;)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Function { $($function,)* }

        pub(crate) struct Signature {
            pub name: &'static str,
            pub function: Function,
            pub least: usize,
            pub most: usize,
            pub arguments: Arguments,
        }

        pub(crate) const FUNCTIONS: &[Signature] = &[$(Signature {
            name: $name,
            function: Function::$function,
            least: $least,
            most: $most,
            arguments: Arguments::$arguments,
        },)*];
    };
}

functions! {
    // FHIRPath 2.0, 5.1: existence
    Empty "empty" 0 0 Values;
    Exists "exists" 0 1 PerItem;
    All "all" 1 1 PerItem;
    AllTrue "allTrue" 0 0 Values;
    AnyTrue "anyTrue" 0 0 Values;
    AllFalse "allFalse" 0 0 Values;
    AnyFalse "anyFalse" 0 0 Values;
    SubsetOf "subsetOf" 1 1 Values;
    SupersetOf "supersetOf" 1 1 Values;
    Count "count" 0 0 Values;
    Distinct "distinct" 0 0 Values;
    IsDistinct "isDistinct" 0 0 Values;
    // 5.2: filtering and projection
    Where "where" 1 1 PerItem;
    Select "select" 1 1 PerItem;
    Repeat "repeat" 1 1 PerItem;
    RepeatAll "repeatAll" 1 1 PerItem;
    OfType "ofType" 1 1 Type;
    // 5.3: subsetting
    Single "single" 0 0 Values;
    First "first" 0 0 Values;
    Last "last" 0 0 Values;
    Tail "tail" 0 0 Values;
    Skip "skip" 1 1 Values;
    Take "take" 1 1 Values;
    Intersect "intersect" 1 1 Values;
    Exclude "exclude" 1 1 Values;
    // 5.4: combining
    Union "union" 1 1 Values;
    Combine "combine" 1 2 Values;
    Coalesce "coalesce" 1 16 PerItem;
    // 5.5: conversion
    Iif "iif" 2 3 PerItem;
    ToBoolean "toBoolean" 0 0 Values;
    ConvertsToBoolean "convertsToBoolean" 0 0 Values;
    ToInteger "toInteger" 0 0 Values;
    ConvertsToInteger "convertsToInteger" 0 0 Values;
    ToLong "toLong" 0 0 Values;
    ConvertsToLong "convertsToLong" 0 0 Values;
    ToDate "toDate" 0 0 Values;
    ConvertsToDate "convertsToDate" 0 0 Values;
    ToDateTime "toDateTime" 0 0 Values;
    ConvertsToDateTime "convertsToDateTime" 0 0 Values;
    ToDecimal "toDecimal" 0 0 Values;
    ConvertsToDecimal "convertsToDecimal" 0 0 Values;
    ToQuantity "toQuantity" 0 1 Values;
    ConvertsToQuantity "convertsToQuantity" 0 1 Values;
    ToString "toString" 0 0 Values;
    ConvertsToString "convertsToString" 0 0 Values;
    ToTime "toTime" 0 0 Values;
    ConvertsToTime "convertsToTime" 0 0 Values;
    // 5.6: strings
    IndexOf "indexOf" 1 1 Values;
    LastIndexOf "lastIndexOf" 1 1 Values;
    Substring "substring" 1 2 Values;
    StartsWith "startsWith" 1 1 Values;
    EndsWith "endsWith" 1 1 Values;
    Contains "contains" 1 1 Values;
    Upper "upper" 0 0 Values;
    Lower "lower" 0 0 Values;
    Replace "replace" 2 2 Values;
    Matches "matches" 1 2 Values;
    MatchesFull "matchesFull" 1 2 Values;
    ReplaceMatches "replaceMatches" 2 3 Values;
    Length "length" 0 0 Values;
    ToChars "toChars" 0 0 Values;
    Encode "encode" 1 1 Values;
    Decode "decode" 1 1 Values;
    Escape "escape" 1 1 Values;
    Unescape "unescape" 1 1 Values;
    Trim "trim" 0 0 Values;
    Split "split" 1 1 Values;
    Join "join" 0 1 Values;
    // 5.7: mathematics
    Abs "abs" 0 0 Values;
    Ceiling "ceiling" 0 0 Values;
    Exp "exp" 0 0 Values;
    Floor "floor" 0 0 Values;
    Ln "ln" 0 0 Values;
    Log "log" 1 1 Values;
    Power "power" 1 1 Values;
    Round "round" 0 1 Values;
    Sqrt "sqrt" 0 0 Values;
    Truncate "truncate" 0 0 Values;
    // 5.8: tree navigation
    Children "children" 0 0 Values;
    Descendants "descendants" 0 0 Values;
    // 5.9: utilities
    Trace "trace" 1 2 PerItem;
    Now "now" 0 0 Values;
    TimeOfDay "timeOfDay" 0 0 Values;
    Today "today" 0 0 Values;
    DefineVariable "defineVariable" 1 2 PerItem;
    LowBoundary "lowBoundary" 0 1 Values;
    HighBoundary "highBoundary" 0 1 Values;
    Precision "precision" 0 0 Values;
    YearOf "yearOf" 0 0 Values;
    MonthOf "monthOf" 0 0 Values;
    DayOf "dayOf" 0 0 Values;
    HourOf "hourOf" 0 0 Values;
    MinuteOf "minuteOf" 0 0 Values;
    SecondOf "secondOf" 0 0 Values;
    MillisecondOf "millisecondOf" 0 0 Values;
    TimezoneOffsetOf "timezoneOffsetOf" 0 0 Values;
    DateOf "dateOf" 0 0 Values;
    TimeOf "timeOf" 0 0 Values;
    Sort "sort" 0 16 Keys;
    // 6.3: types
    Is "is" 1 1 Type;
    As "as" 1 1 Type;
    Type "type" 0 0 Values;
    // 6.5: boolean logic
    Not "not" 0 0 Values;
    // 7: aggregates
    Aggregate "aggregate" 1 2 PerItem;
    Sum "sum" 0 0 Values;
    Min "min" 0 0 Values;
    Max "max" 0 0 Values;
    Avg "avg" 0 0 Values;
    // FHIR R4 and R5: additional functions
    Extension "extension" 1 1 Values;
    HasValue "hasValue" 0 0 Values;
    GetValue "getValue" 0 0 Values;
    Resolve "resolve" 0 0 Values;
    MemberOf "memberOf" 1 1 Values;
    CheckModifiers "checkModifiers" 1 16 Values;
    Comparable "comparable" 1 1 Values;
    ConformsTo "conformsTo" 1 1 Values;
    // Known, and refused where an expression is evaluated over something: they need profiles or a terminology server.
    ElementDefinition "elementDefinition" 0 0 Values;
    Slice "slice" 2 2 Values;
    HtmlChecks "htmlChecks" 0 0 Values;
    Subsumes "subsumes" 1 1 Values;
    SubsumedBy "subsumedBy" 1 1 Values;
    Weight "weight" 0 0 Values;
    HasTemplateIdOf "hasTemplateIdOf" 1 1 Values;
}

impl Function {
    pub(crate) fn name(self) -> &'static str {
        FUNCTIONS.iter().find(|row| row.function == self).map_or("", |row| row.name)
    }
}
