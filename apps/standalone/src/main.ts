import { runStandalone } from './standalone';

void runStandalone(process.argv.slice(2)).then(code => process.exit(code));
