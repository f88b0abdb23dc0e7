import { DomainError } from '../domain-error';

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
