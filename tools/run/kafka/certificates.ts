import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { issueCertificate, newAuthority } from '../../../apps/operations/src/certificates';

const days = 30;

interface ClusterCertificates {
  /** PEM text clients trust. */
  ca: string;
  caFile: string;
  /** Key and certificate of the brokers, in one PEM file as Kafka wants it. */
  keystoreFile: string;
}

/** Makes an authority and one certificate for all brokers. For tests and local use. `hosts`: names and addresses by which clients reach them. */
export async function createCertificates(
  folder: string,
  brokerName: string,
  hosts: readonly string[] = ['127.0.0.1', 'localhost'],
): Promise<ClusterCertificates> {
  const authority = await newAuthority('CN=paycode-kafka-ca', days);
  const broker = await issueCertificate(authority, { names: [brokerName, ...hosts], days });
  mkdirSync(folder, { recursive: true });
  const [caFile, keystoreFile] = [join(folder, 'ca.pem'), join(folder, 'broker.pem')];
  writeFileSync(caFile, authority.certificate);
  writeFileSync(keystoreFile, `${broker.key}\n${broker.certificate}\n`, { mode: 0o600 });
  return { ca: authority.certificate, caFile, keystoreFile };
}
