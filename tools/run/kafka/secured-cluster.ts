import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@paycode/persistence/embedded';
import { type NodePorts, KafkaCluster } from './kafka-cluster';
import { createCertificates } from './certificates';
import { kafkaVersion } from './distribution';
import { strimziAccess, strimziUsers } from './strimzi-access';

export interface SecuredCluster {
  cluster: KafkaCluster;
  caFile: string;
  /** SCRAM login of a user of the manifests. */
  userOf(service: string): { username: string; password: string };
  close(): Promise<void>;
}

const brokerName = 'paycode-broker';

/**
 * Three brokers on free ports with TLS, SCRAM-SHA-512, the catalog's topics, and the users with the access that the manifests give them: a
 * cluster as production has one, in a temporary folder.
 */
export async function startSecuredCluster(): Promise<SecuredCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'paycode-kafka-'));
  const { ca, caFile, keystoreFile } = await createCertificates(join(folder, 'tls'), brokerName);
  const users = strimziUsers().map(username => ({ username, password: randomPassword() }));
  const admin = { username: 'admin', password: randomPassword() };
  const cluster = await KafkaCluster.start({
    version: kafkaVersion(),
    nodes: await freePorts(3),
    folder,
    security: { ca, keystoreFile, truststoreFile: caFile, brokerName, admin, users },
  });
  await cluster.ensureTopics();
  await grantAccess(cluster);
  return {
    cluster,
    caFile,
    userOf: service => users.find(({ username }) => username === service) ?? { username: service, password: 'no such user' },
    close: async () => {
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function grantAccess(cluster: KafkaCluster): Promise<void> {
  const admin = cluster.client('paycode-kafka-admin').admin();
  await admin.connect();
  try {
    await admin.createAcls({ acl: strimziAccess() });
  } finally {
    await admin.disconnect();
  }
}

async function freePorts(nodes: number): Promise<NodePorts[]> {
  const ports: NodePorts[] = [];
  while (ports.length < nodes) ports.push({ client: await freePort(), controller: await freePort() });
  return ports;
}

function randomPassword(): string {
  return randomBytes(24).toString('base64url');
}
