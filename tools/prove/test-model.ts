/**
 * `npm run prove -- model` checks the settlement protocol's model with Spin: the base runs must find no error, and the removal of each guard
 * must be noticed. `-- --full` uses the budgets of docs/specification/settlement-protocol.md.
 */
import { checkModel } from './model/spin.ts';

process.exitCode = await checkModel(process.argv.slice(2));
