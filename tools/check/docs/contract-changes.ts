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

/** Differences of two versions of a contract. */
interface Changes {
  /** Changes that break a client or receiver that relied on the contract. */
  breaking: string[];
  /** Names of new operations, fields and values. */
  added: string[];
}

interface Both<T> {
  before: T;
  after: T;
}

/** The changes between two versions of the contract. */
export function contractChanges({ before, after }: Both<Contract>): Changes {
  const changes: Changes = { breaking: [], added: [] };
  const schemas = { before: before.schemas, after: after.schemas };
  const received = new SchemaComparison('received', changes, schemas);
  const sent = new SchemaComparison('sent', changes, schemas);
  compareOperations({ before: before.operations, after: after.operations }, { changes, asked: received, answered: sent });
  // Of a webhook Paycode is the one who asks.
  compareOperations({ before: before.webhooks, after: after.webhooks }, { changes, asked: sent, answered: received });
  return changes;
}

interface Comparisons {
  changes: Changes;
  asked: SchemaComparison;
  answered: SchemaComparison;
}

function compareOperations({ before, after }: Both<Record<string, OperationContract>>, comparisons: Comparisons): void {
  const { breaking, added } = comparisons.changes;
  for (const [name, was] of Object.entries(before)) {
    const is = after[name];
    if (is) compareOperation({ before: was, after: is }, name, comparisons);
    else if (!was.isDeprecated) breaking.push(`${name} was removed and had not been deprecated`);
  }
  added.push(...without(Object.keys(after), Object.keys(before)));
}

function compareOperation({ before, after }: Both<OperationContract>, name: string, comparisons: Comparisons): void {
  const { changes, asked, answered } = comparisons;
  const isOpen = after.credentials.length === 0;
  const isClosed = before.credentials.length === 0 || without(before.credentials, after.credentials).length > 0;
  if (before.call !== after.call) changes.breaking.push(`${name}: ${before.call} became ${after.call}`);
  if (isClosed && !isOpen) changes.breaking.push(`${name}: takes other credentials`);
  if (after.isBodyRequired && !before.isBodyRequired) changes.breaking.push(`${name}: the body became required`);
  asked.compare({ before: before.parameters, after: after.parameters }, `${name} parameters`);
  asked.bodies({ before: before.request, after: after.request }, `${name} request`);
  for (const [status, body] of Object.entries(before.answers))
    answered.bodies({ before: body, after: after.answers[status] }, `${name} ${status}`);
}

/**
 * Direction of a value. Paycode may accept more from others than before, and may promise more about the values that it sends. An `event` has older
 * readers and older writers: its fields neither go nor become required, and its rules may only grow wider.
 */
type Direction = 'received' | 'sent' | 'event';

/** A schema that holds itself has no end. */
const depthMax = 30;
/** Below them is a schema. */
const nested = ['items', 'contentSchema', 'additionalProperties'];
/** +1: a larger value accepts more; -1: accepts less. */
const bounds: Readonly<Record<string, 1 | -1>> = {
  ...{ maximum: 1, maxLength: 1, maxItems: 1, maxProperties: 1, exclusiveMaximum: 1 },
  ...{ minimum: -1, minLength: -1, minItems: -1, minProperties: -1, exclusiveMinimum: -1 },
};
const compared = new Set(['$ref', 'properties', 'required', 'enum', knownValues, 'type', ...Object.keys(bounds)]);

/** Changes that break readers or writers of an event or of a stored notification, from one version of its schema to the next. */
export function eventBreaks(before: Schema, after: Schema): string[] {
  const changes: Changes = { breaking: [], added: [] };
  new SchemaComparison('event', changes).compare(withoutWords({ before, after }) as Both<Schema>, '$');
  return changes.breaking;
}

/** Adds the differences of two versions of a schema to `changes`. `schemas`: those that references name. */
class SchemaComparison {
  private readonly direction: Direction;
  private readonly changes: Changes;
  private readonly schemas: Both<Record<string, Schema>>;

  constructor(direction: Direction, changes: Changes, schemas: Both<Record<string, Schema>> = { before: {}, after: {} }) {
    this.direction = direction;
    this.changes = changes;
    this.schemas = schemas;
  }

  bodies({ before, after }: { before: Record<string, Schema>; after: Record<string, Schema> | undefined }, path: string): void {
    if (!after) return this.breaks(`${path} was removed`);
    for (const [type, schema] of Object.entries(before))
      if (after[type]) this.compare({ before: schema, after: after[type] }, path);
      else this.breaks(`${path}: ${type} was removed`);
  }

