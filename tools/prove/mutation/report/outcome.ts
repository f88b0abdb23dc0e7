/** The result of one fault, seeded by hand or made by Stryker. */
export interface Outcome {
  area: string;
  /** Id of a planted fault; `file:line mutator` of a mutant. */
  fault: string;
  result: 'CAUGHT' | 'SURVIVED' | 'NOT_JUDGED';
  /** CAUGHT: the test that did. SURVIVED: what is wrong with the fault in place. NOT_JUDGED: why. */
  detail: string;
  /** Why it is known to survive. */
  known?: KnownReason;
}

export interface KnownReason {
  /** `equivalent`: nothing anybody could see differs, so it is no fault and is not counted. `redundant`: another guard holds what it breaks. */
  kind: 'equivalent' | 'redundant';
  why: string;
}

/** Jest's own words for a test or hook that did not end in time: a busy machine brings that about as well as a fault. */
export function isEndedByClock(message: string): boolean {
  return /Exceeded timeout of \d+ ms for a (test|hook)/.test(message);
}
