import { Injectable } from '@nestjs/common';
import { credentialHeaderOf, type ReceiverCredential } from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';
import type { RequestAccess } from '../probing/probe-budget';
import { WebhookKeys } from '../webhook-keys/webhook-keys';
import { ClientAuthority } from './client-authority';
import type { HttpNotification } from './domain/notification-configuration';

/** The part of addHttp about credentials. Absent or null: stays as it is. */
export interface WantedAccess {
  /** Without a member: none. */
  credential?: ReceiverCredential | null | undefined;
  clientCertificate?: boolean | null | undefined;
}

type StoredAccess = Pick<HttpNotification, 'sealedCredential' | 'hasClientCertificate'>;

/** Flow: what a merchant's server demands -> header field of its requests, sealed for its URL alone (T-59). */
@Injectable()
export class ReceiverAccessService {
  constructor(
    private readonly keys: WebhookKeys,
    private readonly authority: ClientAuthority,
  ) {}

  /** For requests to the URL that is set. @throws SealedKeyError */
  current(merchantId: number, http: HttpNotification): RequestAccess {
    return { headers: this.keys.credentialOf(merchantId, http), hasClientCertificate: http.hasClientCertificate };
  }

  /** For requests once the wanted is stored. @throws DomainError 400 for a credential that another URL would get, or plain HTTP */
  wanted(merchantId: number, wanted: WantedAccess & { url: string }, http: HttpNotification | null): RequestAccess {
    const hasClientCertificate = wanted.clientCertificate ?? http?.hasClientCertificate ?? false;
    if (hasClientCertificate && !this.authority.shown) throw invalidField('clientCertificate', 'this platform has none');
    return { headers: this.headersOf(merchantId, wanted, http), hasClientCertificate };
  }

  /** The same credential keeps its sealed text, so that it is no change. */
  stored(merchantId: number, access: RequestAccess & { url: string }, http: HttpNotification | null): StoredAccess {
    const { url, headers, hasClientCertificate } = access;
    const [header] = Object.entries(headers);
    if (!header) return { sealedCredential: null, hasClientCertificate };
    const [name, value] = header;
    const isSame = http?.url === url && this.keys.credentialOf(merchantId, http)[name] === value;
    const sealedCredential = isSame ? http.sealedCredential : this.keys.sealCredential(merchantId, url, { name, value });
    return { sealedCredential, hasClientCertificate };
  }

  private headersOf(
    merchantId: number,
    { url, credential }: WantedAccess & { url: string },
    http: HttpNotification | null,
  ): Record<string, string> {
    if (!credential) {
      if (!http?.sealedCredential) return {};
      if (http.url === url) return this.keys.credentialOf(merchantId, http);
      throw invalidField('credential', 'belongs to the URL that is set: give it for the new one, or {} for none');
    }
    const header = credentialHeaderOf(credential);
    if (header && !/^https:/i.test(url)) throw invalidField('credential', 'goes to a URL with https: only');
    return header ? { [header.name]: header.value } : {};
  }
}
