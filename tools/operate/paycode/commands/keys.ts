import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

export function addKeyCommands(program: Command, context: CommandContext): Command {
  const keys = program.command('keys').description('rotation of the keys the platform holds');
  keys
    .command('rotate')
    .description(
      'sign tokens and identity assertions with new keys; the old ones verify until what they signed has expired, and no sooner comes the next',
    )
    .action(() => context.call('auth-session', { method: 'POST', path: '/internal/keys/rotate' }));
  keys
    .command('replace')
    .description('the same at once, for a key that is stolen: the old ones verify nothing, and every session ends')
    .action(() => context.call('auth-session', { method: 'POST', path: '/internal/keys/replace' }));
  keys
    .command('reseal')
    .description('seal all webhook keys under the first of KEY_ENCRYPTION_KEYS, so that an older one can be taken away')
    .action(() => context.call('notification-config', { method: 'POST', path: '/internal/webhook-keys/reseal' }));
  return keys;
}
