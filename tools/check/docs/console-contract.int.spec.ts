import { execFileSync } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { PersonProofRequest } from '@paycode/dto';
import { answerJson, FakeServer } from '@paycode/service-runtime/testing';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import type { FastifyInstance } from 'fastify';
import { PortalVisitor } from '../../../apps/portal/src/testing/portal-visitor';
import { RunningPortal } from '../../../apps/portal/src/testing/running-portal';
import { RouteTable } from '../../../libs/service-runtime/src/http/guard-requests';
import type { Schema } from './page';

type Json = Record<string, unknown>;

interface Document extends Json {
  paths: Record<string, Record<string, { responses: Record<string, Json> }>>;
  components: { schemas: Record<string, Schema> };
}

const root = join(__dirname, '../../..');
const at = '2030-01-01T10:00:00.000Z';
const password = 'a long enough sentence';
const session = '00000000-0000-4000-8000-000000000007';

/** The documents by name, as the generator makes them; it loads modules that Jest cannot. */
function documents(): Record<string, Document> {
  const script = `
    const { openApiPages } = await import('./tools/check/docs/openapi-pages.ts');
    const { parse } = await import('yaml');
    const named = (await openApiPages()).map(({ path, text }) => [path.replace(/^.*\\/|\\.openapi\\.yaml$/g, ''), parse(text)]);
    process.stdout.write(JSON.stringify(Object.fromEntries(named)));`;
  const options = { cwd: root, maxBuffer: 64 * 1_024 * 1_024 };
  const text = execFileSync(process.execPath, ['--input-type=module', '--eval', script], options).toString();
  return JSON.parse(text) as Record<string, Document>;
}

/** A member that the contract does not name is a mistake too: pages could come to need it. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  return 'properties' in copy && copy['type'] === 'object' ? { ...copy, additionalProperties: false } : copy;
}

const url = 'https://shop.example/hook';

/** Values that the calls below name, and an instant that is not over. */
const named: Record<string, unknown> = {
  merchantId: 7,
  transactionId: 100,
  letterId: 5,
  pauseId: 3,
  sessionId: session,
  username: 'merchant-7',
  url,
  endpoint: 'https://shop.example',
  endsAt: '2099-01-01T00:00:00.000Z',
};

/** A value with every member of its schema; of an answer that may be a refusal, the other. */
function sampleOf(schema: Schema, schemas: Document['components']['schemas'], name: string): unknown {
  if (schema.$ref) return sampleOf(schemas[schema.$ref.split('/').at(-1)!]!, schemas, name);
  const form = schema.anyOf?.find(isGood);
  if (form) return sampleOf(form, schemas, name);
  return 'const' in schema ? schema.const : (schema.enum?.[0] ?? named[name] ?? sampleOfType(schema, schemas, name));
}

const isGood = ({ type, properties }: Schema) => type !== 'null' && properties?.['ok']?.const !== false;

function sampleOfType(
  { type, items, properties = {} }: Schema,
  schemas: Document['components']['schemas'],
  name: string,
): unknown {
  const members = Object.entries(properties).map(([key, member]) => [key, sampleOf(member, schemas, key)] as const);
  const values: Record<string, unknown> = {
    object: Object.fromEntries(members),
    array: items && [sampleOf(items, schemas, '')],
    string: name.endsWith('At') ? at : '{}',
    boolean: false,
  };
  const first = [type].flat()[0]!;
  return first in values ? values[first] : 1;
}

/** Every other service, with answers as the documents of their internal listeners have them. */
class Neighbours extends FakeServer {
  /** Of the invitations that it was asked to prove. */
  readonly secrets: string[] = [];
  private readonly documents: Document[];

  constructor({ portal: _, public: __, webhooks: ___, ...services }: Record<string, Document>) {
    super();
    this.documents = Object.values(services);
  }

  protected override handle(request: IncomingMessage, response: ServerResponse, body: string): void {
    const path = request.url!.split('?', 1)[0]!;
    if (path === '/internal/console/invitation') this.secrets.push((JSON.parse(body) as PersonProofRequest).secret);
    const answer = this.answerTo(request.method!.toLowerCase(), path);
    if (answer === undefined) response.writeHead(204, { 'content-type': 'application/json' }).end();
    else answerJson(response, answer);
  }

  private answerTo(method: string, path: string): unknown {
    for (const { paths, components } of this.documents) {
      const responses = operationAt(paths, method, path)?.[1].responses ?? {};
      const content = responses[Object.keys(responses).find(status => status.startsWith('2'))!]?.['content'] as
        Content | undefined;
      if (content) return sampleOf(content['application/json']!.schema, components.schemas, '');
    }
    return undefined;
  }
}

