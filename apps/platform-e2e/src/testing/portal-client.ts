import { randomBytes, randomUUID } from 'node:crypto';
import { accepted, type PlatformConnection } from '@paycode/platform-client';
import { type ExactAnswer, ExactGatewayClient } from './exact-gateway-client';

export interface PortalPerson {
  email: string;
  name: string;
  password: string;
  tenantType: string;
  tenantId: string;
  role: string;
}

/** A person of the portal who can sign in at once. */
export async function makePerson(platform: PlatformConnection, of: Partial<PortalPerson>): Promise<PortalPerson> {
  const person = {
    email: `${randomUUID()}@journey.example`,
    name: 'Journey Person',
    password: randomBytes(12).toString('hex'),
    tenantType: 'MERCHANT',
    tenantId: '1001',
    role: 'OWNER',
    ...of,
  };
  accepted('the person', await platform.operator('portal', { method: 'POST', path: '/internal/people', body: person }));
  return person;
}

export interface PortalCall {
  method?: string;
  /** Below /console/api/. */
  path: string;
  body?: unknown;
  /** In place of what a page of ours sends; undefined leaves the field out. */
  origin?: string | undefined;
  site?: string | undefined;
  cookie?: string;
}

/** The portal as a browser speaks to it, or as an attacker's program does. */
export class PortalClient {
  cookie = '';
  private readonly client: ExactGatewayClient;

  constructor(private readonly platform: PlatformConnection) {
    this.client = new ExactGatewayClient(platform);
  }

  static async signedIn(platform: PlatformConnection, { email, password }: PortalPerson): Promise<PortalClient> {
    const client = new PortalClient(platform);
    const answer = await client.send({ method: 'POST', path: 'session', body: { email, password } });
    if (answer.status !== 200) throw new Error(`signing in answered ${answer.status}: ${answer.text}`);
    return client;
  }

  async send(call: PortalCall): Promise<ExactAnswer> {
    const { method = 'GET', path, body } = call;
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await this.client.send({ method, path: `/console/api/${path}`, headers: this.headersOf(call), ...text });
    const [set] = answer.headers['set-cookie'] ?? [];
    if (set) this.cookie = set.split(';', 1)[0]!;
    return answer;
  }

  /** A browser names the origin of what it sends only where that may change something. */
  private headersOf(call: PortalCall): string[] {
    const isReading = call.method === undefined || call.method === 'GET';
    const own = { origin: isReading ? undefined : this.platform.standalone.baseUrl, site: 'same-origin', cookie: this.cookie };
    const { origin, site, cookie, body } = { ...own, ...call };
    const fields: [string, string | undefined][] = [
      ['Origin', origin],
      ['Sec-Fetch-Site', site],
      ['Cookie', cookie || undefined],
      ['Content-Type', body === undefined ? undefined : 'application/json'],
    ];
    return fields.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  }
}
