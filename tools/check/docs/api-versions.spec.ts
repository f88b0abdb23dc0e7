import { type Entry, entriesOf, versionProblems } from './api-version-pages.ts';
import { type Contract, contractOf, type Document, type Schema, contractChanges, eventBreaks } from './contract-changes.ts';

const sent = {
  type: 'object',
  required: ['amount'],
  properties: { amount: { type: 'number', maximum: 99 }, kind: { type: 'string', enum: ['A', 'B'] } },
};
const answered = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'integer', maximum: 99, description: 'Which.' }, state: { type: 'string', enum: ['OPEN', 'USED'] } },
};

function open({
  request = sent,
  answer = answered,
  operation = {},
}: { request?: Schema; answer?: Schema; operation?: Schema } = {}): Document {
  const create = {
    operationId: 'create',
    summary: 'Make one',
    parameters: [{ name: 'code', in: 'path', required: true, schema: { type: 'string', pattern: '^[0-9]+$' } }],
    requestBody: { required: true, content: { 'application/json': { schema: { $ref: '#/components/schemas/Ask' } } } },
    responses: {
      200: { content: { 'application/json': { schema: { type: 'array', items: { $ref: '#/components/schemas/Answer' } } } } },
      400: {},
    },
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
  const paid = { operationId: 'paid', responses: {}, requestBody: { content: { 'application/json': { schema: body } } } };
  return { info: { version: '1.1' }, paths: {}, webhooks: { paid: { post: paid } }, components: {} } as Document;
}

const before = contractOf(open(), webhooks());
const changesTo = (document: Document, hooks = webhooks()) => contractChanges({ before, after: contractOf(document, hooks) });
const withProperties = (schema: Schema, properties: Schema): Schema => ({
  ...schema,
  properties: { ...(schema['properties'] as Schema), ...properties },
});

describe('changes of the contract between two versions of the API', () => {
  const parameter = { name: 'code', in: 'path', required: true, schema: { type: 'string', pattern: '^[0-9]+$' } };

  it.each<[string, Document, string]>([
    ['an operation is gone', { ...open(), paths: {} }, 'create was removed and had not been deprecated'],
    [
      'another path',
      { ...open(), paths: { '/code/{code}': open().paths['/codes/{code}']! } },
      'create: POST /codes/{code} became POST /code/{code}',
    ],
    ['credentials', open({ operation: { security: [{ bearer: [] }] } }), 'create: takes other credentials'],
    [
      'a field of a request is gone',
      open({ request: { ...sent, properties: { amount: sent.properties.amount } } }),
      'create request.kind was removed',
    ],
    [
      'a field became required',
      open({ request: { ...sent, required: ['amount', 'kind'] } }),
      'create request.kind became required',
    ],
    [
      'a value is refused',
      open({ request: withProperties(sent, { kind: { type: 'string', enum: ['A'] } }) }),
      'create request.kind: value B was removed',
    ],
    [
      'a bound is narrower',
      open({ request: withProperties(sent, { amount: { type: 'number', maximum: 9 } }) }),
      'create request.amount: maximum was 99 and is 9',
    ],
    [
      'a bound is new',
      open({ request: withProperties(sent, { kind: { type: 'string', enum: ['A', 'B'], minLength: 1 } }) }),
      'create request.kind: minLength was undefined and is 1',
    ],
    [
      'a field of an answer is gone',
      open({ answer: { ...answered, properties: { id: answered.properties.id } } }),
      'create 200.items.state was removed',
    ],
    ['a field may be missing', open({ answer: { ...answered, required: [] } }), 'create 200.items.id is no longer promised'],
    [
      'another type',
      open({ answer: withProperties(answered, { id: { type: ['integer', 'null'], maximum: 99 } }) }),
      'create 200.items.id: type was integer and is integer|null',
    ],
    [
      'longer answers',
      open({ answer: withProperties(answered, { id: { type: 'integer', maximum: 999 } }) }),
      'create 200.items.id: maximum was 99 and is 999',
    ],
    [
      'a new parameter that is required',
      open({ operation: { parameters: [parameter, { name: 'day', in: 'query', required: true, schema: {} }] } }),
      'create parameters.query.day became required',
    ],
    [
      'another pattern',
      open({ operation: { parameters: [{ ...parameter, schema: { type: 'string', pattern: '^[0-9]{10}$' } }] } }),
      'create parameters.path.code: pattern changed',
    ],
    ['another status', open({ operation: { responses: { 201: {} } } }), 'create 200 was removed'],
  ])('%s: breaks', (_, document, problem) => {
    expect(changesTo(document).breaking).toEqual([problem]);
  });

  it('a notification is read by others, so that its fields stay', () => {
    expect(changesTo(open(), webhooks({ ...answered, required: [] })).breaking).toEqual([
      'paid request.id is no longer promised',
    ]);
    expect(changesTo(open(), webhooks(withProperties(answered, { new: {} })))).toEqual({ breaking: [], added: ['new'] });
  });

  it('words, wider requests, new optional fields, values and operations break nobody, and are told', () => {
    const request = withProperties(
      { ...sent, required: [] },
      { kind: { type: 'string', enum: ['A', 'B', 'C'] }, note: { type: 'string' } },
    );
    const answer = withProperties(answered, {
      state: { type: 'string', enum: ['OPEN', 'USED', 'GONE'], description: 'Of the code.' },
    });
    const grown = open({ request, answer });
    grown.paths['/more'] = { get: { operationId: 'more', responses: {} } };
    const { breaking, added } = changesTo(grown);
    expect(breaking).toEqual([]);
    expect(added.sort()).toEqual(['C', 'GONE', 'more', 'note']);
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
    ['no change', event],
    ['a new field', withField('d', { type: 'string' })],
    ['a longer text, and words', withField('a', { type: 'string', maxLength: 10, description: 'new words' })],
    ['a text of any length', withField('a', { type: 'string' })],
    ['more values', withField('b', { enum: ['X', 'Y', 'Z'] })],
    ['any value', withField('b', {})],
    ['a lower minimum', withField('c', { type: 'integer', minimum: 0 })],
  ])('%s: breaks nobody', (_, after) => expect(eventBreaks(event, after)).toEqual([]));

  it.each<[string, Schema, ...problems: string[]]>([
    ['a removed field', { ...event, properties: others }, '$.c was removed'],
    ['a field that became optional', { ...event, required: ['a'] }, '$.b is no longer promised'],
    ['a field that became required', { ...event, required: ['a', 'b', 'c'] }, '$.c became required'],
    ['a shorter text', withField('a', { type: 'string', maxLength: 8 }), '$.a: maxLength was 9 and is 8'],
    ['a lower bound', withField('a', { ...others.a, minLength: 1 }), '$.a: minLength was undefined and is 1'],
    ['a higher minimum', withField('c', { type: 'integer', minimum: 2 }), '$.c: minimum was 1 and is 2'],
    ['a new pattern', withField('a', { ...others.a, pattern: '^x' }), '$.a: pattern changed'],
    ['another type', withField('c', { type: 'string', minimum: 1 }), '$.c: type was integer and is string'],
    ['a wider type', withField('c', { type: ['integer', 'null'], minimum: 1 }), '$.c: type was integer and is integer|null'],
    ['an upper bound', withField('c', { ...event.properties.c, maximum: 5 }), '$.c: maximum was undefined and is 5'],
    ['a removed value', withField('b', { enum: ['X'] }), '$.b: value Y was removed'],
    ['a list of values', withField('a', { ...others.a, enum: ['x'] }), '$.a was narrowed to a list of values'],
    [
      'no field any more',
      { type: 'object' },
      ...['a', 'b', 'c'].map(name => `$.${name} was removed`),
      ...['a', 'b'].map(name => `$.${name} is no longer promised`),
    ],
  ])('%s: breaks', (_, after, ...problems) => expect(eventBreaks(event, after)).toEqual(problems));
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
    expect(entries.map(({ version, date }) => [version, date])).toEqual([
      ['1.1', undefined],
      ['1.0', '2026-01-31'],
    ]);
    expect(problemsOf(entries)).toEqual([]);
    const forgotten = entriesOf(page.replace('- `more`', ''));
    expect(problemsOf(forgotten)).toEqual(['the entry of 1.1 does not name `more`']);
  });

  it('a published version stays as it is, and a later one breaks nobody', () => {
    const published = entriesOf(page).slice(1);
    expect(problemsOf(published, undefined, ['1.0'])).toEqual([
      expect.stringContaining('1.0 is published. A new version is due'),
    ]);
    expect(problemsOf(entriesOf(page), { '1.0': now })).toEqual([]);
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
