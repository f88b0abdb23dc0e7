/** A JSON Schema without words. */
export type Schema = Record<string, unknown>;

/** The parts of one operation that a caller or a receiver relies on. */
export interface OperationContract {
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

const words = new Set(['title', 'description', 'example', 'examples']);

/** A member of `properties` may have the name of such a word. */
function withoutWords(value: unknown, isProperties = false): unknown {
  if (Array.isArray(value)) return value.map(item => withoutWords(item));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => isProperties || !words.has(name));
  return Object.fromEntries(kept.map(([name, item]) => [name, withoutWords(item, name === 'properties' && !isProperties)]));
}
