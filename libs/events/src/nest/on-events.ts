import { applyDecorators, type ArgumentsHost, Catch, type RpcExceptionFilter, UseFilters } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { type Observable, throwError } from 'rxjs';

/** Nest would log the error and replace it by `Internal server error`; the transport needs the error itself. */
@Catch()
export class PassErrorFilter implements RpcExceptionFilter {
  catch(error: unknown, _host: ArgumentsHost): Observable<never> {
    return throwError(() => error);
  }
}

export interface OnEventsOptions {
  /** Consumer group, as in docs/reference/topics.yaml. */
  group: string;
  /** Upper bound of events in a batch. Default 500. */
  batchMax?: number;
  /** Delivers events only when they are this old, in milliseconds. Default 0. */
  minAgeMs?: number;
  /** How long events may wait to share a read with others, in milliseconds. Default: almost not at all. */
  gatherMs?: number;
}

/**
 * `@EventPattern` for a batch handler: the method receives the `EventBatch` as `@Payload()`. Its promise decides: resolved, the batch is
 * committed; rejected, it comes again.
 */
export function OnEvents(topic: string, options: OnEventsOptions): MethodDecorator {
  return applyDecorators(EventPattern<string>(topic, { ...options }), UseFilters(PassErrorFilter));
}
