import type { KnownReason } from '../report/outcome.ts';

/** Planted faults that no test notices, by id, each with why. */
export const knownSurvivors: Readonly<Record<string, KnownReason>> = {};
