/** Ports of one node; every node is broker and controller. */
export interface NodePorts {
  client: number;
  controller: number;
}

/** PEM files of a secured cluster. */
export interface BrokerSecurity {
  /** Key and certificate of the brokers. */
  keystoreFile: string;
  /** Authority of brokers and controllers. */
  truststoreFile: string;
  /** Name in the brokers' certificate. */
  brokerName: string;
  /** SCRAM user of the brokers among themselves and of whoever administers. */
  admin: { username: string; password: string };
}

export interface BrokerOptions {
  nodeId: number;
  nodes: readonly NodePorts[];
  dataDir: string;
  /** Where the brokers listen, and clients reach them; 127.0.0.1 when omitted. */
  address?: string;
  security?: BrokerSecurity;
}

/** server.properties of one node of a KRaft cluster on this machine with a static quorum. */
export function brokerProperties(options: BrokerOptions): Record<string, string> {
  const { nodeId, nodes, dataDir, address = '127.0.0.1', security } = options;
  const own = nodes[nodeId - 1];
  if (!own) throw new Error(`there is no node ${nodeId}`);
  const replicas = String(Math.min(3, nodes.length));
  const minIsr = nodes.length >= 3 ? '2' : '1';
  return {
    'process.roles': 'broker,controller',
    'node.id': String(nodeId),
    'controller.quorum.voters': nodes.map(({ controller }, at) => `${at + 1}@127.0.0.1:${controller}`).join(','),
    listeners: `CLIENT://${address}:${own.client},CONTROLLER://127.0.0.1:${own.controller}`,
    'advertised.listeners': `CLIENT://${address}:${own.client}`,
    'inter.broker.listener.name': 'CLIENT',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': dataDir,
    // Topics are made from docs/reference/topics.yaml and by nobody else.
    'auto.create.topics.enable': 'false',
    'unclean.leader.election.enable': 'false',
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': '3',
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': minIsr,
    'transaction.state.log.num.partitions': '3',
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': minIsr,
    'group.initial.rebalance.delay.ms': '0',
    // A dead broker is noticed somewhat sooner than by default (9 s): tests wait for it.
    'broker.session.timeout.ms': '6000',
    'broker.heartbeat.interval.ms': '1000',
    'num.network.threads': '2',
    'num.io.threads': '4',
    ...(security ? securedProperties(security) : { 'listener.security.protocol.map': 'CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT' }),
  };
}

/** Clients and brokers: TLS and SCRAM. Controllers: TLS with certificates on both sides, for SCRAM users live in what they keep. */
function securedProperties({ keystoreFile, truststoreFile, brokerName, admin }: BrokerSecurity): Record<string, string> {
  const login = `username="${admin.username}" password="${admin.password}"`;
  return {
    'listener.security.protocol.map': 'CLIENT:SASL_SSL,CONTROLLER:SSL',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': keystoreFile,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': truststoreFile,
    'listener.name.controller.ssl.client.auth': 'required',
    'sasl.enabled.mechanisms': 'SCRAM-SHA-512',
    'sasl.mechanism.inter.broker.protocol': 'SCRAM-SHA-512',
    'listener.name.client.scram-sha-512.sasl.jaas.config': `org.apache.kafka.common.security.scram.ScramLoginModule required ${login};`,
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'allow.everyone.if.no.acl.found': 'false',
    'super.users': `User:${admin.username};User:CN=${brokerName}`,
  };
}

export function propertiesText(properties: Record<string, string>): string {
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
