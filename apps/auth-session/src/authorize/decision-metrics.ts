import { counter } from '@paycode/metrics';

/** Answers to the gateway by outcome: `allowed`, or the code of the refusal, e.g. `BAD_CREDENTIALS`. */
export const decisionsTotal = counter('paycode_auth_session_decisions_total', 'Answers of authorize by outcome.', ['outcome']);
