// The Node environment of Jest, with a guard: a spec file that leaves a timer, connection, server or process open fails by name.
// Jest itself only says that "a worker failed to exit", without a file, and only when the worker is the last to end.
// It reports the leak as an error of the file in addition to the results of its tests, and never throws: an environment that throws
// makes Jest drop the results. It closes open resources by force, so that the process can end.
const { relative } = require('node:path');
const { TestEnvironment } = require('jest-environment-node');
const { offerPackages } = require('./package-bundle.cjs');

// Reached only by what never ends: a machine with other work may need long to close a connection.
const patienceMs = 120_000;
const timersMax = 10_000;
const toldMax = 20;

/** Neither fired nor cleared, and able to keep the process alive. */
function isRunning(timer) {
  return typeof timer === 'object' && !timer._destroyed && timer.hasRef();
}

module.exports = class LeakGuardEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.patienceMs = config.projectConfig.testEnvironmentOptions.patienceMs ?? patienceMs;
  }

  async setup() {
    await super.setup();
    offerPackages(this);
    this.before = openHandles();
    /** Each with the place that started it. */
    this.timers = new Map();
    for (const name of ['setTimeout', 'setInterval']) this.track(name);
  }

  /** Jest has its own timers, so this records those of the spec one by one. */
  track(name) {
    const original = this.global[name];
    const { timers } = this;
    const tracked = (...args) => {
      const timer = original(...args);
      if (timers.size > timersMax) for (const old of timers.keys()) if (!isRunning(old)) timers.delete(old);
      const place = {};
      Error.captureStackTrace(place, tracked);
      timers.set(timer, { name, place });
      return timer;
    };
    // util.promisify(setTimeout) finds its own version among these.
    this.global[name] = Object.defineProperties(tracked, Object.getOwnPropertyDescriptors(original));
  }

  /** After the last hook of the file, and before Jest adds up what its tests found: the leak stands below that. */
  async handleTestEvent({ name }, state) {
    if (name !== 'run_finish') return;
    const left = await this.leftOpen();
    if (left.length === 0) return;
    const more = left.length > toldMax ? [`… and ${left.length - toldMax} more`] : [];
    const told = [...left.slice(0, toldMax), ...more].map(line => `  - ${line}`).join('\n');
    const error = new Error(`the spec file left open:\n${told}`);
    // Jest prints as the message what stands before the first place; a place within Node itself it leaves out.
    error.stack = `${error.message}\n    at node:internal/timers:1:1`;
    state.unhandledErrors.push(error);
    this.closeAll();
  }

  /** A file that fails to load reaches only this method; its own error is reported. */
  async teardown() {
    // Resources that the file began to open last are open now.
    await new Promise(setImmediate);
    this.closeAll();
    await super.teardown();
  }

  /** Resources that were not open before the file and did not close in time. */
  async leftOpen() {
    const giveUpAt = performance.now() + this.patienceMs;
    while (this.openNow().length > 0 && performance.now() < giveUpAt) {
      // Unreferenced, so that the wait is not itself a timer that is left open.
      await new Promise(resolve => setTimeout(resolve, 20).unref());
    }
    return this.openNow();
  }

  openNow() {
    const handles = this.newHandles().filter(isGuarded).map(describe);
    return [...handles, ...this.runningTimers().map(([, { name, place }]) => `${name} started in ${placeOf(place.stack)}`)];
  }

  newHandles() {
    return [...openHandles()].filter(handle => !this.before.has(handle));
  }

  runningTimers() {
    return [...this.timers].filter(([timer]) => isRunning(timer));
  }

  closeAll() {
    for (const [timer] of this.runningTimers()) clearTimeout(timer);
    for (const handle of this.newHandles().filter(isGuarded)) closeByForce(handle);
  }
};

/** Where the project's own code started it; when only packages did, the nearest of them. */
function placeOf(stack) {
  const places = stack.split('\n').slice(1);
  const own = places.find(line => !line.includes('node_modules') && !line.includes('(node:')) ?? places[0] ?? 'an unknown place';
  const [, file] = /\(([^()]+)\)$/.exec(own) ?? /at (?:async )?(.+)$/.exec(own) ?? [undefined, own.trim()];
  return file.startsWith('/') ? relative(process.cwd(), file) : file;
}

// The handles that keep this process alive, as objects: to tell them apart, to describe them and to close them.
// Node has no documented way to the objects (process.getActiveResourcesInfo gives names only); `_getActiveHandles` is what there is.

/** Sockets, servers, children and the like that are open and able to keep the process alive. */
function openHandles() {
  return new Set(process._getActiveHandles());
}

/** TCP, TLS and UDP ends, and processes. Pipes and ports of workers are Node's and Jest's own business. */
function isGuarded(handle) {
  // The _handle of a UDP socket is deprecated.
  if (typeof handle.bind === 'function' && typeof handle.send === 'function') return true;
  return ['TCP', 'TLSWrap', 'Process'].includes((handle._handle ?? handle).constructor.name);
}

/** One line per handle, with its command or address where there is one. */
function describe(handle) {
  if (handle.spawnargs) return `child process ${handle.pid}: ${handle.spawnargs.join(' ').slice(0, 120)}`;
  if (typeof handle.address !== 'function') return `a bare ${handle.constructor.name}`;
  const kind = typeof handle.listen === 'function' ? 'server' : 'connection';
  const { address = '', port = '' } = attempt(() => handle.address()) ?? {};
  return `${kind} ${address}:${port}${handle.remoteAddress ? ` -> ${handle.remoteAddress}:${handle.remotePort}` : ''}`;
}

/** A handle that is just being closed refuses to be asked. */
function attempt(ask) {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

/** Closes a handle by force, so that the process can end. */
function closeByForce(handle) {
  // Errors after this are ignored, because the handle has no user any more.
  handle.on?.('error', () => undefined);
  if (handle.spawnargs) handle.kill('SIGKILL');
  handle.closeAllConnections?.();
  if (typeof handle.destroy === 'function') handle.destroy();
  else attempt(() => handle.close?.());
  handle.unref?.();
}
