import { Agent, errors, request } from 'undici';
import type { CallerTls } from '../../../../libs/platform-client/src/http/mutual-tls.ts';

export interface CoreClientOptions {
  /** Base URL of the core's internal listener. */
  url: string;
  /** An operator token. */
  token: string;
  /** Certificate of `operator`, for https. */
  tls?: CallerTls;
  /** Name that the core's certificate must have. */
  servername?: string;
}

export interface Answer {
  status: number;
  text: string;
}

/** The core gave no HTTP answer. */
export class Unreachable extends Error {}

const callMs = 30_000;
const answerCharsMax = 1_048_576;

/** Calls the internal listener of the core under test. */
export class CoreClient {
  private readonly options: CoreClientOptions;
  private readonly agent: Agent;

  constructor(options: CoreClientOptions) {
    this.options = options;
    this.agent = new Agent({ maxResponseSize: answerCharsMax, connect: { ...options.tls, servername: options.servername } });
  }

  /** POST /internal/transactions with exactly this text as body. `token: null`: without one. */
  complete(body: string, token?: string | null): Promise<Answer> {
    return this.call({ method: 'POST', path: '/internal/transactions', body, token });
  }

  /** GET /internal/transactions/{id}. */
  state(transactionId: number | string, token?: string | null): Promise<Answer> {
    return this.call({ method: 'GET', path: `/internal/transactions/${transactionId}`, token });
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async call(call: { method: 'GET' | 'POST'; path: string; body?: string; token?: string | null }): Promise<Answer> {
    const { method, path, body, token = this.options.token } = call;
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    const headers = { ...authorization, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    try {
      const url = this.options.url.replace(/\/$/, '') + path;
      const answer = await request(url, { method, body, headers, dispatcher: this.agent, signal: AbortSignal.timeout(callMs) });
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch (cause) {
      const { code = (cause as Error).name } = cause as errors.UndiciError & NodeJS.ErrnoException;
      throw new Unreachable(`${method} ${path}: no answer (${code})`, { cause });
    }
  }
}
