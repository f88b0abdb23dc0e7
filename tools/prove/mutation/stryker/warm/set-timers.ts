type Handle = { [Symbol.dispose](): void };
type SetTimer = (run: (...args: unknown[]) => void, ...rest: unknown[]) => Handle;

/**
 * The timers that tests set: what a mutant left behind must not run on under the next one. Timers of `node:timers` are not among them.
 */
export class SetTimers {
  private readonly handles = new Set<Handle>();

  constructor() {
    const all = globalThis as unknown as Record<string, SetTimer>;
    for (const name of ['setTimeout', 'setInterval', 'setImmediate']) {
      const set = all[name]!;
      const tracked: SetTimer = (...args) => {
        const handle = set(...args);
        this.handles.add(handle);
        return handle;
      };
      all[name] = Object.defineProperties(tracked, Object.getOwnPropertyDescriptors(set)) as SetTimer;
    }
  }

  clear(): void {
    for (const handle of this.handles) handle[Symbol.dispose]();
    this.handles.clear();
  }
}
