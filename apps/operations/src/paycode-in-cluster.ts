/** `paycode <command>` of the ops image: every command that calls the platform. */
import { operatorProgram, run } from './paycode/program.ts';

void run(
  operatorProgram(text => process.stdout.write(text)),
  process.argv,
);
