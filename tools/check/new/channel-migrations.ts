import { pascalCase } from './words.ts';
import { CannotAddError, type WorkspaceEdit } from './workspace-edit.ts';

/** Where the database names the channels. */
const constraints = [
  { service: 'notification-config', table: 'recipient', column: 'type' },
  { service: 'recipient-messages', table: 'recipient_message', column: 'channel' },
];

/** One migration for each of the two services, which lets the last of the channels into the table's check constraint. @throws CannotAddError */
export function addChannelMigrations(edit: WorkspaceEdit, channels: readonly string[]): void {
  for (const { service, table, column } of constraints) {
    const index = `apps/${service}/migrations/index.ts`;
    const stamp = stampAfter(edit.read(index));
    const name = `allow-${channels.at(-1)!.toLowerCase()}`;
    const className = `${pascalCase(name)}${stamp}`;
    edit.add(`apps/${service}/migrations/${stamp}-${name}.ts`, migration({ className, table, column, channels }));
    edit.replace(index, /\n\n\/\*\* In order of application/, `\nimport { ${className} } from './${stamp}-${name}';$&`);
    edit.replace(index, /,?\s*\];\s*$/, `, ${className}];\n`);
  }
}

/** Now, in milliseconds, or behind the last migration. */
function stampAfter(index: string): number {
  const stamps = [...index.matchAll(/'\.\/(\d{13})-/g)].map(([, stamp]) => Number(stamp));
  if (stamps.length === 0) throw new CannotAddError('there is no migration to come after: add it by hand');
  return Math.max(Date.now(), ...stamps.map(stamp => stamp + 1));
}

interface Widening {
  className: string;
  table: string;
  column: string;
  channels: readonly string[];
}

function migration({ className, table, column, channels }: Widening): string {
  const check = (names: readonly string[]) => `check (${column} in (${names.map(name => `'${name}'`).join(', ')}))`;
  return `import { ForwardMigration } from '@paycode/persistence';
import type { QueryRunner } from 'typeorm';

/** ${channels.at(-1)} is a channel. */
export class ${className} extends ForwardMigration {
  override readonly name = '${className}';

  override async up(runner: QueryRunner): Promise<void> {
    await runner.query(\`
      alter table ${table} drop constraint ${table}_${column}_check,
        add constraint ${table}_${column}_check ${check(channels)}\`);
  }
}
`;
}
