// Loaded before a platform that a tool starts for itself: it stops as on SIGTERM when the tool is gone, however that ended (a killed process
// cannot tell its children). Plain JavaScript, since nothing may be built yet.
process.channel?.unref();
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
