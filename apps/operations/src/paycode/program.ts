import { Command, Option } from 'commander';
import { contextOf } from './command-context.ts';
import { addAccountCommands, addLimitCommands, addSessionCommands } from './commands/accounts.ts';
import { addCellCommands } from './commands/cells.ts';
import { addErasureCommands } from './commands/erasures.ts';
import { addGroupCommands } from './commands/groups.ts';
import { addKeyCommands, addTokenKeyCommands } from './commands/keys.ts';
import { addEndpointCommands, addMerchantCommands } from './commands/merchants.ts';
import { addOperatorCommands } from './commands/operators.ts';
import { addOwnerCommands } from './commands/owners.ts';
import { addDeadLetterCommands, addSettlementCommands } from './commands/settlement.ts';
import { OperatorError } from './operator-connection.ts';

/** The operator's command line, which calls the internal listeners. */
export function operatorProgram(write: (text: string) => void): Command {
  const program = new Command('paycode')
    .usage('<command> [arguments]')
    .description('Shows and changes the state of a running platform.')
    .option('--home <folder>', 'folder of the standalone platform', process.env['PAYCODE_HOME'] ?? '.paycode')
    .addOption(
      new Option('--url <service=url>', 'internal base URL of a service (may be repeated, or several with commas)')
        .argParser(collect)
        .default([])
        .env('PAYCODE_URLS'),
    )
    .option('--token-file <file>', 'file with the operator token; - reads the first line of standard input')
    .addOption(fileOption('cert', 'PEM file with a certificate that names `operator`, for services that use mutual TLS'))
    .addOption(fileOption('key', 'PEM file with the private key of that certificate'))
    .addOption(fileOption('ca', 'PEM file with the authority of all services'))
    .option('--json', 'print the answer as JSON')
    .showHelpAfterError('(--help lists what there is)');
  const context = contextOf(program, write);
  addAccountCommands(program, context);
  addSessionCommands(program, context);
  addLimitCommands(program, context);
  addMerchantCommands(program, context);
  addTokenKeyCommands(addKeyCommands(program, context), write);
  addOperatorCommands(program, write);
  addOwnerCommands(program, context);
  addSettlementCommands(program, context);
  addDeadLetterCommands(program, context);
  addGroupCommands(program, context);
  addEndpointCommands(program, context);
  addCellCommands(program, context);
  addErasureCommands(program, context);
  return program;
}

/** Runs the command of `argv` and sets the exit code: 1 when the platform refuses or does not answer. */
export async function run(program: Command, argv: readonly string[]): Promise<void> {
  try {
    await program.parseAsync(argv);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/** Flag and variable are named like the setting of the services. */
function fileOption(which: 'cert' | 'key' | 'ca', description: string): Option {
  return new Option(`--mutual-tls-${which}-file <file>`, description).env(`MUTUAL_TLS_${which.toUpperCase()}_FILE`);
}

function collect(value: string, earlier: string[]): string[] {
  return [...earlier, ...value.split(',')];
}
