import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';

interface AskOptions {
  email: string;
  name: string;
  reason: string;
}

const path = '/internal/owner-recoveries';
const stepPath = (recoveryId: string, step: string): string => `${path}/${encodeURIComponent(recoveryId)}/${step}`;

/** Commands by which two operators let a new owner into an account whose owners are gone. */
export function addOwnerCommands(program: Command, context: CommandContext): void {
  const owners = program.command('owners').description('a new owner for an account whose owners are gone; takes two operators');
  owners
    .command('ask')
    .argument('<type>', 'MERCHANT, PSP or ACQUIRER')
    .argument('<tenantId>', 'merchantId, pspId or name of the acquirer')
    .description('mail the owners that somebody else is to become one; they have three days to refuse')
    .requiredOption('--email <address>', 'of the new owner')
    .requiredOption('--name <name>', 'of the new owner')
    .requiredOption('--reason <text>', 'why, and how you checked it: the owners read it')
    .action((type: string, tenantId: string, { email, name, reason }: AskOptions) => {
      const body = { tenantType: type.toUpperCase(), tenantId, email, name, reason };
      return context.call('portal', { method: 'POST', path, body });
    });
  owners
    .command('list')
    .description('recoveries, the latest first, at most 100: who asked, for whom, and from when another operator confirms')
    .action(() => context.call('portal', { method: 'GET', path }));
  owners
    .command('confirm <recoveryId>')
    .description('let the new owner in, three to seven days after another operator asked')
    .action((recoveryId: string) => context.call('portal', { method: 'POST', path: stepPath(recoveryId, 'confirm') }));
  owners
    .command('withdraw <recoveryId>')
    .description('end it without a new owner')
    .action((recoveryId: string) => context.call('portal', { method: 'POST', path: stepPath(recoveryId, 'withdraw') }));
}
