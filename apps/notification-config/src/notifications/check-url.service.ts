import { Injectable } from '@nestjs/common';
import type { ProbeOutcome } from '@paycode/safe-http';
import { merchantNotFound } from '../merchants';
import { ValidateUrlService } from '../probing';
import { notificationNotSet } from './notification-refusals';
import { ConfigurationStore } from './notifications.ports';

/** Flow (Check): the merchant's URL -> one probe -> its result; it changes nothing (R-4.3-15). */
@Injectable()
export class CheckUrlService {
  constructor(
    private readonly store: ConfigurationStore,
    private readonly urls: ValidateUrlService,
  ) {}

  /** @throws DomainError 404 unknown merchant, R-7-10, 429 */
  async check(merchantId: number, caller: string): Promise<{ url: string } & ProbeOutcome> {
    const configuration = await this.store.find({ merchantId, owner: 'OPERATOR' });
    if (!configuration) throw merchantNotFound();
    if (!configuration.http) throw notificationNotSet();
    const { url } = configuration.http;
    return { url, ...(await this.urls.probe({ merchantId, url, caller })) };
  }
}
