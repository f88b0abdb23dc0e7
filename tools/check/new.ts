/**
 * `npm run new -- event|setting …`: writes the files that a change of that kind needs, and generates the pages again.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from './gates/run.ts';
import { newEvent } from './new/new-event.ts';
import { newSetting } from './new/new-setting.ts';
import { CannotAddError, WorkspaceEdit } from './new/workspace-edit.ts';

const usage = `usage:
  npm run new -- event <name> --from <service> --to <service>[,<service>]
  npm run new -- setting <service> <NAME> --type string|integer|boolean|list|url [--default <value>] [--unit <unit>] [--min <number>] [--max <number>]
                  --says <sentence>      without --default every deployment must set it
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
  await edit.write();
  for (const path of edit.files.keys()) console.log(`wrote ${path}`);
  for (const generator of generators) process.stdout.write((await run('node', [join(import.meta.dirname, generator)])).stdout);
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
