import type { FieldError, PortalAnswer } from '@paycode/dto';

export interface DomainErrorOptions {
  /** HTTP status the edge answers with. */
  status: number;
  /** Text for the caller; literals of spec 7 go here verbatim. Never carries a secret or another tenant's data. */
  message: string;
  /** Stable, for logs and metrics, e.g. `MERCHANT_NOT_ACTIVE`. Callers see another name, the `code` of the error body, which is found from status and message. */
  reason: string;
  errors?: FieldError[];
  headers?: Record<string, string>;
  cause?: unknown;
}

/** A refusal by the domain with a stable reason; one filter turns it into the error body. */
export class DomainError extends Error {
  readonly reason: string;
  readonly status: number;
  readonly errors?: FieldError[];
  readonly headers: Record<string, string>;

  constructor(options: DomainErrorOptions) {
    super(options.message, { cause: options.cause });
    this.name = 'DomainError';
    this.reason = options.reason;
    this.status = options.status;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
  }
}

/** 400 with one field problem: the error names the field and the rule. */
export function invalidField(field: string, rule: string): DomainError {
  return new DomainError({
    status: 400,
    reason: 'INVALID_FIELD',
    message: `${field} ${rule}`,
    errors: [{ field, message: rule }],
  });
}

/** SQLSTATE classes that mean "not now": connection, resources, operator intervention, and a database that is not there. */
const transientSqlStates = /^(08|53|57|3D)...$/;
/** Codes of network errors, and of a full FlushQueue. */
const transientCodes = /^(ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENOTFOUND$|EAI_AGAIN$|QUEUE_FULL$)/;
/** Errors to which pg gives no code. */
const lostConnection =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Whether a failure means that the database cannot be reached at the moment. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = ((error as { driverError?: unknown }).driverError ?? error) as { code?: unknown };
  return typeof code === 'string'
    ? transientSqlStates.test(code) || transientCodes.test(code)
    : lostConnection.test(error.message);
}

/** The 503 for a failure that means that the database cannot be reached at the moment; undefined for any other. */
export function unavailable(cause: unknown): DomainError | undefined {
  if (!isUnavailable(cause)) return undefined;
  const headers = { 'retry-after': '1' };
  return new DomainError({ status: 503, reason: 'DATABASE_UNAVAILABLE', message: 'Service Unavailable', headers, cause });
}

/** A refusal of the domain becomes an answer that the portal shows; faults stay faults. */
export async function answered<T>(work: () => Promise<T>): Promise<PortalAnswer<T>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (!(error instanceof DomainError) || error.status >= 500) throw error;
    const { status, reason, message, headers, errors } = error;
    const retryAfterS = Number(headers['retry-after'] ?? Number.NaN);
    const more = { ...(Number.isFinite(retryAfterS) && { retryAfterS }), ...(errors && { errors }) };
    return { ok: false, status, reason, message, ...more };
  }
}
