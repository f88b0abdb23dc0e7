import { counter } from '@paycode/service-runtime/metrics';

/** A fault of one item, found before a database could name it: its text cannot be encoded, an answer does not name its id. The message names no data. */
export class DataFault extends Error {
  override readonly name: string = 'DataFault';
  readonly code: string = 'DATA_FAULT';
}

/**
 * SQLSTATE classes of PostgreSQL that the values of a statement cause (PostgreSQL 18 manual, appendix A): 21 cardinality violation, 22 data
 * exception, 23 integrity constraint violation, 54 program limit exceeded (a value too long for an index, JSON too deep for the stack).
 */
const dataState = /^(?:21|22|23|54)[0-9A-Z]{3}$/;
const causesMax = 8;

/**
 * Whether the data caused the failure, and not the connection, the server or a bug, so that the same work without that data succeeds. Looks
 * for a DataFault, an
 * SQLSTATE or the 400 of an internal call in the error, in what a driver wrapped (`driverError`) and in its causes, eight deep at most.
 */
export function isDataFault(error: unknown): boolean {
  return dataFaultReason(error) !== undefined;
}

/** The kind of data fault, for dead letters and logs, without PostgreSQL's message, which quotes data (T-16). */
export function dataFaultReason(error: unknown): string | undefined {
  let next = error;
  for (let depth = 0; depth < causesMax && typeof next === 'object' && next !== null; depth++) {
    const reason = ownReason(next);
    if (reason !== undefined) return reason;
    const { driverError, cause } = next as { driverError?: unknown; cause?: unknown };
    next = driverError ?? cause;
  }
  return undefined;
}

function ownReason(error: object): string | undefined {
  if (error instanceof DataFault) return error.message;
  const { code, status, isDefinite } = error as { code?: unknown; status?: unknown; isDefinite?: unknown };
  if (typeof code === 'string' && dataState.test(code)) return `refused by the database, SQLSTATE ${code}`;
  // Recognises an InternalCallError by its fields, so that this library does not depend on its package.
  return isDefinite === true && status === 400 ? 'refused by the service that was called, 400' : undefined;
}

export interface Isolation<U> {
  /** Does the work of these units. It must be atomic or idempotent. */
  write(units: readonly U[]): Promise<void>;
  /** Called for each unit that fails alone. */
  failed(unit: U, error: unknown): void;
  /** Whether a failure is that of a unit. Default: isDataFault. */
  isFault?(error: unknown): boolean;
}

/**
 * Does the work of all units at once. When it fails because of the data of some, repeats it in halves until each culprit is alone. Of n units
 * with k culprits, at most 2k·⌈log2 n⌉ further calls, one after the other, and never more than 2n - 2.
 * @throws the first failure that no unit's data caused; the halves before it are done
 */
export async function isolate<U>(units: readonly U[], isolation: Isolation<U>): Promise<void> {
  if (units.length === 0) return;
  try {
    await isolation.write(units);
  } catch (error) {
    await isolateCulprits(units, error, isolation);
  }
}

/** The rest of `isolate` once the work of all units together has failed with `error`. */
export async function isolateCulprits<U>(units: readonly U[], error: unknown, isolation: Isolation<U>): Promise<void> {
  if (!(isolation.isFault ?? isDataFault)(error)) throw error;
  if (units.length === 1) return isolation.failed(units[0]!, error);
  const middle = Math.ceil(units.length / 2);
  await isolate(units.slice(0, middle), isolation);
  await isolate(units.slice(middle), isolation);
}

const steps = ['arm', 'close', 'decide', 'notice', 'outbox', 'send', 'settle', 'verdict'] as const;

/** The step at which an item was parked. */
export type ParkedWorkStep = (typeof steps)[number];

const parked = counter(
  'paycode_persistence_work_parked_total',
  'Items parked because their own data makes a step fail; must stay 0.',
  ['step'],
);
// Starts each series at 0, because Prometheus sees no increase in a series that begins with its first item.
for (const step of steps) parked.inc({ step }, 0);

/**
 * Counts an item that was parked because of its own data while the others continue. An operator must look at any increase (alert WorkParked).
 */
export function countParked(step: ParkedWorkStep): void {
  parked.inc({ step });
}
