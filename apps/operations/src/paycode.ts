/** `npm run -s paycode -- <command>`: the operator's command line. Exits 1 when the platform refuses or does not answer. */
import { addLoginCommand } from './paycode/commands/login.ts';
import { addSecretCommands } from './paycode/commands/secrets.ts';
import { operatorProgram, run } from './paycode/program.ts';

const write = (text: string): boolean => process.stdout.write(text);
const program = operatorProgram(write).usage('<command> [arguments]   (run as: npm run -s paycode -- <command>)');
// Only here, because it reads the manifests of the repository.
addSecretCommands(program, write);
addLoginCommand(program, write);
program.addHelpText('after', '\nBeside these, with a --help of their own: npm run -s paycode -- audit | redrive');
await run(program, process.argv);
