import { deadlineHeader, type ErrorBody, requestIdHeader } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import type { InternalRequest } from './internal-callers.guard';
import type { InternalClient, WholeAnswer } from './internal-client';

/** For a caller that does not say how long it waits. Shorter than the limit of internal calls. */
const budgetMsDefault = 4_000;
/** Of the caller's time; the rest is for the work here. */
const budgetShare = 0.8;

/** The same service in another cell. */
export interface OtherCell {
  name: string;
  client: Pick<InternalClient, 'ask'>;
}

/** The other cells that may have a payment, the newest first. */
export interface OtherCellsOf {
  /** Name of this service, by which it calls them. */
  service: string;
  of(transactionId: number): OtherCell[] | Promise<OtherCell[]>;
}

/** The caller was admitted here: the request goes on under the token of this service. */
export type RequestToRelay = Pick<InternalRequest, 'id' | 'method' | 'headers' | 'body'> & { url: string };

/**
 * Answers a request about one payment here, or from the cell that has it. No cell acts for a payment that it does not have, so the others are asked in
 * turn. A relayed request comes from this service in another cell, and goes no further (P-1.12). @throws DomainError 503 when a cell that may have it gives no answer
 */
export async function orElsewhere<T>(
  here: () => Promise<T>,
  { transactionId, request }: { transactionId: number; request: RequestToRelay & Pick<InternalRequest, 'internalCaller'> },
  others: OtherCellsOf | undefined,
): Promise<T> {
  if (!others || request.internalCaller === others.service) return here();
  const local = await outcomeOf(here);
  if (!local.isMissing) return local.answer();
  const text = await askCells(await others.of(transactionId), request);
  return text === undefined ? local.answer() : (JSON.parse(text) as T);
}

/** Text of the answer of the cell that has the payment; undefined: none has it. @throws DomainError its refusal, or 503 when a cell gives no answer */
export async function askCells(cells: readonly OtherCell[], request: RequestToRelay): Promise<string | undefined> {
  const endMs = performance.now() + budgetMsOf(request);
  let fault: DomainError | undefined;
  for (const [at, cell] of cells.entries()) {
    const timeoutMs = Math.max(1, Math.floor((endMs - performance.now()) / (cells.length - at)));
    const answer = await answerOf(cell, request, timeoutMs);
    if (answer instanceof DomainError) fault = answer;
    else if (!isMissing(answer)) return textOf(answer);
  }
  if (fault) throw fault;
  return undefined;
}

/** A DomainError: the cell does not say whether it has the payment. */
async function answerOf(cell: OtherCell, request: RequestToRelay, timeoutMs: number): Promise<WholeAnswer | DomainError> {
  const { id, url: path, body } = request;
  const sent =
    request.method === 'GET' ? ({ method: 'GET' } as const) : ({ method: 'POST', body: JSON.stringify(body ?? {}) } as const);
  try {
    const answer = await cell.client.ask({ ...sent, path, headers: { [requestIdHeader]: String(id) }, timeoutMs });
    if (answer.status >= 500) return refusalOf(answer);
    // This service may not ask there, which says nothing about the rights of its caller.
    return answer.status === 401 || answer.status === 403 ? unreachable(cell.name, `answered ${answer.status}`) : answer;
  } catch (cause) {
    return unreachable(cell.name, cause);
  }
}

function budgetMsOf({ headers }: RequestToRelay): number {
  const callerMs = Number(headers[deadlineHeader] ?? Number.NaN);
  return (Number.isFinite(callerMs) ? callerMs : budgetMsDefault / budgetShare) * budgetShare;
}

/** This cell's own answer, and whether the payment is not here. */
async function outcomeOf<T>(here: () => Promise<T>): Promise<{ isMissing: boolean; answer(): T }> {
  try {
    const value = await here();
    return { isMissing: isUnknownInWords(value), answer: () => value };
  } catch (error) {
    if (!(error instanceof DomainError) || error.status !== 404) throw error;
    return {
      isMissing: true,
      answer: () => {
        throw error;
      },
    };
  }
}

function isMissing({ status, text }: WholeAnswer): boolean {
  return status === 404 || (status === 200 && isUnknownInWords(bodyOf(text)));
}

/** A 404 for a person of the portal is an answer. */
function isUnknownInWords(answer: unknown): boolean {
  const { ok, status } = (answer ?? {}) as { ok?: unknown; status?: unknown };
  return ok === false && status === 404;
}

function textOf(answer: WholeAnswer): string {
  if (answer.status >= 300) throw refusalOf(answer);
  return answer.text;
}

function refusalOf({ status, headers, text }: WholeAnswer): DomainError {
  const { message, errors } = bodyOf(text);
  const retryAfter = headers['retry-after'] ?? (status === 503 ? '1' : undefined);
  return new DomainError({
    status,
    reason: 'OTHER_CELL',
    message: message ?? 'Service Unavailable',
    errors,
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  });
}

/** A proxy in between answers without one. */
function bodyOf(text: string): Partial<ErrorBody> {
  try {
    return JSON.parse(text) as ErrorBody;
  } catch {
    return {};
  }
}

function unreachable(cell: string, cause: unknown): DomainError {
  const message = `cell ${cell} may have this payment, and cannot be asked now`;
  return new DomainError({ status: 503, reason: 'CELL_UNREACHABLE', message, headers: { 'retry-after': '1' }, cause });
}
