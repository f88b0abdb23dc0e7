import { errorCodeOf } from '../../../../libs/dto/src/access/error-catalogue.ts';
import type { Route } from './routes.ts';

type Schema = Record<string, unknown>;

/** Handwritten notes about an operation (notes/*.yaml): descriptions and examples, and schemas that the types do not give. */
export interface Notes {
  /** The name that generated clients give the call; the controller's otherwise. */
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  /** Open to anybody (`/public/**`, section 4.1). */
  isOpen?: boolean;
  /** Not of the service's specification: another payment core may lack it. */
  isExtension?: boolean;
  /** It will be removed, as docs/api-changelog.md says. */
  isDeprecated?: boolean;
  parameters?: Record<string, Schema>;
  request?: { isOptional?: boolean; schema?: Schema; example?: unknown; examples?: Record<string, unknown> };
  answer?: {
    description?: string;
    schema?: Schema;
    example?: unknown;
    mediaType?: string | string[];
    headers?: Record<string, Schema>;
  };
  /** By status: description of a page that is sent instead of an error body. */
  errorPages?: Record<string, string>;
  /** By status: messages in addition to those of every operation. */
  errors?: Record<string, string[]>;
}

/** The first of the problems, all of which are in `errors`. */
const invalid = 'field must be …';

const unauthorized = [
  'Bad Credentials',
  'Invalid or expired JWT token',
  'Invalid JWT token',
  'JWT Authentication disabled for this account',
];

/** One OpenAPI operation from a route of the code and the notes about it. */
export function operationOf(route: Route, notes: Notes): Schema {
  const isInternal = route.path.startsWith('/internal/');
  return {
    operationId: notes.operationId ?? route.operationId,
    ...(notes.tags && { tags: notes.tags }),
    summary: notes.summary ?? (route.summary || route.operationId),
    ...describe(route, notes),
    ...(notes.isOpen || (isInternal && route.callers.length === 0) ? { security: [] } : {}),
    ...marks(notes),
    ...parameters(route, notes),
    ...requestBody(route, notes),
    responses: { [route.status]: answer(route, notes), ...errors(route, notes), ...errorPages(notes) },
  };
}

function marks({ isExtension, isDeprecated }: Notes): Schema {
  return { ...(isExtension && { 'x-paycode-extension': true }), ...(isDeprecated && { deprecated: true }) };
}

function describe(route: Route, notes: Notes): Schema {
  const callers = route.callers.length > 0 ? `Callers: ${route.callers.join(', ')}.` : '';
  const text = [notes.description, callers].filter(Boolean).join('\n\n');
  return text === '' ? {} : { description: text };
}

function parameters(route: Route, notes: Notes): Schema {
  const ofPath = route.pathParameters.map(name => ({
    name,
    in: 'path',
    required: true,
    schema: notes.parameters?.[name] ?? (/Id$/.test(name) ? { type: 'integer', minimum: 1 } : { type: 'string' }),
  }));
  const query = route.query as Query | undefined;
  const ofQuery = Object.entries(query?.properties ?? {}).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    ...(description ? { description } : {}),
    required: query?.required?.includes(name) ?? false,
    schema,
  }));
  const all = [...ofPath, ...ofQuery];
  return all.length > 0 ? { parameters: all } : {};
}

interface Query {
  properties?: Record<string, Schema>;
  required?: string[];
}

function requestBody(route: Route, { request = {} }: Notes): Schema {
  const schema = request.schema ?? route.body;
  if (!route.hasBody || !schema) return {};
  const { examples } = request;
  const shown = examples
    ? { examples: Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }])) }
    : {};
  const content = { schema, ...exampleOf(request), ...shown };
  return { requestBody: { required: !request.isOptional, content: { 'application/json': content } } };
}

/** Of answers to accounts, and of every 429; described in notes/public.yaml. */
const rateLimit = Object.fromEntries(
  ['RateLimit', 'RateLimit-Policy'].map(name => [name, { $ref: `#/components/headers/${name}` }]),
);
const isPublic = (path: string): boolean => !/^\/(internal|console)\//.test(path);

function answer(route: Route, { answer: said = {}, isOpen }: Notes): Schema {
  const description = said.description ?? (route.status === 204 ? 'Done.' : 'The answer.');
  const headers = { ...said.headers, ...(isPublic(route.path) && !isOpen && rateLimit) };
  const shown = Object.keys(headers).length > 0 ? { headers } : {};
  return { description, ...shown, ...contentOf(said, said.schema ?? route.response) };
}

function contentOf(said: NonNullable<Notes['answer']>, schema: Schema | null | undefined): Schema {
  const types = [said.mediaType ?? 'application/json'].flat();
  return schema ? { content: Object.fromEntries(types.map(type => [type, { schema, ...exampleOf(said) }])) } : {};
}

