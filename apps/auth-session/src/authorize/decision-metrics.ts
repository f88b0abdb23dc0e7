import { Counter } from 'prom-client';

/** What the gateway was told, by outcome: `allowed`, or the code of the refusal, e.g. `BAD_CREDENTIALS`. */
export const decisionsTotal = new Counter({
  name: 'paycode_auth_decisions_total',
  help: 'Answers of authorize by outcome.',
  labelNames: ['outcome'],
});
