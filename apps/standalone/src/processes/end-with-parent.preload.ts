import { compactAfterStart } from './compact-after-start';

/**
 * Loaded before a service when the standalone platform starts it: the service then ends together with the platform, however that
 * ended (a killed process cannot tell its children). The services themselves know nothing of this.
 */
const drainMs = 15_000;

process.channel?.unref();
process.once('disconnect', () => {
  process.kill(process.pid, 'SIGTERM');
  setTimeout(() => process.exit(1), drainMs).unref();
});
compactAfterStart();