  compare(versions: Both<Schema>, path: string): void {
    if (path.split('.').length > depthMax) return this.breaks(`${path} is too deep to compare`);
    const before = this.form(versions.before, this.schemas.before);
    const after = this.form(versions.after, this.schemas.after);
    this.properties({ before: propertiesOf(before), after: propertiesOf(after) }, path);
    this.required(listOf(before['required']), listOf(after['required'])).forEach(text => this.breaks(`${path}.${text}`));
    this.values({ before, after }, path);
    const [was, is] = [[before['type']].flat(), [after['type']].flat()];
    const types = [...(this.isSent ? [] : without(was, is)), ...(this.isReceived ? [] : without(is, was))];
    if (types.length > 0) this.breaks(`${path}: type was ${was.join('|')} and is ${is.join('|')}`);
    this.rules({ before, after }, path);
  }

  private breaks(text: string): void {
    this.changes.breaking.push(text);
  }

  private get isSent(): boolean {
    return this.direction === 'sent';
  }

  private get isReceived(): boolean {
    return this.direction === 'received';
  }

  /** The schema that a reference names. A list that Paycode sends may grow; an object that it receives may be null or left out, said or not. */
  private form(schema: Schema, schemas: Record<string, Schema>): Schema {
    const [only, ...others] = ((schema['anyOf'] ?? []) as Schema[]).filter(({ type }) => type !== 'null');
    if (this.isReceived && only && others.length === 0) return this.form(only, schemas);
    const reference = schema['$ref'];
    const found = typeof reference === 'string' ? (schemas[reference.split('/').at(-1)!] ?? {}) : schema;
    return this.isSent ? openList(found) : found;
  }

  private properties({ before, after }: Both<Record<string, Schema>>, path: string): void {
    for (const [name, schema] of Object.entries(before))
      if (after[name]) this.compare({ before: schema, after: after[name] }, `${path}.${name}`);
      else this.breaks(`${path}.${name} was removed`);
    this.changes.added.push(...without(Object.keys(after), Object.keys(before)));
  }

  private required(was: string[], is: string[]): string[] {
    return [
      ...(this.isSent ? [] : without(is, was).map(name => `${name} became required`)),
      ...(this.isReceived ? [] : without(was, is).map(name => `${name} is no longer promised`)),
    ];
  }

  private values({ before, after }: Both<Schema>, path: string): void {
    const [was, is] = [before, after].map(schema => (schema['enum'] ?? schema[knownValues]) as unknown[] | undefined);
    if (was && is) {
      if (!this.isSent) without(was, is).forEach(value => this.breaks(`${path}: value ${String(value)} was removed`));
      this.changes.added.push(...without(is, was).map(String));
    } else if (this.isSent ? was : is)
      this.breaks(`${path} ${this.isSent ? 'may have any value' : 'was narrowed to a list of values'}`);
  }

  /** Bounds, schemas below this one, and every other keyword (pattern, format, anyOf), of which nobody can tell whether a change narrows it. */
  private rules({ before, after }: Both<Schema>, path: string): void {
    const at = (schema: Schema, key: string): number => {
      const sign = this.isSent ? -1 : 1;
      return typeof schema[key] === 'number' ? sign * bounds[key]! * schema[key] : sign * Infinity;
    };
    for (const key of Object.keys(bounds).filter(each => at(after, each) < at(before, each)))
      this.breaks(`${path}: ${key} was ${String(before[key])} and is ${String(after[key])}`);
    for (const key of without(Object.keys({ ...before, ...after }), [...compared])) {
      const [was, is] = [before[key], after[key]];
      if (nested.includes(key) && isSchema(was) && isSchema(is)) this.compare({ before: was, after: is }, `${path}.${key}`);
      else if (JSON.stringify(was) !== JSON.stringify(is) && !this.isHint(key, { before, after }))
        this.breaks(`${path}: ${key} changed`);
    }
  }

  /** A default that the words tell instead, and a first format of a number or of what Paycode sends, refuse no value. */
  private isHint(key: string, { before, after }: Both<Schema>): boolean {
    if (key === 'default') return after[key] === undefined;
    const isNumber = [after['type']].flat().includes('number');
    return key === 'format' && before[key] === undefined && (isNumber || this.isSent);
  }
}

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
const propertiesOf = (schema: Schema): Record<string, Schema> => (schema['properties'] ?? {}) as Record<string, Schema>;
const listOf = (list: unknown): string[] => (list ?? []) as string[];
const without = <T>(all: readonly T[], some: readonly T[]): T[] => all.filter(item => !some.includes(item));
