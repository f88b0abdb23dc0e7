import { readFileSync } from 'node:fs';
import { request } from 'node:https';

export interface ApiAnswer {
  status: number;
  body: unknown;
}
export interface ApiCall {
  method?: string;
  body?: object;
  /** Of the body: a JSON merge patch is one of its own. */
  type?: string;
}

/** Calls the API server as an administrator. */
export class ApiClient {
  constructor(private readonly server: { port: number; token: string; caFile: string }) {}

  call(path: string, { method = 'GET', body, type = 'application/json' }: ApiCall = {}): Promise<ApiAnswer> {
    const { port, token, caFile } = this.server;
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': type };
    const options = { host: '127.0.0.1', port, path, method, headers, ca: readFileSync(caFile), agent: false, timeout: 60_000 };
    return new Promise((resolve, reject) => {
      const sent = request(options, response => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject);
        response.once('end', () => resolve({ status: response.statusCode!, body: parsed(Buffer.concat(chunks).toString()) }));
      });
      sent.once('error', reject).once('timeout', () => sent.destroy(new Error(`${method} ${path}: no answer`)));
      sent.end(body && JSON.stringify(body));
    });
  }

  /** @throws Error with what the server said */
  async get<T>(path: string): Promise<T> {
    const { status, body } = await this.call(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
    return body as T;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // "ok" of a probe
  }
}
