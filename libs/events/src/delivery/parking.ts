import { deadLetterTopic, isDeadLetterTopic } from '@paycode/dto';
import type { Subscription } from '../event-transport';
import type { TransportLog } from '../transport-log';
import type { DeadLetter } from './deliver-batch';

/** The dead-letter topic of a subscription; undefined for a subscription to a dead-letter topic. */
export function parkingTopicOf({ topic, group }: Subscription): string | undefined {
  return isDeadLetterTopic(topic) ? undefined : deadLetterTopic(topic, group);
}

/** A reader of dead letters skips a record that it cannot handle; the record stays in the topic. */
export function passOver({ topic, group }: Subscription, log: TransportLog) {
  return async (letters: readonly DeadLetter[]): Promise<void> => {
    log.warn({ topic, group, count: letters.length }, 'dead letters could not be read; they stay in their topic');
  };
}
