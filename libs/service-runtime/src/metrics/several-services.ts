const key = Symbol.for('paycode.several-services');

/**
 * Says that this process runs several services, each from its own bundle. Call it before the first of them is loaded: each bundle has a copy
 * of this library and looks when it is loaded.
 */
export function expectSeveralServices(): void {
  Object.assign(globalThis, { [key]: true });
}

export function isOneOfSeveral(): boolean {
  return key in globalThis;
}
