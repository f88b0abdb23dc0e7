// The Node environment of Jest, with a guard: a spec file that leaves a timer, connection, server or process open fails by name.
// Jest itself only says that "a worker failed to exit", without a file, and only when the worker is the last to end.
const { TestEnvironment } = require('jest-environment-node');

const guarded = ['TCPSocketWrap', 'TCPServerWrap', 'TLSWrap', 'ProcessWrap', 'UDPWrap'];
const patienceMs = 10_000;
const timersMax = 10_000;

/** Neither fired nor cleared, and able to keep the process alive. */
function isRunning(timer) {
  return typeof timer === 'object' && !timer._destroyed && timer.hasRef();
}

/** Resources that keep the process alive, by kind. */
function openResources() {
  const counts = new Map();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

module.exports = class LeakGuardEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.before = openResources();
    this.timers = new Set();
    for (const name of ['setTimeout', 'setInterval']) this.track(name);
  }

  /** Jest has timers of its own, so those of the spec are noted one by one. */
  track(name) {
    const original = this.global[name];
    const tracked = (...args) => {
      const timer = original(...args);
      if (this.timers.size > timersMax) this.timers = new Set([...this.timers].filter(isRunning));
      this.timers.add(timer);
      return timer;
    };
    // util.promisify(setTimeout) finds its own version among these.
    this.global[name] = Object.defineProperties(tracked, Object.getOwnPropertyDescriptors(original));
  }

  async teardown() {
    const left = await this.leftOpen();
    await super.teardown();
    if (left.length > 0) throw new Error(`the spec file left open: ${left.join(', ')}`);
  }

  /** What is open beyond what was open before the file, once it had time to close. */
  async leftOpen() {
    const giveUpAt = performance.now() + patienceMs;
    for (;;) {
      const now = openResources();
      const left = guarded.filter(kind => (now.get(kind) ?? 0) > (this.before.get(kind) ?? 0));
      if ([...this.timers].some(isRunning)) left.push('a timer');
      if (left.length === 0 || performance.now() > giveUpAt) return left;
      // Unreferenced, so that the wait is not itself a timer that is left open.
      await new Promise(resolve => setTimeout(resolve, 20).unref());
    }
  }
};