type Content = Record<string, { schema: Schema }>;

/** The rest takes a second person, a device, a provider, or an endless stream. */
const untried = [
  'GET /payments/{transactionId}/changes',
  'POST /credentials/bearer/confirm',
  'POST /credentials/bearer/request',
  'POST /four-eyes/{requestId}/refuse',
  'POST /four-eyes/{requestId}/withdraw',
  'POST /on-call/dead-letters/confirm',
  'POST /on-call/dead-letters/request',
  'POST /owner-recovery/{recoveryId}/refuse',
  'POST /passkeys',
  'POST /passkeys/proof',
  'POST /passkeys/remove',
  'POST /people/{personId}/allow-codes',
  'POST /session/code',
  'POST /session/passkey',
  'POST /session/proof',
  'POST /session/sso',
  'POST /session/sso/begin',
  'POST /totp/confirm',
  'POST /totp/remove',
];

const refs = { letters: [{ service: 'webhook-dispatcher', letterId: 5 }] };
type Call = [method: 'get' | 'post' | 'delete', path: string, body?: object];

const ofMerchant: Call[] = [
  ['get', 'session'],
  ['post', 'session/seen'],
  ['post', 'session/reading', { language: 'es', timeZone: 'Africa/Johannesburg' }],
  ['get', 'sessions'],
  ['get', 'people'],
  ['get', 'actions'],
  ['get', 'actions/file'],
  ['get', 'owner-recovery'],
  ['get', 'merchants'],
  ['get', 'merchants/7'],
  ['get', 'merchants/7/people'],
  ['get', `home/receivers?dayBeganAt=${at}`],
  ['get', 'alerts'],
  ['post', 'alerts', { rule: 'REVERSED', isOn: false }],
  ['get', 'passkeys'],
  ['post', 'passkeys/options', { current: password }],
  ['post', 'passkeys/proof/options'],
  ['post', 'totp'],
  ['get', `home?dayBeganAt=${at}&merchantId=7`],
  ['get', 'payments'],
  ['get', 'statements?period=2026-11&timeZone=UTC'],
  ['get', 'statements/file?period=2026&timeZone=UTC&decimalMark=COMMA'],
  ['get', 'statements/mails'],
  ['post', 'statements/mails', { every: 'DAY', timeZone: 'UTC' }],
  ['get', 'payments/totals'],
  ['get', 'payments/export'],
  ['get', 'payments/100'],
  ['post', 'payments/100/notification/show'],
  ['post', 'payments/100/notification/fetch'],
  ['get', 'merchants/7/notifications'],
  ['post', 'merchants/7/notifications/url', { url, current: password }],
  ['post', 'merchants/7/notifications/url/remove', { current: password }],
  ['post', 'merchants/7/notifications/check', {}],
  ['post', 'merchants/7/notifications/test'],
  ['post', 'merchants/7/notifications/key', { current: password }],
  ['post', 'merchants/7/notifications/recipients', { type: 'EMAIL', value: 'a@shop.example' }],
  ['post', 'merchants/7/notifications/recipients/remove', { type: 'EMAIL', value: 'a@shop.example', current: password }],
  ['get', 'credentials'],
  ['post', 'credentials/password', { current: password }],
  ['post', 'credentials/public-key', { current: password, publicKey: 'x' }],
  ['post', 'credentials/public-key/trial', { nonce: '0123456789abcdef', signature: 'x' }],
  ['post', 'credentials/challenge', { current: password, challengeRequired: true }],
  ['post', 'credentials/source-addresses', { current: password, sourceAddresses: [] }],
  ['get', 'credentials/sessions'],
  ['delete', `credentials/sessions/${session}`],
  ['get', 'credentials/bearer'],
  ['post', 'credentials/bearer', { current: password, typed: 'merchant-7' }],
  [
    'post',
    'till/codes',
    { amount: '1.00', currencyCode: 'ZAR', merchantReference: 'order-3', expiryDate: 0, useOnce: true, requestTip: false },
  ],
  ['get', 'till/codes/0123456789'],
  ['get', 'sandbox/scenarios'],
  ['post', 'sandbox/codes', { amount: '1.00', currencyCode: 'ZAR' }],
  ['post', 'sandbox/payments', { code: '0123456789', txState: 'SUCCESS' }],
  ['post', 'sandbox/follow-ups', { code: '0123456789', followUp: 'REFUND' }],
  ['post', 'sandbox/repeats', { transactionId: 100 }],
];
const ofOnCall: Call[] = [
  ['get', 'on-call/stuck'],
  ['get', 'on-call/transactions/100'],
  ['post', 'on-call/transactions/100/redeliver'],
  ['get', 'on-call/merchants?search=7'],
  ['get', 'on-call/merchants/7'],
  ['post', 'on-call/merchants/7/pause', { minutes: 5, reason: 'it is down' }],
  ['post', 'on-call/pauses/3/end'],
  ['get', 'on-call/dead-letters'],
  ['get', 'on-call/dead-letters/redrive'],
  ['post', 'on-call/dead-letters/preview', refs],
  ['post', 'on-call/dead-letters/redrive', refs],
];
const refused: Call[] = [
  ['get', 'on-call/stuck'],
  ['get', 'payments/999'],
  ['post', 'invitations', {}],
];

