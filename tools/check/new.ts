/**
 * `npm run new -- event|setting …`: writes the files that a change of that kind needs, and generates the pages again.
 */
import { join, dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { CommandError, run } from './gates/run.ts';

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
function newEvent(edit: WorkspaceEdit, { name, from, to }: NewEvent): void {
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

const kinds = ['string', 'integer', 'boolean', 'list', 'url'] as const;

interface NewSetting {
  service: string;
  /** RETRIES_MAX */
  name: string;
  type: string;
  /** As it would stand in the environment, or `null` for a setting that may stay unset; without one the setting is required. */
  default?: string | undefined;
  unit?: string | undefined;
  /** Bounds of an integer. */
  min?: string | undefined;
  max?: string | undefined;
  /** One sentence for the reference page. */
  says: string;
}

/** The key in the service's env.ts. The reference pages are made from it. @throws CannotAddError */
function newSetting(edit: WorkspaceEdit, setting: NewSetting): void {
  const { service, name } = setting;
  const path = `apps/${service}/src/config/env.ts`;
  if (!edit.has(path)) throw new CannotAddError(`there is no ${path}`);
  if (!/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(name)) throw new CannotAddError('a setting is named like RETRIES_MAX');
  if (new RegExp(`^ *${name}:`, 'm').test(edit.read(path))) throw new CannotAddError(`${path} has ${name} already`);
  edit.insertBefore(path, /^\}\);$/, `${name}: { ${members(setting).join(', ')} },\n`);
}

function members({ type, default: value, unit, min, max, says }: NewSetting): string[] {
  if (!kinds.some(kind => kind === type)) throw new CannotAddError(`--type must be one of ${kinds.join(', ')}`);
  return [
    `type: '${type}'`,
    ...(unit === undefined ? [] : [`unit: ${quoted(unit)}`]),
    ...(value === undefined ? [] : [`default: ${literal(type, value)}`]),
    ...(min === undefined ? [] : [`min: ${bound(type, min)}`]),
    ...(max === undefined ? [] : [`max: ${bound(type, max)}`]),
    `description: ${quoted(says)}`,
  ];
}

const unquoted = new Set(['integer', 'boolean']);

function literal(type: string, value: string): string {
  if (value === 'null') return value;
  if (type === 'integer' && !/^\d+$/.test(value)) throw new CannotAddError('--default must be an integer');
  if (type === 'boolean' && !/^(true|false)$/.test(value)) throw new CannotAddError('--default must be true or false');
  if (type === 'list') return JSON.stringify(value.split(',').filter(item => item !== ''));
  return unquoted.has(type) ? value : quoted(value);
}

