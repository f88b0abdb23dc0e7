import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { invalidField } from '@paycode/service-runtime';
import type { FastifyRequest } from 'fastify';
import { idOf } from './domain/id';

/**
 * `@IdParam('merchantId') merchantId: number`: an id in the path. A pipe would come too late: the validation pipe makes numbers of `01` and
 * `1e3` before it. @throws DomainError 400, which names the parameter
 */
export const IdParam = createParamDecorator((name: string, context: ExecutionContext): number => {
  const { params } = context.switchToHttp().getRequest<FastifyRequest<{ Params: Record<string, string> }>>();
  const id = idOf(params[name] ?? '');
  if (id === undefined) throw invalidField(name, 'must be a positive integer');
  return id;
});
