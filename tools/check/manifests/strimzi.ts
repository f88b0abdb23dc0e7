/** docs/reference/topics.yaml. */
export interface TopicsFile {
  defaults: { replicationFactor: number; minInSyncReplicas: number; timestampType: string };
  deadLetters: { partitions: number; retentionMs: number; cleanupPolicy: string };
  topics: Topic[];
}

interface Topic {
  name: string;
  partitions: number;
  retentionMs: number;
  cleanupPolicy: string;
  producers: string[];
  consumers: { group: string; service: string }[];
}

const apiVersion = 'kafka.strimzi.io/v1';
const cluster = { 'strimzi.io/cluster': 'paycode' };

/** A KafkaTopic per topic and per dead-letter topic (`<topic>.<group>.dlq`). */
export function kafkaTopics({ topics, defaults, deadLetters }: TopicsFile): object[] {
  const all = topics.flatMap(topic => [
    topic,
    ...topic.consumers.map(({ group }) => ({ ...deadLetters, name: deadLetterOf(topic.name, group) })),
  ]);
  return all.map(({ name, partitions, retentionMs, cleanupPolicy }) => ({
    apiVersion,
    kind: 'KafkaTopic',
    metadata: { name, namespace: 'kafka', labels: cluster },
    spec: {
      partitions,
      replicas: defaults.replicationFactor,
      config: {
        'retention.ms': retentionMs,
        'cleanup.policy': cleanupPolicy,
        'min.insync.replicas': defaults.minInSyncReplicas,
        'message.timestamp.type': defaults.timestampType,
      },
    },
  }));
}

/** A KafkaUser per service: may write what it produces, read what it consumes, and put into its own dead letters; nothing else (T-19). */
export function kafkaUsers({ topics }: TopicsFile): object[] {
  const services = new Set(topics.flatMap(topic => [...topic.producers, ...topic.consumers.map(({ service }) => service)]));
  const users = [...services].sort().map(service =>
    kafkaUser(
      service,
      topics.flatMap(topic => [...writes(topic, service), ...reads(topic, service)]),
    ),
  );
  return [
    ...users,
    kafkaUser(
      'keda',
      topics.flatMap(topic => watches(topic, 'webhook-dispatcher')),
    ),
    kafkaUser('operator', [...topics.flatMap(redrives), allow('group', 'paycode-redrive', ['Read'])]),
  ];
}

function kafkaUser(name: string, acls: object[]): object {
  const password = { valueFrom: { secretKeyRef: { name: passwordSecretOf(name), key: 'password' } } };
  const spec = { authentication: { type: 'scram-sha-512', password }, authorization: { type: 'simple', acls } };
  return { apiVersion, kind: 'KafkaUser', metadata: { name, namespace: 'kafka', labels: cluster }, spec };
}

/** Where the user operator finds a password: the Secret that is called like the user is the operator's own. */
function passwordSecretOf(user: string): string {
  return `${user}-password`;
}

/** An ExternalSecret per KafkaUser: the service and the broker are told one password, from one store. */
export function kafkaPasswords(topics: TopicsFile): object[] {
  const names = kafkaUsers(topics).map(user => (user as { metadata: { name: string } }).metadata.name);
  return names.map(name => ({
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata: { name: passwordSecretOf(name), namespace: 'kafka' },
    spec: {
      refreshInterval: '1h0m0s',
      secretStoreRef: { kind: 'ClusterSecretStore', name: 'paycode' },
      target: { name: passwordSecretOf(name), creationPolicy: 'Owner' },
      data: [{ secretKey: 'password', remoteRef: { key: `paycode/${name}/kafka-password` } }],
    },
  }));
}

function writes({ name, producers }: Topic, service: string): object[] {
  return producers.includes(service) ? [allow('topic', name, ['Write', 'Describe'])] : [];
}

function reads({ name, consumers }: Topic, service: string): object[] {
  const own = consumers.filter(consumer => consumer.service === service);
  if (own.length === 0) return [];
  const groups = own.flatMap(({ group }) => [
    allow('group', group, ['Read']),
    allow('topic', deadLetterOf(name, group), ['Write', 'Describe']),
  ]);
  return [allow('topic', name, ['Read', 'Describe']), ...groups];
}

/** An autoscaler may read the offsets of a group, never its events. */
function watches({ name, consumers }: Topic, service: string): object[] {
  const own = consumers.filter(consumer => consumer.service === service);
  return own.length === 0
    ? []
    : [allow('topic', name, ['Describe']), ...own.map(({ group }) => allow('group', group, ['Describe']))];
}

/** A person puts dead letters back where they came from, and sees how far each group is. */
function redrives({ name, consumers }: Topic): object[] {
  const groups = consumers.flatMap(({ group }) => [
    allow('group', group, ['Describe']),
    allow('topic', deadLetterOf(name, group), ['Read', 'Describe']),
  ]);
  return [allow('topic', name, ['Write', 'Describe']), ...groups];
}

function allow(type: 'topic' | 'group', name: string, operations: string[]): object {
  return { resource: { type, name, patternType: 'literal' }, operations };
}

function deadLetterOf(topic: string, group: string): string {
  return `${topic}.${group}.dlq`;
}
