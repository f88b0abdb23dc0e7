import { brokerProperties, propertiesText } from './broker-properties';

const nodes = [
  { client: 1001, controller: 1002 },
  { client: 1003, controller: 1004 },
  { client: 1005, controller: 1006 },
];
const security = {
  keystoreFile: '/k.pem',
  truststoreFile: '/t.pem',
  brokerName: 'paycode-broker',
  admin: { username: 'admin', password: 'secret' },
};

describe('broker properties', () => {
  it('never let a broker create a topic or elect an incomplete leader', () => {
    const properties = brokerProperties({ nodeId: 1, nodes: nodes.slice(0, 1), dataDir: '/d' });
    expect(properties).toMatchObject({ 'auto.create.topics.enable': 'false', 'unclean.leader.election.enable': 'false' });
  });

  it('listen on the loopback interface only, each node on its own ports', () => {
    const properties = brokerProperties({ nodeId: 2, nodes, dataDir: '/d' });
    expect(properties.listeners).toBe('CLIENT://127.0.0.1:1003,CONTROLLER://127.0.0.1:1004');
    expect(properties['controller.quorum.voters']).toBe('1@127.0.0.1:1002,2@127.0.0.1:1004,3@127.0.0.1:1006');
  });

  it.each([
    [1, '1', '1'],
    [3, '3', '2'],
  ])('keep %s copies of the internal topics where there are as many brokers', (count, replicas, minIsr) => {
    const properties = brokerProperties({ nodeId: 1, nodes: nodes.slice(0, count), dataDir: '/d' });
    expect([properties['offsets.topic.replication.factor'], properties['transaction.state.log.min.isr']]).toEqual([
      replicas,
      minIsr,
    ]);
  });

  it('deny access without a rule, and refuse plain text and anonymous clients, when secured (T-16, T-19)', () => {
    const properties = brokerProperties({ nodeId: 1, nodes, dataDir: '/d', security });
    expect(properties).toMatchObject({
      'listener.security.protocol.map': 'CLIENT:SASL_SSL,CONTROLLER:SSL',
      'allow.everyone.if.no.acl.found': 'false',
      'sasl.enabled.mechanisms': 'SCRAM-SHA-512',
      'listener.name.controller.ssl.client.auth': 'required',
    });
  });

  it('are written one per line', () => {
    expect(propertiesText({ a: '1', b: '2' })).toBe('a=1\nb=2\n');
  });
});
