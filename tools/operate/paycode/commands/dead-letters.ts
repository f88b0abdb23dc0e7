import { Argument, type Command } from 'commander';
import { type CommandContext, idOf } from '../command-context.ts';

/** The services whose consumer groups park events. A payment core's letters stand in its topic alone: `redrive`. */
const services = ['webhook-dispatcher', 'reversal-scheduler', 'recipient-messages', 'portal'] as const;
type LetterService = (typeof services)[number];

/** Commands that show what a service put aside, and give it to the service again: what the portal's page does, without a second person. */
export function addDeadLetterCommands(program: Command, context: CommandContext): void {
  const letters = program.command('dead-letters').description('events that a service could not use, without their payload');
  letters
    .command('list')
    .addArgument(serviceArgument())
    .description('the latest first, at most 50')
    .option('--before <letterId>', 'those that are older than this one')
    .action((service: LetterService, { before }: { before?: string }) => {
      const query = before === undefined ? '' : `?before=${idOf(before, '--before')}`;
      return context.call(service, { method: 'GET', path: `/internal/dead-letters${query}` });
    });
  letters
    .command('redrive')
    .addArgument(serviceArgument())
    .argument('<letterId...>')
    .description('give these to the group that parked them again; no other group sees them')
    .action((service: LetterService, letterIds: string[]) => {
      const body = { letterIds: letterIds.map(letterId => idOf(letterId, 'letterId')) };
      return context.call(service, { method: 'POST', path: '/internal/dead-letters/redrive', body });
    });
}

function serviceArgument(): Argument {
  return new Argument('<service>', 'who put them aside').choices(services);
}
