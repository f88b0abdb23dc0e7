import type { StatementExecutor } from '../../../../apps/webhook-dispatcher/src/deliveries/testing/dispatcher-tables';

/** A store whose every method is one statement on a server. */
export function remote<T extends object>(store: T, execute: StatementExecutor): T {
  return new Proxy(store, {
    get: (target, name) => {
      const method = target[name as keyof T];
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => execute(() => (method as (...all: unknown[]) => unknown).apply(target, args));
    },
  });
}
