import { deadLetterTopic, isDeadLetterTopic } from '@paycode/dto';
import type { Subscription } from '../event-transport';
import type { TransportLog } from '../transport-log';
import type { DeadLetter } from './deliver-batch';

/** Where a subscription parks; none for a dead-letter topic, whose records are dead already. */
export function parkingTopicOf({ topic, group }: Subscription): string | undefined {
  return isDeadLetterTopic(topic) ? undefined : deadLetterTopic(topic, group);
}

/** What a reader of dead letters cannot take stays where it is and is passed over. */
export function passOver({ topic, group }: Subscription, log: TransportLog) {
  return async (letters: readonly DeadLetter[]): Promise<void> => {
    log.warn({ topic, group, count: letters.length }, 'dead letters could not be read and stay where they are');
  };
}
