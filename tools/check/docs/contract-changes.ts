import { knownValues, openList } from './openapi/portable.ts';

/** A JSON Schema without words. */
export type Schema = Record<string, unknown>;

/** The parts of one operation that a caller or a receiver relies on. */
interface OperationContract {
  /** `POST /pluto/code/create`; for a webhook its name. */
  call: string;
  /** Names of accepted credentials; none when everybody may call. */
  credentials: string[];
  isExtension?: true;
  isDeprecated?: true;
  /** Parameters as the members of an object: `query.limit`. */
  parameters: Schema;
  /** By media type. */
  request: Record<string, Schema>;
  isBodyRequired: boolean;
  /** By status below 300 and media type. */
  answers: Record<string, Record<string, Schema>>;
}

export interface Contract {
  /** By operationId. */
  operations: Record<string, OperationContract>;
  /** Requests of the platform to a merchant's URL. */
  webhooks: Record<string, OperationContract>;
  schemas: Record<string, Schema>;
}

interface Content {
  content?: Record<string, { schema?: Schema }>;
}

interface Operation {
  operationId: string;
  security?: Schema[];
  deprecated?: boolean;
  'x-paycode-extension'?: boolean;
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[];
  requestBody?: Content & { required?: boolean };
  responses: Record<string, Content>;
}

type Paths = Record<string, Record<string, Operation>>;

/** The parts of an OpenAPI document that this file reads. */
export interface Document {
  info: { version: string };
  security?: Schema[];
  paths: Paths;
  webhooks?: Paths;
  components: { schemas?: Record<string, Schema> };
}

/** The contract of the public interface and of the webhooks, without words and examples: what must not change under those who rely on it. */
export function contractOf(open: Document, webhooks: Document): Contract {
  const schemas = { ...webhooks.components.schemas, ...open.components.schemas };
  return {
    operations: operationsIn(open.paths, open.security ?? []),
    webhooks: operationsIn(webhooks.webhooks ?? {}, []),
    schemas: withoutWords(schemas) as Contract['schemas'],
  };
}

function operationsIn(paths: Paths, security: Schema[]): Record<string, OperationContract> {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const call = path.startsWith('/') ? `${method.toUpperCase()} ${path}` : path;
      return [operation.operationId, operationContract({ security, ...operation }, call)] as const;
    }),
  );
  return Object.fromEntries(all.sort(([a], [b]) => a.localeCompare(b)));
}

function operationContract(operation: Operation, call: string): OperationContract {
  const { parameters = [], requestBody, responses, security = [] } = operation;
  return {
    call,
    credentials: security.flatMap(Object.keys).sort(),
    ...(operation['x-paycode-extension'] && { isExtension: true }),
    ...(operation.deprecated && { isDeprecated: true }),
    parameters: {
      properties: Object.fromEntries(parameters.map(({ in: place, name, schema }) => [`${place}.${name}`, withoutWords(schema)])),
      required: parameters.filter(({ required }) => required).map(({ in: place, name }) => `${place}.${name}`),
    },
    request: schemasOf(requestBody),
    isBodyRequired: requestBody?.required ?? false,
    answers: Object.fromEntries(
      Object.entries(responses)
        .filter(([status]) => /^[123]\d\d$/.test(status))
        .map(([status, answer]) => [status, schemasOf(answer)]),
    ),
  };
}

function schemasOf({ content = {} }: Content = {}): Record<string, Schema> {
  return Object.fromEntries(Object.entries(content).map(([type, { schema = {} }]) => [type, withoutWords(schema) as Schema]));
}

const words = new Set(['$schema', '$id', 'title', 'description', 'example', 'examples']);

/** A member of `properties` may have the name of such a word. */
function withoutWords(value: unknown, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map(item => withoutWords(item));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => isProperties || !words.has(name));
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutWords(item, name === 'properties' && !isProperties)]));
}

/**
 * The changes between two versions of the contract. `breaking`: a client or a receiver that was written for `before` may fail. `added`: names of new
 * operations, fields and values.
 */
export function contractChanges({ before, after }: Both<Contract>): Changes {
  const schemas = { before: before.schemas, after: after.schemas };
  const calls = {
    received: new SchemaComparison(schemas, 'received'),
    sent: new SchemaComparison(schemas, 'sent'),
  };
  const backwards = { received: calls.sent, sent: calls.received };
  return allOf([
    ...operations({ before: before.operations, after: after.operations }, calls),
    // Of a webhook Paycode is the one who asks.
    ...operations({ before: before.webhooks, after: after.webhooks }, backwards),
  ]);
}

type Comparisons = Record<'received' | 'sent', SchemaComparison>;

