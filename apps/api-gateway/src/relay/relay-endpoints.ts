import type { Readable } from 'node:stream';
import { DomainError, invalidField } from '@paycode/service-runtime';
import type { HookAnswer, HookRequest } from './relays';
import type { RelayName, Relays } from './relays';

/** A request to one of the relay's paths. `account`: subject of the caller; undefined on open paths. */
export interface RelayRequest extends HookRequest {
  method: string;
  path: string;
  account: string | undefined;
}

export interface RelayAnswer {
  status: number;
  headers: Record<string, string>;
  body: string | Readable;
}

const hooks = '/public/relay/';
const listeners = /^\/pluto\/relay\/([a-z0-9-]{1,32})(\/answers|\/rehearsal)?$/;
const scenarios = ['duplicate', 'out-of-order', 'hanging'];
const statuses: Record<Exclude<HookAnswer, number>, number> = { FULL: 503, AWAY: 503, LATE: 504 };

/**
 * The relay's paths: `/public/relay/<id>` takes notifications for a listener behind a firewall, `/pluto/relay/<name>` is where this listener
 * reads them and answers. In a sandbox only.
 */
export class RelayEndpoints {
  constructor(private readonly relays: Relays) {}

  /** Whether the path takes notifications, which are no JSON. */
  isHook(path: string): boolean {
    return path.startsWith(hooks);
  }

  /** Undefined for the paths of others. @throws DomainError */
  async answerTo(request: RelayRequest): Promise<RelayAnswer | undefined> {
    if (this.isHook(request.path)) return this.hook(request);
    const [, name, part] = listeners.exec(request.path) ?? [];
    if (name === undefined || request.account === undefined) return undefined;
    const owner = { account: request.account, name };
    return part === undefined ? this.listener(request, owner) : this.message(request, owner, part);
  }

  close(): void {
    this.relays.close();
  }

  private async hook(request: RelayRequest): Promise<RelayAnswer> {
    if (request.method !== 'POST') throw notAllowed('POST');
    const { path, headers, body, signal } = request;
    const answer = await this.relays.hold(path.slice(hooks.length), { headers: withoutCookies(headers), body, signal });
    if (answer === undefined) throw new DomainError({ status: 404, reason: 'NO_RELAY', message: 'Not Found' });
    return empty(typeof answer === 'number' ? answer : statuses[answer]);
  }

  /** The listener answers, or somebody of its account asks it to rehearse. */
  private message({ method, body }: RelayRequest, owner: RelayName, part: string): RelayAnswer {
    if (method !== 'POST') throw notAllowed('POST');
    if (part === '/answers') return empty(this.relays.answer(owner, answerIn(body)) ? 204 : 410);
    if (!this.relays.rehearse(owner, scenarioIn(body)))
      throw new DomainError({ status: 404, reason: 'NO_LISTENER', message: 'nobody listens to this relay now' });
    return empty(204);
  }

  private listener({ method }: RelayRequest, owner: RelayName): RelayAnswer {
    if (method === 'DELETE') {
      this.relays.remove(owner);
      return empty(204);
    }
    if (method !== 'GET') throw notAllowed('GET, DELETE');
    const lines = this.relays.listen(owner, hooks + this.relays.idOf(owner));
    const later = { 'retry-after': '20' };
    if (!lines) throw new DomainError({ status: 429, reason: 'RELAYS_IN_USE', message: 'Too Many Requests', headers: later });
    return { status: 200, headers: { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' }, body: lines };
  }
}

/** Cookies are the portal's, which has the same origin: a page of a neighbour must not reach a developer's machine (T-52). */
function withoutCookies(headers: readonly string[]): string[] {
  return headers.filter((_, at) => headers[at - (at % 2)]!.toLowerCase() !== 'cookie');
}

/** @throws DomainError 400 */
function answerIn(body: Buffer): { id: string; status: number } {
  const { id, status } = membersIn(body);
  if (typeof id !== 'string') throw invalidField('id', 'must be the id of a notification');
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599)
    throw invalidField('status', 'must be an integer from 200 to 599');
  return { id, status };
}

/** @throws DomainError 400 */
function scenarioIn(body: Buffer): string {
  const scenario = scenarios.find(each => each === membersIn(body)['scenario']);
  if (scenario === undefined) throw invalidField('scenario', `must be one of: ${scenarios.join(', ')}`);
  return scenario;
}

/** @throws DomainError 400 */
function membersIn(body: Buffer): Record<string, unknown> {
  try {
    return { ...(JSON.parse(body.toString('utf8')) as object | null) };
  } catch {
    throw invalidField('body', 'must be JSON');
  }
}

function empty(status: number): RelayAnswer {
  return { status, headers: { 'cache-control': 'no-store' }, body: '' };
}

function notAllowed(allow: string): DomainError {
  return new DomainError({ status: 405, reason: 'METHOD', message: 'Method Not Allowed', headers: { allow } });
}