function bound(type: string, value: string): string {
  if (type !== 'integer' || !/^\d+$/.test(value)) throw new CannotAddError('--min and --max are integers, of an integer');
  return value;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** The request cannot be carried out; the message is for people. */
class CannotAddError extends Error {}

/** Files to write, by path from the workspace's root. It writes nothing until every edit has succeeded. */
class WorkspaceEdit {
  readonly files = new Map<string, string>();

  private readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  has(path: string): boolean {
    return this.files.has(path) || existsSync(join(this.root, path));
  }

  read(path: string): string {
    return this.files.get(path) ?? readFileSync(join(this.root, path), 'utf8');
  }

  /** @throws CannotAddError when the file exists */
  add(path: string, text: string): void {
    if (this.has(path)) throw new CannotAddError(`${path} is there already`);
    this.files.set(path, text);
  }

  /** Puts `lines` before the last place where `mark` stands. @throws CannotAddError when it stands nowhere */
  insertBefore(path: string, mark: RegExp, lines: string): void {
    const text = this.read(path);
    const places = [...text.matchAll(new RegExp(mark, 'gm'))];
    const place = places.at(-1);
    if (!place) throw new CannotAddError(`${path} holds nothing like ${String(mark)}: add it by hand`);
    this.files.set(path, `${text.slice(0, place.index)}${lines}${text.slice(place.index)}`);
  }

  /** With a pattern, $1 of the text is its first group. @throws CannotAddError when the text to replace stands nowhere */
  replace(path: string, mark: RegExp | string, text: string): void {
    const before = this.read(path);
    const isThere = typeof mark === 'string' ? before.includes(mark) : before.search(mark) >= 0;
    if (!isThere) throw new CannotAddError(`${path} holds nothing like ${String(mark)}: add it by hand`);
    this.files.set(path, typeof mark === 'string' ? before.replace(mark, () => text) : before.replace(mark, text));
  }

  /** Adds a line among those that match `like`, where the alphabet puts it. @throws CannotAddError when none is like it */
  insertSorted(path: string, like: RegExp, line: string): void {
    const lines = this.read(path).split('\n');
    const similar = lines.flatMap((text, at) => (like.test(text) ? [at] : []));
    const last = similar.at(-1);
    if (last === undefined) throw new CannotAddError(`${path} has no line like ${String(like)}: add it by hand`);
    const at = similar.find(index => lines[index]! > line) ?? last + 1;
    lines.splice(at, 0, line);
    this.files.set(path, lines.join('\n'));
  }

  /** Formats all of it as `npx prettier --write .` would, and writes it. Returns a function that puts the files back as they were. */
  async write(): Promise<() => void> {
    const made = await Promise.all([...this.files].map(([path, text]) => this.formatted(path, text)));
    for (const { file, text } of made) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return () => made.forEach(({ file, before }) => (before === undefined ? rmSync(file) : writeFileSync(file, before)));
  }

  private async formatted(path: string, text: string): Promise<{ file: string; before: string | undefined; text: string }> {
    const file = join(this.root, path);
    const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    if (path.endsWith('.md')) return { file, before, text };
    return { file, before, text: await format(text, { ...(await resolveConfig(file)), filepath: file }) };
  }
}

const usage = `usage:
  npm run new -- event <name> --from <service> --to <service>[,<service>]
  npm run new -- setting <service> <NAME> --type string|integer|boolean|list|url [--default <value>] [--unit <unit>] [--min <number>] [--max <number>]
                  --says <sentence>      without --default every deployment must set it; --default null: it may stay unset
`;

interface Made {
  edit: WorkspaceEdit;
  /** Programs of this folder that make other files from these. */
  generators: string[];
  next: string[];
}

const root = join(import.meta.dirname, '../..');

function make(args: readonly string[]): Made {
  const options = { from: text, to: text, type: text, default: text, unit: text, min: text, max: text, says: text };
  const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [kind = '', ...names] = positionals;
  const maker = Object.hasOwn(makers, kind) ? makers[kind as keyof typeof makers] : undefined;
  if (!maker) throw new CannotAddError(usage);
  return maker(new WorkspaceEdit(root), names, values);
}

const text = { type: 'string' } as const;
type Values = Record<'from' | 'to' | 'type' | 'default' | 'unit' | 'min' | 'max' | 'says', string | undefined>;

const makers = {
  event(edit: WorkspaceEdit, [name]: string[], values: Partial<Values>): Made {
    newEvent(edit, { name: named(name), from: named(values.from), to: named(values.to).split(',') });
    const next = [
      `fields, description, partitions and retention: libs/dto/src/events/${name}.event.ts, then npm run generate`,
      'the producer writes it to its outbox in the transaction of the fact (insertOutbox of @paycode/events)',
      'the consumer (@OnEvents, its group as in the definition) is idempotent by primary key and rejects events that it cannot use',
    ];
    return { edit, generators: ['generate-docs.ts'], next };
  },
  setting(edit: WorkspaceEdit, [service, name]: string[], values: Partial<Values>): Made {
    const { type = 'string', says, ...rest } = values;
    newSetting(edit, { ...rest, service: named(service), name: named(name), type, says: named(says) });
    const next = [
      `hand it to the module that needs it, in apps/${service}/src/app.module.ts, and use it there: npm run check -- settings`,
    ];
    return { edit, generators: ['generate-docs.ts'], next };
  },
};

function named(value: string | undefined): string {
  if (value === undefined || value === '') throw new CannotAddError(usage);
  return value;
}

async function main(): Promise<void> {
  if (/^(--help|-h)$/m.test(process.argv.slice(2).join('\n'))) return void process.stdout.write(usage);
  const { edit, generators, next } = make(process.argv.slice(2));
  const undo = await edit.write();
  let generated = '';
  try {
    for (const generator of generators) generated += (await run('node', [join(import.meta.dirname, generator)])).stdout;
  } catch (error) {
    undo();
    if (!(error instanceof CommandError)) throw error;
    throw new CannotAddError(`${error.message}\nnothing is added: try again when npm run generate succeeds`);
  }
  for (const path of edit.files.keys()) console.log(`wrote ${path}`);
  process.stdout.write(generated);
  console.log(['next:', ...next, 'npm run check'].join('\n  '));
}

try {
  await main();
} catch (error) {
  const isForPeople = error instanceof CannotAddError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  if (!isForPeople) throw error;
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
