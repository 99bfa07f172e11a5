//! Files of any size and what is asserted of them, for the bench `criteria` and the test of slopes.

use candor_json::{Value, json};

/// A file of records that are alike, and the assertion about one of them.
pub struct Case {
    /// The name, for a table.
    pub name: &'static str,
    /// The file, relative to the sandbox.
    pub file: &'static str,
    /// The number of records of the largest file that is measured.
    pub records: usize,
    head: &'static str,
    /// `#` is the number of the record.
    record: &'static str,
    /// The end of a file of so many records.
    tail: fn(usize) -> String,
    /// The assertion about the record with this number.
    assertion: fn(usize) -> Value,
}

impl Case {
    /// The content of a file of so many records.
    #[must_use]
    pub fn content(&self, records: usize) -> String {
        let mut content = self.head.to_owned();
        for number in 0..records {
            content += &self.record.replace('#', &number.to_string());
        }
        content + &(self.tail)(records)
    }

    /// A task of so many criteria about so many records, evenly chosen; the last criterion is about the last record.
    #[must_use]
    pub fn task(&self, criteria: usize, records: usize) -> Value {
        let record = |number: usize| ((number + 1) * records / criteria).saturating_sub(1);
        let criterion =
            |number: usize| json!({"id": format!("c{number}"), "assertion": (self.assertion)(record(number))});
        json!({"id": "t", "criteria": (0..criteria).map(criterion).collect::<Vec<Value>>()})
    }
}

/// Whole checks in which a key selects a record.
pub static KEYED: [Case; 5] = [
    Case {
        name: "portal",
        file: "portal/requests.ndjson",
        records: 400_000,
        head: "",
        record: concat!(
            r#"{"request_id":"PA-#","member_id":"W#","status":"submitted","units":3,"amount":120.50,"#,
            r#""submitted_at":"2026-11-20T10:00:00Z"}"#,
            "\n"
        ),
        tail: |_| String::new(),
        assertion: |number| {
            let key = json!({"resource": "requests", "key": "request_id", "value": format!("PA-{number}")});
            let fields = json!([{"path": "status", "expected": "submitted"}]);
            json!({"assert": "portal-state-match", "correlate_by": key, "assertions": fields})
        },
    },
    Case {
        name: "fhir",
        file: "fhir/observations.ndjson",
        records: 200_000,
        head: "",
        record: concat!(
            r#"{"resourceType":"Observation","id":"o#","status":"final","category":[{"coding":[{"system":"#,
            r#""http://terminology.hl7.org/CodeSystem/observation-category","code":"laboratory"}]}],"#,
            r#""code":{"coding":[{"system":"http://loinc.org","code":"2823-3","display":"Potassium"}]},"#,
            r#""subject":{"reference":"Patient/p#"},"effectiveDateTime":"2026-11-20T09:30:00Z","#,
            r#""valueQuantity":{"value":4.1,"unit":"mmol/L","system":"http://unitsofmeasure.org","code":"mmol/L"}}"#,
            "\n"
        ),
        tail: |_| String::new(),
        assertion: |number| {
            let fields = json!([{"path": "status", "expected": "final"}]);
            let search = json!({"_id": format!("o{number}")});
            json!({
                "assert": "fhir-resource-state", "resource_type": "Observation", "search": search, "fields": fields
            })
        },
    },
    Case {
        name: "hl7v2",
        file: "hl7/results.hl7",
        records: 80_000,
        head: "",
        record: RESULT,
        tail: |_| String::new(),
        assertion: |number| {
            let fields = json!([{"path": "OBX[3.1=2823-3].5", "expected": 4.1}]);
            let key = json!({"control_id": format!("M{number}")});
            json!({"assert": "hl7-structural", "correlate_by": key, "fields": fields})
        },
    },
    // Without a transaction, an 835 may reverse claims of what is selected: it costs more than with one.
    Case {
        name: "x12",
        file: "x12/benefits.271",
        records: 100_000,
        head: BENEFITS,
        record: BENEFIT,
        tail: benefits_end,
        assertion: |number| benefit(number, &Value::Null),
    },
    Case {
        name: "x12, with a transaction",
        file: "x12/benefits.271",
        records: 100_000,
        head: BENEFITS,
        record: BENEFIT,
        tail: benefits_end,
        assertion: |number| benefit(number, &json!("271")),
    },
];

