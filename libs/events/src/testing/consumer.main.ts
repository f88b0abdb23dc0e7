/** The process that `spawnConsumer` starts: prints the id of each event it is given and never ends a batch. */
import { createEventTransport } from '../create-event-transport';
import { eventsOptionsOf } from '../events-env';
import { quietLog } from './transport-harness';

async function main(): Promise<void> {
  const { env, topics, topic, group } = JSON.parse(process.env['CONSUMER']!);
  const transport = await createEventTransport(eventsOptionsOf(env), { service: 'victim', log: quietLog, topics });
  await transport.subscribe({
    topic,
    group,
    onBatch: batch => {
      for (const event of batch.events) process.stdout.write(`${event.id}\n`);
      return new Promise<void>(() => undefined);
    },
  });
}

void main();