function operations({ before, after }: Both<Record<string, OperationContract>>, comparisons: Comparisons): Changes[] {
  const kept = Object.entries(before).map(([name, was]) => {
    const is = after[name];
    if (is) return operation({ before: was, after: is }, name, comparisons);
    return was.isDeprecated ? noChanges : breaks(`${name} was removed and had not been deprecated`);
  });
  const added = Object.keys(after).filter(name => !before[name]);
  return [...kept, { breaking: [], added }];
}

function operation({ before, after }: Both<OperationContract>, name: string, { received, sent }: Comparisons): Changes {
  const statuses = Object.keys(before.answers);
  return allOf([
    before.call === after.call ? noChanges : breaks(`${name}: ${before.call} became ${after.call}`),
    credentials({ before, after }, name),
    received.compare({ before: before.parameters, after: after.parameters }, `${name} parameters`),
    after.isBodyRequired && !before.isBodyRequired ? breaks(`${name}: the body became required`) : noChanges,
    bodies({ before: before.request, after: after.request }, `${name} request`, received),
    ...statuses.map(status =>
      bodies({ before: before.answers[status]!, after: after.answers[status] }, `${name} ${status}`, sent),
    ),
  ]);
}

function credentials({ before, after }: Both<OperationContract>, name: string): Changes {
  const isOpened = after.credentials.length === 0;
  const lost = before.credentials.filter(kind => !after.credentials.includes(kind));
  const isClosed = before.credentials.length === 0 && !isOpened;
  return isClosed || (lost.length > 0 && !isOpened) ? breaks(`${name}: takes other credentials`) : noChanges;
}

interface Bodies {
  before: Record<string, Schema>;
  after: Record<string, Schema> | undefined;
}

function bodies({ before, after }: Bodies, path: string, comparison: SchemaComparison): Changes {
  if (!after) return breaks(`${path} was removed`);
  return allOf(
    Object.entries(before).map(([type, schema]) =>
      after[type] ? comparison.compare({ before: schema, after: after[type] }, path) : breaks(`${path}: ${type} was removed`),
    ),
  );
}

/**
 * Direction of a value. Paycode may accept more from others than before, and may promise more about the values that it sends. An `event` has older
 * readers and older writers: its fields neither go nor become required, and its rules may only grow wider.
 */
type Direction = 'received' | 'sent' | 'event';

interface Changes {
  /** Changes that break a client or receiver that relied on the contract. */
  breaking: string[];
  /** Names of the additions. */
  added: string[];
}

interface Both<T> {
  before: T;
  after: T;
}

const noChanges: Changes = { breaking: [], added: [] };

function allOf(parts: Changes[]): Changes {
  return { breaking: parts.flatMap(({ breaking }) => breaking), added: parts.flatMap(({ added }) => added) };
}

export const breaks = (...breaking: string[]): Changes => ({ breaking, added: [] });

/** A schema that holds itself has no end. */
const depthMax = 30;
/** Below them is a schema. */
const nested = ['items', 'contentSchema', 'additionalProperties'];
/** +1: a larger value accepts more; -1: accepts less. */
const bounds: Readonly<Record<string, 1 | -1>> = {
  ...{ maximum: 1, maxLength: 1, maxItems: 1, maxProperties: 1, exclusiveMaximum: 1 },
  ...{ minimum: -1, minLength: -1, minItems: -1, minProperties: -1, exclusiveMinimum: -1 },
};
const compared = new Set(['$ref', 'properties', 'required', 'enum', knownValues, 'type', ...nested, ...Object.keys(bounds)]);

/** Changes that break readers or writers of an event or of a stored notification, from one version of its schema to the next. */
export function eventBreaks(before: Schema, after: Schema): string[] {
  return new SchemaComparison({ before: {}, after: {} }, 'event').compare(withoutWords({ before, after }) as Both<Schema>, '$')
    .breaking;
}

/** Compares two versions of a schema whose references `before.of` and `after.of` resolve. */
class SchemaComparison {
  private readonly schemas: Both<Record<string, Schema>>;
  private readonly direction: Direction;

  constructor(schemas: Both<Record<string, Schema>>, direction: Direction) {
    this.schemas = schemas;
    this.direction = direction;
  }

  compare({ before, after }: Both<Schema>, path: string): Changes {
    const both = { before: this.form(before, this.schemas.before), after: this.form(after, this.schemas.after) };
    if (path.split('.').length > depthMax) return breaks(`${path} is too deep to compare`);
    return allOf([
      this.properties(both, path),
      this.required(both, path),
      this.values(both, path),
      this.types(both, path),
      this.bounds(both, path),
      this.nested(both, path),
      this.rest(both, path),
    ]);
  }

