import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { channels } from '@paycode/dto';
import { events } from '../../../libs/dto/src/events/events.ts';

const page = (path: string): string => readFileSync(join(__dirname, '../../../docs', path), 'utf8');

describe('pages that are written by hand', () => {
  it.each(Object.values(events).map(({ type, topic }) => [type, topic.name] as const))(
    'the table of events in architecture has %s, over %s',
    (type, topic) => expect(page('explanation/architecture.md')).toContain(`| \`${topic}\` | \`${type}\` |`),
  );

  it.each(channels)('the how-to of messages says which settings switch %s on', channel =>
    expect(page('how-to/send-email-and-sms.md')).toMatch(new RegExp(`\`${channel}_[A-Z_]+`)),
  );
});
