import fc from 'fast-check';
import * as hostile from './hostile-parts.ts';
import type { Operation, Parameter, Schema } from './operations.ts';
import type { Target } from './raw-client.ts';

/** Values that exist on the platform under test, by the name of the field or parameter. */
export type KnownValues = Record<string, unknown[]>;

/** The hostile part of a request. */
export type Kind = 'valid' | 'body' | 'path' | 'query' | 'header' | 'credential' | 'framing';

/** All texts hold one byte per character. */
export interface FuzzCase {
  kind: Kind;
  method: string;
  target: string;
  /** Field lines. */
  headers: string[];
  body?: string | undefined;
  /** The account whose right credentials are sent; null for none or for hostile ones among the headers. */
  as: string | null;
  /** Of `kind: framing`: the bytes after the request line and the credentials, body included. */
  framing?: string;
}

interface CaseOptions {
  known: KnownValues;
  /** Names of the accounts that can sign in. */
  callers: string[];
}

/** Where an operation is served and who may call it. */
export interface OperationAccess extends CaseOptions {
  target: Target;
  authorizationOf: (as: string) => string;
}

/** A request of the list, made when it is sent, because some are long. */
interface ListedCase {
  kind: Kind;
  make: () => FuzzCase;
}

/** The same requests of an operation in each run: a few valid ones, the others with one hostile part. */
export function casesOf(operation: Operation, { known, callers }: CaseOptions): ListedCase[] {
  const signed = operation.isOpen || callers.length === 0 ? [null] : callers;
  const valid = signed.flatMap(as => [0, 1, 2].map(turn => validCase(operation, { known, as, turn })));
  const listed = <T>(kind: Kind, items: readonly T[], change: (it: FuzzCase, item: T) => Partial<FuzzCase>): ListedCase[] =>
    items.map((item, at) => ({
      kind,
      make: () => {
        const it = valid[at % valid.length]!;
        return { ...it, kind, ...change(it, item) };
      },
    }));
  const parameters = operation.parameters.filter(({ in: place }) => place !== 'header');
  const bodies = valid[0]!.body === undefined ? [] : bodyCases(valid[0]!.body);
  const credentials = !operation.isOpen || operation.path.startsWith('/authentication') ? hostile.hostileCredentials : [];
  return [
    ...valid.map(it => ({ kind: it.kind, make: () => it })),
    ...listed('body', bodies, (_, make) => ({ body: make() })),
    ...parameters.flatMap(parameter =>
      listed(parameter.in === 'path' ? 'path' : 'query', hostile.hostileSegments, ({ target }, value) => ({
        target: withParameter(operation, parameter, { target, value }),
      })),
    ),
    ...listed('path', hostile.hostileTargets(operation.path), (_, target) => ({ target })),
    ...listed('query', hostile.hostileQueries, ({ target }, query) => ({
      target: `${target}${target.includes('?') ? '&' : '?'}${query}`,
    })),
    ...listed('header', hostile.hostileHeaders, ({ headers }, lines) => ({ headers: replaced(headers, lines) })),
    ...listed('credential', credentials, ({ headers }, line) => ({ headers: [...headers, line], as: null })),
    ...listed('framing', hostile.hostileFramings, (_, framing) => ({ framing })),
  ];
}

/** The bytes of a case, one per character; `authorization` is the right one of its caller. */
export function bytesOf(it: FuzzCase, { host, authorization }: { host: string; authorization: string | undefined }): string {
  const { method, target, headers, body, framing } = it;
  const has = (text: string, name: string) => new RegExp(`^${name}:`, 'im').test(text);
  const signed = authorization === undefined ? '' : `Authorization: ${authorization}\r\n`;
  const start = (fields: string) => `${method} ${target} HTTP/1.1\r\n${has(fields, 'host') ? '' : `Host: ${host}\r\n`}${signed}`;
  if (framing !== undefined) return start(framing) + framing;
  const fields = headers.map(line => `${line}\r\n`).join('');
  const length = body === undefined ? '' : `Content-Length: ${body.length}\r\n`;
  return `${start(fields)}Connection: close\r\n${length}${fields}\r\n${body ?? ''}`;
}

function replaced(lines: string[], by: string): string[] {
  const name = by.slice(0, by.indexOf(':') + 1).toLowerCase();
  return [...lines.filter(line => !line.toLowerCase().startsWith(name)), by];
}

function validCase(operation: Operation, { known, as, turn }: { known: KnownValues; as: string | null; turn: number }): FuzzCase {
  const { method, path, parameters, body, examples } = operation;
  const valueOf = (name: string, schema: Schema) => encodeURIComponent(String(validValue(schema, { name, known, turn })));
  const query = parameters
    .filter(({ in: place }) => place === 'query')
    .map(({ name, schema }) => `${name}=${valueOf(name, schema)}`);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    valueOf(name, parameters.find(each => each.name === name)!.schema),
  );
  const target = query.length > 0 ? `${filled}?${query.join('&')}` : filled;
  if (!body) return { kind: 'valid', method, target, headers: [], as };
  const value = turn === 2 && examples.length > 0 ? examples[0] : validValue(body, { name: '', known, turn });
  const text = Buffer.from(JSON.stringify(value), 'utf8').toString('latin1');
  return { kind: 'valid', method, target, headers: ['Content-Type: application/json'], body: text, as };
}