  /** The schema that a reference names. A list that Paycode sends may grow; an object that it receives may be null or left out, said or not. */
  private form(schema: Schema, schemas: Record<string, Schema>): Schema {
    const [only, ...others] = ((schema['anyOf'] ?? []) as Schema[]).filter(({ type }) => type !== 'null');
    if (this.direction === 'received' && only && others.length === 0) return this.form(only, schemas);
    const found = resolved(schema, schemas);
    return this.direction === 'sent' ? openList(found) : found;
  }

  private properties({ before, after }: Both<Schema>, path: string): Changes {
    const [was, is] = [propertiesOf(before), propertiesOf(after)];
    const kept = Object.entries(was).map(([name, schema]) =>
      is[name] ? this.compare({ before: schema, after: is[name] }, `${path}.${name}`) : breaks(`${path}.${name} was removed`),
    );
    return allOf([...kept, { breaking: [], added: Object.keys(is).filter(name => !was[name]) }]);
  }

  private required({ before, after }: Both<Schema>, path: string): Changes {
    const [was, is] = [listOf(before, 'required'), listOf(after, 'required')];
    const [added, lost] = [without(is, was), without(was, is)];
    return breaks(
      ...(this.direction === 'sent' ? [] : added.map(name => `${path}.${name} became required`)),
      ...(this.direction === 'received' ? [] : lost.map(name => `${path}.${name} is no longer promised`)),
    );
  }

  private values({ before, after }: Both<Schema>, path: string): Changes {
    const [was, is] = [before, after].map(schema => (schema['enum'] ?? schema[knownValues]) as unknown[] | undefined);
    if (this.direction === 'sent') {
      if (was && !is) return breaks(`${path} may have any value`);
      return { breaking: [], added: was ? without(is!, was).map(String) : [] };
    }
    if (!is) return noChanges;
    if (!was) return breaks(`${path} was narrowed to a list of values`);
    return {
      breaking: without(was, is).map(value => `${path}: value ${String(value)} was removed`),
      added: without(is, was).map(String),
    };
  }

  private types({ before, after }: Both<Schema>, path: string): Changes {
    const [was, is] = [[before['type']].flat(), [after['type']].flat()];
    const lost = this.direction === 'sent' ? [] : without(was, is);
    const added = this.direction === 'received' ? [] : without(is, was);
    return lost.length + added.length > 0 ? breaks(`${path}: type was ${was.join('|')} and is ${is.join('|')}`) : noChanges;
  }

  private bounds({ before, after }: Both<Schema>, path: string): Changes {
    const sign = this.direction === 'sent' ? -1 : 1;
    const at = (schema: Schema, key: string): number =>
      typeof schema[key] === 'number' ? sign * bounds[key]! * schema[key] : sign * Infinity;
    const narrower = Object.keys(bounds).filter(key => at(after, key) < at(before, key));
    return breaks(...narrower.map(key => `${path}: ${key} was ${String(before[key])} and is ${String(after[key])}`));
  }

  private nested({ before, after }: Both<Schema>, path: string): Changes {
    return allOf(
      nested.map(key => {
        const [was, is] = [before[key], after[key]];
        if (isSchema(was) && isSchema(is)) return this.compare({ before: was, after: is }, `${path}.${key}`);
        return JSON.stringify(was) === JSON.stringify(is) ? noChanges : breaks(`${path}: ${key} changed`);
      }),
    );
  }

  /** Of every other keyword (pattern, format, anyOf) nobody can tell whether a change narrows it. */
  private rest({ before, after }: Both<Schema>, path: string): Changes {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)].filter(key => !compared.has(key)));
    const changed = [...keys].filter(key => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
    const harmless = (key: string): boolean => this.isHint(key, { before, after });
    return breaks(...changed.filter(key => !harmless(key)).map(key => `${path}: ${key} changed`));
  }

  /** A default that the words tell instead, and a first format of a number or of what Paycode sends, refuse no value. */
  private isHint(key: string, { before, after }: Both<Schema>): boolean {
    if (key === 'default') return after[key] === undefined;
    const isNumber = [after['type']].flat().includes('number');
    return key === 'format' && before[key] === undefined && (isNumber || this.direction === 'sent');
  }
}

function resolved(schema: Schema, schemas: Record<string, Schema>): Schema {
  const reference = schema['$ref'];
  if (typeof reference !== 'string') return schema;
  const name = reference.split('/').at(-1)!;
  return schemas[name] ?? {};
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
const propertiesOf = (schema: Schema): Record<string, Schema> => (schema['properties'] ?? {}) as Record<string, Schema>;
const listOf = (schema: Schema, key: string): string[] => (schema[key] ?? []) as string[];
const without = <T>(all: readonly T[], some: readonly T[]): T[] => all.filter(item => !some.includes(item));