function exampleOf({ example }: { example?: unknown }): Schema {
  return example === undefined ? {} : { example };
}

/** Errors of every operation of this kind, and errors in the notes. */
function errors(route: Route, notes: Notes): Schema {
  // The portal's pages treat every refusal alike, and show its words.
  if (route.path.startsWith('/console/'))
    return { '4XX': { $ref: '#/components/responses/Refusal' }, '5XX': { $ref: '#/components/responses/Refusal' } };
  const isInternal = route.path.startsWith('/internal/');
  const usual: Record<string, string[]> = isInternal ? internalErrors(route) : publicErrors(route, notes);
  const statuses = [...new Set([...Object.keys(usual), ...Object.keys(notes.errors ?? {})])].sort();
  return Object.fromEntries(
    statuses.map(status => {
      const messages = [...new Set([...(notes.errors?.[status] ?? []), ...(usual[status] ?? [])])];
      return [status, errorResponse(Number(status), messages, route.path)];
    }),
  );
}

function errorPages({ errorPages: pages = {} }: Notes): Schema {
  return Object.fromEntries(
    Object.entries(pages).map(([status, description]) => [
      status,
      { description, content: { 'text/html': { schema: { type: 'string' } } } },
    ]),
  );
}

const bodyErrors = { 413: ['body is larger than allowed'], 415: ['Content-Type must be application/json'] };

function publicErrors(route: Route, notes: Notes): Record<string, string[]> {
  return {
    // Every request is read before it is routed: its path, its header fields.
    400: [invalid],
    ...(route.hasBody && bodyErrors),
    ...(!notes.isOpen && { 401: unauthorized, 403: ['Forbidden'] }),
    429: ['Too Many Requests'],
    503: ['Service Unavailable'],
  };
}

function internalErrors(route: Route): Record<string, string[]> {
  const namesOne = route.pathParameters.length > 0;
  return {
    400: [invalid],
    ...(route.hasBody && bodyErrors),
    ...(namesOne && { 404: ['Not Found'] }),
    ...(route.callers.length > 0 && { 401: ['a valid service token is required'], 403: ['this caller may not use this route'] }),
    503: ['Service Unavailable'],
  };
}

const reasons: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  406: 'Not Acceptable',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

function errorResponse(status: number, messages: string[], path: string): Schema {
  const body = (message: string): Schema => ({
    timestamp: '2025-06-01T10:00:00.000Z',
    status,
    error: reasons[status] ?? 'Error',
    message,
    code: errorCodeOf(status, message),
    path,
    requestId: 'b2c7c1f0-6f0e-4d8e-9c59-0f6a2f0b8a11',
    ...(message === invalid && { errors: [{ field: 'field', message: invalid }] }),
  });
  const retry = {
    'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
    ...(isPublic(path) && rateLimit),
  };
  const challenge = { 'WWW-Authenticate': { schema: { type: 'string' }, example: 'Basic realm="paycode", Bearer' } };
  return {
    description: messages.join(' / '),
    ...(status === 429 && { headers: retry }),
    ...(status === 401 && isPublic(path) && { headers: challenge }),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorBody' },
        examples: Object.fromEntries(messages.map(message => [nameOf(message), { value: body(message) }])),
      },
    },
  };
}

function nameOf(message: string): string {
  return message
    .replace(/[^A-Za-z0-9]+(\w?)/g, (_, letter: string) => letter.toUpperCase())
    .replace(/^\w/, letter => letter.toLowerCase());
}

type Errors = Record<string, { content?: Record<string, { examples?: Schema }> }>;
interface Shared {
  responses: Schema;
  examples: Schema;
}

/** Moves each example of an error, and the usual answer of each status, into components: a document says them once, with the path of one operation. */
export function sharedErrors(operations: readonly { responses: Errors }[]): Partial<Shared> {
  const shared: Shared = { responses: {}, examples: {} };
  const answers = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, { content }]) => {
      const media = content?.['application/json'];
      if (Number(status) < 400 || !media?.examples) return [];
      for (const [name, example] of Object.entries(media.examples)) {
        shared.examples[name] ??= example;
        media.examples[name] = { $ref: `#/components/examples/${name}` };
      }
      return [{ responses, status, text: JSON.stringify(responses[status]) }];
    }),
  );
  for (const [status, all] of Map.groupBy(answers, answer => answer.status)) {
    const [usual] = [...Map.groupBy(all, ({ text }) => text).values()].sort((a, b) => b.length - a.length);
    if (usual!.length < 2) continue;
    const name = reasons[Number(status)]!.replaceAll(' ', '');
    shared.responses[name] = usual![0]!.responses[status];
    for (const { responses } of usual!) responses[status] = { $ref: `#/components/responses/${name}` } as Errors[string];
  }
  return answers.length > 0 ? shared : {};
}
