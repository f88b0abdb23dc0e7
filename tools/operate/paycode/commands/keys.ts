import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

export function addKeyCommands(program: Command, context: CommandContext): Command {
  const keys = program.command('keys').description('rotation of the keys of the platform');
  keys
    .command('rotate')
    .description(
      'sign tokens and identity assertions with new keys; the old keys verify until the tokens they signed have expired, and the next rotation is refused until then',
    )
    .action(() => context.call('auth-session', { method: 'POST', path: '/internal/keys/rotate' }));
  keys
    .command('replace')
    .description('replace the signing keys at once, for a stolen key: the old keys verify no more, and every session ends')
    .action(() => context.call('auth-session', { method: 'POST', path: '/internal/keys/replace' }));
  keys
    .command('reseal')
    .description('seal all webhook keys under the first of KEY_ENCRYPTION_KEYS, so that an older one can be removed')
    .action(() => context.call('notification-config', { method: 'POST', path: '/internal/webhook-keys/reseal' }));
  return keys;
}
