import { rewoundGroups } from '../../../apps/operations/src/paycode/commands/groups.ts';
import { beforeCell } from '../../../libs/dto/src/events/cell-names.ts';
import type { TopicConsumer, TopicDefinition } from '../../../libs/dto/src/events/define-event.ts';
import { deadLetterTopic, deadLetterTopics, topicCatalog, topicDefaults } from '../../../libs/dto/src/events/events.ts';

type Topics = readonly TopicDefinition[];

const apiVersion = 'kafka.strimzi.io/v1';
const cluster = { 'strimzi.io/cluster': 'paycode' };

/** The topics know the payment core under the name of the sandbox's. */
const sandboxCore = 'payment-simulator';
/** Each has its user, and its component, where it runs. */
export const paymentCores = [sandboxCore, 'payment-core'] as const;
type PaymentCore = (typeof paymentCores)[number];

/** Topics that Paycode's own services produce and consume. */
function withoutCore(): Topics {
  return coreRenamed(undefined);
}

/** The topics that one core produces and consumes. */
function onlyCore(core: PaymentCore): Topics {
  return coreRenamed(core).map(topic => ({
    ...topic,
    producers: topic.producers.filter(producer => producer === core),
    consumers: topic.consumers.filter(({ service }) => service === core),
  }));
}

/** The files of the component of one core: its dead-letter topic, its user, the user's password. */
export function coreManifests(core: PaymentCore): Record<'topic' | 'user' | 'password', object[]> {
  const own = onlyCore(core);
  const names = new Set(topicCatalog.map(({ name }) => name));
  return {
    topic: topicsOf(own).filter(topic => !names.has((topic as { metadata: { name: string } }).metadata.name)),
    user: servicesUsers(own),
    password: passwordsOf([core]),
  };
}

/** Undefined: no core at all. */
function coreRenamed(name: PaymentCore | undefined): Topics {
  return topicCatalog.map(topic => ({
    ...topic,
    producers: topic.producers.flatMap(producer => (producer === sandboxCore ? (name ?? []) : producer)),
    consumers: topic.consumers.flatMap(consumer =>
      consumer.service !== sandboxCore ? consumer : name === undefined ? [] : { group: name, service: name },
    ),
  }));
}

/** The topics of Paycode's own services. */
export function kafkaTopics(): object[] {
  return topicsOf(withoutCore());
}

/** A KafkaTopic per topic and per dead-letter topic (`<topic>.<group>.dlq`) of these consumers. */
function topicsOf(topics: Topics): object[] {
  return topics
    .flatMap(topic => [topic, ...deadLetterTopics([topic])])
    .map(({ name, partitions, retentionMs, cleanupPolicy }) => ({
      apiVersion,
      kind: 'KafkaTopic',
      metadata: { name, namespace: 'kafka', labels: cluster },
      spec: {
        partitions,
        replicas: topicDefaults.replicationFactor,
        config: {
          'retention.ms': retentionMs,
          'cleanup.policy': cleanupPolicy,
          'min.insync.replicas': topicDefaults.minInSyncReplicas,
          'message.timestamp.type': topicDefaults.timestampType,
        },
      },
    }));
}

/** The users of Paycode's own services, of the autoscaler and of operators. */
export function kafkaUsers(): object[] {
  const topics = withoutCore();
  // Operators redrive the dead letters of every core.
  const cores = paymentCores.map(onlyCore);
  const watched = topics.map((topic, at) => ({
    ...topic,
    consumers: [...topic.consumers, ...cores.flatMap(core => core[at]!.consumers)],
  }));
  return [
    ...servicesUsers(topics),
    kafkaUser(
      'keda',
      topics.flatMap(topic => watches(topic, 'webhook-dispatcher')),
    ),
    kafkaUser('operator', [...watched.flatMap(operates), allow('group', 'paycode-redrive', ['Read'])]),
  ];
}

/** A KafkaUser per service: may write what it produces, read what it consumes, and put into its own dead letters; nothing else (T-19). */
function servicesUsers(topics: Topics): object[] {
  const services = new Set(topics.flatMap(topic => [...topic.producers, ...topic.consumers.map(({ service }) => service)]));
  return [...services].sort().map(service =>
    kafkaUser(
      service,
      topics.flatMap(topic => [...writes(topic, service), ...reads(topic, service)]),
    ),
  );
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
export function kafkaPasswords(): object[] {
  return passwordsOf(kafkaUsers().map(user => (user as { metadata: { name: string } }).metadata.name));
}

function passwordsOf(names: readonly string[]): object[] {
  return names.map(name =>
    externalSecret({ name: passwordSecretOf(name), namespace: 'kafka', entries: { password: `${name}/kafka-password` } }),
  );
}

interface SecretSource {
  name: string;
  namespace: string;
  /** Key in the Secret: entry of the store, below `paycode/`. */
  entries: Record<string, string>;
  refreshInterval?: string;
  template?: object;
}

/** The manifest by which External Secrets fills a Secret from the store. */
export function externalSecret({ name, namespace, entries, refreshInterval = '1h0m0s', template }: SecretSource): object {
  return {
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata: { name, namespace },
    spec: {
      refreshInterval,
      secretStoreRef: { kind: 'ClusterSecretStore', name: 'paycode' },
      target: { name, creationPolicy: 'Owner', ...(template && { template }) },
      data: Object.entries(entries).map(([secretKey, entry]) => ({ secretKey, remoteRef: { key: `paycode/${entry}` } })),
    },
  };
}

function writes({ name, producers }: TopicDefinition, service: string): object[] {
  return producers.includes(service) ? [allow('topic', name, ['Write', 'Describe'])] : [];
}

function reads({ name, consumers }: TopicDefinition, service: string): object[] {
  const own = consumers.filter(consumer => consumer.service === service);
  if (own.length === 0) return [];
  const groups = own.flatMap(consumer => [
    ...allowGroups(consumer, ['Read']),
    allow('topic', deadLetterTopic(name, consumer.group), ['Write', 'Describe']),
  ]);
  return [allow('topic', name, ['Read', 'Describe']), ...groups];
}

/** An autoscaler may read the offsets of a group, never its events. */
function watches({ name, consumers }: TopicDefinition, service: string): object[] {
  const own = consumers.filter(consumer => consumer.service === service);
  return own.length === 0
    ? []
    : [allow('topic', name, ['Describe']), ...own.flatMap(consumer => allowGroups(consumer, ['Describe']))];
}

/** A person puts dead letters back where they came from, sees how far each group is, and sets the groups of a restored service back. */
function operates({ name, consumers }: TopicDefinition): object[] {
  const groups = consumers.flatMap(consumer => [
    ...allowGroups(consumer, isRewound(consumer.group) ? ['Read', 'Describe'] : ['Describe']),
    allow('topic', deadLetterTopic(name, consumer.group), ['Read', 'Describe']),
  ]);
  // Kafka lets a group be set back only by a user that may read its topic; payloads are sealed.
  return [allow('topic', name, ['Read', 'Write', 'Describe']), ...groups];
}

function isRewound(name: string): boolean {
  return rewoundGroups.some(({ group }) => group === name);
}

/** The group, and that of each cell: all cells share one user, so another cell changes no right. */
function allowGroups({ group, isPerCell }: TopicConsumer, operations: string[]): object[] {
  const ofCells = { resource: { type: 'group', name: beforeCell(group), patternType: 'prefix' }, operations };
  return [allow('group', group, operations), ...(isPerCell ? [ofCells] : [])];
}

function allow(type: 'topic' | 'group', name: string, operations: string[]): object {
  return { resource: { type, name, patternType: 'literal' }, operations };
}
