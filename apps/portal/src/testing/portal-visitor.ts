import type { RunningPortal } from './running-portal';

export const ownOrigin = 'https://pay.example';

export interface Heard {
  status: number;
  body: Record<string, never> & { message?: string; code?: string };
}

/** A browser of a person, without the gateway in between. */
export class PortalVisitor {
  private readonly cookies = new Map<string, string>();

  constructor(
    private readonly portal: RunningPortal,
    private readonly address = '203.0.113.7',
    private readonly userAgent = 'test',
  ) {}

  get = (path: string) => this.send('GET', path);
  post = (path: string, body: unknown = {}) => this.send('POST', path, body);
  delete = (path: string) => this.send('DELETE', path);

  get cookie(): string {
    return [...this.cookies].map(pair => pair.join('=')).join('; ');
  }

  /** One cookie, as `name=value; attributes`. */
  set cookie(text: string) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(text)!;
    if (/Max-Age=0\b/.test(text)) this.cookies.delete(name!);
    else this.cookies.set(name!, value!);
  }

  private async send(method: string, path: string, body?: unknown): Promise<Heard> {
    const response = await fetch(`${this.portal.publicUrl}/console/api/${path}`, {
      method,
      headers: {
        'x-forwarded-for': this.address,
        'user-agent': this.userAgent,
        'sec-fetch-site': 'same-origin',
        cookie: this.cookie,
        ...(method === 'GET' ? {} : { origin: ownOrigin }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    for (const set of response.headers.getSetCookie()) this.cookie = set;
    const text = await response.text();
    // Nothing, or a file, has no JSON.
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, body: (isJson ? JSON.parse(text) : {}) as Heard['body'] };
  }
}
