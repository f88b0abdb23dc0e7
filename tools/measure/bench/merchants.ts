import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TestAuthority } from '@paycode/safe-http/testing';
import type { TransactionNotificationV3 } from '@paycode/dto';
import type { ConfigStandIn } from '../../prove/faults/environment/stand-ins.ts';

export interface BenchMerchant {
  merchantId: number;
  url: string;
}

/** One merchant per port, each an endpoint of its own unless a port comes twice. */
export function makeMerchants(config: ConfigStandIn, ports: readonly number[], path = '/paycode/webhook'): BenchMerchant[] {
  return ports.map(port => {
    const url = `https://127.0.0.1:${port}${path}`;
    return { merchantId: config.addMerchant(url), url };
  });
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
