import { CannotAddError, type WorkspaceEdit } from './workspace-edit.ts';

const folder = 'libs/dto/src/events';

interface NewEvent {
  /** A fact in the past: `code-expired`. */
  name: string;
  /** Service that publishes it. */
  from: string;
  /** Services that read it. */
  to: readonly string[];
}

/**
 * Writes the definition, its line in the registry and a golden sample. Everything else is generated from them. @throws
 * CannotAddError
 */
export function newEvent(edit: WorkspaceEdit, { name, from, to }: NewEvent): void {
  kebabName(name, 'the name of an event');
  for (const service of [from, ...to])
    if (!edit.has(`apps/${service}/project.json`)) throw new CannotAddError(`there is no service ${service}`);
  const [constant, type] = [camelCase(name), pascalCase(name)];
  edit.add(`${folder}/${name}.event.ts`, definition({ name, from, to }));
  edit.add(`libs/dto/samples/events/${name}.example.json`, `${JSON.stringify(sample, null, 2)}\n`);
  edit.insertSorted(`${folder}/events.ts`, /^import .*\.event\.ts';$/, `import { ${constant} } from './${name}.event.ts';`);
  edit.replace(`${folder}/events.ts`, /,?\s*\};\n\ntype Events/, `, ${constant} };\n\ntype Events`);
  edit.insertSorted('libs/dto/src/index.ts', /^export .* from '\.\/events\//, `export * from './events/${name}.event';`);
  const architecture = 'docs/explanation/architecture.md';
  const row = `| \`${topicOf(name)}\` | \`${type}\` | \`${Object.keys(sample).join(', ')}\` |\n`;
  edit.insertBefore(architecture, /^\| `<topic>\.<group>\.dlq` \|/, row);
}

const sample = { transactionId: 7_000_001, merchantId: 1001, occurredAt: '2025-06-01T10:00:00.000Z' };

/** The first word names the object of the event: `code-expired` uses the topic `paycode.code.expired.v1`. */
function topicOf(name: string): string {
  return `paycode.${name.replace('-', '.')}.v1`;
}

function definition({ name, from, to }: NewEvent): string {
  const consumers = to.map(service => `{ group: '${service}-${name}', service: '${service}' }`);
  return `import { id, instant } from '../schema/field-rules.ts';
import { dayMs, defineEvent, type EventData } from './define-event.ts';

export const ${camelCase(name)} = defineEvent({
  type: '${pascalCase(name)}',
  description: '${from} tells: ${name.replaceAll('-', ' ')}. Idempotent by transactionId.',
  topic: {
    name: '${topicOf(name)}',
    partitions: 16,
    retentionMs: 14 * dayMs,
    cleanupPolicy: 'delete',
    producers: ['${from}'],
    consumers: [${consumers.join(', ')}],
  },
  key: 'transactionId',
  fields: { transactionId: id, merchantId: id, occurredAt: instant },
});

export type ${pascalCase(name)} = EventData<typeof ${camelCase(name)}>;
`;
}

const kebabCase = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** `opening-hours`. @throws CannotAddError */
function kebabName(name: string | undefined, what: string): string {
  if (name === undefined || !kebabCase.test(name)) throw new CannotAddError(`${what} must be in kebab-case: opening-hours`);
  return name;
}

/** `OpeningHours` of `opening-hours`. */
function pascalCase(name: string): string {
  return name.replace(/(^|-)([a-z0-9])/g, (_, __, letter: string) => letter.toUpperCase());
}

/** `openingHours` of `opening-hours`. */
function camelCase(name: string): string {
  return name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}
