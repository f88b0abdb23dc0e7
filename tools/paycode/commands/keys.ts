import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

export function addKeyCommands(program: Command, context: CommandContext): void {
  program
    .command('keys')
    .description('keys that seal keys')
    .command('reseal')
    .description('move every webhook key under the current key-encryption key (the first of KEY_ENCRYPTION_KEYS)')
    .action(() => context.call('notification-config', { method: 'POST', path: '/internal/webhook-keys/reseal' }));
}