const depthMax = 6;

interface Place {
  name: string;
  known: KnownValues;
  /** Which of several possible values. */
  turn: number;
}

/** A value that the schema allows, with every member. A known value is preferred, so that a call gets beyond "not found". */
function validValue(schema: Schema, place: Place, depth = 0): unknown {
  const { known, name, turn } = place;
  if (depth > depthMax) return null;
  const values = known[name] ?? fixedValues(schema);
  if (values) return values[turn % values.length];
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (choices) return validValue(choices[turn % choices.length]!, place, depth);
  return makerOf(schema)(schema, place, depth + 1);
}

function fixedValues(schema: Schema): unknown[] | undefined {
  return 'const' in schema ? [schema['const']] : (schema['enum'] as unknown[] | undefined);
}

type Maker = (schema: Schema, place: Place, depth: number) => unknown;

function makerOf(schema: Schema): Maker {
  const [type = ''] = [schema['type'] ?? 'object'].flat() as string[];
  const make = makers[type];
  if (!make) throw new Error(`no value can be made of type ${type}`);
  return make;
}

const makers: Record<string, Maker> = {
  object: ({ properties = {} }, place, depth) =>
    Object.fromEntries(
      Object.entries(properties as Record<string, Schema>).map(([name, inner]) => [
        name,
        validValue(inner, { ...place, name }, depth),
      ]),
    ),
  array: ({ items = {} }, place, depth) => [validValue(items as Schema, place, depth)],
  string: (schema, { turn }) => text(schema, turn),
  integer: ({ minimum = 1 }, { turn }) => Number(minimum) + turn,
  number: () => 25.5,
  boolean: (_, { turn }) => turn % 2 === 0,
  null: () => null,
};

function text({ pattern, format, minLength = 0, maxLength = 60 }: Schema, seed: number): string {
  const fits = (made: string) => made.length >= Number(minLength) && made.length <= Number(maxLength);
  if (typeof pattern === 'string')
    return fc.sample(fc.stringMatching(new RegExp(pattern, 'u')).filter(fits), { numRuns: 1, seed })[0]!;
  if (format === 'date-time') return '2026-01-02T03:04:05.678Z';
  if (format === 'uuid') return '4fd1b0a8-2f60-4bd5-9d5c-1f1a6a0e5b7e';
  return 'abcXYZ019é漢'.repeat(10).slice(0, Math.max(Number(minLength), Math.min(Number(maxLength), 8 + seed)));
}

/** The target with the value of one parameter replaced; the others keep theirs. */
function withParameter(
  { path }: Operation,
  { name, in: place }: Parameter,
  { target, value }: { target: string; value: string },
): string {
  if (place === 'query') return target.replace(new RegExp(`([?&]${name}=)[^&]*`), (_, before: string) => before + value);
  const [segments = '', query] = target.split('?');
  const parts = segments.split('/');
  parts[path.split('/').findIndex(part => part.includes(`{${name}}`))] = value;
  return query === undefined ? parts.join('/') : `${parts.join('/')}?${query}`;
}

/** Placeholder for the hostile value; no valid value contains it. */
const mark = '@@hostile@@';

/** Bodies made of a valid one: one value replaced or left out, a member added or doubled, or no JSON at all. */
function bodyCases(valid: string): (() => string)[] {
  const value: unknown = JSON.parse(valid);
  const filled = (at: string[], by: string) => JSON.stringify(replace(value, at, mark)).replace(`"${mark}"`, () => by);
  const places = placesOf(value);
  const first = /^\{"(\w)(\w*)":/.exec(valid);
  const escaped = first && `\\u${first[1]!.charCodeAt(0).toString(16).padStart(4, '0')}${first[2]}`;
  const doubled = first ? [`{"${first[1]}${first[2]}":null,${valid.slice(1)}`, `{"${escaped}":"x",${valid.slice(1)}`] : [];
  const rest = valid.startsWith('{') && valid !== '{}' ? `,${valid.slice(1)}` : '}';
  const added = hostile.hostileMembers.flatMap(name =>
    ['1', 'null', '{"a":[]}', '"\\u0000"'].map(by => `{"${name}":${by}${rest}`),
  );
  const without = places.map(at => JSON.stringify(replace(value, at, undefined)) ?? '');
  return [
    ...places.flatMap(at => hostile.hostileJson.map(by => () => filled(at, by))),
    ...[...doubled, ...added, ...without, ...hostile.hostileBodies(valid)].map(each => () => each),
  ];
}

/** Paths of all values inside a value, itself included. */
function placesOf(value: unknown, at: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, item]) => placesOf(item, [...at, key]))];
}

function replace(value: unknown, [first, ...rest]: string[], by: unknown): unknown {
  if (first === undefined) return by;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[first] = replace(copy[first], rest, by);
  return copy;
}
