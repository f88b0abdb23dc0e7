import { type Entry, entriesOf, versionProblems } from './api-version-pages.ts';
import { type Contract, contractOf, type Document, type Schema, contractChanges, eventBreaks } from './contract-changes.ts';

const asked = {
  type: 'object',
  required: ['amount'],
  properties: { amount: { type: 'number', maximum: 99 }, kind: { enum: ['A', 'B'] } },
};
const answered = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer', maximum: 99, description: 'Which.' }, state: { enum: ['OPEN', 'USED'] } },
};
const code = { name: 'code', in: 'path', required: true, schema: { type: 'string', pattern: '^[0-9]+$' } };
const json = (schema: Schema) => ({ content: { 'application/json': { schema } } });

interface Parts {
  request?: Schema;
  answer?: Schema;
  operation?: Schema;
}

function open({ request = asked, answer = answered, operation = {} }: Parts = {}): Document {
  const create = {
    operationId: 'create',
    summary: 'Make one',
    parameters: [code],
    requestBody: { required: true, ...json({ $ref: '#/components/schemas/Ask' }) },
    responses: { 200: json({ type: 'array', items: { $ref: '#/components/schemas/Answer' } }), 400: {} },
    ...operation,
  };
  return {
    info: { version: '1.1' },
    security: [{ basic: [] }],
    paths: { '/codes/{code}': { post: create } },
    components: { schemas: { Ask: request, Answer: answer } },
  } as Document;
}

function webhooks(body: Schema = answered): Document {
  const paid = { operationId: 'paid', responses: {}, requestBody: json(body) };
  return { info: { version: '1.1' }, paths: {}, webhooks: { paid: { post: paid } }, components: {} } as Document;
}

const before = contractOf(open(), webhooks());
const changesTo = (document: Document, hooks = webhooks()) => contractChanges({ before, after: contractOf(document, hooks) });
const withProperties = (schema: Schema, properties: Schema): Schema => ({
  ...schema,
  properties: { ...(schema['properties'] as Schema), ...properties },
});

describe('changes of the contract between two versions of the API', () => {
  it.each<[string, Document]>([
    ['create was removed and had not been deprecated', { ...open(), paths: {} }],
    ['create: POST /codes/{code} became POST /code', { ...open(), paths: { '/code': open().paths['/codes/{code}']! } }],
    ['create: takes other credentials', open({ operation: { security: [{ bearer: [] }] } })],
    ['create 200 was removed', open({ operation: { responses: { 201: {} } } })],
  ])('a change breaks callers: %s', (problem, document) => {
    expect(changesTo(document).breaking).toEqual([problem]);
  });

  it.each<[string, Parts]>([
    ['request.kind was removed', { request: { ...asked, properties: { amount: asked.properties.amount } } }],
    ['request.kind became required', { request: { ...asked, required: ['amount', 'kind'] } }],
    ['request.kind: value B was removed', { request: withProperties(asked, { kind: { enum: ['A'] } }) }],
    ['request.amount: maximum was 99 and is 9', { request: withProperties(asked, { amount: { type: 'number', maximum: 9 } }) }],
    ['200.items.state was removed', { answer: { ...answered, properties: { id: answered.properties.id } } }],
    ['200.items.id is no longer promised', { answer: { ...answered, required: [] } }],
    ['200.items.id: type was integer and is string', { answer: withProperties(answered, { id: { type: 'string' } }) }],
    [
      'parameters.query.day became required',
      { operation: { parameters: [code, { name: 'day', in: 'query', required: true, schema: {} }] } },
    ],
    [
      'parameters.path.code: pattern changed',
      { operation: { parameters: [{ ...code, schema: { type: 'string', pattern: '^x' } }] } },
    ],
  ])('a change of a field breaks callers: %s', (problem, parts) => {
    expect(changesTo(open(parts)).breaking).toContain(`create ${problem}`);
  });

  it('a notification is read by others, so that its fields stay', () => {
    const shrunk = changesTo(open(), webhooks({ ...answered, required: [] }));
    expect(shrunk.breaking).toEqual(['paid request.id is no longer promised']);
    expect(changesTo(open(), webhooks(withProperties(answered, { new: {} })))).toEqual({ breaking: [], added: ['new'] });
  });

  it('words, wider requests, new optional fields, values and operations break nobody, and are told', () => {
    const request = withProperties({ ...asked, required: [] }, { kind: { enum: ['A', 'B', 'C'] }, note: { type: 'string' } });
    const state = { enum: ['OPEN', 'USED', 'GONE'], description: 'Of the code.' };
    const grown = open({ request, answer: withProperties(answered, { state }) });
    grown.paths['/more'] = { get: { operationId: 'more', responses: {} } };
    const { breaking, added } = changesTo(grown);
    expect([breaking, added.sort()]).toEqual([[], ['C', 'GONE', 'more', 'note']]);
  });

  it('a list that Paycode sends may become an open one, and a number may get a format: only generators of clients read these', () => {
    const state = { type: 'string', 'x-extensible-enum': ['OPEN', 'USED', 'GONE'] };
    const closed = {
      anyOf: [
        { type: 'string', enum: ['OPEN', 'USED'] },
        { type: 'string', pattern: '^T' },
      ],
    };
    const listed = (of: Schema) => contractOf(open({ answer: withProperties(answered, { state: of }) }), webhooks());
    expect(contractChanges({ before: listed(closed), after: listed(state) })).toEqual({ breaking: [], added: ['GONE'] });
    const formatted = { type: 'number', maximum: 99, format: 'double' };
    expect(changesTo(open({ request: withProperties(asked, { amount: formatted }) })).breaking).toEqual([]);
  });
});

