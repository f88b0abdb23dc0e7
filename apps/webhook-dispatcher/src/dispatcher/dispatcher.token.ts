/** Injection token of the assembled dispatcher. */
export const DISPATCHER = Symbol('DISPATCHER');
