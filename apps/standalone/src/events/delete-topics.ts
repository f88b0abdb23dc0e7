import { setTimeout as pause } from 'node:timers/promises';
import type { Admin } from 'kafkajs';

const attemptsMax = 120;
const attemptPauseMs = 250;

/**
 * Deletes topics and waits until they are gone: brokers answer a deletion before they let go of what they show, and who creates missing
 * topics would take a dying one for there.
 * @throws when one is still shown after half a minute
 */
export async function deleteTopics(admin: Pick<Admin, 'deleteTopics' | 'listTopics'>, topics: readonly string[]): Promise<void> {
  if (topics.length === 0) return;
  await admin.deleteTopics({ topics: [...topics] });
  for (let attempt = 1; ; attempt++) {
    const shown = new Set(await admin.listTopics());
    const left = topics.filter(topic => shown.has(topic));
    if (left.length === 0) return;
    if (attempt === attemptsMax) throw new Error(`${left.join(', ')}: deleted, and still shown by the brokers`);
    await pause(attemptPauseMs);
  }
}
