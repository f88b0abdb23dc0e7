import { Controller, type INestApplication } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { Lifecycle } from '@paycode/service-runtime';
import { register } from 'prom-client';
import { eventually } from '@paycode/service-runtime/testing';
import type { EventBatch, EventTransport, SubscriberProgress } from '../event-transport';
import { eventOf, interleaved } from '../testing/collector';
import { PostgresHarness } from '../testing/postgres-harness';
import { groupOf, quietLog } from '../testing/transport-harness';
import { EventsServer, type EventsServerOptions, OnEvents } from './events-server';

const received: { handler: string; ids: string[] }[] = [];
let failuresLeft = 0;

function controllerFor(topic: string) {
  @Controller()
  class NumberedConsumer {
    @OnEvents(topic, { group: groupOf(topic, 'first'), batchMax: 2 })
    async first(@Payload() batch: EventBatch): Promise<void> {
      if (failuresLeft-- > 0) throw new Error('not now');
      received.push({ handler: 'first', ids: batch.events.map(event => event.id) });
    }

    @EventPattern<string>(topic, { group: groupOf(topic, 'second') })
    async second(@Payload() batch: EventBatch): Promise<void> {
      received.push({ handler: 'second', ids: batch.events.map(event => event.id) });
    }
  }
  return NumberedConsumer;
}

const idsSeenBy = (handler: string) => received.filter(seen => seen.handler === handler).flatMap(seen => seen.ids);

describe('EventsServer', () => {
  let harness: PostgresHarness;
  let transport: EventTransport;
  let app: INestApplication | undefined;

  beforeAll(async () => {
    harness = await PostgresHarness.open();
  });
  beforeEach(async () => {
    received.length = 0;
    failuresLeft = 0;
    transport = await harness.open();
  });
  afterEach(async () => {
    await app?.close();
    app = undefined;
    await harness.closeTransports();
  });
  afterAll(() => harness.close());

  const start = async (topic: string, options: Partial<EventsServerOptions> = {}) => {
    const testing = await Test.createTestingModule({ controllers: [controllerFor(topic)] }).compile();
    app = testing.createNestApplication(new FastifyAdapter(), { logger: false });
    const server = new EventsServer({ transport, log: quietLog, ...options });
    app.connectMicroservice({ strategy: server });
    await app.startAllMicroservices();
    return server;
  };

  it('gives each handler of a topic every batch of its group, within its bound', async () => {
    const topic = await harness.topic(1, ['first', 'second']);
    await transport.publish(interleaved(topic, ['k'], 5));
    await start(topic);
    const ids = ['k/0', 'k/1', 'k/2', 'k/3', 'k/4'];
    await eventually(() => expect([idsSeenBy('first'), idsSeenBy('second')]).toEqual([ids, ids]));
    for (const { handler, ids: batch } of received) if (handler === 'first') expect(batch.length).toBeLessThanOrEqual(2);
  });

  it('hands a batch again to a handler that failed', async () => {
    const topic = await harness.topic(1, ['first', 'second']);
    failuresLeft = 2;
    await transport.publish(interleaved(topic, ['k'], 2));
    await start(topic);
    await eventually(() => expect(idsSeenBy('first')).toEqual(['k/0', 'k/1']));
  });

  it('pauses and resumes by topic', async () => {
    const topic = await harness.topic(1, ['first', 'second']);
    const server = await start(topic);
    server.pause(topic);
    await transport.publish([eventOf(topic, 'k', 0)]);
    await eventually(() => expect(server.progress().map(({ lag }) => lag)).toEqual([1, 1]));
    expect(received).toEqual([]);
    server.resume(topic);
    await eventually(() => expect([idsSeenBy('first'), idsSeenBy('second')]).toEqual([['k/0'], ['k/0']]));
  });

  it('publishes the lag and the numbers of handled and parked events as metrics', async () => {
    const topic = await harness.topic(1, ['first', 'second']);
    const server = await start(topic);
    server.pause(topic);
    const labels = `topic="${topic}",group="${groupOf(topic, 'first')}"`;
    // Before the first event: the first one to be parked, to fail or to be handled must be an increase.
    for (const name of ['parked', 'batch_failures', 'handled'])
      await eventually(async () => expect(await register.metrics()).toContain(`paycode_events_${name}_total{${labels}} 0\n`));
    await transport.publish(interleaved(topic, ['k'], 3));
    await eventually(async () => expect(await register.metrics()).toContain(`paycode_events_lag{${labels}} 3`));
    server.resume(topic);
    await eventually(async () => expect(await register.metrics()).toContain(`paycode_events_handled_total{${labels}} 3`));
    await harness.plantUndecodable(topic, 'k');
    await eventually(async () => expect(await register.metrics()).toContain(`paycode_events_parked_total{${labels}} 1`));
  });

  it('is ready once every group is joined, and stops consuming when the service drains', async () => {
    const topic = await harness.topic(1, ['first', 'second']);
    const lifecycle = new Lifecycle();
    const server = await start(topic, { lifecycle });
    expect(await lifecycle.report('ready')).toEqual({ status: 'ok', checks: { events: 'ok' } });
    expect(await lifecycle.report('live')).toEqual({ status: 'ok', checks: { events: 'ok' } });
    expect(await lifecycle.drain()).toEqual([]);
    await transport.publish([eventOf(topic, 'k', 0)]);
    expect(server.progress().flatMap(({ assignedPartitions }) => assignedPartitions)).toEqual([]);
    expect(received).toEqual([]);
  });

  it('reports a stopped consume loop as not recoverable', async () => {
    const lifecycle = new Lifecycle();
    const stuck: SubscriberProgress = { sinceLastTurnMs: 90_001, assignedPartitions: [0], lag: 5 };
    const subscriber = { pause: () => undefined, resume: () => undefined, stop: async () => undefined, progress: () => stuck };
    const fake = { subscribe: async () => subscriber } as unknown as EventTransport;
    await start('some.topic', { lifecycle, transport: fake });
    const report = await lifecycle.report('live');
    expect(report).toEqual({
      status: 'failing',
      checks: { events: 'no turn of some.topic (gfirst.some.topic), some.topic (gsecond.some.topic)' },
    });
  });

  it('refuses a handler without a consumer group', () => {
    const server = new EventsServer({ transport, log: quietLog });
    expect(() => server.addHandler('some.topic', async () => undefined as never, true, {})).toThrow(/no consumer group/);
  });
});
