import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { QueueFullError } from '@paycode/persistence';
import { DomainError } from '@paycode/service-runtime';
import { catchError, type Observable } from 'rxjs';

/** SQLSTATE classes that mean "not now": connection, resources, operator intervention, and a database that is not there. */
const transientSqlStates = /^(08|53|57|3D)/;
const networkCodes = /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)/;
/** pg gives these no code. */
const lostConnection =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Whether a failure means that the database cannot be reached at the moment. */
export function isUnavailable(error: unknown): boolean {
  if (error instanceof QueueFullError) return true;
  if (!(error instanceof Error)) return false;
  const { code } = ((error as { driverError?: unknown }).driverError ?? error) as { code?: unknown };
  return typeof code === 'string' ? transientSqlStates.test(code) || networkCodes.test(code) : lostConnection.test(error.message);
}

/** The 503 for such a failure; undefined for any other. */
export function unavailable(cause: unknown): DomainError | undefined {
  if (!isUnavailable(cause)) return undefined;
  const headers = { 'retry-after': '1' };
  return new DomainError({ status: 503, code: 'DATABASE_UNAVAILABLE', message: 'Service Unavailable', headers, cause });
}

/** Without its database auth-session decides nothing (T-09): 503, never a 401 that would look like wrong credentials. */
@Injectable()
export class UnavailableInterceptor implements NestInterceptor {
  intercept(_context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return next.handle().pipe(
      catchError((cause: unknown) => {
        throw unavailable(cause) ?? cause;
      }),
    );
  }
}
