import { compactAfterStart } from './compact-after-start';

/**
 * Node loads this before a service of the standalone platform. The service then ends together with the platform, even when the
 * platform was killed. The services themselves have no code for this.
 */
const drainMs = 15_000;

process.channel?.unref();
process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(1), drainMs).unref();
});
compactAfterStart();
