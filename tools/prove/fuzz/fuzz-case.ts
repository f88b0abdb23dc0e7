import fc from 'fast-check';
import { hostileBody } from './hostile-bodies.ts';
import { framings } from './hostile-framing.ts';
import { hostileCredential, hostileHeader } from './hostile-headers.ts';
import { hostileSegment, hostileTargets } from './hostile-paths.ts';
import type { Operation, Parameter } from './operations.ts';
import { type KnownValues, validValue } from './valid-values.ts';

/** The hostile part of a request. */
export type Kind = 'valid' | 'body' | 'path' | 'query' | 'header' | 'credential' | 'framing';

/** Header fields and values alternate as on the wire; all texts hold one byte per character. */
export interface FuzzCase {
  kind: Kind;
  method: string;
  target: string;
  headers: [string, string][];
  body: string | undefined;
  /** The account whose right credentials are sent; null for none or for hostile ones among the headers. */
  as: string | null;
  /** Of `kind: framing`: the bytes after the request line and the credentials, body included. */
  framing?: string;
}

export interface CaseOptions {
  known: KnownValues;
  /** Names of those who can sign in. */
  callers: string[];
}

/** Requests of an operation: some valid, most with one hostile part; shrinks towards the smallest of its kind. */
export function casesOf(operation: Operation, options: CaseOptions): fc.Arbitrary<FuzzCase> {
  const valid = validCases(operation, options);
  const kinds: fc.WeightedArbitrary<FuzzCase>[] = [
    { weight: 2, arbitrary: valid },
    { weight: 2, arbitrary: withHeaders(valid, hostileHeader(), 'header') },
    {
      weight: 1,
      arbitrary: fc.tuple(valid, hostileTargets(operation.path)).map(([it, target]) => ({ ...it, kind: 'path', target })),
    },
    { weight: 1, arbitrary: withQuery(valid) },
    { weight: 1, arbitrary: framed(valid) },
  ];
  if (!operation.isOpen || operation.path.startsWith('/authentication'))
    kinds.push({ weight: 2, arbitrary: withHeaders(valid, hostileCredential(), 'credential') });
  if (operation.body) kinds.push({ weight: 6, arbitrary: withBody(valid) });
  const parameters = operation.parameters.filter(({ in: place }) => place !== 'header');
  if (parameters.length > 0) kinds.push({ weight: 3, arbitrary: withParameter(operation, options) });
  return fc.oneof(...kinds);
}

function validCases(operation: Operation, { known, callers }: CaseOptions): fc.Arbitrary<FuzzCase> {
  const parameters = fc.record(
    Object.fromEntries(operation.parameters.map(each => [each.name, validParameter(each, known)])),
  ) as fc.Arbitrary<Record<string, string>>;
  const as = operation.isOpen || callers.length === 0 ? fc.constant(null) : fc.constantFrom(...callers);
  return fc.record({ parameters, as, body: validBody(operation, known) }).map(({ parameters: values, as: caller, body }) => ({
    kind: 'valid',
    method: operation.method,
    target: targetOf(operation, values),
    headers: body === undefined ? [] : [['Content-Type', 'application/json']],
    body,
    as: caller,
  }));
}

/** A segment without a character would be another path. */
function validParameter({ name, in: place, schema }: Parameter, known: KnownValues): fc.Arbitrary<string> {
  return validValue(schema, { name, known })
    .map(value => encodeURIComponent(String(value).toWellFormed()))
    .filter(text => place !== 'path' || text !== '');
}

function validBody({ body, examples }: Operation, known: KnownValues): fc.Arbitrary<string | undefined> {
  if (!body) return fc.constant(undefined);
  const made = validValue(body, { name: '', known });
  const values =
    examples.length > 0 ? fc.oneof({ weight: 3, arbitrary: made }, { weight: 1, arbitrary: fc.constantFrom(...examples) }) : made;
  return values.map(value => Buffer.from(JSON.stringify(value), 'utf8').toString('latin1'));
}

/** `values` are encoded already, or hostile on purpose. */
function targetOf({ path, parameters }: Operation, values: Record<string, string>): string {
  const query = parameters.filter(({ in: place }) => place === 'query').map(({ name }) => `${name}=${values[name]}`);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
}

function withHeaders(
  valid: fc.Arbitrary<FuzzCase>,
  hostile: fc.Arbitrary<[string, string][]>,
  kind: Kind,
): fc.Arbitrary<FuzzCase> {
  return fc.tuple(valid, hostile).map(([it, headers]) => {
    const replaced = new Set(headers.map(([name]) => name.toLowerCase()));
    const kept = it.headers.filter(([name]) => !replaced.has(name.toLowerCase()));
    return { ...it, kind, headers: [...kept, ...headers], as: replaced.has('authorization') ? null : it.as };
  });
}

function withQuery(valid: fc.Arbitrary<FuzzCase>): fc.Arbitrary<FuzzCase> {
  const extra = fc
    .tuple(fc.constantFrom('a=', 'a[]=', 'a[b]=', '__proto__=', 'identity=', '='), hostileSegment())
    .map(parts => parts.join(''));
  return fc.tuple(valid, extra).map(([it, query]) => {
    return { ...it, kind: 'query', target: `${it.target}${it.target.includes('?') ? '&' : '?'}${query}` };
  });
}

function withBody(valid: fc.Arbitrary<FuzzCase>): fc.Arbitrary<FuzzCase> {
  return valid.chain(it => hostileBody(it.body ?? '{}').map(body => ({ ...it, kind: 'body', body })));
}

function withParameter(operation: Operation, { known, callers }: CaseOptions): fc.Arbitrary<FuzzCase> {
  const places = operation.parameters.filter(({ in: place }) => place !== 'header');
  const hostile = fc.tuple(fc.constantFrom(...places), hostileSegment());
  return fc
    .tuple(validCases({ ...operation, parameters: operation.parameters }, { known, callers }), hostile)
    .map(([it, [place, value]]) => {
      const kind: Kind = place.in === 'path' ? 'path' : 'query';
      return { ...it, kind, target: hostileTarget(operation, place, { value, valid: it.target }) };
    });
}

/** The target with the value of one parameter replaced; the others keep theirs. */
function hostileTarget(
  { path }: Operation,
  { name, in: place }: Parameter,
  { value, valid }: { value: string; valid: string },
): string {
  if (place === 'query') return valid.replace(new RegExp(`([?&]${name}=)[^&]*`), (_, before: string) => before + value);
  const at = path.split('/').indexOf(`{${name}}`);
  const [target = '', query] = valid.split('?');
  const segments = target.split('/');
  segments[at] = value;
  return query === undefined ? segments.join('/') : `${segments.join('/')}?${query}`;
}

function framed(valid: fc.Arbitrary<FuzzCase>): fc.Arbitrary<FuzzCase> {
  return fc.tuple(valid, fc.constantFrom(...framings)).map(([it, framing]) => ({ ...it, kind: 'framing', framing }));
}
