import { request } from 'node:http';

const answerTimeoutMs = 15_000;

export interface OperatorAnswer {
  status: number;
  /** Parsed JSON; undefined for an empty or unreadable body. */
  body: unknown;
}

export interface OperatorCall {
  method: 'GET' | 'POST' | 'PUT';
  /** Whole URL on an internal listener. */
  url: string;
  body?: unknown;
}

/** Calls the internal listeners with the operator token. Rejects when there is no answer. */
export class OperatorClient {
  constructor(private readonly token: string) {}

  send({ method, url, body }: OperatorCall): Promise<OperatorAnswer> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    return new Promise((resolve, reject) => {
      const call = request(url, { method, headers, agent: false, timeout: answerTimeoutMs }, response => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body: parse(text) }));
      });
      call.once('timeout', () => call.destroy(new Error(`no answer from ${url} within ${answerTimeoutMs} ms`)));
      call.once('error', reject);
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
