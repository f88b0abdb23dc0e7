import { randomInt } from 'node:crypto';
import { accepted, type Credentials, Merchant, newAccount, PlatformConnection, saveMerchant } from '@paycode/platform-client';

/** Beyond 32 bits: what a client reads into a 32-bit integer is another number. */
const idMin = 2 ** 33;

/** A PSP and its merchant on a running platform, made for one test. */
export class MerchantEnvironment {
  readonly platform: PlatformConnection;
  // Close to 2^53, where the ids end, and beyond the 24 bits of a float.
  readonly merchantId = Number.MAX_SAFE_INTEGER - randomInt(2 ** 40);
  private readonly pspId = randomInt(idMin, 2 ** 40);
  private psp: Credentials | undefined;

  constructor(home: string) {
    this.platform = new PlatformConnection(home);
  }

  async prepare(): Promise<Credentials> {
    await saveMerchant(this.platform, this.merchantId, this.pspId);
    return (this.psp = await newAccount(this.platform, { type: 'PSP', id: this.pspId }));
  }

  /** The exact text of what the gateway answers. */
  async read(path: string): Promise<string> {
    const answer = await this.platform.gateway({ method: 'GET', path, as: this.psp! });
    accepted(path, answer);
    return answer.text;
  }

  /** The transaction of a payment, and its code, which can be paid any number of times. */
  async pay(merchantReference: string): Promise<{ code: string; transactionId: number }> {
    const { merchantId } = this;
    const merchant = new Merchant(this.platform, { merchantId, credentials: this.psp!, psp: this.psp! });
    const order = { merchantId, merchantReference, amount: 1.5, currencyCode: 'ZAR', expiryDate: 0, useOnce: false };
    const { code } = await merchant.createCode(order);
    return { code, transactionId: await merchant.pay(code) };
  }
}
