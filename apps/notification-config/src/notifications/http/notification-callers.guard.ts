import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Identity } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import type { FastifyRequest } from 'fastify';

/** Runs after IdentityGuard and before the body is read: permits PSP and Acquirer only (R-4.3-2, A-41, A-44). */
@Injectable()
export class NotificationCallersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { identity } = context.switchToHttp().getRequest<FastifyRequest & { identity: Identity }>();
    if (isNotificationCaller(identity)) return true;
    throw new DomainError({ status: 403, reason: 'CALLER_TYPE', message: 'Forbidden' });
  }
}

function isNotificationCaller({ accountType, ownerId, acquirer }: Identity): boolean {
  return (accountType === 'PSP' && ownerId !== null) || (accountType === 'ACQUIRER' && Boolean(acquirer));
}
