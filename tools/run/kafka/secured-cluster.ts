import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { type AclEntry, AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import { issueCertificate, newAuthority } from '../../../apps/operations/src/certificates';
import { kafkaVersion } from './distribution';
import { KafkaCluster, type NodePorts } from './kafka-cluster';
import { coreManifests, kafkaUsers, paymentCores } from './strimzi';

const days = 30;

/** Makes an authority, which clients trust, and one certificate for all brokers, with its key in one PEM file as Kafka wants it. */
async function createCertificates(folder: string) {
  const authority = await newAuthority('CN=paycode-kafka-ca', days);
  const broker = await issueCertificate(authority, { names: [brokerName, '127.0.0.1', 'localhost'], days });
  mkdirSync(folder, { recursive: true });
  const [caFile, keystoreFile] = [join(folder, 'ca.pem'), join(folder, 'broker.pem')];
  writeFileSync(caFile, authority.certificate);
  writeFileSync(keystoreFile, `${broker.key}\n${broker.certificate}\n`, { mode: 0o600 });
  return { ca: authority.certificate, caFile, keystoreFile };
}

interface KafkaUser {
  metadata: { name: string };
  spec: { authorization: { acls: Rule[] } };
}
interface Rule {
  resource: { type: string; name: string; patternType: string };
  operations: string[];
}

/** The access control entries that Strimzi's user operator makes of the KafkaUsers of the manifests. */
function strimziAccess(): AclEntry[] {
  return usersOf().flatMap(({ metadata, spec }) => spec.authorization.acls.flatMap(rule => entriesOf(metadata.name, rule)));
}

function entriesOf(user: string, { resource, operations: names }: Rule): AclEntry[] {
  return names.map(name => ({
    resourceType: AclResourceTypes[resource.type.toUpperCase() as 'TOPIC' | 'GROUP'],
    resourceName: resource.name,
    resourcePatternType: resource.patternType === 'prefix' ? ResourcePatternTypes.PREFIXED : ResourcePatternTypes.LITERAL,
    principal: `User:${user}`,
    host: '*',
    operation: AclOperationTypes[name.toUpperCase() as 'READ' | 'WRITE' | 'DESCRIBE'],
    permissionType: AclPermissionTypes.ALLOW,
  }));
}

/** With both cores, as no cluster has them. */
function usersOf(): KafkaUser[] {
  return [...kafkaUsers(), ...paymentCores.flatMap(core => coreManifests(core).user)] as KafkaUser[];
}

export type SecuredCluster = Awaited<ReturnType<typeof startSecuredCluster>>;

export interface Login {
  username: string;
  password: string;
}

const brokerName = 'paycode-broker';
const randomLogin = (username: string): Login => ({ username, password: randomBytes(24).toString('base64url') });

/**
 * Brokers on free ports with TLS, SCRAM-SHA-512, the catalog's topics, and the users with the access that the manifests give them: a
 * cluster as production has one, in a temporary folder.
 */
export async function startSecuredCluster() {
  const users = usersOf().map(({ metadata }) => randomLogin(metadata.name));
  const folder = mkdtempSync(join(tmpdir(), 'paycode-kafka-'));
  const { ca, caFile, keystoreFile } = await createCertificates(join(folder, 'tls'));
  const admin = randomLogin('admin');
  const cluster = await KafkaCluster.start({
    version: kafkaVersion(),
    nodes: await freePorts(3),
    folder,
    security: { ca, keystoreFile, truststoreFile: caFile, brokerName, admin, users },
  });
  await cluster.ensureTopics();
  const client = cluster.client('paycode-kafka-admin').admin();
  await client.connect();
  await client.createAcls({ acl: strimziAccess() }).finally(() => client.disconnect());
  return {
    cluster,
    caFile,
    /** SCRAM login of a user of the manifests. */
    userOf: (service: string): Login =>
      users.find(({ username }) => username === service) ?? { username: service, password: 'no such user' },
    close: async () => {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePorts(nodes: number): Promise<NodePorts[]> {
  const ports: NodePorts[] = [];
  while (ports.length < nodes) ports.push({ client: await freePort(), controller: await freePort() });
  return ports;
}
