import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { channels, namedNotificationStatuses, payloadVersions, requestLimits, validTypesText } from '@paycode/dto';
import { scenarios } from '@paycode/dto/sandbox';
import { parse } from 'yaml';
import { events } from '../../../libs/dto/src/events/events.ts';
import { readDeclarations } from '../../run/build/generated-pages.ts';

const root = join(__dirname, '../../..');
const page = (path: string): string => readFileSync(join(root, 'docs', path), 'utf8');

interface Notes {
  components: { schemas: Record<'AddHttpRequest' | 'NotificationEntry', { properties: { version: { enum: string[] } } }> };
  paths: Record<'/portal/restful/merchant/notification/extra', { post: { errors: Record<'400', string[]> } }>;
}

describe('pages that people write', () => {
  it.each(Object.values(events).map(({ type, topic }) => [type, topic.name] as const))(
    'the table of events in architecture has %s, over %s',
    (type, topic) => expect(page('explanation/architecture.md')).toContain(`| \`${topic}\` | \`${type}\` |`),
  );

  it('the public contract lists every payload version, and says which types of recipients there are (R-9-2, R-7-11)', () => {
    const { components, paths } = parse(readFileSync(join(__dirname, 'openapi/notes/public.yaml'), 'utf8')) as Notes;
    const { AddHttpRequest, NotificationEntry } = components.schemas;
    const versions = [AddHttpRequest, NotificationEntry].map(({ properties }) => properties.version.enum);
    expect(versions).toEqual([payloadVersions, payloadVersions]);
    expect(paths['/portal/restful/merchant/notification/extra'].post.errors['400']).toContain(validTypesText);
  });

  it.each(namedNotificationStatuses)('the guide for integrators says whether %s is paid and what to do (R-3.2-1)', status => {
    const rows = /### Payment statuses\n([\s\S]*?)\n#/.exec(page('how-to/integrate.md'))![1]!.split('\n');
    const own = rows
      .filter(row => row.split('|')[1]?.includes(`\`${status}\``))
      .map(row => row.split('|').map(cell => cell.trim()));
    expect(own).toEqual([['', expect.any(String), expect.stringMatching(/./), expect.stringMatching(/./), '']]);
  });

  it('the guide for integrators says how many requests an account and an address may send, as the services do', () => {
    const { accountPerS, addressPerS, challengesPerAddressPerMinute } = requestLimits;
    const guide = page('how-to/integrate.md');
    for (const text of [
      `An account may send ${accountPerS} requests a second, and ${2 * accountPerS} at once.`,
      `${addressPerS} a second, ${(2 * addressPerS).toLocaleString('en')} at once`,
      `login challenges of one IP address | ${challengesPerAddressPerMinute} a minute`,
    ])
      expect(guide).toContain(text);
  });

  const ofStatuses = namedNotificationStatuses.map(status => status.toLowerCase().replaceAll('_', '-'));
  it.each(scenarios.map(({ name }) => name).filter(name => !ofStatuses.includes(name)))(
    'the guide for tests says what the scenario %s shows',
    name => expect(page('how-to/develop-a-receiver-on-your-machine.md')).toMatch(new RegExp(`^\\| .*\`${name}\`.* \\|$`, 'm')),
  );

  it.each(channels)('the how-to of messages names the settings that switch %s on', channel =>
    expect(page('how-to/send-email-and-sms.md')).toMatch(new RegExp(`\`${channel}_[A-Z_]+`)),
  );
});

/** Standalone gives each service its own. */
const ownOfEach = ['INTERNAL_PORT', 'PUBLIC_PORT'];

describe('settings', () => {
  it('that several services read have one type, unit and default, because standalone gives all of them one value', () => {
    const { standalone, ...services } = readDeclarations().settings;
    const meanings = new Map<string, Set<string>>();
    for (const [name, { type, unit, default: value }] of Object.values(services).flatMap(settings => Object.entries(settings)))
      meanings.set(name, (meanings.get(name) ?? new Set()).add(JSON.stringify({ type, unit, value })));
    const several = [...meanings].flatMap(([name, all]) => (all.size > 1 ? [name] : [])).sort();
    expect(standalone).toBeDefined();
    expect(meanings.size).toBeGreaterThan(30);
    expect(several).toEqual(ownOfEach);
  });
});

describe('docs/explanation/security.md lists where data is stored (T-43)', () => {
  const security = page('explanation/security.md');
  const row = /^\| `([\w-]+)` \| `(\w+)` \| (.+?) \| .+ \| .+ \|$/gm;
  const listed = [...security.matchAll(row)].map(([, database, table, classes]) => ({ database, table, classes }));
  // `schema.int.spec.ts` compares these with the migrations. Partitions belong to their table.
  const schemas = globSync(['apps/*/schema.sql', 'libs/events/schema.sql'], { cwd: root });

  it.each(schemas.sort())('every table of %s, and no other', schema => {
    const made = [...readFileSync(join(root, schema), 'utf8').matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+) \(/gm)];
    const tables = listed.filter(({ database }) => database === basename(dirname(schema))).map(({ table }) => table);
    expect(tables.sort()).toEqual(made.map(([, name]) => name).sort());
  });

  it('no database without a schema; each table has classes of the list', () => {
    expect(new Set(listed.map(({ database }) => database))).toEqual(new Set(schemas.map(schema => basename(dirname(schema)))));
    const known = new Set([...security.matchAll(/^\| \*\*(\w+)\*\* \|/gm)].map(([, name]) => name));
    const unknown = listed.filter(({ classes }) => !classes!.split(', ').every(name => known.has(name)));
    expect([known.size, unknown]).toEqual([5, []]);
  });
});
