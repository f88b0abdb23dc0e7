import { queryOptions } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call, PortalError } from '../api';
import type { PortalSandboxTransaction, Scenario } from '../portal-api';
import { type Said, t } from '../language/language';

export const scenariosQuery = queryOptions({
  queryKey: ['scenarios'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: () => call('GET /sandbox/scenarios'),
});

export interface PlayedPayment extends PortalSandboxTransaction {
  code: string;
}

export interface Stage {
  /** The scenario that plays, or played last. */
  scenario: string | null;
  /** The current step of the scenario, in words; null: nothing plays. */
  doing: Said | null;
  played: PlayedPayment[];
  error: unknown;
  play: (scenario: Scenario) => void;
}

interface Wish {
  amount: string;
  currencyCode: string;
}

const slowCustomerS = 20;
const burstPayments = 10;
/** Longer than the 45 seconds that an answer may take. */
const repeatTriesMax = 60;

/** Decimal comma or point, as people write it. */
export const madeOf = ({ amount, currencyCode }: Wish): Wish => ({ amount: amount.trim().replace(',', '.'), currencyCode });
export const newCode = (wish: Wish) => call('POST /sandbox/codes', { body: madeOf(wish) });

export async function payCode(code: string, txState: string, announcedAfterS = 0): Promise<PlayedPayment> {
  return { code, ...(await call('POST /sandbox/payments', { body: { code, txState, announcedAfterS } })) };
}

export async function followUp(code: string, event: 'REFUND' | 'REVERSAL'): Promise<PlayedPayment> {
  return { code, ...(await call('POST /sandbox/follow-ups', { body: { code, followUp: event } })) };
}

/** Plays one scenario at a time, and stops when the page is left. */
export function useStage(wish: Wish): Stage {
  const [scenario, setScenario] = useState<string | null>(null);
  const [doing, setDoing] = useState<Said | null>(null);
  const [played, setPlayed] = useState<PlayedPayment[]>([]);
  const [error, setError] = useState<unknown>(null);
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const play = async (next: Scenario) => {
    leaving.current = new AbortController();
    setScenario(next.name);
    setPlayed([]);
    setError(null);
    const tell = { doing: setDoing, played: (payment: PlayedPayment) => setPlayed(before => [...before, payment]) };
    try {
      await perform(next, { wish, tell, left: leaving.current.signal });
    } catch (failure) {
      if (!leaving.current.signal.aborted) setError(failure);
    } finally {
      setDoing(null);
    }
  };
  return { scenario, doing, played, error, play: next => void play(next) };
}

interface Performance {
  wish: Wish;
  tell: { doing: (text: Said) => void; played: (payment: PlayedPayment) => void };
  left: AbortSignal;
}

async function perform(scenario: Scenario, performance: Performance): Promise<void> {
  const { wish, tell, left } = performance;
  const states = scenario.pace === 'ALL_AT_ONCE' ? Array<string>(burstPayments).fill('SUCCESS') : scenario.payments;
  if (scenario.pace === 'ALL_AT_ONCE') return atOnce(states, performance);
  for (const [at, txState] of states.entries()) {
    tell.doing(states.length > 1 ? t('Payment {at} of {count}', { at: at + 1, count: states.length }) : t('Making a code'));
    const { code } = await newCode(wish);
    if (scenario.pace === 'CUSTOMER_IS_SLOW')
      await counted(slowCustomerS, s => tell.doing(t('The customer pays in {s} s', { s })), left);
    left.throwIfAborted();
    tell.played(await payCode(code, txState, scenario.announcedAfterS));
    if (scenario.followUp) await follow(scenario, code, performance);
    await counted(
      scenario.announcedAfterS,
      s => tell.doing(t('It is paid, and the payment core tells us in {s} s', { s })),
      left,
    );
  }
}

async function follow({ followUp: event, isNoticeRepeated }: Scenario, code: string, { tell, left }: Performance): Promise<void> {
  const followed = await followUp(code, event!);
  tell.played(followed);
  if (!isNoticeRepeated) return;
  await repeated(followed, { tell, left });
  tell.played({ ...followed, status: t('{status} again', { status: followed.status }) });
}

/** A notification can be sent again when its first delivery has ended: your server may take its 45 seconds. */
async function repeated({ transactionId, status }: PlayedPayment, { tell, left }: Omit<Performance, 'wish'>): Promise<void> {
  for (let tried = 1; ; tried++) {
    tell.doing(t("Waiting for your server's answer to the {status}", { status }));
    try {
      return void (await call('POST /sandbox/repeats', { body: { transactionId } }));
    } catch (error) {
      const isEarly = error instanceof PortalError && (error.status === 404 || error.status === 409);
      if (!isEarly || tried === repeatTriesMax) throw error;
    }
    await pauseS(1);
    left.throwIfAborted();
  }
}

async function atOnce(states: readonly string[], { wish, tell }: Performance): Promise<void> {
  tell.doing(t('Making {count} codes', { count: states.length }));
  const codes = await Promise.all(states.map(() => newCode(wish)));
  tell.doing(t('Paying {count} codes', { count: states.length }));
  await Promise.all(codes.map(async ({ code }, at) => tell.played(await payCode(code, states[at]!))));
}

/** Ends early when the page is left. */
async function counted(seconds: number, tell: (left: number) => void, left: AbortSignal): Promise<void> {
  for (let second = seconds; second > 0 && !left.aborted; second--) {
    tell(second);
    await pauseS(1);
  }
}

const pauseS = (seconds: number) => new Promise(resolve => setTimeout(resolve, seconds * 1_000));
