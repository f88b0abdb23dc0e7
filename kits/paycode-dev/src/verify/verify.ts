import { Endpoint, type Exchange } from '../transport/exchange';
import { notificationRequest, sealed } from '../webhook/envelope';
import { type MakerOptions, NotificationMaker } from '../webhook/notification-maker';
import { type Check, fail, type Finding, skip, type Subject, type Verdict } from './check';
import { acceptanceChecks } from './checks/acceptance-checks';
import { connectionChecks } from './checks/connection-checks';
import { forgeryChecks } from './checks/forgery-checks';
import { closingChecks, loadChecks, quantile, tortureChecks } from './checks/load-checks';
import { laterChecks, orderChecks, renewalChecks } from './checks/order-checks';

export interface VerifyOptions extends MakerOptions {
  url: URL;
  key: Buffer;
  newKey?: Buffer;
  /** How long an answer may take. */
  windowMs: number;
  /** How long the whole check may take: what is left after it fails. */
  wholeMs: number;
  ca?: string;
  /** The receiver demands it of each request. */
  headers?: Readonly<Record<string, string>>;
  /** PEM of a client certificate and its key. */
  client?: string;
  samplesFolder: string;
  /** Told of each check as it ends. */
  onChecked?: (checked: Checked) => void;
}

export interface Checked extends Finding {
  id: string;
  title: string;
  /** Where the documentation explains it. */
  page: string;
}

export interface Report {
  url: string;
  startedAt: string;
  windowMs: number;
  counts: Record<Verdict, number>;
  answerTimes: { count: number; p50Ms: number; p99Ms: number };
  checks: Checked[];
}

const connectMs = 10_000;
const tooLate = fail('Not tried: the time of the whole check is over (--within).');
const page = 'docs/how-to/check-a-receiver.md';

/** Tries a receiver. One check after the other: a receiver that fails under one of them is named by it. */
export async function verify(options: VerifyOptions): Promise<Report> {
  const startedAt = new Date().toISOString();
  const dueAt = performance.now() + options.wholeMs;
  const subject = subjectOf(options);
  const checked: Checked[] = [];
  let stopped: string | undefined;
  for (const check of allChecks(subject.maker)) {
    const isLate = performance.now() > dueAt;
    const finding = stopped !== undefined ? skip(stopped) : isLate ? tooLate : await check.run(subject);
    if (finding.verdict === 'fail' && !isLate) stopped ??= check.stopsWith;
    checked.push({ id: check.id, title: check.title, ...finding, page: `${page}#${anchorOf(check.section)}` });
    options.onChecked?.(checked.at(-1)!);
  }
  return {
    url: shownUrl(options.url),
    startedAt,
    windowMs: options.windowMs,
    counts: countsOf(checked),
    answerTimes: timesOf(subject.times),
    checks: checked,
  };
}

/** In the order in which they run. */
export function allChecks({ samples }: NotificationMaker): Check[] {
  return [
    ...connectionChecks,
    ...acceptanceChecks(samples),
    ...orderChecks,
    ...forgeryChecks,
    ...renewalChecks,
    ...loadChecks,
    ...laterChecks,
    ...closingChecks,
    ...tortureChecks,
  ];
}

/** The URL without what may be secret in it. */
export function shownUrl({ origin, pathname, search }: URL): string {
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}

/** The anchor of a heading, as code forges make it. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

function subjectOf({ url, key, newKey, windowMs, ca, headers, client, ...options }: VerifyOptions): Subject {
  const endpoint = new Endpoint(url, { windowMs, connectMs, ca, headers, client });
  const maker = NotificationMaker.from(options.samplesFolder, options);
  const subject: Subject = {
    endpoint,
    maker,
    key,
    newKey,
    times: [],
    flaws: [],
    deliver: async ({ transactionId, text }, { attempt, key: other = key, connections } = {}) => {
      const request = notificationRequest(sealed(text, other).toString('base64'), { transactionId, attempt, key: other });
      return noted(subject, await endpoint.post(request, connections));
    },
    deliverBody: async body =>
      noted(subject, await endpoint.post(notificationRequest(body, { transactionId: maker.success().transactionId, key }))),
  };
  return subject;
}

function noted({ times, flaws }: Subject, exchange: Exchange): Exchange {
  if (exchange.ms !== null) times.push(exchange.ms);
  flaws.push(exchange.flaw);
  return exchange;
}

function timesOf(times: readonly number[]): Report['answerTimes'] {
  const rounded = (share: number) => Math.round(quantile(times, share) * 10) / 10;
  return { count: times.length, p50Ms: rounded(0.5), p99Ms: rounded(0.99) };
}

function countsOf(checked: readonly Checked[]): Record<Verdict, number> {
  const counts = { pass: 0, warn: 0, fail: 0, skip: 0 };
  for (const { verdict } of checked) counts[verdict] += 1;
  return counts;
}