describe('changes of an event, which has older readers and older writers', () => {
  const event = {
    type: 'object',
    required: ['a', 'b'],
    properties: { a: { type: 'string', maxLength: 9 }, b: { enum: ['X', 'Y'] }, c: { type: 'integer', minimum: 1 } },
  };
  const withField = (name: string, schema: Schema) => withProperties(event, { [name]: schema });
  const { c: _, ...others } = event.properties;

  it.each<[string, Schema]>([
    ['a new field', withField('d', { type: 'string' })],
    ['a text of any length, and words', withField('a', { type: 'string', description: 'new words' })],
    ['more values', withField('b', { enum: ['X', 'Y', 'Z'] })],
    ['a lower minimum', withField('c', { type: 'integer', minimum: 0 })],
  ])('%s: breaks nobody', (_, after) => expect(eventBreaks(event, after)).toEqual([]));

  it.each<[string, Schema]>([
    ['$.c was removed', { ...event, properties: others }],
    ['$.b is no longer promised', { ...event, required: ['a'] }],
    ['$.c became required', { ...event, required: ['a', 'b', 'c'] }],
    ['$.a: maxLength was 9 and is 8', withField('a', { type: 'string', maxLength: 8 })],
    ['$.a: pattern changed', withField('a', { ...others.a, pattern: '^x' })],
    ['$.c: type was integer and is integer|null', withField('c', { type: ['integer', 'null'], minimum: 1 })],
    ['$.b: value Y was removed', withField('b', { enum: ['X'] })],
    ['$.a was narrowed to a list of values', withField('a', { ...others.a, enum: ['x'] })],
  ])('a change breaks a reader or a writer: %s', (problem, after) => expect(eventBreaks(event, after)).toEqual([problem]));
});

describe('the API changelog', () => {
  const page =
    '# API changelog\n\n## The promise\n\nno entry\n\n## 1.1, not published yet\n\n- `more`\n\n## 1.0 (2026-01-31)\n\nThe first.\n';
  const grown = open();
  grown.paths['/more'] = { get: { operationId: 'more', responses: {} } };
  const now = contractOf(grown, webhooks());
  const problemsOf = (entries: Entry[], kept: Record<string, Contract> = { '1.0': before }, written = ['1.1', '1.1']) =>
    versionProblems({ entries, now, written, publishedOf: version => kept[version] });

  it('names each version with the day of its publication, and what the newest adds', () => {
    const entries = entriesOf(page);
    const days = entries.map(({ version, date }) => `${version} ${date}`);
    expect(days).toEqual(['1.1 undefined', '1.0 2026-01-31']);
    expect(problemsOf(entries)).toEqual([]);
    const forgotten = entriesOf(page.replace('- `more`', ''));
    expect(problemsOf(forgotten)).toEqual(['the entry of 1.1 does not name `more`']);
  });

  it('a published version stays as it is, and a later one breaks nobody', () => {
    const published = entriesOf(page).slice(1);
    expect(problemsOf(published, undefined, ['1.0'])).toEqual([
      expect.stringContaining('1.0 is published. A new version is due'),
    ]);
    const broken = { ...now, operations: {} };
    expect(versionProblems({ entries: entriesOf(page), now: broken, written: ['1.1'], publishedOf: () => before })).toEqual([
      'breaks who relies on the last version: create was removed and had not been deprecated',
      'the entry of 1.1 does not name `create`',
    ]);
  });

  it('the documents say the newest version, and each older one is kept', () => {
    expect(problemsOf(entriesOf(page), undefined, ['1.1', '1.0'])).toEqual(['info.version is 1.0, the newest entry 1.1']);
    expect(problemsOf(entriesOf(page), {})).toEqual([expect.stringContaining('1.0 has no contract')]);
    expect(problemsOf([])).toHaveLength(1);
  });
});
