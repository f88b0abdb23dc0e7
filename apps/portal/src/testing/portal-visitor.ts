import type { RunningPortal } from './running-portal';

export const ownOrigin = 'https://pay.example';

export interface Heard {
  status: number;
  body: Record<string, never> & { message?: string; code?: string };
}

/** A browser of a person, without the gateway in between. */
export class PortalVisitor {
  cookie = '';

  constructor(
    private readonly portal: RunningPortal,
    private readonly address = '203.0.113.7',
  ) {}

  get = (path: string) => this.send('GET', path);
  post = (path: string, body: unknown = {}) => this.send('POST', path, body);

  private async send(method: string, path: string, body?: unknown): Promise<Heard> {
    const response = await fetch(`${this.portal.publicUrl}/console/api/${path}`, {
      method,
      headers: {
        'x-forwarded-for': this.address,
        'sec-fetch-site': 'same-origin',
        cookie: this.cookie,
        ...(method === 'GET' ? {} : { origin: ownOrigin, 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const set = response.headers.get('set-cookie');
    if (set) this.cookie = set.split(';', 1)[0]!;
    const text = await response.text();
    return { status: response.status, body: (text ? JSON.parse(text) : {}) as Heard['body'] };
  }
}
