import { connect, createServer, type Server, type Socket } from 'node:net';
import type { TopicDefinition } from '@paycode/dto';
import { createTestDatabase, type TestDatabase } from '@paycode/persistence/testing';
import type { EventTransport } from '../event-transport';
import type { EventsEnv } from '../events-env';
import { PostgresEventTransport } from '../postgres/postgres-event-transport';
import { partitionOf } from '../record/partitioning';
import { quietLog, type RawLetter, type Severable, TransportHarness } from './transport-harness';

/** A TCP relay on 127.0.0.1 that can be cut: while severed it closes every connection and accepts none. */
export class SeverableProxy {
  private readonly sockets = new Set<Socket>();
  private server?: Server;
  port = 0;

  constructor(private readonly target: { host: string; port: number }) {}

  /** Opens on a free port, or again on the port it had. */
  open(): Promise<void> {
    const server = createServer(inner => this.relay(inner));
    this.server = server;
    return new Promise((resolve, reject) => {
      server.once('error', reject).listen(this.port, '127.0.0.1', () => {
        this.port = (server.address() as { port: number }).port;
        resolve();
      });
    });
  }

  sever(): void {
    this.server?.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private relay(inner: Socket): void {
    const outer = connect(this.target);
    for (const socket of [inner, outer]) {
      this.sockets.add(socket);
      // A cut connection is what this class is for.
      socket.on('error', () => socket.destroy()).on('close', () => this.sockets.delete(socket));
    }
    inner.on('close', () => outer.destroy());
    outer.on('close', () => inner.destroy());
    inner.pipe(outer).pipe(inner);
  }
}

/** The PostgreSQL transport on a database of its own. */
export class PostgresHarness extends TransportHarness {
  private constructor(readonly database: TestDatabase) {
    super();
  }

  static async open(): Promise<PostgresHarness> {
    return new PostgresHarness(await createTestDatabase());
  }

  get env(): EventsEnv {
    return {
      EVENTS_TRANSPORT: 'postgres',
      EVENTS_DATABASE_URL: this.database.url,
      KAFKA_BROKERS: [],
      KAFKA_TLS_CA_FILE: null,
      KAFKA_SASL_USERNAME: null,
      KAFKA_SASL_PASSWORD: null,
    };
  }

  openTransport(url = this.database.url): Promise<EventTransport> {
    return PostgresEventTransport.open({
      url,
      applicationName: 'conformance',
      log: quietLog,
      topics: this.topics,
      heartbeatMs: 200,
    });
  }

  async createTopic(_topic: TopicDefinition): Promise<void> {
    // The transport makes a topic of the catalog on first use.
  }

  async plantUndecodable(topic: string, key: string): Promise<void> {
    const { partitions } = this.topics.find(({ name }) => name === topic)!;
    await this.database.dataSource.query(
      `with moved as (
         update event_topic set next_position = next_position + 1 where name = $1 returning id, next_position - 1 as position
       )
       insert into event_segment (topic_id, first_position, records, bytes, published_at, ce_type, ce_source, headers, payloads)
       select id, position, 1, 60, clock_timestamp(), 'Bad', 'conformance',
              json_build_array(json_build_array($2::int, $3::text, 'bad', '2026-11-20T10:00:00Z'))::text, 'not json {' from moved`,
      [topic, partitionOf(key, partitions), key],
    );
  }

  rawRecords(topic: string): Promise<RawLetter[]> {
    const text = 'select key, data as value, dlq_reason as reason from event_records() where topic = $1 order by position';
    return this.database.dataSource.query(text, [topic]);
  }

  async openSeverable(): Promise<Severable> {
    const target = new URL(this.database.url);
    const proxy = new SeverableProxy({ host: target.hostname, port: Number(target.port) });
    await proxy.open();
    target.port = String(proxy.port);
    const transport = await this.openTransport(target.href);
    const close = transport.close.bind(transport);
    transport.close = () => close().finally(() => proxy.sever());
    return { transport, sever: () => proxy.sever(), restore: () => proxy.open() };
  }

  protected tearDown(): Promise<void> {
    return this.database.drop();
  }
}

/** The events of an outbox one by one, in their order, whatever row they stand in. */
export const outboxEventsSql = `
  select o.type, e.aggregateid, e.payload
    from outbox o cross join lateral rows from (string_to_table(o.aggregateid, E'\\n'), string_to_table(o.payload, E'\\n')) with ordinality
      as e(aggregateid, payload, at)
   order by o.id, e.at`;
