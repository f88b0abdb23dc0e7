// Node loads this before a platform that a tool starts for itself. The platform then stops as on SIGTERM when the tool ends, even when the
// tool was killed. It is plain JavaScript, because nothing may be built yet.
process.channel?.unref();
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
