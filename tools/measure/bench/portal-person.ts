import { randomBytes } from 'node:crypto';
import type { TestTokenKeys } from '@paycode/access/testing';

/** Somebody in front of the portal, asking as a browser does. */
export class PortalPerson {
  private constructor(
    private readonly publicUrl: string,
    private readonly cookie: string,
  ) {}

  /** Makes the person, and signs in. `origin`: PUBLIC_BASE_URL of the portal. */
  static async signIn(
    at: { internalUrl: string; publicUrl: string; origin: string; tokenKeys: TestTokenKeys },
    tenant: { tenantType: string; tenantId: string; role: string },
  ): Promise<PortalPerson> {
    const password = randomBytes(12).toString('hex');
    const email = `${tenant.tenantType.toLowerCase()}-${tenant.tenantId || 'all'}@bench.example`;
    const json = { 'content-type': 'application/json' };
    const send = async (url: string, headers: Record<string, string>, body: unknown) => {
      const answer = await fetch(url, { method: 'POST', headers: { ...json, ...headers }, body: JSON.stringify(body) });
      if (!answer.ok) throw new Error(`POST ${url} answered ${answer.status}: ${await answer.text()}`);
      return answer;
    };
    const person = { email, password, name: 'Bench Person', ...tenant };
    await send(`${at.internalUrl}/internal/people`, at.tokenKeys.headers('operator', 'portal'), person);
    const own = { origin: at.origin, 'sec-fetch-site': 'same-origin' };
    const answer = await send(`${at.publicUrl}/console/api/session`, own, { email, password });
    return new PortalPerson(at.publicUrl, answer.headers.getSetCookie()[0]!.split(';', 1)[0]!);
  }

  /** Milliseconds until the whole answer was here. */
  async ask(path: string): Promise<number> {
    const startedMs = performance.now();
    const answer = await fetch(`${this.publicUrl}/console/api/${path}`, {
      headers: { cookie: this.cookie, 'sec-fetch-site': 'same-origin' },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}: ${text}`);
    return performance.now() - startedMs;
  }
}
