import { type Arguments, linkTo, type Route } from './links';
import type { Routes, ShownPerson } from './portal-api';
import { dayBeganAt } from './time-zone';

type Answer = Response | undefined;
/** Answers for the first page, by their address: asked for before the scripts are there that make the page of them. */
const early = new Map<string, Promise<Answer>>();
/** A page that shows later asks for itself. */
const keptMs = 10_000;

/** Once. undefined: nobody asked, or the answer is a refusal, which the page gets by itself. */
export async function takeEarly(url: string): Promise<Answer> {
  const answer = early.get(url);
  early.delete(url);
  return answer;
}

/** After a change, such as signing out, the page asks again. */
export const forgetEarly = () => early.clear();

function ask<R extends Route>(route: R, ...given: Arguments<R>): Promise<Answer> {
  const url = linkTo(route, ...given);
  const answer = fetch(url, { signal: AbortSignal.timeout(keptMs) }).then(response => (response.ok ? response : undefined), () => undefined); // prettier-ignore
  early.set(url, answer);
  return answer;
}

type Person = ShownPerson['person'];

/** By path. A page asks for everything else by itself. */
const pages: Record<string, (person: Person) => unknown> = {
  '/console/': ({ tenantType, tenantId: merchantId }) => {
    if (tenantType !== 'MERCHANT') return;
    void ask('GET /home', { query: { merchantId, range: '24h', dayBeganAt: dayBeganAt() } });
    void ask('GET /payments', { query: { merchantId, limit: 5 } });
    void ask('GET /merchants/{merchantId}/notifications', { path: { merchantId } });
    void ask('GET /merchants/{merchantId}', { path: { merchantId } });
  },
  '/console/payments': () => {
    void ask('GET /payments');
    void ask('GET /payments/totals');
    void ask('GET /payment-views');
  },
  '/console/sign-in': () => undefined,
};

/** Of the page at this address, in the order in which they show. */
export async function askEarly(): Promise<void> {
  const page = location.search === '' ? pageAt(location.pathname) : undefined;
  if (!page) return;
  setTimeout(forgetEarly, keptMs);
  const me = (await (await ask('GET /session'))?.clone().json()) as Routes['GET /session']['answer'] | undefined;
  if (me?.stage !== 'FULL') return;
  page(me.person);
  void ask('GET /merchants', { query: { limit: 2 } });
}

function pageAt(path: string) {
  const [, transactionId] = /^\/console\/payments\/(\d+)$/.exec(path) ?? [];
  return transactionId ? () => ask('GET /payments/{transactionId}', { path: { transactionId } }) : pages[path];
}
