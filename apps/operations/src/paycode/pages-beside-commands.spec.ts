import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { addLoginCommand } from './commands/login.ts';
import { addSecretCommands } from './commands/secrets.ts';
import { operatorProgram } from './program.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../docs/how-to/use-the-portal.md'), 'utf8');
const table = page.split('## Commands and their pages')[1]!.split('\n## ')[0]!;

/** Commands without commands of their own. */
function leavesOf(command: Command, path: readonly string[] = []): string[] {
  if (command.commands.length === 0) return [path.join(' ')];
  return command.commands.flatMap(each => leavesOf(each, [...path, each.name()]));
}

it("the portal's page says of every operators' command where it is in the portal, or why it stays a command", () => {
  const say = () => undefined;
  const program = operatorProgram(say);
  addSecretCommands(program, say);
  addLoginCommand(program, say);
  const cells = [...table.matchAll(/^\| (`.*?) \|/gm)].map(([, cell]) => cell!);
  const named = cells.flatMap(cell => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
  expect(named.sort()).toEqual(leavesOf(program).sort());
});
