import { call, PortalError } from '../api';
import type { FileRow } from './read-merchants-file';
import { t } from '../language/language';

export interface RowResult {
  line: number;
  merchantId: number;
  isDone: boolean;
  /** In words. */
  result: string;
  /** Shown once: of a URL that was set. */
  encryptKey: string;
}

export interface Sending {
  /** The person's own password, for each change as the portal demands it. */
  current: string;
  /** URLs that are set are replaced, too. */
  doesReplace: boolean;
  signal: AbortSignal;
  onResult: (result: RowResult) => void;
  /** The work waits so long for its turn; undefined: it goes on. */
  onWaiting: (seconds: number | undefined) => void;
}

/** Rows on their way at once: each makes the platform ask a merchant's server. */
const inFlightMax = 3;
/** A person may check 600 URLs in an hour, so that a row waits for its turn a few seconds. */
const turnsMax = 30;
const waitSMax = 60;

/** Sends each row by the calls that a person makes for one merchant. Ends early when it is told to, or when the portal lets the person do nothing more. */
export async function sendRows(rows: readonly FileRow[], sending: Sending): Promise<void> {
  const waiting = [...rows];
  const isOver = { now: false };
  const work = async () => {
    for (let row = waiting.shift(); row && !isOver.now && !sending.signal.aborted; row = waiting.shift()) {
      const { line, merchantId } = row;
      try {
        sending.onResult({ line, merchantId, isDone: true, ...(await withTurns(() => send(row!, sending), sending)) });
      } catch (error) {
        isOver.now ||= error instanceof PortalError && [0, 401, 403].includes(error.status);
        const result = error instanceof Error ? error.message : t('Something went wrong.');
        sending.onResult({ line, merchantId, isDone: false, result, encryptKey: '' });
      }
    }
  };
  await Promise.all(Array.from({ length: inFlightMax }, work));
}

async function send(row: FileRow, { current, doesReplace }: Sending): Promise<Pick<RowResult, 'result' | 'encryptKey'>> {
  const path = { merchantId: row.merchantId };
  const before = await call('GET /merchants/{merchantId}/notifications', { path });
  const isOther = before.http !== null && before.http.url !== row.url;
  const missing = row.recipients.filter(
    ({ type, value }) => !before.recipients.some(each => each.type === type && each.value === value),
  );
  if (row.url !== '' && isOther && !doesReplace)
    throw new PortalError(409, t('url: another one is set, {url}. Nothing was changed.', { url: before.http!.url }));
  let encryptKey = '';
  const done: string[] = [];
  if (row.url !== '' && before.http?.url !== row.url) {
    const set = await call('POST /merchants/{merchantId}/notifications/url', { path, body: { url: row.url, current } });
    encryptKey = set.encryptKey;
    done.push(t('URL set'));
  }
  for (const body of missing) await call('POST /merchants/{merchantId}/notifications/recipients', { path, body });
  if (missing.length > 0)
    done.push(t('{count, plural, one {# recipient} other {# recipients}} added', { count: missing.length }));
  return { result: done.join(', ') || t('Nothing to change'), encryptKey };
}

/** Again after the time that the portal names, while it says that there were too many. The changes that a row made before are found done. */
async function withTurns<T>(step: () => Promise<T>, { signal, onWaiting }: Sending): Promise<T> {
  for (let turn = 1; ; turn += 1) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof PortalError && error.status === 429) || turn === turnsMax || signal.aborted) throw error;
      const seconds = Math.min(error.retryAfterS ?? 1, waitSMax);
      onWaiting(seconds);
      await new Promise(resolve => setTimeout(resolve, seconds * 1_000));
      onWaiting(undefined);
    }
  }
}
