//! The fuzz body of FHIR searches over what fuzzing starts from.

use candor_tests::fuzz_fhir_search::fhir_search;

#[test]
fn what_fuzzing_starts_from_holds() {
    for seed in [
        "Patient?family=smith\n{\"resourceType\":\"Patient\",\"name\":[{\"family\":\"Smith\"}]}",
        "Observation?subject=Patient/1&date=ge2026\n{\"resourceType\":\"Observation\",\"subject\":{\"reference\":\"Patient/1\"}}",
        "Observation?code=a|b\n{\"resourceType\":\"Observation\",\"code\":{\"coding\":[{\"code\":\"b\"}]}}",
        "Observation?value-quantity=gt5|http://unitsofmeasure.org|mg\n{\"resourceType\":\"Observation\",\"valueQuantity\":{\"value\":1,\"code\":\"g\",\"system\":\"http://unitsofmeasure.org\"}}",
        "Observation?component-code-value-quantity=a$5\n{\"resourceType\":\"Observation\",\"component\":[{\"code\":{\"coding\":[{\"code\":\"a\"}]},\"valueQuantity\":{\"value\":5}}]}",
        "Patient?_has:Observation:patient:code=b\n{\"resourceType\":\"Observation\",\"subject\":{\"reference\":\"Patient/1\"},\"code\":{\"coding\":[{\"code\":\"b\"}]}}\n{\"resourceType\":\"Patient\",\"id\":\"1\"}",
        "Observation?subject.name=x\n{\"resourceType\":\"Observation\",\"contained\":[{\"resourceType\":\"Patient\",\"id\":\"1\",\"name\":[{\"text\":\"x\"}]}],\"subject\":{\"reference\":\"#1\"}}",
        "Patient?_filter=name co \"x\" and not (birthdate pr true)\n{\"resourceType\":\"Patient\",\"name\":[{\"text\":\"xy\"}]}",
        "Patient?_content=x&_sort=-birthdate\n{\"resourceType\":\"Patient\",\"birthDate\":\"2026\"}\n{\"resourceType\":\"Patient\"}",
        "ValueSet?url:below=http://x.example\n{\"resourceType\":\"ValueSet\",\"url\":\"http://x.example/a\"}",
    ] {
        fhir_search(seed.as_bytes());
    }
}
