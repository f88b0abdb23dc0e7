/** `npm run -s paycode -- <command>`: the operator's command line. Exits 1 when the platform refuses or does not answer. */
import { operatorProgram } from './paycode/program.ts';
import { OperatorError } from './paycode/operator-connection.ts';

try {
  await operatorProgram(text => process.stdout.write(text)).parseAsync(process.argv);
} catch (error) {
  if (!(error instanceof OperatorError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
