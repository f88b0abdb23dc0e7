import { randomInt } from 'node:crypto';
import { eventually } from '@paycode/service-runtime/testing';
import { accepted, type Credentials, PlatformConnection } from '@paycode/platform-client';

/** Beyond 32 bits: what a client reads into a 32-bit integer is another number. */
const idMin = 2 ** 33;
const portalWithinMs = 240_000;

/** A PSP and its merchant on a running platform, made for one test. */
export class MerchantEnvironment {
  readonly platform: PlatformConnection;
  readonly merchantId = randomInt(idMin, 2 ** 40);
  private readonly pspId = randomInt(idMin, 2 ** 40);
  private psp: Credentials | undefined;

  constructor(home: string) {
    this.platform = new PlatformConnection(home);
  }

  async prepare(): Promise<Credentials> {
    const merchant = { merchantName: 'Contracts', pspId: this.pspId, acquirer: 'Demo Bank', status: 'ACTIVE' };
    const put = { method: 'PUT', path: `/internal/merchants/${this.merchantId}`, body: merchant };
    accepted('the merchant', await this.platform.operator('notification-config', put));
    const post = { method: 'POST', path: '/internal/accounts', body: { type: 'PSP', id: this.pspId } };
    const made = accepted('the account', await this.platform.operator('auth-session', post));
    const { username, apiPassword: password } = made as { username: string; apiPassword: string };
    return (this.psp = { username, password });
  }

  /** The exact text of what the gateway answers. */
  async read(path: string): Promise<string> {
    const answer = await this.platform.gateway({ method: 'GET', path, as: this.psp! });
    accepted(path, answer);
    return answer.text;
  }

  /** The first call starts a portal that sleeps; until it answers the gateway may lose its patience, and say 503. */
  async wakePortal(): Promise<void> {
    const path = `/pluto/purchase/notifications?merchantId=${this.merchantId}&reference=none`;
    const answer = await eventually(async () => {
      const given = await this.platform.gateway({ method: 'GET', path, as: this.psp! });
      if (given.status === 503) throw new Error(`${path} answers ${given.status}`);
      return given;
    }, portalWithinMs);
    accepted(path, answer);
  }

  /** A code that can be paid any number of times. */
  async createCode(merchantReference: string): Promise<string> {
    const order = { merchantReference, amount: 1.5, currencyCode: 'ZAR', expiryDate: 0, useOnce: false };
    const body = { merchantId: this.merchantId, ...order };
    const answer = await this.platform.gateway({ method: 'POST', path: '/pluto/code/create', body, as: this.psp! });
    return (accepted('createCode', answer) as { code: string }).code;
  }

  async pay(code: string): Promise<number> {
    const body = { outcome: 'SUCCESS', clientMsisdn: '+27820000001' };
    const answer = await this.platform.gateway({ method: 'POST', path: `/public/pay/${code}`, body });
    return (accepted('paying', answer) as { transactionId: number }).transactionId;
  }
}