/// Checks that judge or compare every record, so that a step could take the square of them.
pub static JUDGED: [Case; 5] = [
    Case {
        name: "hl7v2, match: all",
        file: "hl7/results.hl7",
        records: 80_000,
        head: "",
        record: RESULT,
        tail: |_| String::new(),
        assertion: |_| {
            let fields = json!([{"path": "OBX[3.1=2823-3].5", "expected": 4.1}]);
            json!({"assert": "hl7-structural", "match": "all", "fields": fields})
        },
    },
    Case {
        name: "x12, match: all, answer, validate",
        file: "x12/benefits.271",
        records: 20_000,
        head: BENEFITS,
        record: BENEFIT,
        tail: benefits_end,
        assertion: |_| {
            let answer = json!({"coverage": "active", "service_type": "30"});
            json!({
                "assert": "x12-response", "transaction": "271", "match": "all", "validate": [1], "answer": answer
            })
        },
    },
    Case {
        name: "x12, 277CA of many claims",
        file: "x12/claims.277",
        records: 20_000,
        head: concat!(
            "ISA*00*          *00*          *ZZ*PAYER          *ZZ*PROVIDER       *261120*1200*^*00501*000000001*0*",
            "P*:~GS*HN*PAYER*PROVIDER*20261120*1200*1*X*005010X214~ST*277*0001*005010X214~BHT*0085*08*1*20261120*1200*TH~",
            "HL*1**20*1~NM1*PR*2*PAYER*****PI*1~TRN*1*ABC~DTP*050*D8*20261120~DTP*009*D8*20261120~HL*2*1*21*1~",
            "NM1*41*2*SUB*****46*1~TRN*2*S1~STC*A1:19:PR*20261120*WQ*100~HL*3*2*19*1~NM1*85*2*BILL*****XX*1~"
        ),
        record: "HL*1#*3*PT~NM1*QC*1*DOE*J****MI*M#~TRN*2*CLAIM#~STC*A2:20:PR*20261120*WQ*100~REF*1K*P#~",
        tail: |records| format!("SE*{}*0001~GE*1*1~IEA*1*000000001~", 14 + 5 * records),
        assertion: |_| {
            let answer = json!({"claim": "accepted"});
            json!({"assert": "x12-response", "transaction": "277", "guide": "005010X214", "answer": answer})
        },
    },
    Case {
        name: "x12, validate: [4] of many claims",
        file: "x12/claims.837",
        records: 20_000,
        head: concat!(
            "ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *261120*0915*^*00501*000000101*0*",
            "P*:~GS*HC*SENDER*RECEIVER*20261120*0915*101*X*005010X224A2~ST*837*0001*005010X224A2~",
            "BHT*0019*00*B1*20261120*0915*CH~NM1*41*2*CLINIC*****46*S1~PER*IC*DESK*TE*2175550100~",
            "NM1*40*2*ACME*****46*A1~HL*1**20*1~NM1*85*2*CLINIC*****XX*1234567893~N3*1 MAIN ST~",
            "N4*TOWN*IL*627040001~REF*EI*123456789~HL*2*1*22*0~SBR*P*18*GRP1******CI~NM1*IL*1*DOE*JANE****MI*M100~",
            "N3*12 ELM ST~N4*TOWN*IL*62704~DMG*D8*19700521*F~NM1*PR*2*ACME*****PI*A1~"
        ),
        record: "CLM*C#*150***11:B:1*Y*A*Y*Y~HI*BK:5203~LX*1~SV3*AD:D2150*150****1*****1~",
        tail: |records| format!("SE*{}*0001~GE*1*101~IEA*1*000000101~", 18 + 4 * records),
        assertion: |_| json!({"assert": "x12-response", "transaction": "837", "validate": [4]}),
    },
    Case {
        name: "voice, a phrase near an anchor",
        file: "voice/a.json",
        records: 5_000,
        head: "[",
        record: concat!(
            r#"{"speaker":"agent","text":"your member ID please"},"#,
            r#"{"speaker":"caller","text":"W123"},"#
        ),
        tail: |_| r#"{"speaker":"agent","text":"and your date of birth"}]"#.to_owned(),
        assertion: |_| {
            let near = json!({"phrase": "member ID", "within_turns": 1});
            json!({"assert": "voice-transcript", "contains": [{"phrase": "W123", "near": near}]})
        },
    },
];

const RESULT: &str = concat!(
    "MSH|^~\\&|LAB|HOSP|EHR|HOSP|20261120100000||ORU^R01^ORU_R01|M#|P|2.5.1\r",
    "PID|1||#^^^HOSP^MR||DOE^JANE^Q||19700521|F|||12 ELM ST^^TOWN^IL^62704\r",
    "OBR|1|P#|F#|24323-8^Comprehensive metabolic panel^LN|||20261120093000\r",
    "OBX|1|NM|2823-3^Potassium^LN||4.1|mmol/L|3.5-5.1|N|||F|||20261120093000\r",
    "OBX|2|NM|2951-2^Sodium^LN||139|mmol/L|136-145|N|||F|||20261120093000\r",
    "OBX|3|NM|2075-0^Chloride^LN||101|mmol/L|98-107|N|||F|||20261120093000\r",
    "OBX|4|NM|2028-9^Carbon dioxide^LN||25|mmol/L|22-29|N|||F|||20261120093000\r",
    "OBX|5|NM|2160-0^Creatinine^LN||0.9|mg/dL|0.6-1.2|N|||F|||20261120093000\r",
    "OBX|6|NM|3094-0^Urea nitrogen^LN||14|mg/dL|7-20|N|||F|||20261120093000\r"
);

const BENEFITS: &str = concat!(
    "ISA*00*          *00*          *ZZ*PAYER          *ZZ*PROVIDER       *261120*1200*^*00501*000000001*0*P*:~\n",
    "GS*HB*PAYER*PROVIDER*20261120*1200*1*X*005010X279A1~\n"
);

const BENEFIT: &str = concat!(
    "ST*271*1000#*005010X279A1~\nBHT*0022*11*10001234*20261120*1319~\nHL*1**20*1~\n",
    "NM1*PR*2*ABC COMPANY*****PI*842610001~\nHL*2*1*21*1~\nNM1*1P*2*BONE AND JOINT CLINIC*****SV*2000035~\n",
    "HL*3*2*22*0~\nTRN*2*T#*9877281234~\nNM1*IL*1*SMITH*JOHN****MI*M1~\nDTP*346*D8*20260101~\nEB*1**30**GOLD~\n",
    "SE*12*1000#~\n"
);

fn benefit(number: usize, transaction: &Value) -> Value {
    let fields = json!([{"path": "EB.1", "expected": "1"}]);
    let key = json!({"TRN.2": format!("T{number}")});
    let mut assertion = json!({"assert": "x12-response", "correlate_by": key, "fields": fields});
    if !transaction.is_null() {
        assertion["transaction"] = transaction.clone();
    }
    assertion
}

fn benefits_end(records: usize) -> String {
    format!("GE*{records}*1~\nIEA*1*000000001~\n")
}
