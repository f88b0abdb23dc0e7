import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

const sessionsPath = (username: string): string => `/internal/accounts/${encodeURIComponent(username)}/sessions`;

export function addSessionCommands(program: Command, context: CommandContext): void {
  const sessions = program.command('sessions').description('sessions of an account in Bearer mode');
  sessions
    .command('list')
    .argument('<username>')
    .description('show the open sessions, newest first')
    .action((username: string) => context.call('auth-session', { method: 'GET', path: sessionsPath(username) }));
  sessions
    .command('end-all')
    .argument('<username>')
    .description('end every session of the account at once; its password stays')
    .action((username: string) => context.call('auth-session', { method: 'POST', path: `${sessionsPath(username)}/end-all` }));
}