describe('the OpenAPI document of the calls that pages of the portal make', () => {
  const { console: document, ...services } = documents() as Record<string, Document> & { console: Document };
  const neighbours = new Neighbours(services);
  const answered = new Set<string>();
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  let portal: RunningPortal;
  let owner: PortalVisitor;

  beforeAll(async () => {
    ajv.addSchema(closed(document) as Document, 'console');
    const away = (await neighbours.listen()).url;
    const names =
      'AUTH_SESSION NOTIFICATION_CONFIG WEBHOOK_DISPATCHER REVERSAL_SCHEDULER RECIPIENT_MESSAGES PAYMENT_SIMULATOR'.split(' ');
    portal = await RunningPortal.start(Object.fromEntries(names.map(name => [`${name}_URL`, away])));
    await portal.database.dataSource.query(`
      insert into payment (transaction_id, merchant_id, kind, status, reference_transaction_id, completed_at, amount, currency_code, reference, code,
                           acknowledged_at, ack_source, ack_elapsed_ms, reversal_requested_at, reversal_reason)
      values (100, 7, 'PURCHASE', 'SUCCESS', 0, now(), 25.50, 'ZAR', 'order-1', '0123456789', now(), 'WEBHOOK', 5, null, null),
             (101, 7, 'PURCHASE', 'SUCCESS', 0, now(), 1, 'ZAR', 'order-2', null, null, null, null, now(), 'TIMEOUT')`);
    owner = await signedIn({ tenantType: 'MERCHANT', tenantId: '7', role: 'OWNER' });
  });
  afterAll(() => Promise.all([portal.stop(), neighbours.stop()]));

  const signedIn = async (of: { tenantType: string; tenantId: string; role: string }) => {
    const email = `${of.role.toLowerCase()}@shop.example`;
    const created = await fetch(`${portal.internalUrl}/internal/people`, {
      method: 'POST',
      headers: { ...portal.operatorHeaders(), 'content-type': 'application/json' },
      body: JSON.stringify({ ...of, email, name: 'Ayanda', password }),
    });
    expect(created.status).toBe(201);
    const visitor = new PortalVisitor(portal);
    await answer(visitor, 'post', 'session', { email, password });
    return visitor;
  };

  /** Makes a call and compares the answer with the document. */
  const answer = async (visitor: PortalVisitor, ...call: Call) => {
    const [method, path, body] = call;
    const heard = await visitor[method](path, body);
    const found = operationAt(document.paths, method, `/console/api/${path}`.split('?', 1)[0]!);
    if (!found) throw new Error(`the document has no ${method} ${path}`);
    const [route, operation] = found;
    const documented = operation.responses[heard.status] ?? operation.responses[heard.status < 500 ? '4XX' : '5XX']!;
    const problems = problemsOf(documented, heard.body);
    expect({ call: `${method} ${path}`, status: heard.status, problems }).toMatchObject({ problems: [] });
    if (heard.status < 300) answered.add(`${method.toUpperCase()} ${route.slice('/console/api'.length)}`);
    return heard;
  };

  const problemsOf = (response: Json, body: unknown): string[] => {
    const named =
      response['$ref'] === undefined
        ? response
        : { content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorBody' } } } };
    const content = named['content'] as Record<string, { schema: Json }> | undefined;
    if (!content) return Object.keys(body as Json).length === 0 ? [] : ['a body that the document does not have'];
    const schema = content['application/json']?.schema;
    if (!schema) return [];
    const validate: ValidateFunction = ajv.compile(referringTo('console', closed(schema) as Json));
    return validate(body)
      ? []
      : (validate.errors ?? []).map(
          ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
        );
  };

  it('has every route of the portal below /console/api, and no other', () => {
    const fastify = portal.service.app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
    const served = RouteTable.of(fastify)
      .routes.filter(({ method, url: path }) => path.startsWith('/console/api/') && method !== 'HEAD')
      .map(({ method, url: path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
    );
    expect(served.length).toBeGreaterThan(60);
    expect(documented.sort()).toEqual(served.sort());
  });

  it.each(ofMerchant)('answers %s %s as it says', async (...[method, path, body]) => {
    expect((await answer(owner, method, path, body)).status).toBeLessThan(300);
  });

  it('answers people on call as it says', async () => {
    const visitor = await signedIn({ tenantType: 'OPERATOR', tenantId: '', role: 'ON_CALL' });
    for (const [method, path, body] of ofOnCall)
      expect([path, (await answer(visitor, method, path, body)).status < 300]).toEqual([path, true]);
  });

  /** The secret of an alert that somebody was mailed. */
  const alertTo = async (email: string) => {
    const secret = 'x'.repeat(43);
    const sql = `insert into alert_mail (alert_id, person_id, kind, about, token_hash, created_at)
                 select gen_random_uuid(), person_id, 'REVERSED', '{}', sha256($2::text::bytea), now() from person where email = $1`;
    await portal.database.dataSource.query(sql, [email, secret]);
    return secret;
  };

  it('answers a newcomer as it says, from the invitation to the end of the session', async () => {
    const invited = await answer(owner, 'post', 'invitations', { email: 'new@shop.example', name: 'Sipho', role: 'VIEWER' });
    const newcomer = `people/${String(invited.body['personId'])}`;
    await answer(owner, 'post', `${newcomer}/invite`);
    const secret = neighbours.secrets.at(-1);
    const visitor = new PortalVisitor(portal);
    await answer(visitor, 'get', 'session');
    await answer(visitor, 'post', 'session/passkey/options');
    await answer(visitor, 'post', 'invitations/accept', { secret, password });
    await answer(visitor, 'post', 'session', { email: 'new@shop.example', password });
    await answer(visitor, 'post', 'password', { current: password, next: `another ${password}` });
    const other = new PortalVisitor(portal);
    await answer(other, 'post', 'session', { email: 'new@shop.example', password: `another ${password}` });
    const sessions = (await answer(other, 'get', 'sessions')).body as unknown as { sessionId: string; isThisOne: boolean }[];
    await answer(other, 'delete', `sessions/${sessions.find(({ isThisOne }) => !isThisOne)!.sessionId}`);
    await answer(other, 'delete', 'session');
    await answer(other, 'post', `alerts/stop/${await alertTo('new@shop.example')}`);
    await answer(other, 'post', 'password/forgotten', { email: 'nobody@shop.example' });
    await answer(owner, 'post', `${newcomer}/role`, { role: 'DEVELOPER', current: password });
    await answer(owner, 'post', `${newcomer}/remove`, { current: password });
  });

  it('answers as it says when a view is kept, seen, changed and deleted', async () => {
    const { viewId } = (await answer(owner, 'post', 'payment-views', { name: 'Late', filter: { range: 'hour' } })).body;
    await answer(owner, 'get', 'payment-views');
    await answer(owner, 'post', `payment-views/${String(viewId)}`, { name: 'Later' });
    await answer(owner, 'delete', `payment-views/${String(viewId)}`);
  });

  it.each(refused)('refuses %s %s as it says', async (...[method, path, body]) => {
    expect((await answer(owner, method, path, body)).status).toBeGreaterThanOrEqual(400);
  });

  it('was compared with an answer of every call but these', () => {
    const all = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method.toUpperCase()} ${path.slice('/console/api'.length)}`),
    );
    expect(all.filter(call => !answered.has(call)).sort()).toEqual(untried);
  });
});

/** The operation of a path; a path without variables comes first. */
function operationAt(paths: Document['paths'], method: string, path: string) {
  const [found] = Object.entries(paths)
    .filter(([route, methods]) => method in methods && new RegExp(`^${route.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path))
    .sort(([a], [b]) => a.split('{').length - b.split('{').length);
  return found && ([found[0], found[1][method]!] as const);
}

function referringTo(id: string, node: Json): Json {
  return JSON.parse(JSON.stringify(node).replaceAll('"#/', `"${id}#/`)) as Json;
}
