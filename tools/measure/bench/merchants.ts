import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestTokenKeys } from '@paycode/access/testing';
import { generateWebhookKey, KeyRing, webhookKeyAad, WebhookKeySealer } from '@paycode/crypto';
import { TestAuthority } from '@paycode/safe-http/testing';
import { noRecipients, type Route, type TransactionNotificationV3 } from '@paycode/dto';

/** Secrets of a run, in the form of the services' environment. */
export interface BenchSecrets {
  tokenKeys: TestTokenKeys;
  payloadKeys: string;
  keyEncryptionKeys: string;
}

export interface BenchMerchant {
  merchantId: number;
  url: string;
  route: Route;
}

/** Keys that services read from files lie in `folder`. */
export function makeSecrets(folder: string): BenchSecrets {
  const ring = () => `k1:${randomBytes(32).toString('base64')}`;
  return {
    tokenKeys: new TestTokenKeys(folder),
    payloadKeys: ring(),
    keyEncryptionKeys: ring(),
  };
}

/** One merchant per port, each an endpoint of its own unless a port comes twice. */
export function makeMerchants(
  firstId: number,
  ports: readonly number[],
  { keyEncryptionKeys, path = '/paycode/webhook' }: Pick<BenchSecrets, 'keyEncryptionKeys'> & { path?: string },
): BenchMerchant[] {
  const sealer = new WebhookKeySealer(KeyRing.parse(keyEncryptionKeys));
  return ports.map((port, at) => {
    const merchantId = firstId + at;
    const key = generateWebhookKey();
    const url = `https://127.0.0.1:${port}${path}`;
    const sealedKey = sealer.seal(Buffer.from(key, 'hex'), webhookKeyAad(merchantId, 'key-1'));
    return { merchantId, url, route: routeOf({ merchantId, url, sealedKey }) };
  });
}

function routeOf({ merchantId, url, sealedKey }: { merchantId: number; url: string; sealedKey: string }): Route {
  const version = 'V3';
  const encryption = 'AES-128-GCM';
  const access = { sealedCredential: null, hasClientCertificate: false };
  const others = { ...access, keyId: 'key-1', recipients: noRecipients, pspId: 1, leaseMs: 1_000 };
  return { merchantId, url, version, encryption, sealedKey, ...others };
}

export interface CertificateFiles {
  certFile: string;
  keyFile: string;
}

/** A self-signed certificate of 127.0.0.1 for the receivers; whoever posts to them trusts it (NODE_EXTRA_CA_CERTS). */
export async function writeBenchCertificate(folder: string): Promise<CertificateFiles> {
  const { cert, key } = await TestAuthority.selfSigned({ ips: ['127.0.0.1'] });
  const files = { certFile: join(folder, 'receivers.pem'), keyFile: join(folder, 'receivers-key.pem') };
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key);
  return files;
}

const place = {
  line1: '12 Long Street',
  line2: 'Gardens',
  city: 'Cape Town',
  region: 'Western Cape',
  postalCode: '8001',
  country: 'ZA',
};
const person = {
  firstName: 'Thandi',
  lastName: 'Nkosi',
  emailAddress: 'thandi.nkosi@example.com',
  phoneNumber: '27820000001',
};

/** A notification of about 1.3 kB as JSON: a card payment with billing and shipping data. */
export function sampleNotification(transactionId: number, merchantId: number): TransactionNotificationV3 {
  return {
    transactionId,
    merchantId,
    merchantName: 'Corner Shop',
    acquirer: 'ACQ',
    reference: `order-${transactionId}`,
    amount: '110.10',
    currencyCode: 'ZAR',
    code: '0123456789',
    status: 'SUCCESS',
    clientMsisdn: '27820000001',
    extraReferenceName: 'Table',
    extraReferenceValue: '14',
    tipAmount: '10.00',
    referenceTransactionId: 0,
    bankResponse: { retrievalReferenceNumber: 123_456, authCode: 'A1B2C3', bankResponse: '00', bankResponseMessage: 'Approved' },
    cardInfo: {
      cardType: 'VISA',
      accountType: 'CREDIT',
      cardHolderName: 'T NKOSI',
      bin: '412345',
      last4: '1234',
      binLast4: '412345-1234',
      cardIssuer: 'FIRST BANK',
    },
    clientContact: { ...person, country: 'ZA' },
    clientBilling: { ...person, ...place },
    clientShipping: { ...person, ...place, instructions: 'Leave with the concierge if nobody is at home.' },
    versionData: { version: '1' },
  };
}
