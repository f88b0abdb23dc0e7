import type { Command } from 'commander';
import { type CommandContext, idOf } from '../command-context.ts';
import { OperatorError } from '../operator-error.ts';

const service = 'webhook-dispatcher';

/** Commands that pause deliveries to the endpoint of a merchant, and let them go on. */
export function addEndpointCommands(program: Command, context: CommandContext): void {
  const endpoints = program.command('endpoints').description('endpoints of merchants, and pauses of deliveries to them');
  endpoints
    .command('show')
    .argument('<merchantId...>')
    .description('where deliveries of these merchants go, and whether they are paused')
    .action((merchantIds: string[]) => {
      const body = { merchantIds: merchantIds.map(merchantId => idOf(merchantId, 'merchantId')) };
      return context.call(service, { method: 'POST', path: '/internal/endpoints', body });
    });
  endpoints
    .command('pauses')
    .description('pauses in effect, then the latest others: who, why, until when')
    .action(() => context.call(service, { method: 'GET', path: '/internal/endpoints/pauses' }));
  endpoints
    .command('pause')
    .argument('<merchantId>')
    .description('let deliveries to the endpoint of this merchant wait; it ends by itself')
    .requiredOption('--minutes <minutes>', 'for how long, at most two thirds of DISPATCH_WINDOW_MS (10 minutes)')
    .requiredOption('--reason <text>', 'why, for the record')
    .action((merchantId: string, { minutes, reason }: { minutes: string; reason: string }) => {
      const body = { merchantId: idOf(merchantId, 'merchantId'), durationS: secondsOf(minutes), reason };
      return context.call(service, { method: 'POST', path: '/internal/endpoints/pauses', body });
    });
  endpoints
    .command('resume')
    .argument('<pauseId>')
    .description('end a pause now')
    .action((pauseId: string) =>
      context.call(service, { method: 'POST', path: `/internal/endpoints/pauses/${idOf(pauseId, 'pauseId')}/end` }),
    );
}

function secondsOf(minutes: string): number {
  if (!/^\d{1,3}$/.test(minutes) || Number(minutes) === 0)
    throw new OperatorError(`--minutes must be a whole number of minutes, not ${minutes}`);
  return Number(minutes) * 60;
}
