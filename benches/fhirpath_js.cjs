// Times fhirpath.js at what the bench `fhirpath` times: compiled expressions, each over one resource.
// Standard input: JSON, a list of [resource, expression]. Standard output: nanoseconds an evaluation, a line each.

const fhirpath = require("fhirpath");
const r4 = require("fhirpath/fhir-context/r4");

const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
for (const [resource, expression] of cases) {
  const compiled = fhirpath.compile(expression, r4);
  const pass = (times) => {
    const start = process.hrtime.bigint();
    for (let i = 0; i < times; i++) compiled(resource);
    return Number(process.hrtime.bigint() - start) / times;
  };
  pass(200);
  console.log(Math.min(pass(300), pass(300), pass(300)));
}
