import { DomainError } from '@paycode/service-runtime';
import { QueueFullError } from '../flush-queue';

/** The result of `work`. @throws DomainError 503 when its queue is full: nothing was written, and the caller repeats the call */
export async function whenNotFull<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof QueueFullError)) throw error;
    throw new DomainError({ status: 503, reason: error.code, message: 'too much work is waiting', cause: error });
  }
}
